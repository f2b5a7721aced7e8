//! Shows a run: a live table on a terminal, a line for each change elsewhere.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use kube_lab::scenario::play::Watcher;
use kube_lab::view;
use kube_lab::world::{AIR, World};
use kube_sniff::decoder::Heard;
use kube_sniff::observer::Observer;

use super::talk;

/// Where a run is shown.
pub struct Display {
    quiet: bool,
    bar: Option<ProgressBar>,
    step: String,
    drawn: Instant,
    started: Option<Instant>,
    /// Machine seconds a second; `None` as fast as it goes.
    pace: Option<f64>,
    /// Last line said about each subject, so that only changes are printed.
    said: BTreeMap<String, String>,
}

/// Machine seconds a second of a live run.
const LIVE_PACE: f64 = 6.0;
/// Redraws of the live table are at least this far apart.
const REDRAW: Duration = Duration::from_millis(80);

impl Display {
    /// Live on a terminal, plain lines elsewhere, nothing at all if `quiet`. Without a `pace` a
    /// live run is slowed down so far that a person can follow it.
    pub fn new(quiet: bool, pace: Option<f64>) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let live = !quiet && !dumb && std::io::stderr().is_terminal();
        let bar = live.then(|| {
            let bar = ProgressBar::new_spinner();
            bar.set_style(
                ProgressStyle::with_template("{spinner} {msg}")
                    .unwrap_or_else(|_| ProgressStyle::default_spinner()),
            );
            bar
        });
        let pace = pace.or(live.then_some(LIVE_PACE));
        let (step, drawn, said) = (String::new(), Instant::now(), BTreeMap::new());
        Self { quiet, bar, step, drawn, started: None, pace, said }
    }

    /// One step of the preparation.
    pub fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None if !self.quiet => talk::say(text),
            None => {}
        }
    }

    /// Something without which a person cannot go on, in any case.
    pub fn ask(&self, text: &str) {
        if self.quiet {
            talk::say(text);
        } else {
            self.say(text);
        }
    }

    /// Leaves the last table standing.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
    }

    /// The live table.
    fn draw(&mut self, now_ns: u64, observer: &Observer) {
        if let Some(bar) = &self.bar
            && self.drawn.elapsed() >= REDRAW
        {
            self.drawn = Instant::now();
            let width = console::Term::stderr().size().1;
            let screen = view::screen(now_ns, observer, Some(width));
            let lines = format!("{}\n{screen}", self.step);
            let fit = |line| console::truncate_str(line, usize::from(width.max(4)) - 3, "…");
            bar.set_message(lines.lines().map(fit).collect::<Vec<_>>().join("\n"));
            bar.tick();
        }
    }
}

impl Watcher for Display {
    fn heard(&mut self, heard: &Heard, _observer: &Observer) {
        if self.quiet || self.bar.is_some() {
            return;
        }
        let Some(line) = view::event(heard) else { return };
        let line = if heard.interface == AIR { line } else { format!("unheard: {line}") };
        // "node1 reports", "node1 is assigned", "pod 3 runs": the subject is the first two words.
        let subject: String = line.split(' ').take(2).collect::<Vec<_>>().join(" ");
        if self.said.get(&subject) != Some(&line) {
            talk::say(format!("{}  {line}", view::time(heard.at_ns)));
            self.said.insert(subject, line);
        }
    }

    fn step(&mut self, at_ns: u64, name: &str, _world: &mut World) {
        self.started.get_or_insert_with(Instant::now);
        name.clone_into(&mut self.step);
        if self.bar.is_none() && !self.quiet {
            talk::say(format!("{}  {name} ...", view::time(at_ns)));
        }
    }

    fn time(&mut self, now_ns: u64, observer: &Observer) {
        self.draw(now_ns, observer);
        if let (Some(pace), Some(started)) = (self.pace, self.started) {
            let due = Duration::from_secs_f64(now_ns as f64 / 1e9 / pace);
            std::thread::sleep(due.saturating_sub(started.elapsed()));
        }
    }
}
