//! Cluster, key and nodes by which a signature is judged.

use kube_proto::key::{Key, Keys, Tag};
use kube_proto::layout::Sender;
use kube_proto::message::{Body, Message, NodeName};
use kube_proto::overheard::{Judgement, Overheard};
use kube_proto::signature::{self, Signature};
use std::collections::BTreeMap;

/// Nodes that are remembered: before a signature is judged anybody can invent names.
const MAX_NODES: usize = 256;

/// What is said of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Whether it fits. Without a session that was heard of, nothing can be said.
    pub signature: Signature,
    /// Whether it is a recording, where the session tells.
    pub old: Option<bool>,
    /// The node whose key it was, where each has its own.
    pub node: Option<NodeName>,
}

/// What is known of a cluster's secrets. Never printed.
#[derive(Clone, Debug)]
pub struct Keyring {
    tag: Option<Tag>,
    key: Option<Key>,
    keys: Keys,
    /// Where each node has a key of its own: its sessions as overheard.
    nodes: BTreeMap<NodeName, Overheard>,
    /// While a cluster changes its key, the other one.
    other: Option<Box<Keyring>>,
}

impl Keyring {
    /// For a cluster (`None`: any) with its key (`None`: signatures are not judged).
    #[must_use]
    pub fn new(tag: Option<Tag>, key: Option<Key>, keys: Keys) -> Self {
        Self { tag, key, keys, nodes: BTreeMap::new(), other: None }
    }

    /// Believes what is signed with another key as well: a cluster that changes its key has two.
    pub fn add_key(&mut self, key: Key) {
        match &mut self.other {
            Some(other) => other.add_key(key),
            None => self.other = Some(Box::new(Self::new(self.tag, Some(key), self.keys))),
        }
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

    /// The sessions of a node as overheard, where each has a key of its own.
    #[must_use]
    pub fn session(&self, node: &NodeName) -> Option<&Overheard> {
        self.nodes.get(node)
    }

    /// Judges a message.
    pub fn judge(&mut self, message: &Message) -> Judged {
        let judged = self.judge_alone(message);
        // Sessions of the other key are heard of in any case.
        match self.other.as_mut().map(|other| other.judge(message)) {
            Some(other)
                if judged.signature != Signature::Ok && other.signature == Signature::Ok =>
            {
                other
            }
            _ => judged,
        }
    }

    fn judge_alone(&mut self, message: &Message) -> Judged {
        let tag = self.tag.unwrap_or(message.tag);
        if matches!(message.body.layout().from, Sender::Operator | Sender::Machine) {
            // The operator's key is nobody else's.
            let signature = signature::judge(message, tag, None);
            return Judged { signature, old: None, node: None };
        }
        match (self.keys, self.key) {
            (Keys::PerNode, Some(key)) if message.tag == tag => self.overhear(message, tag, &key),
            (_, key) => {
                let signature = signature::judge(message, tag, key.as_ref());
                Judged { signature, old: None, node: None }
            }
        }
    }

    fn overhear(&mut self, message: &Message, tag: Tag, key: &Key) -> Judged {
        if let Some(node) = message.body.node()
            && (self.nodes.len() < MAX_NODES || self.nodes.contains_key(node))
        {
            let fresh = || Overheard::new(tag, key.of_node(node.as_bytes()));
            return judge(self.nodes.entry(*node).or_insert_with(fresh), message, *node);
        }
        // A spec does not name its node: it is one of those known.
        let mut met = !self.nodes.is_empty();
        for (node, overheard) in &mut self.nodes {
            let judged = judge(overheard, message, *node);
            match judged.signature {
                Signature::Ok => return judged,
                signature => met &= signature != Signature::NoKey,
            }
        }
        let signature = if met { Signature::BadMac } else { Signature::NoKey };
        Judged { signature, old: None, node: None }
    }
}

fn judge(overheard: &mut Overheard, message: &Message, node: NodeName) -> Judged {
    let (signature, old) = match overheard.hear(message) {
        // Greetings are not counted.
        Judgement::Ok if matches!(message.body, Body::Hail(_) | Body::Welcome(_)) => {
            (Signature::Ok, None)
        }
        Judgement::Ok => (Signature::Ok, Some(false)),
        Judgement::Old => (Signature::Ok, Some(true)),
        Judgement::Foreign => (Signature::ForeignTag, None),
        Judgement::Unknown => (Signature::BadMac, None),
        Judgement::Unmet => (Signature::NoKey, None),
    };
    Judged { signature, old, node: Some(node) }
}
