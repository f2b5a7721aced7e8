//! A running cluster and what a person can do to it. No terminal.

use std::fs::OpenOptions;
use std::path::PathBuf;

use kube_boards::fleet::{Fleet, Keys, Radio, Role};
use kube_modules::System;
use kube_proto::frame::Rate;
use kube_sniff::observer::Observer;
use ratatui::crossterm::event::KeyEvent;

use super::frames::{FRAMES, Passed};
use super::input::Edit;
use super::intrusion::{Deed, INTRUSIONS, Intrusion, TIMES};
use super::keys::{self, Action, COMMANDS, Machines};
use super::log::Log;
use super::state::{Machine, State, moment};
use crate::lab::{Lab, LabError, Look, Setup};
use crate::scenario::forgery::Forger;
use crate::station::Station;
use crate::world::World;

/// One step of the loss, and the most, in percent.
const LOSS_STEP: i8 = 5;
const LOSS_MOST: u8 = 100;

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Somebody was done.
    Quit,
    /// Ctrl-C, or a signal.
    Interrupted,
}

/// The panel.
pub struct Panel {
    /// What it shows.
    pub state: State,
    /// How it ended, once it has.
    pub ending: Option<Ending>,
    lab: Lab,
    /// The machines' names in the order of their stations.
    names: Vec<String>,
    pictures: PathBuf,
    fleet: Fleet,
    intrusion: Option<Intrusion>,
}

impl Panel {
    /// Switches a fleet on. Pictures go into a folder.
    ///
    /// # Errors
    /// [`LabError`] if an image or a machine cannot be made.
    pub fn new(
        system: &System,
        fleet: &Fleet,
        seed: u64,
        pictures: PathBuf,
    ) -> Result<Self, LabError> {
        let mut lab = Lab::new(system, &Setup::new(fleet, seed))?;
        lab.world().air_mut().set_keep_log(true);
        let machine = |station: &Station| Machine {
            name: station.spec.name.clone(),
            role: station.spec.role,
            power: true,
            card: true,
            cut: false,
            log: Log::default(),
        };
        let stations = lab.world().stations().iter();
        let machines: Vec<_> = stations.map(machine).collect();
        let names = machines.iter().map(|machine| machine.name.clone()).collect();
        let state = State::new(fleet.cluster(), machines);
        let (fleet, ending, intrusion) = (fleet.clone(), None, None);
        Ok(Self { state, ending, lab, names, pictures, fleet, intrusion })
    }

    /// What is known by listening.
    #[must_use]
    pub const fn observer(&self) -> &Observer {
        self.lab.observer()
    }

    /// The machines and their air.
    pub fn world(&mut self) -> &mut World {
        self.lab.world()
    }

    /// Lets machine time pass and takes in what is heard.
    ///
    /// # Errors
    /// [`LabError`] if machines and air fall out of step.
    pub fn advance(&mut self, until_ns: u64) -> Result<(), LabError> {
        let Look { before, sightings, records } = self.lab.look(until_ns)?;
        for (sighting, heard) in sightings.iter().zip(&self.lab.heard()[before..]) {
            self.state.frames.push(Passed::new(sighting, heard));
            if let Some(intrusion) = &mut self.intrusion {
                intrusion.hear(heard);
            }
        }
        for record in &records {
            self.state.frames.settle(record, &self.names);
        }
        // An intruder may have recorded as many.
        self.lab.forget(FRAMES);
        self.state.now_ns = until_ns;
        self.go_on_intruding();
        self.look();
        Ok(())
    }

    /// Takes in what machines say and which have power: other programs can change that as well.
    pub fn look(&mut self) {
        let stations = self.lab.world().stations();
        for (machine, station) in self.state.machines.iter_mut().zip(stations) {
            machine.log.take(station.log());
            let card = station.card().is_some();
            let power = station.has_power();
            if card != machine.card {
                let word = if card { "back" } else { "taken out by another program" };
                machine.log.note(&format!("card {word} at {}", moment(self.state.now_ns)));
            }
            if power != machine.power {
                let word = if power { "on" } else { "off" };
                machine.log.note(&format!("power {word} at {}", moment(self.state.now_ns)));
            }
            (machine.card, machine.power) = (card, power);
        }
    }

    /// Does what a key means.
    pub fn key(&mut self, key: &KeyEvent) {
        if let Some(action) = keys::action(key, self.state.typing) {
            self.act(action);
        }
    }

    /// What is pasted is typed as its first line, if a line is being typed.
    pub fn paste(&mut self, text: &str) {
        if self.state.typing {
            for letter in text.lines().next().unwrap_or_default().chars() {
                self.state.input.edit(Edit::Insert(letter));
            }
        }
    }

    /// Does what a person wants.
    pub fn act(&mut self, action: Action) {
        self.state.notice.clear();
        match action {
            Action::Select(step) => self.state.select(step),
            Action::Power => self.power(),
            Action::Cut => self.cut(),
            Action::Air => {
                self.state.air_on = !self.state.air_on;
                let on = self.state.air_on;
                self.world().air_mut().set_on(on);
            }
            Action::Loss(step) => {
                let percent = self.state.loss_percent.saturating_add_signed(step * LOSS_STEP);
                self.state.loss_percent = percent.min(LOSS_MOST);
                let loss = f64::from(self.state.loss_percent) / 100.0;
                self.world().air_mut().set_loss(loss);
            }
            Action::Pause => self.state.pace.pause(),
            Action::Speed(faster) => self.state.pace.change(faster),
            Action::Command(which) => self.command(which),
            Action::Intrude(which) => self.intrude(which),
            Action::Type => {
                self.state.typing = true;
                self.state.input.begin();
            }
            Action::Picture => self.picture(),
            Action::Scroll(pages) => self.state.page_back(pages),
            Action::Latest => self.state.scroll = 0,
            Action::Zoom => self.state.zoom(),
            Action::Help => self.state.help = !self.state.help,
            Action::Edit(edit) => drop(self.state.input.edit(edit)),
            Action::Send => {
                let line = self.state.input.take();
                self.state.typing = false;
                if !line.is_empty() {
                    self.say(self.state.selected, &line);
                }
            }
            Action::Leave => (self.state.typing, self.state.help) = (false, false),
            Action::Quit => self.ending = Some(Ending::Quit),
            Action::Interrupt => self.ending = Some(Ending::Interrupted),
        }
    }

    fn power(&mut self) {
        let now_ns = self.state.now_ns;
        let name = &self.state.machine().name;
        let Some(station) = self.lab.world().station(name) else { return };
        match (station.has_power(), station.card()) {
            (true, _) => station.power_off(),
            (false, Some(_)) => station.power_on(now_ns),
            (false, None) => {
                self.state.notice = format!("the card of {name} is out: wait until it is back");
            }
        }
        self.look();
    }

    fn cut(&mut self) {
        let machine = &mut self.state.machines[self.state.selected];
        let Some(station) = self.lab.world().station(&machine.name) else { return };
        let id = station.id;
        machine.cut = !machine.cut;
        machine.log.take(station.log());
        let word = if machine.cut { "cut off the air" } else { "back on the air" };
        machine.log.note(&format!("{word} at {}", moment(self.state.now_ns)));
        self.lab.world().air_mut().set_cut_off(id, machine.cut);
    }

    fn command(&mut self, which: usize) {
        let Some((line, to)) = COMMANDS.get(which) else { return };
        let role = match to {
            Machines::Planes => Role::Plane,
            Machines::Nodes => Role::Node,
        };
        for at in 0..self.state.machines.len() {
            if self.state.machines[at].role == role {
                self.say(at, line);
            }
        }
    }

    /// Types a line on a machine.
    fn say(&mut self, at: usize, line: &str) {
        let machine = &mut self.state.machines[at];
        let station = self.lab.world().station(&machine.name);
        match station.filter(|station| station.has_power()) {
            Some(station) => {
                station.type_line(line);
                machine.log.take(station.log());
                machine.log.typed(line);
                self.state.scroll = 0;
            }
            None => self.state.notice = format!("{} has no power: p switches it on", machine.name),
        }
    }

    /// Somebody else begins to send: to the selected node, or to the busiest one.
    fn intrude(&mut self, which: usize) {
        let Some((_, forgery)) = INTRUSIONS.get(which) else { return };
        if forgery.needs_sessions() && self.fleet.keys == Keys::Shared {
            let control = "with shared keys a node that poses as the plane has the plane's key: 0";
            control.clone_into(&mut self.state.notice);
            return;
        }
        let selected = self.state.machine();
        let live = self.lab.cluster().live();
        let busiest = live.max_by_key(|(_, _, said)| said.ids.len()).map(|(name, ..)| name);
        let Some(victim) = (match selected.role {
            Role::Node => Some(selected.name.clone()),
            Role::Plane => busiest.map(str::to_owned),
        }) else {
            self.state.notice = "no node is heard that could be meant".to_owned();
            return;
        };
        self.state.notice = format!("{forgery} to {victim}, after its next {TIMES} assignments");
        self.intrusion = Some(Intrusion::new(forgery.clone(), victim, self.state.now_ns));
    }

    fn go_on_intruding(&mut self) {
        let Some(intrusion) = &mut self.intrusion else { return };
        let now_ns = self.state.now_ns;
        match intrusion.due(now_ns) {
            None => {}
            Some(Deed::Over(what)) => {
                self.state.notice = what;
                self.intrusion = None;
            }
            Some(Deed::Send) => {
                let forger = Forger {
                    heard: self.lab.heard(),
                    observer: self.lab.observer(),
                    fleet: &self.fleet,
                    victim: &intrusion.victim,
                };
                let Some(payload) = intrusion.forgery.payload(&forger) else {
                    let forgery = &intrusion.forgery;
                    self.state.notice = format!(
                        "nothing was heard that {forgery} could be made of: change the pods first"
                    );
                    self.intrusion = None;
                    return;
                };
                let Radio { channel, mbit, .. } = self.fleet.radio;
                let rate = if mbit == 2 { Rate::M2 } else { Rate::M1 };
                self.lab.intrude(channel, rate, &payload);
                intrusion.sent(&payload, now_ns);
                let victim = &intrusion.victim;
                if let Some(at) = self.names.iter().position(|name| name == victim) {
                    let forgery = &intrusion.forgery;
                    let note = format!("intruder: {forgery} at {}", moment(now_ns));
                    self.state.machines[at].log.note(&note);
                }
            }
        }
    }

    /// Saves the selected machine's screen under the first name that is free.
    fn picture(&mut self) {
        let name = self.state.machine().name.clone();
        let pictures = self.pictures.clone();
        let station = self.lab.world().station(&name);
        let Some(machine) = station.and_then(Station::emulator) else {
            self.state.notice =
                format!("{name} has no screen: it has no power, or is not emulated");
            return;
        };
        let mut numbers = 1_u32..;
        let saved = loop {
            let Some(number) = numbers.next() else { return };
            let path = pictures.join(format!("{name}-{number}.png"));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => break Err((path, error)),
                Ok(file) => {
                    break machine.write_png(file).map(|()| path.clone()).map_err(|e| (path, e));
                }
            }
        };
        self.state.notice = match saved {
            Ok(path) => format!("the screen of {name} is in {}", path.display()),
            Err((path, error)) => format!("{} cannot be written: {error}", path.display()),
        };
    }
}
