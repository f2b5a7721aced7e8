//! What a panel shows beside what is heard: everything a drawing is made from, without the machines
//! themselves.

use kube_boards::fleet::Role;

use super::frames::Frames;
use super::input::Input;
use super::log::Log;
use super::pace::Pace;

/// A machine with its switches.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Whether it has power.
    pub power: bool,
    /// Whether its card is in: another program can have taken it.
    pub card: bool,
    /// Whether it is cut off the air.
    pub cut: bool,
    /// What it says.
    pub log: Log,
}

/// Which panes are shown below the machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zoom {
    /// Log and frames.
    #[default]
    Both,
    /// Only the log.
    Log,
    /// Only the frames.
    Frames,
}

/// All that is shown.
pub struct State {
    /// Name of the cluster.
    pub title: String,
    /// Machine time, in nanoseconds.
    pub now_ns: u64,
    /// The machines, in the order of the fleet.
    pub machines: Vec<Machine>,
    /// Which of them is selected.
    pub selected: usize,
    /// Whether the air is on.
    pub air_on: bool,
    /// Receptions that fail, of a hundred.
    pub loss_percent: u8,
    /// What passed.
    pub frames: Frames,
    /// How fast machine time goes.
    pub pace: Pace,
    /// The line being typed.
    pub input: Input,
    /// Whether one is typed.
    pub typing: bool,
    /// The last thing to say.
    pub notice: String,
    /// Which panes are shown.
    pub zoom: Zoom,
    /// Lines that log or frames are scrolled back.
    pub scroll: usize,
    /// Lines of a page, as the last drawing had them.
    pub page: usize,
    /// Whether the keys are shown.
    pub help: bool,
}

impl State {
    /// At the beginning: nothing is heard, everything is on. A fleet has at least one machine.
    #[must_use]
    pub fn new(title: &str, machines: Vec<Machine>) -> Self {
        Self {
            title: title.to_owned(),
            now_ns: 0,
            machines,
            selected: 0,
            air_on: true,
            loss_percent: 0,
            frames: Frames::default(),
            pace: Pace::default(),
            input: Input::default(),
            typing: false,
            notice: String::new(),
            zoom: Zoom::default(),
            scroll: 0,
            page: 1,
            help: false,
        }
    }

    /// The selected machine.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machines[self.selected]
    }

    /// Selects the machine so many places further, or the last one on the way there.
    pub fn select(&mut self, step: i8) {
        let last = self.machines.len() as isize - 1;
        let to = self.selected as isize + isize::from(step);
        self.selected = to.clamp(0, last) as usize;
        self.scroll = 0;
    }

    /// Goes so many pages back, or forth.
    pub fn page_back(&mut self, pages: i8) {
        let all = match self.zoom {
            Zoom::Frames => self.frames.len(),
            Zoom::Both | Zoom::Log => self.machine().log.len(),
        };
        let step = self.page.max(2) as isize - 1;
        let to = self.scroll as isize + isize::from(pages) * step;
        self.scroll = to.clamp(0, all.saturating_sub(self.page) as isize) as usize;
    }

    /// To the next arrangement of panes.
    pub const fn zoom(&mut self) {
        self.scroll = 0;
        self.zoom = match self.zoom {
            Zoom::Both => Zoom::Log,
            Zoom::Log => Zoom::Frames,
            Zoom::Frames => Zoom::Both,
        };
    }
}

/// A moment of machine time in seconds.
#[must_use]
pub fn moment(ns: u64) -> String {
    format!("{}.{:03} s", ns / 1_000_000_000, ns / 1_000_000 % 1000)
}
