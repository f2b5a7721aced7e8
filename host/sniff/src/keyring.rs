//! Cluster, key and nodes by which a signature is judged.

use kube_proto::key::{Key, Tag};
use kube_proto::message::{Body, Message, NodeName};
use kube_proto::signature::{self, Signature};
use std::collections::BTreeSet;

/// Who has which key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// All have the cluster's.
    #[default]
    Shared,
    /// Each node has its own, made from the cluster's.
    PerNode,
}

/// What is known of a cluster's secrets. Never printed.
#[derive(Clone, Debug)]
pub struct Keyring {
    tag: Option<Tag>,
    key: Option<Key>,
    keys: Keys,
    nodes: BTreeSet<NodeName>,
}

impl Keyring {
    /// For a cluster (`None`: any) with its key (`None`: signatures are not judged).
    #[must_use]
    pub fn new(tag: Option<Tag>, key: Option<Key>, keys: Keys) -> Self {
        Self { tag, key, keys, nodes: BTreeSet::new() }
    }

    /// The cluster's tag.
    #[must_use]
    pub const fn tag(&self) -> Option<Tag> {
        self.tag
    }

    /// The cluster's key.
    #[must_use]
    pub const fn key(&self) -> Option<Key> {
        self.key
    }

    /// Who has which key.
    #[must_use]
    pub const fn keys(&self) -> Keys {
        self.keys
    }

    /// A node that belongs to the cluster. Nodes heard of are added by themselves.
    pub fn add_node(&mut self, node: NodeName) {
        self.nodes.insert(node);
    }

    /// Judges a message.
    pub fn judge(&mut self, message: &Message) -> Signature {
        let tag = self.tag.unwrap_or(message.tag);
        let Some(key) = self.key else { return signature::judge(message, tag, None) };
        let of_node = |node: &NodeName| {
            let key = match self.keys {
                Keys::Shared => key,
                Keys::PerNode => key.of_node(node.as_bytes()),
            };
            signature::judge(message, tag, Some(&key))
        };
        let named = match &message.body {
            Body::Heartbeat(pods) | Body::Assignment(pods) => Some(pods.node),
            Body::Status(status) => Some(status.node),
            Body::Query(node) => Some(*node),
            Body::Hail(greeting) | Body::Welcome(greeting) => Some(greeting.node),
            Body::Spec(_) => None,
        };
        match (named, self.keys) {
            (Some(node), _) => {
                let verdict = of_node(&node);
                if verdict == Signature::Ok {
                    self.nodes.insert(node);
                }
                verdict
            }
            (None, Keys::Shared) => signature::judge(message, tag, Some(&key)),
            // It does not name its node: one of those known.
            (None, Keys::PerNode) => {
                let mut verdicts = self.nodes.iter().map(of_node);
                verdicts.find(|&verdict| verdict != Signature::BadMac).unwrap_or(Signature::BadMac)
            }
        }
    }
}
