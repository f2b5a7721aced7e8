//! The terminal: taken over, drawn on, read from, given back however the program ends.

use std::io::{Error, IsTerminal};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use ratatui::crossterm::execute;

use super::draw;
use super::model::{Ending, Panel};
use crate::attach::Attach;
use crate::lab::LabError;

/// Machine time of one step: as long a keystroke from outside may wait.
const STEP: Duration = Duration::from_millis(5);
/// Between two drawings.
const REDRAW: Duration = Duration::from_millis(66);
/// Longest wait for a key while nothing else is to be done.
const WAIT: Duration = Duration::from_millis(30);

/// Why a panel cannot be shown, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum ScreenError {
    /// Nobody is there to look or to press keys.
    #[error(
        "there is no terminal: the view is for a person; kube-lab lines runs a cluster without one, \
         and kube-sniff sim: shows its air"
    )]
    NoTerminal,
    /// It can show lines only.
    #[error(
        "the terminal can show lines only (TERM=dumb): kube-lab run says what happens line by line, \
         kube-lab lines runs a cluster without a view"
    )]
    Dumb,
    /// The terminal failed.
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] Error),
    /// The machines fell out of step.
    #[error(transparent)]
    Lab(#[from] LabError),
}

/// A terminal that was taken over. It is given back when this is dropped, and when the program panics.
pub struct Screen {
    terminal: DefaultTerminal,
}

impl Screen {
    /// Whether there is a terminal to take over.
    ///
    /// # Errors
    /// [`ScreenError::NoTerminal`] if input or output is none, [`ScreenError::Dumb`].
    pub fn possible() -> Result<(), ScreenError> {
        if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
            return Err(ScreenError::NoTerminal);
        }
        match std::env::var_os("TERM") {
            Some(term) if term == "dumb" => Err(ScreenError::Dumb),
            _ => Ok(()),
        }
    }

    /// Takes the terminal over.
    ///
    /// # Errors
    /// [`ScreenError::NoTerminal`], [`ScreenError::Dumb`], [`ScreenError::Terminal`].
    pub fn begin() -> Result<Self, ScreenError> {
        Self::possible()?;
        let terminal = ratatui::try_init()?;
        let screen = Self { terminal };
        // A terminal that knows nothing of it sends what is pasted as keys.
        drop(execute!(std::io::stdout(), EnableBracketedPaste));
        Ok(screen)
    }

    fn draw(&mut self, panel: &mut Panel) -> Result<(), Error> {
        let mut page = panel.state.page;
        self.terminal.draw(|frame| {
            let (area, buffer) = (frame.area(), frame.buffer_mut());
            let (cursor, lines) = draw::draw(&panel.state, panel.observer(), area, buffer);
            page = lines;
            if let Some(cursor) = cursor {
                frame.set_cursor_position(cursor);
            }
        })?;
        panel.state.page = page;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        drop(execute!(std::io::stdout(), DisableBracketedPaste));
        ratatui::restore();
    }
}

/// Runs a panel until somebody ends it. `stop` says whether a signal asked for it.
///
/// # Errors
/// [`ScreenError`].
pub fn run(
    panel: &mut Panel,
    mut attach: Option<&mut Attach>,
    stop: &dyn Fn() -> bool,
) -> Result<Ending, ScreenError> {
    let mut screen = Screen::begin()?;
    let started = Instant::now();
    let mut drawn: Option<Instant> = None;
    loop {
        let slice = Instant::now();
        loop {
            if let Some(attach) = attach.as_deref_mut() {
                attach.serve(panel.world());
            }
            let now_ns = panel.state.now_ns;
            let due_ns = panel.state.pace.due_ns(started.elapsed(), now_ns);
            if due_ns.is_some_and(|due_ns| due_ns <= now_ns) || slice.elapsed() >= WAIT {
                break;
            }
            let step_ns = now_ns + STEP.as_nanos() as u64;
            panel.advance(due_ns.map_or(step_ns, |due_ns| due_ns.min(step_ns)))?;
        }
        panel.look();
        if drawn.is_none_or(|at| at.elapsed() >= REDRAW) {
            screen.draw(panel)?;
            drawn = Some(Instant::now());
        }
        let wait = match (panel.state.pace.unbounded(), panel.state.pace.paused()) {
            (true, _) => Duration::ZERO,
            (_, true) => WAIT,
            _ => STEP,
        };
        if event::poll(wait)? {
            // What has come is all done before it is shown.
            while event::poll(Duration::ZERO)? {
                match event::read()? {
                    Event::Key(key) => panel.key(&key),
                    Event::Paste(text) => panel.paste(&text),
                    _ => {}
                }
            }
            drawn = None;
        }
        if stop() {
            panel.ending = Some(Ending::Interrupted);
        }
        if let Some(ending) = panel.ending {
            return Ok(ending);
        }
    }
}
