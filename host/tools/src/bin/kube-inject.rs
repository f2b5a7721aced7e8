//! `kube-inject`: sends frames for tests.

fn main() -> std::process::ExitCode {
    kube_tools::program::main::<kube_tools::inject::Arguments>()
}
