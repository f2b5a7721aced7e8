//! Flags that several commands have.

use crate::code;
use crate::discovery::SIMULATED;
use crate::failure::Outcome;
use crate::flags::When;
use crate::program::Session;
use clap::{Args, ValueEnum};
use console::Term;
use kube_boards::fleet::Fleet;
use kube_proto::frame::Rate;
use kube_proto::key::{Key, Keys, Tag};
use kube_sniff::decoder::State;
use kube_sniff::expect::{self, Rule};
use kube_sniff::filter::{self, Filter};
use kube_sniff::keyring::Keyring;
use kube_sniff::line::Times;
use kube_sniff::source::usb::Tuning;
use kube_sniff::source::{Place, SourceError, default_socket};
use kube_sniff::span;
use std::io::IsTerminal;
use std::path::PathBuf;

/// The language of rules, as `kube-sniff rules` shows it.
pub const RULES: &str = "\
A rule is one argument of --expect. All must hold; a broken one ends the run with exit code 1, and
when all are decided the run ends.

  heartbeat node1 every 1s±20%     each comes 0.8 s to 1.2 s after the one before; also 1s+-20%
  heartbeat every 1s+20%           of each node: none later than 1.2 s, earlier ones may be
  assignment node1 within 5s       one is heard by then
  spec >= 4 within 10s             so many are heard by then
  frames plane < 100               when it is over
  nodes >= 2 within 10s            nodes that send heartbeats
  pods >= 4 after 20s              pods in the latest heartbeats, at every moment from then on
  pods Ticker2 = 4 within 90s      of that image: names of deployments are not on the air
  pods on node1 = 2 always         of that node, at every moment
  agree within 5s                  each node reports what it is assigned, no pod twice
  spread <= 1                      most pods of a node less fewest
  missing no-module = 2            assigned and not reported, for that reason, or for any
  silent node2 within 6s           no heartbeat for 5 s; without a node, how many are silent
  changed assignment = 0           lists that differ from the one before to the same node
  no bad                           no message with a signature that does not fit
  no query node1 after 10s         none from then on

  rule       = cadence | never | amount
  cadence    = KIND [NODE] \"every\" TIME [\"±\" or \"+-\" or \"+\" PERCENT \"%\"] [\"after\" TIME]
  never      = \"no\" (KIND | STATE | lost | late | replayed | repeated) [NODE] [\"after\" TIME]
  amount     = counted [comparison NUMBER] [\"within\" TIME | \"after\" TIME | \"always\"]
  counted    = \"pods\" [IMAGE] [\"on\" NODE] | \"nodes\" | \"agree\" | \"spread\" | \"silent\" [NODE]
             | \"missing\" [REASON] | \"changed\" (heartbeat | assignment) [NODE]
             | \"frames\" [NODE] | KIND [NODE]
  comparison = \"<\" | \"<=\" | \"=\" | \">=\" | \">\"

Times count from the first moment that the source tells. A kind of frame alone means at least one.
What is repeated or replayed does not count, nor a message whose signature does not fit.
";

/// Where frames come from.
#[derive(Args, Clone, Debug)]
pub struct From {
    /// Source; without it udp:, the relay of this computer, or sim: for a board sim:NAME.
    #[arg(value_name = "SOURCE", value_parser = place)]
    pub source: Option<Place>,
    /// Read a capture; - is standard input. The same as pcap:FILE.
    #[arg(short = 'r', long, value_name = "FILE", conflicts_with = "source")]
    pub read: Option<PathBuf>,
    /// Only frames of this interface of a capture; a lab's captures are read at `air` unless one is
    /// named, `all` is all.
    #[arg(short = 'i', long, value_name = "NAME")]
    pub interface: Option<String>,
    /// Of a receiver on USB: how the stations use the radio. Channel, rate and address come from the
    /// fleet file.
    #[arg(long, value_name = "PROFILE", default_value = "kube")]
    pub profile: Profile,
    /// Of a receiver on USB: another channel.
    #[arg(long, value_name = "CHANNEL", value_parser = clap::value_parser!(u8).range(0..=125))]
    pub listen_channel: Option<u8>,
    /// Cluster and keys.
    #[command(flatten)]
    pub cluster: Cluster,
}

/// How stations use the radio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// Without acknowledgement and control field.
    Kube,
    /// As genuine stations.
    Wirth,
}

impl From {
    /// How a receiver on USB is tuned.
    ///
    /// # Errors
    /// `kube::fleet::…`, but for a missing file that nobody named.
    pub fn tuning(&self, session: &Session) -> Outcome<Tuning> {
        let radio = fleet_of(session)?.map(|fleet| fleet.radio).unwrap_or_default();
        Ok(Tuning {
            channel: self.listen_channel.unwrap_or(radio.channel),
            rate: if radio.mbit == 2 { Rate::M2 } else { Rate::M1 },
            address: radio.address,
            wirth: self.profile == Profile::Wirth,
        })
    }

    /// The place.
    pub fn place(&self, session: &Session) -> Place {
        let simulated =
            session.flags.board.as_ref().is_some_and(|name| name.starts_with(SIMULATED));
        match (&self.source, &self.read) {
            (_, Some(file)) => Place::Pcap(file.clone()),
            (Some(place), _) => place.clone(),
            (None, None) if simulated => Place::Sim(default_socket()),
            (None, None) => Place::relay_here(),
        }
    }
}

/// The fleet, if there is one; a missing file is an error only where it was named.
pub(crate) fn fleet_of(session: &Session) -> Outcome<Option<Fleet>> {
    match session.fleet() {
        Ok(file) => Ok(Some(file.fleet)),
        Err(failure) if failure.code == &code::FLEET_MISSING => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Cluster and keys; what is not given comes from the fleet file.
#[derive(Args, Clone, Debug, Default)]
pub struct Cluster {
    /// Cluster name: messages of others are foreign.
    #[arg(long, value_name = "NAME", value_parser = cluster)]
    pub cluster: Option<Tag>,
    /// Cluster key, up to 16 hexadecimal digits: says whether signatures fit.
    #[arg(long, value_name = "HEX", value_parser = key, env = "KUBE_KEY", hide_env_values = true)]
    pub key: Option<Key>,
    /// Another key that counts as well, while the cluster changes its key; may be repeated.
    #[arg(
        long,
        value_name = "HEX",
        value_parser = key,
        env = "KUBE_OTHER_KEY",
        hide_env_values = true,
        value_delimiter = ','
    )]
    pub other_key: Vec<Key>,
    /// Who has which key.
    #[arg(long, value_name = "MODE")]
    pub keys: Option<KeyMode>,
}

impl Cluster {
    /// What signatures are judged by. Without a fleet file and flags all clusters are taken for ours,
    /// and signatures are not judged.
    ///
    /// # Errors
    /// `kube::fleet::…`, but for a missing file that nobody named.
    pub fn keyring(&self, session: &Session) -> Outcome<Keyring> {
        let file = fleet_of(session)?;
        let keys = self.keys.map(Keys::from);
        let keys = keys.or(file.as_ref().map(|fleet| fleet.keys)).unwrap_or_default();
        let tag = self.cluster.or(file.as_ref().map(Fleet::tag));
        // A cluster that was named is not the fleet's, nor is its key.
        let fleet_key = file.as_ref().filter(|fleet| Some(fleet.tag()) == tag).map(Fleet::key);
        let mut keyring = Keyring::new(tag, self.key.or(fleet_key), keys);
        self.other_key.iter().for_each(|&key| keyring.add_key(key));
        Ok(keyring)
    }
}

/// Who has which key.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum KeyMode {
    /// All have the cluster's.
    Shared,
    /// Each node has its own, made from the cluster's.
    PerNode,
}

impl std::convert::From<KeyMode> for Keys {
    fn from(mode: KeyMode) -> Self {
        match mode {
            KeyMode::Shared => Keys::Shared,
            KeyMode::PerNode => Keys::PerNode,
        }
    }
}

/// When to end, what to keep, what to require.
#[derive(Args, Clone, Debug)]
pub struct Run {
    /// End after that many frames that pass the filters.
    #[arg(short = 'c', long, value_name = "NUMBER",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// End after that time, such as 10s or 500ms; of a lab or a capture, its own time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub duration: Option<u64>,
    /// End when nothing was heard for that long.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub until_silent: Option<u64>,
    /// Write what passes the filters to a pcapng file; - is standard output, without lines then.
    #[arg(short = 'w', long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// Require something of the air: see `kube-sniff rules`. May be repeated.
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub expect: Vec<(String, Rule)>,
}

/// Which frames.
#[derive(Args, Clone, Debug)]
pub struct Wanted {
    /// Only frames from or about this node; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub node: Vec<String>,
    /// Only this kind of frame, such as heartbeat; may be repeated.
    #[arg(long, value_name = "KIND", value_parser = filter_kind)]
    pub kind: Vec<String>,
    /// Only this state: good, bad, foreign, unchecked, malformed, damaged or plain; may be repeated.
    #[arg(long, value_name = "STATE", value_parser = filter_state)]
    pub state: Vec<State>,
    /// Only this channel; may be repeated.
    #[arg(long, value_name = "CHANNEL")]
    pub channel: Vec<u8>,
}

impl Wanted {
    /// As a filter; a board that is named is a node.
    pub fn filter(&self, session: &Session) -> Filter {
        let board = session.flags.board.iter();
        let board = board.map(|name| name.strip_prefix(SIMULATED).unwrap_or(name).to_owned());
        Filter {
            nodes: board.chain(self.node.iter().cloned()).collect(),
            kinds: self.kind.clone(),
            states: self.state.clone(),
            channels: self.channel.clone(),
        }
    }
}

/// Flags of listening.
#[derive(Args, Clone, Debug)]
pub struct Listen {
    /// Where from.
    #[command(flatten)]
    pub from: From,
    /// Which frames.
    #[command(flatten)]
    pub wanted: Wanted,
    /// When to end, what to keep, what to require.
    #[command(flatten)]
    pub run: Run,
    /// Show the payload's bytes below each line.
    #[arg(short = 'x', long)]
    pub hex: bool,
    /// Times: from the first frame, as captured, or from the frame before.
    #[arg(long, value_name = "WHICH", default_value = "relative")]
    pub time: TimeMode,
    /// Show what a lab's machines write on their serial lines, too.
    #[arg(long)]
    pub serial: bool,
    /// Show passwords and keys.
    #[arg(long)]
    pub show_secrets: bool,
}

/// Flags of the table.
#[derive(Args, Clone, Debug)]
pub struct Top {
    /// Where from.
    #[command(flatten)]
    pub from: From,
    /// Which frames.
    #[command(flatten)]
    pub wanted: Wanted,
    /// When to end, what to keep, what to require.
    #[command(flatten)]
    pub run: Run,
    /// Off a terminal: a table each time so much of the source's time has passed, not only at the end.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub interval: Option<u64>,
}

/// Which times lines show.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum TimeMode {
    /// From the first frame, or from the beginning of a simulation.
    Relative,
    /// As captured.
    Absolute,
    /// From the frame before.
    Delta,
}

impl std::convert::From<TimeMode> for Times {
    fn from(mode: TimeMode) -> Self {
        match mode {
            TimeMode::Relative => Times::Relative,
            TimeMode::Absolute => Times::Absolute,
            TimeMode::Delta => Times::Delta,
        }
    }
}

/// Whether lines on standard output are coloured.
pub fn coloured(when: When) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            !no_color && std::io::stdout().is_terminal()
        }
    }
}

/// Columns of the terminal that standard output is, if it is one.
pub fn width() -> Option<usize> {
    let term = Term::stdout();
    term.is_term().then(|| usize::from(term.size().1).max(20))
}

/// Reads a source.
///
/// # Errors
/// What is wrong with it.
pub fn place(text: &str) -> Result<Place, String> {
    text.parse().map_err(|error: SourceError| error.to_string())
}

fn cluster(text: &str) -> Result<Tag, String> {
    Tag::of(text).map_err(|error| error.to_string())
}

fn key(text: &str) -> Result<Key, String> {
    Key::parse(text).map_err(|error| error.to_string())
}

/// Reads a time.
///
/// # Errors
/// What is wrong with it.
pub fn time(text: &str) -> Result<u64, String> {
    span::parse(text).map_err(|error| error.to_string())
}

fn rule(text: &str) -> Result<(String, Rule), String> {
    let rule = expect::parse(text).map_err(|error| error.to_string())?;
    Ok((text.to_owned(), rule))
}

fn filter_kind(text: &str) -> Result<String, String> {
    filter::kind(text).map_err(|error| error.to_string())
}

fn filter_state(text: &str) -> Result<State, String> {
    filter::state(text).map_err(|error| error.to_string())
}
