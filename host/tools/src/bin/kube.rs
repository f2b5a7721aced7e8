//! `kube`: the cluster from the desk, as people know it from kubectl.

fn main() -> std::process::ExitCode {
    kube_tools::program::main::<kube_tools::kube::Arguments>()
}
