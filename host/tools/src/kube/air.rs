//! The cluster as it is heard.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kube_boards::fleet::Fleet;
use kube_proto::frame::Rate;
use kube_proto::layout::{TRAFFIC, USAGE};
use kube_sniff::cluster::{Cluster, Said};
use kube_sniff::decoder::{self, Decoder};
use kube_sniff::source::usb::Tuning;
use kube_sniff::source::{self, Event, Place, Source, SourceError};
use kube_sniff::statistics::Statistics;

use crate::failure::Outcome;
use crate::program::Session;
use crate::sniff::flags;

/// How often the loop looks at the clock.
const TURN: Duration = Duration::from_millis(20);
/// Bytes that a machine says where nobody counts them.
const UNCOUNTED: u64 = 0xFFFF_FFFF;
/// Nodes of whose radio account is kept: without a key anybody can invent names.
const RADIOS_MAX: usize = 1_000;

/// What a node says that a pod of its uses.
#[derive(Clone, Debug)]
pub struct Used {
    /// The node.
    pub node: String,
    /// Milliseconds of the machine's time.
    pub ms: u64,
    /// Bytes of its memory, where somebody counts them.
    pub heap: Option<u64>,
    /// When it was said.
    pub at_ns: u64,
}

/// What nodes say of their pods and radios.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// By the pods' numbers.
    pub pods: BTreeMap<u8, Used>,
    /// By the nodes' names: frames sent, heard and dropped.
    pub radios: BTreeMap<String, [u64; 3]>,
}

impl Uses {
    fn hear(&mut self, heard: &decoder::Heard) {
        let good = heard.credible() && heard.counts();
        let Some(reading) = heard.reading().filter(|_| good) else { return };
        let number = |name| reading.number(name).unwrap_or_default();
        let Some(node) = reading.node() else { return };
        if reading.layout.typ == USAGE.typ {
            let heap = Some(number("heap")).filter(|&heap| heap != UNCOUNTED);
            let ms = number("ms");
            let used = Used { node: node.to_owned(), ms, heap, at_ns: heard.at_ns };
            self.pods.insert(number("id") as u8, used);
        } else if reading.layout.typ == TRAFFIC.typ && self.radios.len() < RADIOS_MAX {
            let counts = ["sent", "heard", "dropped"].map(number);
            self.radios.insert(node.to_owned(), counts);
        }
    }
}

/// What was heard so far.
#[derive(Clone, Default)]
struct Heard {
    cluster: Cluster,
    statistics: Statistics,
    uses: Uses,
    dropped: u64,
    over: bool,
    /// Source time and wall time of the last event.
    last: Option<(u64, Instant)>,
}

/// A source that is listened to all the time, and what was heard of it up to the last call of
/// [`Air::listen`]. A thread reads: who does not read a lab's air holds the lab back.
pub struct Air {
    heard: Arc<Mutex<Heard>>,
    failed: Receiver<SourceError>,
    ended: Arc<AtomicBool>,
    /// The cluster.
    pub cluster: Cluster,
    /// Who sent what.
    pub statistics: Statistics,
    /// What pods and radios use.
    pub uses: Uses,
    /// Frames that the source has lost.
    pub dropped: u64,
    over: bool,
    /// It is read to its end before something is said of it.
    whole: bool,
}

impl Air {
    /// Begins to listen, by the cluster and keys of the fleet.
    ///
    /// # Errors
    /// Those of the source and the fleet.
    pub fn open(session: &Session, place: &Place) -> Outcome<Self> {
        let radio = flags::fleet_of(session)?.map(|fleet: Fleet| fleet.radio).unwrap_or_default();
        let tuning = Tuning {
            channel: radio.channel,
            rate: if radio.mbit == 2 { Rate::M2 } else { Rate::M1 },
            address: radio.address,
            wirth: false,
        };
        let decoder = Decoder::new(flags::Cluster::default().keyring(session)?);
        let (heard, ended) = (Arc::<Mutex<Heard>>::default(), Arc::<AtomicBool>::default());
        let (tell, failed) = channel();
        let (opened, is_open) = channel();
        let thread = (heard.clone(), ended.clone(), place.clone());
        std::thread::spawn(move || {
            let (heard, ended, place) = thread;
            let result = source::open(&place, None, tuning).and_then(|source| {
                let _ = opened.send(source.limits());
                read(source, decoder, &heard, &ended)
            });
            if let Err(error) = result {
                let _ = tell.send(error);
            }
        });
        match is_open.recv() {
            Ok(limits) => session.talk.detail(format!("listen to {place}: {limits}")),
            Err(_) => failed.recv().map_or(Ok(()), Err)?,
        }
        let (cluster, statistics, uses) = Default::default();
        let (dropped, over, whole) = (0, false, matches!(place, Place::Pcap(_)));
        Ok(Self { heard, failed, ended, cluster, statistics, uses, dropped, over, whole })
    }

    /// Now, by the source's clock.
    pub fn now_ns(&self) -> u64 {
        self.statistics.now_ns
    }

    /// Nothing more comes: a capture has been read, a lab has ended.
    pub fn over(&self) -> bool {
        self.over
    }

    /// Waits until so much has been heard since the beginning or the last call, by the source's clock;
    /// a capture is read to its end.
    ///
    /// # Errors
    /// Those of the source.
    pub fn listen(&mut self, for_ns: u64) -> Outcome {
        let begun = Instant::now();
        let mut from_ns = Some(self.now_ns()).filter(|&now_ns| now_ns > 0);
        loop {
            if let Ok(error) = self.failed.try_recv() {
                return Err(error.into());
            }
            let heard = self.heard.lock().map(|heard| heard.clone()).unwrap_or_default();
            let now_ns = heard.last.map(|_| heard.statistics.now_ns);
            from_ns = from_ns.or(heard.statistics.first_ns);
            let passed = match (from_ns, now_ns) {
                (Some(from_ns), Some(now_ns)) => now_ns.saturating_sub(from_ns) >= for_ns,
                _ => begun.elapsed().as_nanos() as u64 >= for_ns,
            };
            if heard.over || (passed && !self.whole) {
                self.cluster = heard.cluster;
                self.statistics = heard.statistics;
                self.uses = heard.uses;
                (self.dropped, self.over) = (heard.dropped, heard.over);
                return Ok(());
            }
            std::thread::sleep(TURN);
        }
    }

    /// Nanoseconds since something was said.
    pub fn age_ns(&self, said: &Said) -> u64 {
        self.now_ns().saturating_sub(said.at_ns)
    }

    /// The pods that a node reports, if that was lately.
    pub fn reported(&self, node: &str) -> Option<&Said> {
        self.cluster.live().find(|live| live.0 == node).map(|(_, _, said)| said)
    }

    /// Why a node says that a pod of its does not run.
    pub fn trouble(&self, node: &str, id: u8) -> Option<&str> {
        let troubles = &self.cluster.nodes().get(node)?.troubles;
        troubles.iter().find(|(of, _)| *of == id).map(|(_, reason)| reason.as_str())
    }
}

impl Drop for Air {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

/// Hears until nothing more comes or nobody wants to know.
fn read(
    mut source: Box<dyn Source>,
    mut decoder: Decoder,
    heard: &Mutex<Heard>,
    ended: &AtomicBool,
) -> Result<(), SourceError> {
    while !ended.load(Ordering::Relaxed) {
        let event = source.next(TURN)?;
        let Ok(mut heard) = heard.lock() else { return Ok(()) };
        let now_ns = match event {
            Event::Frame { at_ns, interface, frame } => {
                let frame = decoder.decode(at_ns, &interface, &frame);
                heard.cluster.hear(&frame);
                heard.statistics.hear(&frame);
                heard.uses.hear(&frame);
                Some(at_ns)
            }
            Event::Serial { at_ns, .. } => Some(at_ns),
            Event::Quiet(Some(now_ns)) => Some(now_ns),
            Event::Quiet(None) => heard.last.map(|(ns, at)| ns + at.elapsed().as_nanos() as u64),
            Event::Trouble(_) => None,
            Event::End => {
                heard.over = true;
                return Ok(());
            }
        };
        heard.dropped = source.dropped();
        if let Some(now_ns) = now_ns {
            heard.statistics.pass(now_ns);
            heard.cluster.pass(now_ns);
            heard.last = Some((now_ns, Instant::now()));
        }
    }
    Ok(())
}

/// A time as people read it: `0.4 s`.
pub fn seconds(ns: u64) -> String {
    format!("{:.1} s", ns as f64 / 1e9)
}
