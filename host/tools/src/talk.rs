//! What goes to stderr: lines, progress and questions.

use std::io::{BufRead, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::code;
use crate::failure::{Failure, Outcome};
use crate::flags::{Shared, When};

/// Speaks to the person at the terminal, or to the log of whatever started the program.
#[derive(Clone, Debug)]
pub struct Talk {
    quiet: bool,
    verbose: bool,
    yes: bool,
    interactive: bool,
    /// stderr is a terminal on which progress can be drawn.
    drawn: bool,
    color: bool,
}

/// Whether a terminal shows more than lines.
#[must_use]
pub fn draws(stream: &impl IsTerminal) -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stream.is_terminal() && !dumb
}

/// Off a terminal a step that takes long says how far it is, this far apart.
const PLAIN_EVERY: Duration = Duration::from_secs(5);

impl Talk {
    /// As the flags say.
    #[must_use]
    pub fn new(flags: &Shared) -> Self {
        let (terminal, drawn) = (std::io::stderr().is_terminal(), draws(&std::io::stderr()));
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let color = match flags.color {
            When::Auto => drawn && !no_color,
            When::Always => true,
            When::Never => false,
        };
        Self {
            quiet: flags.quiet,
            verbose: flags.verbose,
            yes: flags.yes,
            interactive: !flags.non_interactive && std::io::stdin().is_terminal() && terminal,
            drawn,
            color,
        }
    }

    /// Whether colours are used.
    #[must_use]
    pub const fn color(&self) -> bool {
        self.color
    }

    /// Whether somebody can be asked.
    #[must_use]
    pub const fn interactive(&self) -> bool {
        self.interactive
    }

    /// Whether questions are answered with yes.
    #[must_use]
    pub const fn yes(&self) -> bool {
        self.yes
    }

    /// A line, unless `--quiet`.
    pub fn say(&self, line: impl AsRef<str>) {
        if !self.quiet {
            print(line.as_ref());
        }
    }

    /// A line with `--verbose`.
    pub fn detail(&self, line: impl AsRef<str>) {
        if self.verbose && !self.quiet {
            print(line.as_ref());
        }
    }

    /// Something to be looked at; shown unless `--quiet`.
    pub fn warn(&self, line: impl AsRef<str>) {
        let yellow = console::Style::new().yellow().bold().force_styling(self.color);
        self.say(format!("{}: {}", yellow.apply_to("warning"), line.as_ref()));
    }

    /// An error, even with `--quiet`.
    pub fn failed(&self, failure: &Failure) {
        print(&failure.text(self.color));
    }

    /// Begins a step: `verb` is one of Build, Erase, Write, Verify, Reset, Load; `what` says to
    /// what. `total` bytes are to be done, if it is known.
    #[must_use]
    pub fn step(&self, verb: &'static str, what: &str, total: Option<u64>) -> Step {
        let bar = if self.drawn && !self.quiet {
            let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
            bar.set_draw_target(ProgressDrawTarget::stderr());
            let template = match total {
                Some(_) => "{prefix:>7} {bar:32} {bytes}/{total_bytes} {bytes_per_sec} {eta} {msg}",
                None => "{prefix:>7} {spinner} {msg}",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_prefix(verb);
            bar.set_message(what.to_owned());
            Some(bar)
        } else {
            None
        };
        let now = Instant::now();
        Step { talk: self.clone(), verb, bar, total, done: 0, started: now, spoke: now }
    }

    /// Asks a question that wants `expected` typed. `--yes` answers it.
    ///
    /// # Errors
    /// `kube::question` if there is nobody to ask, `kube::declined` for another answer.
    pub fn confirm(&self, question: &str, expected: &str) -> Outcome {
        if self.yes {
            return Ok(());
        }
        if !self.interactive {
            return Err(Failure::new(
                &code::INTERACTIVE,
                format!("{question} Nobody can be asked"),
            )
            .cause("standard input is no terminal, or --non-interactive was given")
            .help("answer beforehand with --yes"));
        }
        let answer = ask(&format!("{question} Type {expected} to go on: "));
        if answer.as_deref() == Some(expected) {
            return Ok(());
        }
        Err(Failure::new(&code::DECLINED, "nothing was done")
            .cause("the question was not answered with yes"))
    }

    /// Lets one of several be chosen; `None` if there is nobody to ask.
    #[must_use]
    pub fn choose(&self, question: &str, choices: &[String]) -> Option<usize> {
        if !self.interactive {
            return None;
        }
        for (number, choice) in (1..).zip(choices) {
            print(&format!("  {number}  {choice}"));
        }
        let number: usize = ask(&format!("{question} [1-{}]: ", choices.len()))?.parse().ok()?;
        (1..=choices.len()).contains(&number).then(|| number - 1)
    }
}

fn ask(question: &str) -> Option<String> {
    let mut stderr = std::io::stderr();
    let _ = write!(stderr, "{question}");
    let _ = stderr.flush();
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).ok()?;
    Some(answer.trim().to_owned())
}

fn print(line: &str) {
    // Nobody listening is no reason to stop.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// One step of the work, under way.
#[derive(Debug)]
pub struct Step {
    talk: Talk,
    verb: &'static str,
    bar: Option<ProgressBar>,
    total: Option<u64>,
    done: u64,
    started: Instant,
    spoke: Instant,
}

impl Step {
    /// So many bytes more are done.
    pub fn advance(&mut self, bytes: u64) {
        self.done += bytes;
        match (&self.bar, self.total) {
            (Some(bar), _) => bar.set_position(self.done),
            (None, Some(total)) if self.spoke.elapsed() >= PLAIN_EVERY => {
                self.spoke = Instant::now();
                let percent = 100 * self.done / total.max(1);
                self.talk.say(format!("{} ... {percent} %", self.verb));
            }
            _ => {}
        }
    }

    /// The step is finished; says what has been done.
    pub fn done(self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.talk.say(format!("{} done: {what}", self.verb));
        self.talk.detail(format!("{} took {} ms", self.verb, self.started.elapsed().as_millis()));
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
