//! One program at a time works on a board. The lock ends with the program, however it ends.

use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::code;
use crate::discovery::Chosen;
use crate::failure::{Failure, Outcome};
use crate::program::Session;

/// Between two looks at a lock that somebody else has.
const LOOK: Duration = Duration::from_millis(50);

/// A board held by this program.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code, reason = "held, not read")] File);

fn folder() -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR") {
        Some(own) => PathBuf::from(own).join("kube-locks"),
        // The folder of everybody: each has a part of it.
        None => {
            let user = rustix::process::geteuid().as_raw();
            std::env::temp_dir().join(format!("kube-locks-{user}"))
        }
    }
}

impl Session {
    /// Takes a board for this program; waits as long as `--wait` says.
    ///
    /// # Errors
    /// `kube::board::busy`, `kube::io`.
    pub fn lock(&self, chosen: &Chosen) -> Outcome<Lock> {
        let path = folder().join(chosen.label().replace(':', "-"));
        let failed = |error: std::io::Error| {
            Failure::new(&code::IO, format!("the lock {} cannot be taken", path.display()))
                .cause(error)
        };
        std::fs::create_dir_all(folder()).map_err(failed)?;
        let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
        let until = Instant::now() + Duration::from_secs(self.flags.wait);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock(file)),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(LOOK),
                Err(TryLockError::WouldBlock) => {
                    let headline = format!("another program works on {}", chosen.label());
                    return Err(Failure::new(&code::BOARD_BUSY, headline)
                        .cause(format!("it holds {}", path.display()))
                        .help("--wait SECONDS waits for it"));
                }
            }
        }
    }
}
