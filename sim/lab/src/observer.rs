//! What can be known of a cluster by listening to the air, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use kube_proto::key::{Key, Tag};
use kube_proto::message::{Body, Message, PodStatus};
use kube_proto::overheard::{Judgement, Overheard};
use kube_proto::packet::Packet;
use kube_proto::signature::{self, Signature};

use kube_boards::fleet::Keys;

/// A list of pod ids and when it was heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// Pod ids in the order of the message.
    pub ids: Vec<u8>,
    /// End of the frame, in nanoseconds.
    pub at_ns: u64,
}

impl Heard {
    /// The ids without order.
    #[must_use]
    pub fn set(&self) -> BTreeSet<u8> {
        self.ids.iter().copied().collect()
    }
}

/// What was heard of one node.
#[derive(Clone, Debug, Default)]
pub struct NodeView {
    /// Its first heartbeat.
    pub first_ns: Option<u64>,
    /// Its last heartbeat.
    pub reported: Option<Heard>,
    /// The last assignment to it.
    pub assigned: Option<Heard>,
}

/// What a frame said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A node reports its pods.
    Heartbeat {
        /// Node name.
        node: String,
        /// Running pods.
        ids: Vec<u8>,
    },
    /// The plane assigns pods to a node.
    Assignment {
        /// Node name.
        node: String,
        /// Pods bound to it.
        ids: Vec<u8>,
    },
    /// The plane says which image a pod runs.
    Spec {
        /// Pod.
        id: u8,
        /// Module name.
        image: String,
    },
    /// A node says why a pod does not run.
    Status(PodStatus),
    /// The plane asks a silent node.
    Query {
        /// Node name.
        node: String,
    },
    /// Plane and node say which session they are in, or want one.
    Greeting {
        /// Node name.
        node: String,
    },
    /// A message that was heard before, or could have been. Only told with a key for each node:
    /// shared keys leave it to the receivers.
    Old,
    /// A frame of another cluster.
    Foreign,
    /// A frame of our cluster whose signature does not match.
    BadSignature,
    /// A frame that is no message of ours.
    Other,
}

/// The cluster as heard.
#[derive(Debug)]
pub struct Observer {
    tag: Tag,
    key: Key,
    keys: Keys,
    nodes: BTreeMap<String, NodeView>,
    images: BTreeMap<u8, String>,
    sessions: BTreeMap<String, Overheard>,
    /// Frames heard, of any kind.
    pub frames: u64,
    /// Frames of our cluster with a wrong signature.
    pub bad_signatures: u64,
    /// Frames with another cluster's tag.
    pub foreign: u64,
}

impl Observer {
    /// Listens for a cluster with this tag and key.
    #[must_use]
    pub const fn new(tag: Tag, key: Key) -> Self {
        Self {
            tag,
            key,
            keys: Keys::Shared,
            nodes: BTreeMap::new(),
            images: BTreeMap::new(),
            sessions: BTreeMap::new(),
            frames: 0,
            bad_signatures: 0,
            foreign: 0,
        }
    }

    /// The same for a fleet with other keys, `key` being the cluster's.
    #[must_use]
    pub const fn with_keys(mut self, keys: Keys) -> Self {
        self.keys = keys;
        self
    }

    fn judge(&mut self, message: &Message) -> Judgement {
        if self.keys == Keys::Shared {
            return match signature::judge(message, self.tag, Some(&self.key)) {
                Signature::Ok => Judgement::Ok,
                Signature::ForeignTag => Judgement::Foreign,
                Signature::BadMac | Signature::NoKey => Judgement::Unknown,
            };
        }
        if let Some(node) = message.body.node() {
            let (tag, key) = (self.tag, self.key.of_node(node.as_bytes()));
            let judged = |overheard: &mut Overheard| overheard.hear(message);
            if let Some(overheard) = self.sessions.get_mut(&node.to_string()) {
                return judged(overheard);
            }
            let mut overheard = Overheard::new(tag, key);
            let judgement = judged(&mut overheard);
            if judgement == Judgement::Ok {
                self.sessions.insert(node.to_string(), overheard);
            }
            return judgement;
        }
        // A spec does not name its node: one of those heard of.
        let mut judgements = self.sessions.values_mut().map(|overheard| overheard.hear(message));
        let told = |judgement: &Judgement| matches!(judgement, Judgement::Ok | Judgement::Old);
        judgements.find(told).unwrap_or(Judgement::Unknown)
    }

    /// Takes in the payload of a frame that ended at `at_ns`.
    pub fn hear(&mut self, at_ns: u64, payload: &[u8]) -> Event {
        self.frames += 1;
        let packet = Packet::parse(payload).ok();
        let Some(message) = packet.and_then(|packet| Message::parse(&packet).ok()) else {
            return Event::Other;
        };
        match self.judge(&message) {
            Judgement::Ok => {}
            Judgement::Old => return Event::Old,
            Judgement::Foreign => {
                self.foreign += 1;
                return Event::Foreign;
            }
            Judgement::Unknown | Judgement::Unmet => {
                self.bad_signatures += 1;
                return Event::BadSignature;
            }
        }
        match message.body {
            Body::Heartbeat(pods) => {
                let (node, ids) = (pods.node.to_string(), pods.ids.as_bytes().to_vec());
                let view = self.nodes.entry(node.clone()).or_default();
                view.first_ns.get_or_insert(at_ns);
                view.reported = Some(Heard { ids: ids.clone(), at_ns });
                Event::Heartbeat { node, ids }
            }
            Body::Assignment(pods) => {
                let (node, ids) = (pods.node.to_string(), pods.ids.as_bytes().to_vec());
                let view = self.nodes.entry(node.clone()).or_default();
                view.assigned = Some(Heard { ids: ids.clone(), at_ns });
                Event::Assignment { node, ids }
            }
            Body::Spec(pod) => {
                let image = pod.image.to_string();
                self.images.insert(pod.id, image.clone());
                Event::Spec { id: pod.id, image }
            }
            Body::Status(status) => Event::Status(status),
            Body::Query(node) => Event::Query { node: node.to_string() },
            Body::Hail(greeting) | Body::Welcome(greeting) => {
                Event::Greeting { node: greeting.node.to_string() }
            }
        }
    }

    /// With a key for each node: the session of one.
    #[must_use]
    pub fn session(&self, node: &str) -> Option<&Overheard> {
        self.sessions.get(node)
    }

    /// The nodes heard of, by name.
    #[must_use]
    pub const fn nodes(&self) -> &BTreeMap<String, NodeView> {
        &self.nodes
    }

    /// The image that the plane gave for a pod.
    #[must_use]
    pub fn image(&self, id: u8) -> Option<&str> {
        self.images.get(&id).map(String::as_str)
    }

    /// Number of pods in the latest heartbeat of each node.
    #[must_use]
    pub fn running(&self) -> usize {
        self.reports().map(|heard| heard.ids.len()).sum()
    }

    /// Whether the nodes report `pods` pods in all, none twice, each node what it is assigned.
    #[must_use]
    pub fn converged(&self, pods: usize) -> bool {
        let distinct: BTreeSet<u8> = self.reports().flat_map(Heard::set).collect();
        distinct.len() == pods
            && self.running() == pods
            && self.nodes.values().all(|view| {
                view.reported.as_ref().map(Heard::set) == view.assigned.as_ref().map(Heard::set)
            })
    }

    /// Reported pods whose image, as far as specs told, is not `image`.
    #[must_use]
    pub fn not_running(&self, image: &str) -> usize {
        let reported = self.reports().flat_map(|heard| heard.ids.iter());
        reported.filter(|&&id| self.image(id) != Some(image)).count()
    }

    fn reports(&self) -> impl Iterator<Item = &Heard> {
        self.nodes.values().filter_map(|view| view.reported.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use kube_proto::message::{Ids, ImageName, NodeName, NodePods, PodImage};

    use super::*;

    const TAG: Tag = Tag(20);
    const KEY: Key = Key([7; 8]);

    fn payload(body: Body, tag: Tag, key: Key) -> [u8; 32] {
        signature::sign(tag, body, 1, &key).packet(1).emit()
    }

    fn pods(node: &str, ids: &[u8]) -> NodePods {
        let node = NodeName::new(node.as_bytes()).unwrap();
        NodePods { node, ids: Ids::new(ids).unwrap() }
    }

    fn hear(observer: &mut Observer, bodies: &[Body]) {
        for &body in bodies {
            observer.hear(0, &payload(body, TAG, KEY));
        }
    }

    #[test]
    fn converged_means_distinct_complete_and_as_assigned() {
        let mut observer = Observer::new(TAG, KEY);
        hear(
            &mut observer,
            &[
                Body::Heartbeat(pods("node1", &[1, 3])),
                Body::Assignment(pods("node1", &[3, 1])),
                Body::Heartbeat(pods("node2", &[2, 4])),
            ],
        );
        assert!(!observer.converged(4), "node2 was not assigned anything");
        hear(&mut observer, &[Body::Assignment(pods("node2", &[2, 4]))]);
        assert!(observer.converged(4) && !observer.converged(3));
        hear(&mut observer, &[Body::Heartbeat(pods("node2", &[2, 3]))]);
        assert!(!observer.converged(4) && !observer.converged(3), "pod 3 runs twice");
    }

    #[test]
    fn a_pod_counts_as_old_until_its_spec_says_otherwise() {
        let mut observer = Observer::new(TAG, KEY);
        let spec = |id, image: &str| {
            Body::Spec(PodImage { id, image: ImageName::new(image.as_bytes()).unwrap() })
        };
        hear(&mut observer, &[Body::Heartbeat(pods("node1", &[1, 2])), spec(1, "Ticker2")]);
        assert_eq!(observer.not_running("Ticker2"), 1);
        hear(&mut observer, &[spec(2, "Ticker2")]);
        assert_eq!(observer.not_running("Ticker2"), 0);
    }

    #[test]
    fn frames_of_strangers_are_counted_and_not_believed() {
        let mut observer = Observer::new(TAG, KEY);
        let body = Body::Heartbeat(pods("node1", &[9]));
        assert_eq!(observer.hear(0, &payload(body, Tag(21), KEY)), Event::Foreign);
        assert_eq!(observer.hear(0, &payload(body, TAG, Key([8; 8]))), Event::BadSignature);
        assert_eq!((observer.foreign, observer.bad_signatures), (1, 1));
        assert!(observer.nodes().is_empty());
    }
}
