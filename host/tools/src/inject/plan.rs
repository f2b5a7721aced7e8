//! What is to be sent.

use super::{Sending, codes, no_keys};
use crate::code;
use crate::failure::{Failure, Outcome};
use crate::program::Session;
use crate::sniff::flags::Cluster;
use clap::Args;
use kube_proto::capture::Captured;
use kube_proto::layout::Kind;
use kube_proto::session::Numbers;
use kube_sniff::decoder::{Decoder, Heard, State};
use kube_sniff::filter::{self, Filter};
use kube_sniff::forge::{self, ForgeError, Order};
use kube_sniff::keyring::Keyring;
use kube_sniff::reading::Value;
use kube_sniff::source::pcap::read_all;
use kube_sniff::source::{Place, SourceError};
use kube_sniff::span;
use std::path::PathBuf;

/// Time between frames that have none of their own.
const SPACING_NS: u64 = 5_000_000;
/// The channel of machines whose switches are all off.
const CHANNEL: u8 = 5;

/// A frame and the time before it.
pub struct Planned {
    /// The frame.
    pub frame: Captured,
    /// Time before it, unless it is the first.
    pub pause_ns: u64,
}

/// Frames to send.
pub trait Plan {
    /// Finds out early what is wrong.
    fn check(&self, _session: &Session) -> Outcome {
        Ok(())
    }
    /// The frames of a round, after `heard` if something was waited for.
    fn frames(&self, session: &Session, heard: Option<&Heard>) -> Outcome<Vec<Planned>>;
    /// What they and what is heard are judged by.
    fn keyring(&self, session: &Session) -> Outcome<Keyring>;
}

/// A message that is made.
#[derive(Args, Debug)]
pub struct Message {
    #[command(flatten)]
    pub(super) sending: Sending,
    /// heartbeat, assignment, spec or query.
    #[arg(value_name = "KIND")]
    kind: String,
    /// The node that sends it or is meant.
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// Pods of a heartbeat or an assignment, such as 1,3.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    ids: Vec<u8>,
    /// Pod of a spec.
    #[arg(long, value_name = "NUMBER")]
    id: Option<u8>,
    /// Image of a spec.
    #[arg(long, value_name = "NAME")]
    image: Option<String>,
    /// The sender's counter.
    #[arg(long, value_name = "NUMBER", required_unless_present = "ahead")]
    counter: Option<u32>,
    /// Where each node has a key of its own: the numbers of plane and node that make the session, as
    /// kube-sniff shows them in greetings.
    #[arg(long, value_name = "PLANE:NODE", value_parser = numbers)]
    session: Option<Numbers>,
    /// The counter of the message waited for, and so much more; with --after.
    #[arg(long, value_name = "NUMBER", requires = "after", conflicts_with = "counter")]
    ahead: Option<u16>,
    /// The sender's address; that of the message waited for, if there is one.
    #[arg(long, value_name = "NUMBER")]
    sadr: Option<u8>,
    /// Channel.
    #[arg(long, value_name = "CHANNEL")]
    channel: Option<u8>,
    #[command(flatten)]
    cluster: Cluster,
}

impl Message {
    fn make(&self, session: &Session, heard: Option<&Heard>) -> Outcome<Captured> {
        let counter_of = |heard: &Heard| match heard.reading()?.of_kind(Kind::Counter) {
            Some(Value::Number(counter)) => Some(*counter as u16),
            _ => None,
        };
        let heard_counter = heard.and_then(counter_of).unwrap_or_default();
        let counter = match self.ahead {
            Some(ahead) => u32::from(heard_counter.wrapping_add(ahead)),
            None => self.counter.unwrap_or_default(),
        };
        let order = Order {
            kind: self.kind.clone(),
            node: self.node.clone(),
            ids: self.ids.clone(),
            id: self.id,
            image: self.image.clone(),
            counter,
            session: self.session,
            sadr: self.sadr.or(heard.and_then(Heard::packet).map(|p| p.sadr)).unwrap_or(1),
            channel: self.channel.or(heard.map(|heard| heard.frame.channel)).unwrap_or(CHANNEL),
        };
        let keyring = self.cluster.keyring(session)?;
        let missing = |what: &str, help: &str| {
            Failure::new(&code::USAGE, format!("the message needs a {what} to be signed"))
                .cause("there is no fleet file that has one")
                .help(help)
        };
        let tag = keyring.tag().ok_or_else(|| missing("cluster name", "--cluster NAME"))?;
        let key = keyring.key().ok_or_else(|| missing("key", "--key HEX, or KUBE_KEY"))?;
        forge::message(&order, tag, &key, keyring.keys()).map_err(|error| form(&error))
    }
}

fn form(error: &ForgeError) -> Failure {
    Failure::new(&codes::FRAME_FORM, error.to_string())
        .help("kube-inject message --help and kube-inject raw --help show what is needed")
}

impl Plan for Message {
    fn check(&self, session: &Session) -> Outcome {
        self.make(session, None).map(drop)
    }

    fn frames(&self, session: &Session, heard: Option<&Heard>) -> Outcome<Vec<Planned>> {
        Ok(vec![Planned { frame: self.make(session, heard)?, pause_ns: SPACING_NS }])
    }

    fn keyring(&self, session: &Session) -> Outcome<Keyring> {
        self.cluster.keyring(session)
    }
}

/// Frames of a capture.
#[derive(Args, Debug)]
pub struct Replay {
    #[command(flatten)]
    pub(super) sending: Sending,
    /// The capture; - is standard input.
    #[arg(short = 'r', long, value_name = "FILE")]
    read: PathBuf,
    /// Only frames of this interface of the capture; `all` is all.
    #[arg(short = 'i', long, value_name = "NAME")]
    interface: Option<String>,
    /// Only frames from or about this node.
    #[arg(long, value_name = "NAME")]
    node: Vec<String>,
    /// Only this kind of frame.
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Vec<String>,
    /// At most so many frames.
    #[arg(short = 'c', long, value_name = "NUMBER")]
    count: Option<usize>,
    /// Send the times of the capture so much faster; 1 is as recorded.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = factor)]
    speed: f64,
}

impl Plan for Replay {
    fn frames(&self, session: &Session, _heard: Option<&Heard>) -> Outcome<Vec<Planned>> {
        let (records, troubles) = read_all(&self.read, self.interface.as_deref())?;
        troubles.iter().for_each(|trouble| session.talk.warn(trouble));
        let filter = Filter {
            nodes: self.node.clone(),
            kinds: self.kind.clone(),
            // What was damaged on the way cannot be sent as it was meant.
            states: State::ALL
                .into_iter()
                .map(|(state, _)| state)
                .filter(|state| *state != State::Damaged)
                .collect(),
            channels: Vec::new(),
        };
        let mut decoder = Decoder::new(self.keyring(session)?);
        let mut planned: Vec<Planned> = Vec::new();
        let mut last_ns = None;
        for record in records {
            let heard = decoder.decode(record.at_ns, &record.name, &record.frame);
            if !filter.wants(&heard) || self.count.is_some_and(|count| planned.len() >= count) {
                continue;
            }
            let before_ns = last_ns.replace(record.at_ns).unwrap_or(record.at_ns);
            let pause_ns = record.at_ns.saturating_sub(before_ns) as f64 / self.speed;
            planned.push(Planned { frame: record.frame, pause_ns: pause_ns as u64 });
        }
        Ok(planned)
    }

    fn keyring(&self, _session: &Session) -> Outcome<Keyring> {
        Ok(no_keys())
    }
}

/// Frames as digits.
#[derive(Args, Debug)]
pub struct Raw {
    #[command(flatten)]
    pub(super) sending: Sending,
    /// 64 digits are a payload, 66 a channel and a payload.
    #[arg(value_name = "HEX", required = true)]
    frames: Vec<String>,
    /// Channel of payloads alone.
    #[arg(long, value_name = "CHANNEL", default_value_t = CHANNEL)]
    channel: u8,
}

impl Plan for Raw {
    fn check(&self, session: &Session) -> Outcome {
        self.frames(session, None).map(drop)
    }

    fn frames(&self, _session: &Session, _heard: Option<&Heard>) -> Outcome<Vec<Planned>> {
        let planned = self.frames.iter().map(|digits| {
            let frame = forge::raw(digits, self.channel).map_err(|error| form(&error))?;
            Ok(Planned { frame, pause_ns: SPACING_NS })
        });
        planned.collect()
    }

    fn keyring(&self, _session: &Session) -> Outcome<Keyring> {
        Ok(no_keys())
    }
}

/// Reads a target.
pub fn place(text: &str) -> Result<Place, String> {
    text.parse().map_err(|error: SourceError| error.to_string())
}

fn numbers(text: &str) -> Result<Numbers, String> {
    let numbers = text.split_once(':').and_then(|(plane, node)| {
        Some(Numbers { plane: plane.parse().ok()?, node: node.parse().ok()? })
    });
    numbers.ok_or_else(|| "expected two numbers, PLANE:NODE".to_owned())
}

/// Reads a time.
pub fn time(text: &str) -> Result<u64, String> {
    span::parse(text).map_err(|error| error.to_string())
}

/// Reads what is waited for.
pub fn trigger(text: &str) -> Result<Filter, String> {
    let (kind_text, node) = match text.split_once(':') {
        Some((kind, node)) => (kind, vec![node.to_owned()]),
        None => (text, Vec::new()),
    };
    Ok(Filter { kinds: vec![kind(kind_text)?], nodes: node, ..Filter::default() })
}

fn kind(text: &str) -> Result<String, String> {
    filter::kind(text).map_err(|error| error.to_string())
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(factor) if (0.001..=1e6).contains(&factor) => Ok(factor),
        _ => Err("expected a factor, 0.001 to 1000000".to_owned()),
    }
}
