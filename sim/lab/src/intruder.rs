//! Recordings of every age, played to a running cluster: to a node and a plane that hear each other,
//! that have not heard each other for a while, and that have just started, alone or both. Forgeries
//! are steps of scenarios ([`crate::scenario::forgery`]).

use kube_boards::fleet::Fleet;
use kube_modules::System;
use kube_proto::frame::Rate;
use kube_proto::layout::Sender;

use crate::lab::{Lab, LabError, Setup};
use crate::scenario::forgery::Forger;
use crate::world::CHANNEL;

/// After one recording: a changed list is reported at once.
const GLANCE_MS: u64 = 250;
/// Recordings of a kind that are tried in one situation.
const TRIED: usize = 12;
/// The node that is meant.
const VICTIM: &str = "node1";

/// Recordings played again, and those that were believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replays {
    /// Sent.
    pub tried: usize,
    /// A node obeyed, or the plane took a dead node for alive.
    pub accepted: usize,
}

struct Intruder<'a> {
    lab: Lab,
    fleet: &'a Fleet,
    found: Replays,
}

impl Intruder<'_> {
    fn forger(&self) -> Forger<'_> {
        let (heard, observer) = (self.lab.heard(), self.lab.observer());
        Forger { heard, observer, fleet: self.fleet, victim: VICTIM }
    }

    fn send(&mut self, payload: &[u8; 32]) {
        self.lab.intrude(CHANNEL, Rate::M1, payload);
        self.found.tried += 1;
    }

    /// Lists that the node has taken, as its log says: one that has not found the plane yet cannot
    /// say so on the air.
    fn orders(&mut self) -> usize {
        let station = self.lab.world().station(VICTIM);
        station.map_or(0, |station| station.log().matches("kubelet node1:").count())
    }

    /// Whether the node says soon that it runs something else.
    fn moved(&mut self) -> Result<bool, LabError> {
        let before = self.forger().reported();
        for _ in 0..GLANCE_MS / 50 {
            self.lab.run_ms(50)?;
            if self.forger().reported() != before {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Plays assignments again one by one, from all ages.
    fn replay_to_node(&mut self) -> Result<(), LabError> {
        let all = self.forger().differing();
        for payload in all.iter().step_by((all.len() / TRIED).max(1)) {
            let orders = self.orders();
            self.send(payload);
            let moved = self.moved()?;
            self.found.accepted += usize::from(moved || self.orders() != orders);
        }
        Ok(())
    }

    /// Plays what the node said again while it is off; each run of the plane counts once.
    fn replay_to_plane(&mut self) -> Result<(), LabError> {
        let said = self.forger().recordings(|body| body.layout().from == Sender::Node);
        let assigned = |lab: &Lab| {
            let view = lab.cluster().nodes().get(VICTIM);
            view.and_then(|view| view.assigned.as_ref()).map_or(0, |said| said.at_ns)
        };
        for (payload, _) in said.iter().step_by((said.len() / TRIED).max(1)) {
            let before = assigned(&self.lab);
            self.send(payload);
            self.lab.run_ms(GLANCE_MS)?;
            self.found.accepted += usize::from(assigned(&self.lab) != before);
        }
        Ok(())
    }

    fn restart(&mut self, machine: &str) -> Result<(), LabError> {
        self.lab.power_off(machine);
        self.lab.run_ms(500)?;
        self.lab.power_on(machine);
        self.lab.run_ms(3_000)
    }
}

/// Plays recordings to a fleet of a plane and two nodes, in every situation.
///
/// # Errors
/// [`LabError`] if the cluster does not form or heal.
pub fn replays(system: &System, fleet: &Fleet, seed: u64) -> Result<Replays, LabError> {
    let lab = Lab::new(system, &Setup::new(fleet, seed))?;
    let mut intruder = Intruder { lab, fleet, found: Replays::default() };
    intruder.lab.converge(4)?;
    for pods in [2, 6, 4] {
        // Lists of several kinds, some seconds old.
        intruder.lab.command("plane", &format!("Kube.Apply web {pods} Ticker"));
        intruder.lab.run_ms(3_000)?;
    }
    intruder.lab.converge(4)?;
    intruder.replay_to_node()?;
    // The plane falls silent.
    intruder.lab.cut_off("plane", true);
    intruder.lab.run_ms(6_000)?;
    intruder.replay_to_node()?;
    intruder.restart("node1")?;
    intruder.replay_to_node()?;
    intruder.restart("plane")?;
    intruder.replay_to_node()?;
    intruder.lab.cut_off("plane", false);
    intruder.lab.converge(4)?;
    intruder.restart("node1")?;
    intruder.lab.converge(4)?;
    intruder.replay_to_node()?;
    // The node dies, and its voice goes on.
    intruder.lab.power_off("node1");
    intruder.lab.run_ms(9_000)?;
    intruder.replay_to_plane()?;
    intruder.restart("plane")?;
    intruder.lab.run_ms(8_000)?;
    intruder.replay_to_plane()?;
    intruder.lab.power_on("node1");
    intruder.lab.run_ms(8_000)?;
    intruder.lab.converge(4)?;
    Ok(intruder.found)
}
