//! A cluster changes its key while it works: every machine takes the three steps of `Keys.Mod`, in any
//! order, machines lose power in between and in the middle of a step. Judged from the air: nothing may
//! move, and at the end nothing is signed with the old key any more, nor obeyed.

use std::collections::BTreeMap;

use kube_boards::fleet::{Fleet, FleetError, Keys};
use kube_modules::System;
use kube_proto::frame::Rate;
use kube_proto::key::Key;
use kube_proto::layout::Sender;
use kube_proto::message::{Body, Ids, Message, NodeName, NodePods};
use kube_proto::packet::Packet;
use kube_proto::signature;
use kube_sniff::decoder::State;
use kube_sniff::keyring::Keyring;
use kube_sniff::observer::Observer;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::lab::{Lab, LabError, Setup};
use crate::world::CHANNEL;

/// The key that the cluster has at first.
const OLD_KEY: &str = "0123456789abcdef";
/// The key that it has in the end.
const NEW_KEY: &str = "a5c3019e77d24b68";
/// Tries of a step on one machine: it may be off, or wait for the others.
const TRIES: usize = 20;
/// After a step is typed, it has been taken and written by then.
const STEP_MS: u64 = 700;
/// A machine is up again by then.
const RESTART_MS: u64 = 3_500;
/// How long the cluster is listened to at the end.
const END_MS: u64 = 6_000;

/// What came of a change of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rotation {
    /// Assignments that changed.
    pub moved: usize,
    /// Machines that lost power meanwhile.
    pub cuts: usize,
    /// Messages at the end that the new key alone does not prove.
    pub old: usize,
    /// Messages at the end that it does.
    pub new: usize,
    /// An order signed with the old key was obeyed at the end; only tried with shared keys.
    pub old_obeyed: bool,
}

/// Why there is nothing to judge.
#[derive(Debug, thiserror::Error)]
pub enum RotationError {
    /// The fleet is not possible.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// The cluster does not form, a machine does not take a step, or pods do not run.
    #[error(transparent)]
    Lab(#[from] LabError),
}

/// Types a step until the machine says that it is done; once in a while it loses power right after.
fn tell(
    cluster: &mut Lab,
    machine: &str,
    line: &str,
    words: &[&str],
    cut_ms: Option<u64>,
) -> Result<(), LabError> {
    if let Some(ms) = cut_ms {
        cluster.command(machine, line);
        cluster.run_ms(ms)?;
        cut(cluster, machine)?;
    }
    for _ in 0..TRIES {
        let log = |cluster: &mut Lab| {
            cluster.world().station(machine).map_or(String::new(), |s| s.log().to_owned())
        };
        let before = log(cluster).len();
        cluster.command(machine, line);
        cluster.run_ms(STEP_MS)?;
        let said = log(cluster)[before..].to_owned();
        if words.iter().any(|words| said.contains(words)) {
            return Ok(());
        }
    }
    let (what, limit_ms) = ("a step of the change of keys", TRIES as u64 * STEP_MS);
    Err(LabError::Late { what, limit_ms, state: format!("{machine}: {line}") })
}

fn cut(cluster: &mut Lab, machine: &str) -> Result<(), LabError> {
    cluster.power_off(machine);
    cluster.power_on(machine);
    cluster.run_ms(RESTART_MS)
}

/// What is heard from a moment on, by the new key alone.
fn judged(cluster: &Lab, fleet: &Fleet, key: Key, from_ns: u64) -> (usize, usize) {
    let mut observer = Observer::new(Keyring::new(Some(fleet.tag()), Some(key), fleet.keys));
    let (mut old, mut new) = (0, 0);
    for frame in cluster.heard() {
        let heard = observer.hear(frame.at_ns, &frame.interface, &frame.frame);
        if heard.at_ns >= from_ns && heard.reading().is_some() {
            new += usize::from(heard.state == State::Good);
            old += usize::from(matches!(heard.state, State::Bad | State::Unchecked));
        }
    }
    (old, new)
}

/// Whether a node still obeys an order signed with the old key, otherwise as the plane would send it.
fn obeys(cluster: &mut Lab, fleet: &Fleet) -> Result<bool, LabError> {
    let before = cluster.recent("node1").map(<[u8]>::to_vec);
    let mut obeyed = false;
    for _ in 0..3 {
        let message = |payload: &[u8]| Message::parse(&Packet::parse(payload).ok()?).ok();
        let mut messages = cluster.heard().iter().rev().filter_map(|heard| message(&heard.payload));
        let last = messages.find(|message| message.body.layout().from == Sender::Plane);
        let counter = last.map_or(0, |last| last.counter).wrapping_add(2);
        let node = NodeName::new(b"node1").unwrap_or_default();
        let nothing = Body::Assignment(NodePods { node, ids: Ids::default() });
        let forged = signature::sign(fleet.tag(), nothing, counter, &fleet.key());
        cluster.intrude(CHANNEL, Rate::M1, &forged.packet(0x77).emit());
        // The plane puts it right within a second.
        for _ in 0..24 {
            cluster.run_ms(50)?;
            obeyed |= cluster.recent("node1").map(<[u8]>::to_vec) != before;
        }
    }
    Ok(obeyed)
}

/// A cluster of a plane and two nodes with four pods gets a new key.
///
/// # Errors
/// [`RotationError`].
pub fn rotation(system: &System, keys: Keys, seed: u64) -> Result<Rotation, RotationError> {
    let (mut was, mut new) = (Fleet::new(2, "kube", OLD_KEY)?, Fleet::new(2, "kube", NEW_KEY)?);
    (was.keys, new.keys) = (keys, keys);
    let mut cluster = Lab::new(system, &Setup::new(&was, seed))?;
    cluster.converge(4)?;
    cluster.run_ms(2_000)?;
    cluster.any_moment()?;
    cluster.add_key(new.key());
    let mut chance = Pcg64::seed_from_u64(seed ^ 0x4B45_5953);
    let assigned = |cluster: &Lab| -> BTreeMap<String, Vec<u8>> {
        let lists = cluster.assigned().into_iter();
        lists.map(|(node, ids)| (node.to_owned(), ids.to_vec())).collect()
    };
    let (before, changes) = (assigned(&cluster), cluster.changes());
    let mut found = Rotation::default();
    for (step, words) in [
        ("Keys.New", &["the new key counts beside the old one", "that key counts already"][..]),
        ("Keys.Use", &["the new key signs, the old one still counts"]),
        ("Keys.Drop", &["only the new key counts"]),
    ] {
        let mut boards: Vec<_> = new.boards.iter().collect();
        boards.shuffle(&mut chance);
        for board in boards {
            let key = if step == "Keys.New" { new.given_key(board) } else { String::new() };
            let line = format!("{step} {key}");
            let cut_ms = chance.random_bool(0.25).then(|| chance.random_range(0..60));
            found.cuts += usize::from(cut_ms.is_some());
            tell(&mut cluster, &board.name, line.trim(), words, cut_ms)?;
            if chance.random_bool(0.2) {
                let other = &was.boards[chance.random_range(0..was.boards.len())];
                cut(&mut cluster, &other.name)?;
                found.cuts += 1;
            }
            // Whoever did not believe the others meanwhile would be lost by then.
            cluster.run_ms(chance.random_range(0..9_000))?;
        }
        cluster.run_ms(2_000)?;
        cluster.converge(4)?;
    }
    let from_ns = cluster.now_ns();
    cluster.run_ms(END_MS)?;
    (found.old, found.new) = judged(&cluster, &was, new.key(), from_ns);
    let moved = usize::from(assigned(&cluster) != before);
    found.moved = cluster.changes() - changes + moved;
    // Listeners believe the old key, and take what is forged for the plane's.
    if keys == Keys::Shared {
        found.old_obeyed = obeys(&mut cluster, &was)?;
    }
    Ok(found)
}
