//! Cluster, key and nodes by which a signature is judged.

use kube_proto::key::{Key, Tag};
use kube_proto::message::{Message, NodeName};
use kube_proto::overheard::{Judgement, Overheard};
use kube_proto::signature::{self, Signature};
use std::collections::BTreeMap;

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
    /// With keys per node: sessions of the plane with each.
    nodes: BTreeMap<NodeName, Overheard>,
}

impl Keyring {
    /// For a cluster (`None`: any) with its key (`None`: signatures are not judged).
    #[must_use]
    pub fn new(tag: Option<Tag>, key: Option<Key>, keys: Keys) -> Self {
        Self { tag, key, keys, nodes: BTreeMap::new() }
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
        if let (Some(key), Some(tag)) = (self.key, self.tag) {
            self.nodes
                .entry(node)
                .or_insert_with(|| Overheard::new(tag, key.of_node(node.as_bytes())));
        }
    }

    /// Judges a message. With keys per node it can be judged once a greeting of its node was heard;
    /// a recording is signed all the same.
    pub fn judge(&mut self, message: &Message) -> Signature {
        let tag = self.tag.unwrap_or(message.tag);
        let Some(key) = self.key else { return signature::judge(message, tag, None) };
        if self.keys == Keys::Shared {
            return signature::judge(message, tag, Some(&key));
        }
        if message.tag != tag {
            return Signature::ForeignTag;
        }
        let Some(node) = message.body.node() else { return self.judge_spec(message) };
        let of_node = || Overheard::new(tag, key.of_node(node.as_bytes()));
        if let Some(overheard) = self.nodes.get_mut(node) {
            return verdict(overheard.hear(message));
        }
        let mut overheard = of_node();
        let judgement = overheard.hear(message);
        if judgement == Judgement::Ok {
            self.nodes.insert(*node, overheard);
        }
        verdict(judgement)
    }

    /// A spec does not name its node: one of those known.
    fn judge_spec(&mut self, message: &Message) -> Signature {
        let mut verdicts = self.nodes.values_mut().map(|node| verdict(node.hear(message)));
        let unmet = self.key.is_some() && verdicts.len() == 0;
        let told = |verdict: &Signature| !matches!(verdict, Signature::BadMac | Signature::NoKey);
        let otherwise = if unmet { Signature::NoKey } else { Signature::BadMac };
        verdicts.find(told).unwrap_or(otherwise)
    }
}

const fn verdict(judgement: Judgement) -> Signature {
    match judgement {
        Judgement::Ok | Judgement::Old => Signature::Ok,
        Judgement::Unknown => Signature::BadMac,
        Judgement::Unmet => Signature::NoKey,
        Judgement::Foreign => Signature::ForeignTag,
    }
}
