//! `kube-boot`: commands, images and a monitor over a board's serial line.

fn main() -> std::process::ExitCode {
    kube_tools::program::main::<kube_tools::boot::Arguments>()
}
