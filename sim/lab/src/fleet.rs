//! Which machines there are, and what each does when it is switched on.

use kube_proto::key::{Key, KeyError, Tag};
use thiserror::Error;

/// Who has which key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// All have the cluster's, as published: every listener understands.
    #[default]
    Shared,
    /// Each node has one of its own: no node can speak for the plane or for another.
    PerNode,
}

/// What a machine is to the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Runs the control plane.
    Plane,
    /// Runs a kubelet.
    Node,
}

/// One machine of the fleet.
#[derive(Clone, Debug)]
pub struct MachineSpec {
    /// Name on the air, 1..=6 characters for a node.
    pub name: String,
    /// Role.
    pub role: Role,
    /// Commands that its image runs at every start, one a line.
    pub commands: Vec<String>,
}

/// A cluster: its machines and what they share.
#[derive(Clone, Debug)]
pub struct Fleet {
    /// Cluster name, 1..=8 characters; its tag stands in every message.
    pub cluster: String,
    /// Key text, up to 16 hexadecimal digits.
    pub key: String,
    /// Who has which key.
    pub keys: Keys,
    /// The machines, the plane first.
    pub machines: Vec<MachineSpec>,
}

/// Why a fleet is refused.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum FleetError {
    /// Node names must fit the six bytes of the message.
    #[error("a fleet of {0} nodes is not possible: choose 1 to {max}", max = Fleet::NODES_MAX)]
    Nodes(usize),
    /// The cluster's name or key does not fit.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl Fleet {
    /// Nodes that a fleet may have: with the plane, each has its own station on one air.
    pub const NODES_MAX: usize = 20;

    /// A plane and `nodes` nodes named node1, node2, ...; the plane ensures `web` with four pods.
    ///
    /// # Errors
    /// [`FleetError`] for a count, name or key that does not fit.
    pub fn new(nodes: usize, cluster: &str, key: &str) -> Result<Self, FleetError> {
        if !(1..=Self::NODES_MAX).contains(&nodes) {
            return Err(FleetError::Nodes(nodes));
        }
        Tag::of(cluster)?;
        Key::parse(key)?;
        let plane = MachineSpec {
            name: "plane".to_owned(),
            role: Role::Plane,
            commands: vec![
                "Kube.Start".to_owned(),
                format!("KubeNet.Serve {cluster} {key}"),
                "Kube.Ensure web 4 Ticker".to_owned(),
            ],
        };
        let node = |number: usize| MachineSpec {
            name: format!("node{number}"),
            role: Role::Node,
            commands: vec![format!("KubeNet.Join node{number} {cluster} {key}")],
        };
        let machines = std::iter::once(plane).chain((1..=nodes).map(node)).collect();
        let (cluster, key) = (cluster.to_owned(), key.to_owned());
        Ok(Self { cluster, key, keys: Keys::Shared, machines })
    }

    /// The same with a key for each node.
    ///
    /// # Errors
    /// [`FleetError::Key`] if the cluster's key is none.
    pub fn with_keys_per_node(mut self) -> Result<Self, FleetError> {
        let key = Key::parse(&self.key)?;
        let cluster = &self.cluster;
        for machine in &mut self.machines {
            let name = &machine.name;
            let line = match machine.role {
                Role::Plane => format!("KubeNet.Serve {cluster} {} per-node", self.key),
                Role::Node => {
                    let own = key.of_node(name.as_bytes()).0;
                    let own: String = own.iter().map(|byte| format!("{byte:02x}")).collect();
                    format!("KubeNet.Join {name} {cluster} {own} per-node")
                }
            };
            machine.commands.retain(|command| !command.starts_with("KubeNet."));
            machine.commands.insert(machine.commands.len().min(1), line);
        }
        self.keys = Keys::PerNode;
        Ok(self)
    }

    /// Names of the nodes.
    pub fn node_names(&self) -> impl Iterator<Item = &str> {
        self.machines.iter().filter(|m| m.role == Role::Node).map(|m| m.name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fleet_that_does_not_fit_the_messages_is_refused() {
        assert_eq!(Fleet::new(0, "kube", "").unwrap_err(), FleetError::Nodes(0));
        assert_eq!(Fleet::new(21, "kube", "").unwrap_err(), FleetError::Nodes(21));
        assert!(matches!(Fleet::new(2, "kubernetes", ""), Err(FleetError::Key(_))));
        assert!(matches!(Fleet::new(2, "kube", "xyz"), Err(FleetError::Key(_))));
        let fleet = Fleet::new(2, "kube", "00c0ffee00c0ffee").unwrap();
        assert_eq!(fleet.node_names().collect::<Vec<_>>(), ["node1", "node2"]);
    }
}
