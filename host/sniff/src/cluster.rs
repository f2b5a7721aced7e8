//! The cluster as it can be known by listening.

use crate::decoder::Heard;
use crate::reading::Value;
use kube_proto::layout::{ASSIGNMENT, HEARTBEAT, SPEC, STATUS};
use std::collections::{BTreeMap, BTreeSet};

/// Nodes that are remembered: without a key anybody can invent names.
const MAX_NODES: usize = 1_000;

/// A list of pods and when it was first and last said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Pods, in order.
    pub ids: Vec<u8>,
    /// When this list was first said, in nanoseconds.
    pub since_ns: u64,
    /// When it was last said.
    pub at_ns: u64,
}

impl Said {
    /// The pods without order.
    #[must_use]
    pub fn set(&self) -> BTreeSet<u8> {
        self.ids.iter().copied().collect()
    }

    fn hear(said: &mut Option<Said>, ids: &[u8], at_ns: u64) -> bool {
        match said {
            Some(said) if said.ids == ids => {
                said.at_ns = at_ns;
                false
            }
            _ => {
                *said = Some(Said { ids: ids.to_vec(), since_ns: at_ns, at_ns });
                true
            }
        }
    }
}

/// What was heard of one node.
#[derive(Clone, Debug, Default)]
pub struct NodeView {
    /// Its last heartbeat.
    pub reported: Option<Said>,
    /// The last assignment to it.
    pub assigned: Option<Said>,
    /// From an assignment with a new list to the heartbeat that says the same, last time.
    pub answer_ns: Option<u64>,
    /// The last pod that it says does not run, and why.
    pub trouble: Option<(u8, String)>,
}

/// The cluster; credible messages make it.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    nodes: BTreeMap<String, NodeView>,
    images: BTreeMap<u8, String>,
}

impl Cluster {
    /// Takes a frame in.
    pub fn hear(&mut self, heard: &Heard) {
        let Some(reading) = heard.reading().filter(|_| heard.credible()) else { return };
        let ids = || match reading.get("ids") {
            Some(Value::Ids(ids)) => ids.as_slice(),
            _ => &[],
        };
        let typ = reading.layout.typ;
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
            let new = Said::hear(&mut view.reported, ids(), heard.at_ns);
            if let (true, Some(assigned)) = (new, &view.assigned)
                && assigned.set() == ids().iter().copied().collect()
            {
                view.answer_ns = Some(heard.at_ns.saturating_sub(assigned.since_ns));
            }
            if let Some((id, _)) = &view.trouble
                && ids().contains(id)
            {
                view.trouble = None;
            }
        } else if typ == ASSIGNMENT.typ {
            Said::hear(&mut view.assigned, ids(), heard.at_ns);
            if let Some((id, _)) = &view.trouble
                && !ids().contains(id)
            {
                view.trouble = None;
            }
        } else if typ == STATUS.typ
            && let (Some(id), Some(Value::Text(reason))) =
                (reading.number("id"), reading.get("reason"))
        {
            view.trouble = Some((id as u8, reason.clone()));
        }
    }

    /// The nodes by name.
    #[must_use]
    pub fn nodes(&self) -> &BTreeMap<String, NodeView> {
        &self.nodes
    }

    /// The image of a pod, if a spec told.
    #[must_use]
    pub fn image(&self, id: u8) -> Option<&str> {
        self.images.get(&id).map(String::as_str)
    }

    /// Pods in the latest heartbeats; of one image, if one is named.
    #[must_use]
    pub fn running(&self, image: Option<&str>) -> usize {
        let reports = self.nodes.values().filter_map(|view| view.reported.as_ref());
        let pods = reports.flat_map(|said| &said.ids);
        pods.filter(|&&id| image.is_none_or(|image| self.image(id) == Some(image))).count()
    }

    /// Nodes of which a heartbeat was heard.
    #[must_use]
    pub fn reporting(&self) -> usize {
        self.nodes.values().filter(|view| view.reported.is_some()).count()
    }
}
