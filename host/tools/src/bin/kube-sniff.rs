//! `kube-sniff`: what is on the air, for people and for tests.

fn main() -> std::process::ExitCode {
    kube_tools::program::main::<kube_tools::sniff::Arguments>()
}
