//! Somebody who listens: decodes what is heard and knows the cluster and the air by it.

use crate::cluster::Cluster;
use crate::decoder::{Decoder, Heard};
use crate::keyring::Keyring;
use crate::statistics::Statistics;
use kube_proto::capture::Captured;
use kube_proto::key::Key;

/// A decoder, and what follows from what it has decoded.
#[derive(Debug)]
pub struct Observer {
    decoder: Decoder,
    statistics: Statistics,
    cluster: Cluster,
}

impl Observer {
    /// Has heard nothing; judges by `keyring`.
    #[must_use]
    pub fn new(keyring: Keyring) -> Self {
        let (statistics, cluster) = Default::default();
        Self { decoder: Decoder::new(keyring), statistics, cluster }
    }

    /// Takes a frame in that was captured at `interface`.
    pub fn hear(&mut self, at_ns: u64, interface: &str, frame: &Captured) -> Heard {
        let heard = self.decoder.decode(at_ns, interface, frame);
        self.statistics.hear(&heard);
        self.cluster.hear(&heard);
        heard
    }

    /// Believes what is signed with another key of the cluster as well.
    pub fn add_key(&mut self, key: Key) {
        self.decoder.add_key(key);
    }

    /// Time has come so far.
    pub fn pass(&mut self, now_ns: u64) {
        self.statistics.pass(now_ns);
        self.cluster.pass(now_ns);
    }

    /// What the cluster looks like.
    #[must_use]
    pub const fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Who sent what.
    #[must_use]
    pub const fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Keys and sessions as far as they are known.
    #[must_use]
    pub const fn keyring(&self) -> &Keyring {
        self.decoder.keyring()
    }
}
