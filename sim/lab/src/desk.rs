//! An operator who gives commands over the air, to the plane and to a node of a working cluster, on an
//! air that loses frames and on which somebody plays recordings: whether what the tool says is true is
//! judged by what the machines wrote on their own serial lines.

use std::collections::{BTreeMap, VecDeque};

use kube_boards::fleet::{Fleet, FleetError, KeyText, Keys};
use kube_modules::System;
use kube_proto::frame::Rate;
use kube_proto::key::Key;
use kube_proto::layout::Sender;
use kube_serial::air::{Link, Payload, Target};
use kube_serial::{Event, Job, JobError, Outcome, Session};
use kube_sniff::decoder::{Heard, State};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::lab::{Lab, LabError, Setup};
use crate::line::sweep::Tally;
use crate::line::{LineError, Run};
use crate::world::{AIR, CHANNEL};

const MS: u64 = 1_000_000;
/// The operator's key in the lab.
pub const OPERATOR_KEY: &str = "8d2f61c07be4935a";
/// Machines that are given commands.
pub const MACHINES: [&str; 2] = ["plane", "node1"];
/// After a power cut a machine is through with its start by then.
const RESTART_MS: u64 = 3_000;

/// What goes wrong while commands are given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weather {
    /// Share of receptions that fail, of machines and of the operator.
    pub loss: f64,
    /// Every so many milliseconds a recording of the operator's frames is played; 0: never.
    pub replay_ms: u64,
    /// In every so manyth command the machine loses power at some moment; 0: never.
    pub cut_every: usize,
}

/// Why there is nothing to judge.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// No modules.
    #[error(transparent)]
    Line(#[from] LineError),
    /// No cluster.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// The fleet is not possible.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// The operator's key is none.
    #[error(transparent)]
    Key(#[from] kube_proto::key::KeyError),
    /// The command is none.
    #[error(transparent)]
    Job(#[from] JobError),
}

/// A tool at work with one machine.
struct Tool {
    link: Link,
    session: Session,
}

/// A cluster with an operator.
pub struct Desk {
    lab: Lab,
    fleet: Fleet,
    key: Key,
    tools: BTreeMap<&'static str, Tool>,
    weather: Weather,
    chance: Pcg64,
    /// Frames of the operator that wait until the air takes them.
    waiting: VecDeque<Payload>,
    /// All that the operator has sent.
    sent: Vec<Payload>,
    heard: usize,
    replay_at_ms: u64,
}

fn target(fleet: &Fleet, machine: &str, key: Key) -> Option<Target> {
    match machine {
        "plane" => Some(Target::plane(fleet.tag(), key)),
        node => Target::node(fleet.tag(), node, key),
    }
}

impl Desk {
    /// A plane and a node that work, with the operator's key or without.
    ///
    /// # Errors
    /// [`DeskError`].
    pub fn new(system: &System, keys: Keys, operator: bool, seed: u64) -> Result<Self, DeskError> {
        let mut fleet = Fleet::new(1, "kube", "0123456789abcdef")?;
        fleet.keys = keys;
        let key = KeyText::new(OPERATOR_KEY)?;
        for board in &mut fleet.boards {
            board.start.push("Counted.Load".to_owned());
        }
        let plain = key.key();
        fleet.operator = operator.then_some(key);
        let mut lab = Lab::new(system, &Setup::new(&fleet, seed))?;
        lab.converge(4)?;
        let (tools, weather, waiting, sent) = Default::default();
        let chance = Pcg64::seed_from_u64(seed ^ 0x0DE5);
        let (heard, replay_at_ms) = (lab.heard().len(), 0);
        Ok(Self {
            lab,
            fleet,
            key: plain,
            tools,
            weather,
            chance,
            waiting,
            sent,
            heard,
            replay_at_ms,
        })
    }

    /// From now on the air is like that.
    pub fn set_weather(&mut self, weather: Weather) {
        self.weather = weather;
        self.lab.world().air_mut().set_loss(weather.loss);
    }

    /// The machines and their air.
    pub fn lab(&mut self) -> &mut Lab {
        &mut self.lab
    }

    /// The tool is started anew, as after an end by force.
    pub fn forget(&mut self, machine: &str) {
        self.tools.retain(|name, _| *name != machine);
    }

    /// All that the operator has sent so far.
    #[must_use]
    pub fn sent(&self) -> &[Payload] {
        &self.sent
    }

    fn tool(&mut self, machine: &'static str) -> &mut Tool {
        let target = target(&self.fleet, machine, self.key);
        let target = target.unwrap_or(Target::plane(self.fleet.tag(), self.key));
        let (number, id) = (self.chance.random(), self.chance.random());
        let fresh = || Tool { link: Link::new(target, number), session: Session::new(id) };
        self.tools.entry(machine).or_insert_with(fresh)
    }

    /// How often a command of `Counted` has run on a machine, by its own word.
    fn counted(&mut self, machine: &str) -> usize {
        let station = self.lab.world().station(machine);
        station.map_or(0, |station| station.log().matches("\ncount ").count())
    }

    /// A millisecond: frames come and go.
    fn pass(&mut self, machine: &'static str) -> Result<(), DeskError> {
        self.lab.run_ms(1)?;
        let now_ms = self.lab.world().now_ns() / MS;
        let fresh = &self.lab.heard()[self.heard..];
        let mut payloads: Vec<Payload> = Vec::new();
        let own = |heard: &Heard| {
            heard.reading().is_some_and(|reading| reading.layout.from == Sender::Operator)
        };
        let there =
            |heard: &&Heard| heard.state != State::Damaged && heard.interface == AIR && !own(heard);
        for heard in fresh.iter().filter(there) {
            if self.chance.random::<f64>() >= self.weather.loss {
                payloads.extend(<Payload>::try_from(&heard.payload[..]));
            }
        }
        self.heard = self.lab.heard().len();
        let now_us = self.lab.world().now_ns() / 1_000;
        let tool = self.tool(machine);
        for payload in &payloads {
            tool.link.hear(now_us, payload);
        }
        let (mut bytes, mut out) = (Vec::new(), Vec::new());
        let received = tool.link.read();
        tool.session.poll(now_us, &received, &mut bytes);
        tool.link.write(&bytes);
        tool.link.poll(now_us, &mut out);
        self.sent.extend_from_slice(&out);
        self.waiting.extend(out);
        if self.weather.replay_ms > 0 && now_ms >= self.replay_at_ms && !self.sent.is_empty() {
            self.replay_at_ms = now_ms + self.weather.replay_ms;
            let which = self.chance.random_range(0..self.sent.len());
            self.waiting.push_back(self.sent[which]);
        }
        if let Some(payload) = self.waiting.pop_front() {
            self.lab.intrude(CHANNEL, Rate::M1, &payload);
        }
        Ok(())
    }

    /// A tool runs one command; it is given up after a while. With `cut_ms` the machine loses power for
    /// a moment, so many milliseconds after the beginning.
    ///
    /// # Errors
    /// [`DeskError`].
    pub fn run(
        &mut self,
        machine: &'static str,
        command: &str,
        limit_ms: u64,
        mut cut_ms: Option<u64>,
    ) -> Result<Run, DeskError> {
        let before = self.counted(machine);
        let begun = self.tool(machine).session.begin(Job::command(command)?);
        debug_assert!(begun.is_ok(), "one command at a time");
        let (mut run, cut) = (Run::default(), cut_ms.is_some());
        for ms in 0.. {
            if cut_ms.take_if(|at| *at <= ms).is_some() {
                self.lab.power_off(machine);
                self.lab.power_on(machine);
            }
            if ms == limit_ms {
                self.tool(machine).session.give_up();
            }
            self.pass(machine)?;
            let now_us = ms * 1_000;
            while let Some(event) = self.tool(machine).session.next_event() {
                match event {
                    Event::Log { text, .. } => run.log.push(text),
                    Event::Finished(outcome) => (run.outcome, run.us) = (Some(outcome), now_us),
                    _ => {}
                }
            }
            if run.outcome.is_some() || ms > limit_ms {
                break;
            }
        }
        if cut {
            self.lab.run_ms(RESTART_MS)?;
            self.heard = self.lab.heard().len();
        }
        // What is still on its way would run now if it could.
        for _ in 0..150 {
            self.pass(machine)?;
        }
        run.counted = (self.counted(machine) - before) as u8;
        Ok(run)
    }

    /// Gives so many commands, to the machines in turn: each is judged.
    ///
    /// # Errors
    /// [`DeskError`].
    pub fn orders(&mut self, commands: usize, limit_ms: u64) -> Result<Tally, DeskError> {
        let mut tally = Tally::default();
        for at in 0..commands {
            let machine = MACHINES[at % MACHINES.len()];
            let command =
                ["Counted.Up", "Counted.Up", "Counted.Refused", "Counted.Trap"][at / 2 % 4];
            if at % 37 == 36 {
                self.forget(machine);
            }
            let every = self.weather.cut_every;
            let cuts = every > 0 && at % every == every - 1;
            let cut_ms = cuts.then(|| self.chance.random_range(0..1_500));
            let run = self.run(machine, command, limit_ms, cut_ms)?;
            let is_true = match &run.outcome {
                Some(Outcome::Done) => run.counted == 1 && command == "Counted.Up",
                Some(Outcome::Failed(reason)) if reason.starts_with("the machine has not") => {
                    run.counted == 0
                }
                Some(Outcome::Failed(_)) => run.counted == 1 && command != "Counted.Up",
                Some(Outcome::Unknown(_)) => true,
                None => false,
            };
            tally.judge(&run, usize::from(cuts), is_true, || {
                format!("{command} on {machine}, number {at}, power cut at {cut_ms:?} ms")
            });
        }
        Ok(tally)
    }
}
