//! Ctrl-C. Usually a program ends at once; work that must not stop in the middle of a step holds it
//! off and asks between steps.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::code::{self, Exit};
use crate::failure::{Failure, Outcome};

static HELD: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);

/// Takes the signals over. Without a handler (a platform without signals) they end the program.
pub fn install() {
    let handler = || {
        if !HELD.load(Ordering::SeqCst) || ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(Exit::Interrupted as i32);
        }
    };
    drop(ctrlc::set_handler(handler));
}

/// Whether somebody wants the program to end, for work that holds it off elsewhere.
#[must_use]
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// Ctrl-C that came as a key: a terminal in raw mode makes no signal of it.
pub fn ask() {
    ASKED.store(true, Ordering::SeqCst);
}

/// While this lives, the first Ctrl-C is only noted; a second one ends the program.
pub struct Hold(());

impl Hold {
    /// Begins to hold.
    #[must_use]
    pub fn new() -> Self {
        HELD.store(true, Ordering::SeqCst);
        Self(())
    }

    /// Whether somebody wants the program to end.
    ///
    /// # Errors
    /// `kube::interrupted`.
    pub fn check(&self) -> Outcome {
        if asked() {
            return Err(Failure::new(&code::INTERRUPTED, "interrupted"));
        }
        Ok(())
    }
}

impl Default for Hold {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        HELD.store(false, Ordering::SeqCst);
    }
}
