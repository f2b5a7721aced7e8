//! `kube-flash`: from a fleet file to images, cards and bitstreams.

fn main() -> std::process::ExitCode {
    kube_tools::program::main::<kube_tools::flash::Arguments>()
}
