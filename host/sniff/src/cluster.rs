//! The cluster as it can be known by listening: what each node reports and is assigned, which image
//! a pod has, who is silent. The one view that listeners, operators and labs share.

use crate::decoder::Heard;
use crate::reading::Value;
use kube_proto::layout::{ASSIGNMENT, HEARTBEAT, SPEC, STATUS, Sender};
use std::collections::{BTreeMap, BTreeSet};

/// Nodes that are remembered: without a key anybody can invent names.
const MAX_NODES: usize = 1_000;
/// A node unheard for longer than this is silent, and what it reported is not taken for the present:
/// as long as the plane waits (spec/kube.md 3.5).
pub const RECENT_NS: u64 = 5_000_000_000;

/// A list of pods and when it was first and last said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Pods, in order.
    pub ids: Vec<u8>,
    /// When this list was first said, in nanoseconds.
    pub since_ns: u64,
    /// When it was last said.
    pub at_ns: u64,
    /// The number of the frame that said it last.
    pub number: u64,
}

impl Said {
    /// The pods without order.
    #[must_use]
    pub fn set(&self) -> BTreeSet<u8> {
        self.ids.iter().copied().collect()
    }

    fn hear(said: &mut Option<Said>, ids: &[u8], heard: &Heard) -> bool {
        let Heard { at_ns, number, .. } = *heard;
        match said {
            Some(said) if said.ids == ids => {
                (said.at_ns, said.number) = (at_ns, number);
                false
            }
            _ => {
                *said = Some(Said { ids: ids.to_vec(), since_ns: at_ns, at_ns, number });
                true
            }
        }
    }
}

/// What was heard of one node.
#[derive(Clone, Debug, Default)]
pub struct NodeView {
    /// Its first heartbeat.
    pub first_ns: Option<u64>,
    /// Its last heartbeat.
    pub reported: Option<Said>,
    /// The last assignment to it.
    pub assigned: Option<Said>,
    /// From an assignment with a new list to the heartbeat that says the same, last time.
    pub answer_ns: Option<u64>,
    /// The pods that it says do not run, and why; the latest last.
    pub troubles: Vec<(u8, String)>,
}

impl NodeView {
    /// The last pod that it says does not run, and why.
    #[must_use]
    pub fn trouble(&self) -> Option<&(u8, String)> {
        self.troubles.last()
    }

    /// Pods assigned to it that it does not report.
    pub fn missing(&self) -> impl Iterator<Item = u8> {
        let reported = self.reported.as_ref().map_or(&[][..], |said| &said.ids);
        let assigned = self.assigned.iter().flat_map(|said| said.ids.iter().copied());
        assigned.filter(|id| !reported.contains(id))
    }

    fn agrees(&self) -> bool {
        self.reported.as_ref().map(Said::set) == self.assigned.as_ref().map(Said::set)
    }
}

/// The cluster; credible messages that are no recordings make it.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    nodes: BTreeMap<String, NodeView>,
    images: BTreeMap<u8, String>,
    now_ns: u64,
}

impl Cluster {
    /// Time has come so far.
    pub fn pass(&mut self, now_ns: u64) {
        self.now_ns = self.now_ns.max(now_ns);
    }

    /// Takes a frame in.
    pub fn hear(&mut self, heard: &Heard) {
        self.pass(heard.at_ns);
        let good = heard.credible() && heard.counts();
        let Some(reading) = heard.reading().filter(|_| good) else { return };
        let ids = || match reading.get("ids") {
            Some(Value::Ids(ids)) => ids.as_slice(),
            _ => &[],
        };
        let typ = reading.layout.typ;
        if matches!(reading.layout.from, Sender::Operator | Sender::Machine) {
            return;
        }
        if typ == SPEC.typ {
            if let (Some(id), Some(Value::Text(image))) =
                (reading.number("id"), reading.get("image"))
            {
                self.images.insert(id as u8, image.clone());
            }
            return;
        }
        let Some(node) = reading.node() else { return };
        if self.nodes.len() >= MAX_NODES && !self.nodes.contains_key(node) {
            return;
        }
        let view = self.nodes.entry(node.to_owned()).or_default();
        if typ == HEARTBEAT.typ {
            view.first_ns.get_or_insert(heard.at_ns);
            let new = Said::hear(&mut view.reported, ids(), heard);
            if let (true, Some(assigned)) = (new, &view.assigned)
                && view.agrees()
            {
                view.answer_ns = Some(heard.at_ns.saturating_sub(assigned.since_ns));
            }
            view.troubles.retain(|(id, _)| !ids().contains(id));
        } else if typ == ASSIGNMENT.typ {
            Said::hear(&mut view.assigned, ids(), heard);
            view.troubles.retain(|(id, _)| ids().contains(id));
        } else if typ == STATUS.typ
            && let (Some(id), Some(Value::Text(reason))) =
                (reading.number("id"), reading.get("reason"))
        {
            view.troubles.retain(|trouble| trouble.0 != id as u8);
            view.troubles.push((id as u8, reason.clone()));
        }
    }

    /// The nodes by name, also those that have fallen silent.
    #[must_use]
    pub fn nodes(&self) -> &BTreeMap<String, NodeView> {
        &self.nodes
    }

    /// The image of a pod, if a spec told.
    #[must_use]
    pub fn image(&self, id: u8) -> Option<&str> {
        self.images.get(&id).map(String::as_str)
    }

    /// The nodes that were heard within [`RECENT_NS`], and what they report.
    pub fn live(&self) -> impl Iterator<Item = (&str, &NodeView, &Said)> {
        let recent = |said: &&Said| self.now_ns.saturating_sub(said.at_ns) <= RECENT_NS;
        self.nodes.iter().filter_map(move |(name, view)| {
            Some((name.as_str(), view, view.reported.as_ref().filter(recent)?))
        })
    }

    /// What a node reports, if it was heard lately.
    #[must_use]
    pub fn recent(&self, node: &str) -> Option<&[u8]> {
        self.live().find(|live| live.0 == node).map(|(.., said)| &said.ids[..])
    }

    /// Nodes that were heard once and have fallen silent.
    pub fn silent(&self) -> impl Iterator<Item = &str> {
        let once = self.nodes.iter().filter(|(_, view)| view.reported.is_some());
        once.map(|(name, _)| name.as_str()).filter(|name| self.recent(name).is_none())
    }

    /// Pods that live nodes report; of one image, if one is named.
    #[must_use]
    pub fn running(&self, image: Option<&str>) -> usize {
        let pods = self.live().flat_map(|(.., said)| &said.ids);
        pods.filter(|&&id| image.is_none_or(|image| self.image(id) == Some(image))).count()
    }

    /// Pods that live nodes report whose image, as far as specs told, is another one.
    #[must_use]
    pub fn others(&self, image: &str) -> usize {
        self.running(None) - self.running(Some(image))
    }

    /// Nodes that send heartbeats.
    #[must_use]
    pub fn reporting(&self) -> usize {
        self.live().count()
    }

    /// Whether each live node reports what it is assigned, and no pod runs twice.
    #[must_use]
    pub fn agree(&self) -> bool {
        let mut distinct = BTreeSet::new();
        self.live()
            .all(|(_, view, said)| view.agrees() && said.ids.iter().all(|&id| distinct.insert(id)))
    }

    /// Whether so many pods run, none twice, each node what it is assigned.
    #[must_use]
    pub fn converged(&self, pods: usize) -> bool {
        self.running(None) == pods && self.agree()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoder::{Decoder, State};
    use crate::forge::{self, Order};
    use crate::keyring::Keyring;
    use kube_proto::key::{Key, Keys, Tag};

    const KEY: Key = Key([7; 8]);
    const MS: u64 = 1_000_000;

    struct Air {
        decoder: Decoder,
        cluster: Cluster,
        counter: u32,
    }

    impl Air {
        fn new() -> Self {
            let keyring = Keyring::new(Some(Tag(20)), Some(KEY), Keys::Shared);
            Self { decoder: Decoder::new(keyring), cluster: Cluster::default(), counter: 0 }
        }

        fn say(&mut self, at_ms: u64, kind: &str, node: &str, ids: &[u8], key: Key) -> State {
            self.counter += 1;
            let order = Order {
                kind: kind.to_owned(),
                node: Some(node.to_owned()),
                ids: ids.to_vec(),
                id: ids.first().copied(),
                image: Some("Ticker2".to_owned()),
                counter: self.counter,
                session: None,
                sadr: 7,
                channel: 5,
            };
            let frame = forge::message(&order, Tag(20), &key, Keys::Shared).expect("complete");
            let heard = self.decoder.decode(at_ms * MS, "air", &frame);
            self.cluster.hear(&heard);
            heard.state
        }

        fn good(&mut self, at_ms: u64, kind: &str, node: &str, ids: &[u8]) {
            assert_eq!(self.say(at_ms, kind, node, ids, KEY), State::Good);
        }
    }

    #[test]
    fn converged_means_distinct_complete_and_as_assigned() {
        let mut air = Air::new();
        air.good(0, "heartbeat", "node1", &[1, 3]);
        air.good(1, "assignment", "node1", &[3, 1]);
        air.good(2, "heartbeat", "node2", &[2, 4]);
        assert!(!air.cluster.converged(4), "node2 was not assigned anything");
        air.good(3, "assignment", "node2", &[2, 4]);
        assert!(air.cluster.converged(4) && !air.cluster.converged(3));
        air.good(4, "assignment", "node2", &[2, 3]);
        air.good(5, "heartbeat", "node2", &[2, 3]);
        assert!(!air.cluster.agree(), "pod 3 runs twice");
    }

    #[test]
    fn a_silent_node_runs_nothing() {
        let mut air = Air::new();
        air.good(0, "heartbeat", "node1", &[1]);
        air.good(1, "assignment", "node1", &[1]);
        air.good(2, "assignment", "node2", &[2]);
        air.good(3, "heartbeat", "node2", &[2]);
        air.good(4_000, "heartbeat", "node1", &[1]);
        assert!(air.cluster.converged(2));
        air.cluster.pass(5_004 * MS);
        assert_eq!((air.cluster.recent("node2"), air.cluster.reporting()), (None, 1));
        assert!(air.cluster.converged(1));
    }

    #[test]
    fn a_pod_has_the_image_that_its_spec_says_and_what_is_missing_is_known() {
        let mut air = Air::new();
        air.good(0, "assignment", "node1", &[1, 2]);
        air.good(1, "heartbeat", "node1", &[2]);
        air.good(2, "spec", "node1", &[2]);
        assert_eq!((air.cluster.running(Some("Ticker2")), air.cluster.running(None)), (1, 1));
        assert_eq!(air.cluster.nodes()["node1"].missing().collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn strangers_and_recordings_are_not_believed() {
        let mut air = Air::new();
        assert_eq!(air.say(0, "heartbeat", "node1", &[9], Key([8; 8])), State::Bad);
        assert!(air.cluster.nodes().is_empty());
        air.good(1, "heartbeat", "node1", &[1]);
        air.good(2, "heartbeat", "node1", &[1, 2]);
        air.counter -= 2;
        air.good(3, "heartbeat", "node1", &[1]);
        assert_eq!(air.cluster.recent("node1"), Some(&[1, 2][..]));
    }
}
