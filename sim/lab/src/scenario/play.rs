//! A plan on machines.

use kube_air::Record;
use kube_modules::System;
use kube_proto::frame::Rate;
use kube_sniff::decoder::Heard;
use kube_sniff::observer::Observer;

use super::judge::{Mark, Referee, Ruled, StepRecord};
use super::{Action, Plan, Time};
use crate::lab::{LOOK_MS, Lab, LabError, Look, MachineLog, Setup};
use crate::scenario::forgery::{ANSWERS_MS, ASSIGNMENT_MS, Forger, REACTION_MS};
use crate::world::World;

const MS: u64 = 1_000_000;

/// Somebody who watches a run; `()` does not.
pub trait Watcher {
    /// A frame was heard; or sent, and nobody could hear it.
    fn heard(&mut self, _heard: &Heard, _observer: &Observer) {}
    /// A step begins.
    fn step(&mut self, _at_ns: u64, _name: &str, _world: &mut World) {}
    /// What became of frames at every machine since the last look, if the air keeps its log.
    fn records(&mut self, _records: &[Record]) {}
    /// Machine time went on.
    fn time(&mut self, _now_ns: u64, _observer: &Observer) {}
    /// The machines before the first step and between two looks: for who serves them to others.
    fn world(&mut self, _world: &mut World) {}
    /// Whether the run is to end now.
    fn stop(&self) -> bool {
        false
    }
}

impl Watcher for () {}

/// A run that is over.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its steps; fewer than the plan's if one could not end.
    pub steps: Vec<StepRecord>,
    /// The rules of the whole run.
    pub rules: Vec<Ruled>,
    /// When steps began and ended.
    pub marks: Vec<Mark>,
    /// All frames, in the order of their end.
    pub heard: Vec<Heard>,
    /// The digest of all frames.
    pub trace: String,
    /// Machine time, in nanoseconds.
    pub machine_ns: u64,
    /// Instructions executed since machines were last switched on.
    pub instructions: u64,
    /// Cycles outside of idle waits since machines were last switched on, and the clock in Hz, if circuits
    /// run all of them.
    pub cycles_at_work: Option<(u64, u64)>,
    /// The last words of machines of which nothing was heard, if something failed.
    pub logs: Vec<MachineLog>,
}

impl Run {
    /// Whether all steps ended and all rules hold.
    #[must_use]
    pub fn held(&self, plan: &Plan) -> bool {
        self.steps.len() == plan.steps.len()
            && self.steps.iter().all(StepRecord::held)
            && self.rules.iter().all(|rule| rule.broken.is_none())
    }
}

/// Plays a plan on a fleet as `setup` has it.
///
/// # Errors
/// [`LabError`] if there are no machines or they cannot go on, or the watcher ends it; what they do wrong is no
/// error. A capture is whole up to there.
pub fn play(
    system: &System,
    plan: &Plan,
    setup: &Setup,
    watcher: &mut dyn Watcher,
) -> Result<Run, LabError> {
    let lab = Lab::new(system, setup)?;
    let (referee, marks) = (Referee::new(plan), Vec::new());
    let mut player = Player { lab, plan, referee, marks, watcher };
    player.watcher.world(player.lab.world());
    let played = player.steps();
    let captured = player.lab.finish_capture();
    played?;
    captured?;
    Ok(player.finish())
}

struct Player<'a> {
    lab: Lab,
    plan: &'a Plan,
    referee: Referee<'a>,
    marks: Vec<Mark>,
    watcher: &'a mut dyn Watcher,
}

impl Player<'_> {
    fn steps(&mut self) -> Result<(), LabError> {
        for (at, step) in self.plan.steps.iter().enumerate() {
            let (begin_ns, first_frame) = (self.lab.now_ns(), self.lab.heard().len());
            self.watcher.step(begin_ns, &step.name, self.lab.world());
            self.referee.begin(begin_ns);
            let trouble = match &step.action {
                Some(action) => self.act(action)?,
                None => None,
            };
            if trouble.is_none() {
                self.wait(&step.time)?;
            }
            let end_ns = self.lab.now_ns();
            self.marks.push(Mark {
                step: at,
                begin_ns,
                end_ns,
                first_frame,
                trouble: trouble.clone(),
            });
            self.referee.end(end_ns, trouble);
            if self.referee.steps.last().is_some_and(|step| step.failed.is_some()) {
                break;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Run {
        let (steps, rules) = self.referee.finish();
        let mut run = Run {
            steps,
            rules,
            marks: self.marks,
            heard: self.lab.heard().to_vec(),
            trace: self.lab.trace(),
            machine_ns: self.lab.now_ns(),
            instructions: self.lab.instructions(),
            cycles_at_work: self.lab.cycles_at_work(),
            logs: Vec::new(),
        };
        if !run.held(self.plan) {
            run.logs = self.lab.last_words();
        }
        run
    }

    /// Time passes in one look.
    fn look(&mut self, end_ns: u64) -> Result<(), LabError> {
        if self.watcher.stop() {
            return Err(LabError::Stopped { at_ms: self.lab.now_ns() / MS });
        }
        let until_ns = end_ns.min(self.lab.now_ns() + LOOK_MS * MS);
        let Look { before, records, .. } = self.lab.look(until_ns)?;
        for heard in &self.lab.heard()[before..] {
            self.referee.hear(heard);
            self.watcher.heard(heard, self.lab.observer());
        }
        self.referee.pass(until_ns);
        self.watcher.records(&records);
        self.watcher.world(self.lab.world());
        self.watcher.time(until_ns, self.lab.observer());
        Ok(())
    }

    fn run_ms(&mut self, ms: u64) -> Result<(), LabError> {
        let end_ns = self.lab.now_ns() + ms * MS;
        while self.lab.now_ns() < end_ns {
            self.look(end_ns)?;
        }
        Ok(())
    }

    fn wait(&mut self, time: &Time) -> Result<(), LabError> {
        match *time {
            Time::None => Ok(()),
            Time::For { least_ns, most_ns } => {
                let ms = self.lab.chance_ms(least_ns / MS, most_ns / MS);
                self.run_ms(ms)
            }
            Time::Until { most_ns, .. } => {
                let end_ns = self.lab.now_ns() + most_ns;
                while self.lab.now_ns() < end_ns && !self.referee.reached() {
                    self.look(end_ns)?;
                }
                Ok(())
            }
        }
    }

    /// Does what a step begins with; says what could not be done.
    fn act(&mut self, action: &Action) -> Result<Option<String>, LabError> {
        match action {
            Action::PowerOff(names) => names.iter().for_each(|name| self.lab.power_off(name)),
            Action::PowerOn(names) => names.iter().for_each(|name| self.lab.power_on(name)),
            Action::CutOff(names) => names.iter().for_each(|name| self.lab.cut_off(name, true)),
            Action::Reconnect(names) => names.iter().for_each(|name| self.lab.cut_off(name, false)),
            Action::BrownOut(names) => names.iter().for_each(|name| self.lab.brown_out(name)),
            Action::Air(on) => self.lab.world().air_mut().set_on(*on),
            Action::Loss(loss) => self.lab.world().air_mut().set_loss(*loss),
            Action::Type { on, line } => self.lab.command(on, line),
            Action::Inject { forgery, to, times } => {
                for _ in 0..*times {
                    if forgery.follows_assignment() && !self.assignment(to)? {
                        return Ok(Some(format!("{to} was assigned nothing for 5 s")));
                    }
                    let fleet = &self.plan.fleet;
                    let (heard, observer) = (self.lab.heard(), self.lab.observer());
                    let forger = Forger { heard, observer, fleet, victim: to };
                    let Some(payload) = forgery.payload(&forger) else {
                        return Ok(Some(format!(
                            "nothing was heard that {forgery} could be made of"
                        )));
                    };
                    let rate = if fleet.radio.mbit == 2 { Rate::M2 } else { Rate::M1 };
                    self.lab.intrude(fleet.radio.channel, rate, &payload);
                    self.run_ms(REACTION_MS)?;
                }
            }
        }
        Ok(None)
    }

    /// Waits for the plane's next assignment to a node.
    fn assignment(&mut self, node: &str) -> Result<bool, LabError> {
        let heard_ns = |lab: &Lab| {
            let view = lab.cluster().nodes().get(node);
            view.and_then(|view| view.assigned.as_ref()).map(|said| said.at_ns)
        };
        let before = heard_ns(&self.lab);
        for _ in 0..ASSIGNMENT_MS / LOOK_MS {
            let end_ns = self.lab.now_ns() + LOOK_MS * MS;
            self.look(end_ns)?;
            if heard_ns(&self.lab) != before {
                // The nodes answer now: what is sent at the same time collides.
                self.run_ms(ANSWERS_MS)?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}
