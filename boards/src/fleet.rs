//! A cluster: what its machines share, which boards there are, and what each does at start.

use std::path::PathBuf;

pub use kube_proto::key::Keys;
use kube_proto::key::{Key, KeyError, Tag};
use serde::Deserialize;

/// Start command that takes commands over the air.
pub const OPERATOR: &str = "Operator.Open";

/// What a machine is to the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Runs the control plane.
    Plane,
    /// Runs a kubelet.
    Node,
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Role::Plane => "plane",
            Role::Node => "node",
        })
    }
}

/// Key text, up to 16 hexadecimal digits; never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyText(String, Key);

impl KeyText {
    /// Checks a key text.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn new(text: &str) -> Result<Self, KeyError> {
        Ok(Self(text.to_owned(), Key::parse(text)?))
    }

    /// The text, as start commands need it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The key.
    #[must_use]
    pub const fn key(&self) -> Key {
        self.1
    }
}

impl std::fmt::Debug for KeyText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyText(..)")
    }
}

/// How the machines of a fleet use the radio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Radio {
    /// Channel, 0 to 125: 2400 MHz and this many more.
    pub channel: u8,
    /// Bit rate in Mbit/s, 1 or 2.
    pub mbit: u8,
    /// Address, as it goes over the air.
    pub address: [u8; 5],
}

impl Default for Radio {
    fn default() -> Self {
        Self { channel: 5, mbit: 1, address: [0xE7; 5] }
    }
}

impl Radio {
    /// Commands that set the radio up, before it is started; none for what machines do anyway.
    fn commands(&self) -> Vec<String> {
        let usual = Self::default();
        let mut commands = Vec::new();
        if (self.channel, self.mbit) != (usual.channel, usual.mbit) {
            commands.push(format!("Radio.Kube {} {}", self.channel, self.mbit));
        }
        if self.address != usual.address {
            let [top, rest @ ..] = self.address;
            let rest = u32::from_be_bytes(rest);
            commands.push(format!("Radio.Address 0{top:02X}H 0{rest:08X}H"));
        }
        commands
    }
}

/// How the card of a board is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Card {
    /// By a path, such as one below `/dev/disk/by-path`: most readers hide the card's serial number.
    Path(PathBuf),
    /// By the serial number of card or reader.
    Serial(String),
}

/// What a board is made of and how its host reaches it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hardware {
    /// Model, a name of [`crate::model`].
    pub model: Option<String>,
    /// Revision of its circuit board, as printed on it.
    pub revision: Option<String>,
    /// Its card.
    pub sd: Option<Card>,
    /// USB serial number of its serial line, or a path of a port.
    pub uart: Option<String>,
    /// Serial number of its JTAG adapter.
    pub jtag: Option<String>,
    /// Bitstream that goes with its image.
    pub bitstream: Option<PathBuf>,
}

/// One board of the fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Name, 1..=6 characters for a node: it stands in the node's messages.
    pub name: String,
    /// Role.
    pub role: Role,
    /// Commands after those that [`Fleet::machine`] makes from role, cluster and key.
    pub start: Vec<String>,
    /// Pods on its image, each a module of the project or the path of a `.Mod` file; `None` for
    /// all of the project.
    pub pods: Option<Vec<String>>,
    /// Parts and connections.
    pub hardware: Hardware,
}

impl Board {
    /// A board of which only name and role are known.
    #[must_use]
    pub fn new(name: &str, role: Role) -> Self {
        let (start, pods, hardware) = Default::default();
        Self { name: name.to_owned(), role, start, pods, hardware }
    }
}

/// What the image of a machine is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineSpec {
    /// Name of the board.
    pub name: String,
    /// Role.
    pub role: Role,
    /// Commands that its image runs at every start, one a line.
    pub commands: Vec<String>,
    /// Pods on its image, by module name; `None` for all of the project.
    pub pods: Option<Vec<String>>,
    /// The last number of a session that it may have given from an earlier image.
    pub numbers: u32,
}

/// A cluster: its boards and what they share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fleet {
    cluster: String,
    key: KeyText,
    /// Who has which key.
    pub keys: Keys,
    /// The operator's key: with it machines take commands over the air. `None`: they do not.
    pub operator: Option<KeyText>,
    /// The last number of a session that a board may have given from an earlier image, with keys
    /// per node: numbers that come twice would let recordings count again (docs/decisions/0006).
    pub numbers: u32,
    /// How the radio is used.
    pub radio: Radio,
    /// The boards, the plane first.
    pub boards: Vec<Board>,
}

/// Why a fleet is refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum FleetError {
    /// Each machine has its own station on one air.
    #[error("a fleet of {0} nodes is not possible: choose 1 to {max}", max = Fleet::NODES_MAX)]
    Nodes(usize),
    /// The cluster's name or key does not fit.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl Fleet {
    /// Nodes that a fleet may have.
    pub const NODES_MAX: usize = 200;

    /// Cluster and key, without boards.
    ///
    /// # Errors
    /// [`KeyError`] for a cluster name or key that does not fit.
    pub fn empty(cluster: &str, key: &str) -> Result<Self, KeyError> {
        Tag::of(cluster)?;
        let key = KeyText::new(key)?;
        let (keys, operator, numbers, radio, boards) = Default::default();
        Ok(Self { cluster: cluster.to_owned(), key, keys, operator, numbers, radio, boards })
    }

    /// A plane and `nodes` nodes named node1, node2, ..., or n1, n2, ... where the longer names would
    /// have seven characters; the plane ensures `web` with four pods.
    ///
    /// # Errors
    /// [`FleetError`] for a count, name or key that does not fit.
    pub fn new(nodes: usize, cluster: &str, key: &str) -> Result<Self, FleetError> {
        if !(1..=Self::NODES_MAX).contains(&nodes) {
            return Err(FleetError::Nodes(nodes));
        }
        let mut fleet = Self::empty(cluster, key)?;
        let start = vec!["Kube.Ensure web 4 Ticker".to_owned()];
        fleet.boards.push(Board { start, ..Board::new("plane", Role::Plane) });
        let stem = if nodes < 100 { "node" } else { "n" };
        let node = |number| Board::new(&format!("{stem}{number}"), Role::Node);
        fleet.boards.extend((1..=nodes).map(node));
        Ok(fleet)
    }

    /// Cluster name, 1..=8 characters.
    #[must_use]
    pub fn cluster(&self) -> &str {
        &self.cluster
    }

    /// The cluster's tag, which stands in every message.
    #[must_use]
    pub fn tag(&self) -> Tag {
        // The name has been checked when the fleet was made.
        Tag::of(&self.cluster).unwrap_or(Tag(1))
    }

    /// The cluster's key.
    #[must_use]
    pub const fn key(&self) -> Key {
        self.key.key()
    }

    /// The same fleet with another key.
    #[must_use]
    pub fn with_key(self, key: KeyText) -> Self {
        Self { key, ..self }
    }

    /// The board of that name.
    #[must_use]
    pub fn board(&self, name: &str) -> Option<&Board> {
        self.boards.iter().find(|board| board.name == name)
    }

    /// Names of the nodes.
    pub fn node_names(&self) -> impl Iterator<Item = &str> {
        self.boards.iter().filter(|b| b.role == Role::Node).map(|b| b.name.as_str())
    }

    /// Text of the key that a machine is given: the cluster's, or where each node has a key of its own
    /// a node's.
    #[must_use]
    pub fn given_key(&self, board: &Board) -> String {
        match (board.role, self.keys) {
            (Role::Node, Keys::PerNode) => {
                let own = self.key().of_node(board.name.as_bytes()).0;
                own.iter().map(|byte| format!("{byte:02x}")).collect()
            }
            _ => self.key.reveal().to_owned(),
        }
    }

    /// What the image of a board is made from.
    #[must_use]
    pub fn machine(&self, board: &Board) -> MachineSpec {
        let mut commands = self.radio.commands();
        let (cluster, key, name) = (&self.cluster, self.given_key(board), &board.name);
        match (board.role, self.keys) {
            (Role::Plane, keys) => {
                commands.push("Kube.Start".to_owned());
                let per_node = if keys == Keys::PerNode { " per-node" } else { "" };
                commands.push(format!("KubeNet.Serve {cluster} {key}{per_node}"));
            }
            (Role::Node, Keys::Shared) => {
                commands.push(format!("KubeNet.Join {name} {cluster} {key}"));
            }
            (Role::Node, Keys::PerNode) => {
                commands.push(format!("KubeNet.Join {name} {cluster} {key} per-node"));
            }
        }
        if let Some(key) = &self.operator {
            commands.push(format!("{OPERATOR} {}", key.reveal()));
        }
        commands.extend_from_slice(&board.start);
        let name = name.clone();
        let module = |pod: &String| crate::image::pod_module(pod).to_owned();
        let pods = board.pods.as_ref().map(|pods| pods.iter().map(module).collect());
        MachineSpec { name, role: board.role, commands, pods, numbers: self.numbers }
    }

    /// What the images of all boards are made from, in their order.
    #[must_use]
    pub fn machines(&self) -> Vec<MachineSpec> {
        self.boards.iter().map(|board| self.machine(board)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fleet_that_does_not_fit_the_messages_is_refused() {
        assert_eq!(Fleet::new(0, "kube", "").unwrap_err(), FleetError::Nodes(0));
        assert_eq!(Fleet::new(201, "kube", "").unwrap_err(), FleetError::Nodes(201));
        assert!(matches!(Fleet::new(2, "kubernetes", ""), Err(FleetError::Key(_))));
        assert!(matches!(Fleet::new(2, "kube", "xyz"), Err(FleetError::Key(_))));
        let fleet = Fleet::new(2, "kube", "00c0ffee00c0ffee").unwrap();
        assert_eq!(fleet.node_names().collect::<Vec<_>>(), ["node1", "node2"]);
        let largest = Fleet::new(200, "kube", "").unwrap();
        assert!(largest.node_names().all(|name| name.len() <= 6));
    }

    #[test]
    fn commands_follow_from_role_keys_and_radio() {
        let mut fleet = Fleet::new(1, "kube", "00c0ffee00c0ffee").unwrap();
        let commands = |fleet: &Fleet, at: usize| fleet.machine(&fleet.boards[at]).commands;
        let serve = "KubeNet.Serve kube 00c0ffee00c0ffee";
        assert_eq!(commands(&fleet, 0), ["Kube.Start", serve, "Kube.Ensure web 4 Ticker"]);
        assert_eq!(commands(&fleet, 1), ["KubeNet.Join node1 kube 00c0ffee00c0ffee"]);
        fleet.keys = Keys::PerNode;
        assert_eq!(commands(&fleet, 0)[1], format!("{serve} per-node"));
        let join = &commands(&fleet, 1)[0];
        assert!(join.starts_with("KubeNet.Join node1 kube ") && join.ends_with(" per-node"));
        assert!(!join.contains("c0ffee"), "a node has the cluster's key: {join}");
        fleet.operator = Some(KeyText::new("8d2f61c07be4935a").unwrap());
        assert_eq!(commands(&fleet, 0)[2], "Operator.Open 8d2f61c07be4935a");
        assert_eq!(commands(&fleet, 1)[1], "Operator.Open 8d2f61c07be4935a");
        fleet.radio = Radio { channel: 45, mbit: 2, address: [0xC2, 1, 2, 3, 4] };
        assert_eq!(commands(&fleet, 1)[..2], ["Radio.Kube 45 2", "Radio.Address 0C2H 001020304H"]);
    }

    #[test]
    fn keys_are_not_shown() {
        let fleet = Fleet::new(1, "kube", "00c0ffee00c0ffee").unwrap();
        assert!(!format!("{fleet:?}").contains("c0ffee"));
    }
}
