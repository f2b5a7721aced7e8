//! Rebuilds the crate when a module is added to or removed from a folder that it embeds.

fn main() {
    for folder in ["boot", "kube", "pods", "selftest", "system"] {
        println!("cargo::rerun-if-changed={folder}");
    }
}
