//! One machine and a tool on its serial line, with a line that loses, doubles and flips bytes, and a
//! machine that loses power. [`sweep`] tries every byte in turn.

pub mod sweep;

use std::time::{Duration, Instant};

use kube_boards::fleet::{Board, Fleet, FleetError, Role};
use kube_boards::image::machine_image;
use kube_emu::{Config, Machine, NoRadio, SdCard};
use kube_modules::System;
use kube_proto::serial::block::Block;
use kube_proto::serial::bytes_a_second;
use kube_serial::{Event, Job, Outcome, Session};
use obc::Source;
use risc5_isa::map;

use crate::lab::{Lab, LabError, Setup};
use crate::terminal::Terminal;

/// Between two looks of the tool at its port.
const LOOK_NS: u64 = 1_000_000;
const MS: u64 = 1_000_000;
/// A machine is through with its start by then.
const RESTART_MS: u64 = 1_500;

/// What happens to a byte on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It does not arrive.
    Lost,
    /// It arrives twice.
    Doubled,
    /// One bit of it, 0 to 7, is turned.
    Flipped(u8),
}

/// A fault on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which byte since the job began; of blocks only the first copy counts.
    pub at: usize,
    /// What happens to it.
    pub kind: Kind,
}

/// What goes wrong during a job.
#[derive(Clone, Debug, Default)]
pub struct Troubles {
    /// On the way to the machine.
    pub to_machine: Vec<Fault>,
    /// On the way to the tool.
    pub to_tool: Vec<Fault>,
    /// The machine loses power for a moment, so many milliseconds after the job began.
    pub power_cut_ms: Option<u64>,
}

/// How a job went.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The tool's word; `None` if it came to none.
    pub outcome: Option<Outcome>,
    /// What the machine wrote on its log meanwhile, as the tool knows it.
    pub log: Vec<String>,
    /// Bytes to the machine; of blocks only first copies.
    pub to_machine: usize,
    /// Bytes to the tool.
    pub to_tool: usize,
    /// From the first byte to the tool's word, in microseconds of machine time.
    pub us: u64,
    /// How often a command of [`Counted.Mod`](self) ran, by the machine's LEDs.
    pub counted: u8,
}

/// Passes bytes on, some of them damaged.
#[derive(Default)]
struct Direction {
    at: usize,
}

impl Direction {
    fn pass(&mut self, bytes: &[u8], faults: &[Fault], counts: bool, out: &mut Vec<u8>) {
        if !counts {
            out.extend_from_slice(bytes);
            return;
        }
        for &byte in bytes {
            match faults.iter().find(|fault| fault.at == self.at).map(|fault| fault.kind) {
                None => out.push(byte),
                Some(Kind::Lost) => {}
                Some(Kind::Doubled) => out.extend([byte, byte]),
                Some(Kind::Flipped(bit)) => out.push(byte ^ 1 << (bit & 7)),
            }
            self.at += 1;
        }
    }
}

/// Why there is no machine to try.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// Its modules do not compile.
    #[error(transparent)]
    Build(#[from] kube_modules::BuildError),
    /// Its disk cannot be made.
    #[error(transparent)]
    Disk(#[from] kube_disk::DiskError),
    /// The card refuses the image.
    #[error(transparent)]
    Card(#[from] kube_emu::CardImageError),
    /// The fleet is not possible.
    #[error(transparent)]
    Key(#[from] kube_proto::key::KeyError),
    /// The fleet is not possible.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// It did not start.
    #[error("the machine did not come up; it said: {0}")]
    Start(String),
}

/// A machine with what is on its line.
pub struct Rig {
    /// The machine.
    pub machine: Machine<NoRadio>,
    prom: Vec<u32>,
    session: u32,
}

/// The modules with those that the line's tests need.
///
/// # Errors
/// [`LineError::Build`].
pub fn system() -> Result<System, LineError> {
    let text = include_str!("line/Counted.Mod").to_owned();
    let counted = Source { name: "sim/lab/src/line/Counted.Mod".to_owned(), text };
    Ok(kube_modules::build_with(&[counted])?)
}

impl Rig {
    /// A machine that is up and serves its line.
    ///
    /// # Errors
    /// [`LineError`].
    pub fn new(system: &System, start: &[&str]) -> Result<Self, LineError> {
        let mut rig = Self::switched_on(system, start)?;
        let mut heard = String::new();
        for _ in 0..2_000 {
            rig.machine.run_until(rig.machine.now_ns() + LOOK_NS);
            heard.push_str(&String::from_utf8_lossy(&rig.machine.serial_received()));
            if heard.contains("boot number") {
                rig.machine.run_until(rig.machine.now_ns() + 1_000 * MS);
                rig.machine.serial_received();
                return Ok(rig);
            }
        }
        Err(LineError::Start(heard))
    }

    /// Switches it off for a moment.
    pub fn cut_power(&mut self) {
        let now_ns = self.machine.now_ns();
        let card = self.machine.card_mut().take();
        let card = card.map(|card| SdCard::with(card.into_image()));
        self.machine = machine(&self.prom, card, now_ns);
    }

    /// A machine that has just been switched on, without waiting for it.
    ///
    /// # Errors
    /// [`LineError`].
    pub fn switched_on(system: &System, start: &[&str]) -> Result<Self, LineError> {
        let fleet = Fleet::empty("kube", "")?;
        let mut spec = fleet.machine(&Board::new("node1", Role::Node));
        spec.commands = start.iter().map(|&line| line.to_owned()).collect();
        let card = SdCard::new(machine_image(system, &spec, &[])?)?;
        let prom = system.prom.clone();
        let machine = machine(&prom, Some(card), 0);
        Ok(Self { machine, prom, session: 0x1000 })
    }

    /// Runs in real time with the line on a pseudo-terminal, until `over` says so.
    ///
    /// # Errors
    /// Those of the terminal.
    pub fn serve(
        &mut self,
        terminal: &mut Terminal,
        over: impl Fn() -> bool,
    ) -> Result<(), std::io::Error> {
        let (started, begin_ns) = (Instant::now(), self.machine.now_ns());
        while !over() {
            self.machine.serial_send(&terminal.receive()?);
            self.machine.run_until(self.machine.now_ns() + LOOK_NS);
            terminal.send(&self.machine.serial_received())?;
            let due = Duration::from_nanos(self.machine.now_ns() - begin_ns);
            std::thread::sleep(due.saturating_sub(started.elapsed()));
        }
        Ok(())
    }

    /// A tool takes the line, does one job and lets go.
    pub fn run(&mut self, job: Job, troubles: &Troubles, limit_ms: u64) -> Run {
        self.session += 1;
        let mut session = Session::new(self.session);
        let begun = session.begin(job);
        debug_assert!(begun.is_ok(), "a session without a job");
        let begin_ns = self.machine.now_ns();
        let (mut down, mut up) = (Direction::default(), Direction::default());
        let mut frames = FirstCopies::default();
        let mut lit = self.machine.leds();
        let mut run = Run::default();
        let mut cut = troubles.power_cut_ms;
        let mut freed = false;
        while !freed && self.machine.now_ns() - begin_ns <= limit_ms * MS {
            let ns = self.machine.now_ns() - begin_ns;
            if cut.take_if(|at| *at * MS <= ns).is_some() {
                run.counted += self.machine.leds().wrapping_sub(lit);
                lit = 0;
                self.cut_power();
            }
            let mut received = Vec::new();
            up.pass(&self.machine.serial_received(), &troubles.to_tool, true, &mut received);
            let (mut out, mut sent) = (Vec::new(), Vec::new());
            session.poll(ns / 1_000, &received, &mut out);
            for (bytes, counts) in frames.split(&out) {
                down.pass(bytes, &troubles.to_machine, counts, &mut sent);
            }
            self.machine.serial_send(&sent);
            while let Some(event) = session.next_event() {
                match event {
                    Event::Log { text, .. } => run.log.push(text),
                    Event::Finished(outcome) => {
                        run.outcome = Some(outcome);
                        run.us = ns / 1_000;
                        session.free();
                    }
                    Event::Freed => freed = true,
                    _ => {}
                }
            }
            self.machine.run_until(self.machine.now_ns() + LOOK_NS);
        }
        if troubles.power_cut_ms.is_some() {
            // Through with the start commands, which load the module and clear the LEDs.
            self.machine.run_until(self.machine.now_ns() + RESTART_MS * MS);
            self.machine.serial_received();
        }
        run.counted += self.machine.leds().wrapping_sub(lit);
        (run.to_machine, run.to_tool) = (down.at, up.at);
        run
    }

    /// Whether an image lies in memory as it was sent.
    #[must_use]
    pub fn holds(&self, image: &[u8]) -> bool {
        let words = image.chunks(4).zip((map::FRAMEBUFFER..).step_by(4));
        words
            .into_iter()
            .all(|(bytes, at)| self.machine.word(at).to_le_bytes()[..bytes.len()] == *bytes)
    }
}

/// A load into a node of a working cluster.
#[derive(Clone, Copy, Debug)]
pub struct InCluster {
    /// The image is in memory as it was sent, by the machine's own sum.
    pub whole: bool,
    /// Data bytes of what the line could have carried meanwhile.
    pub share: f64,
    /// Blocks that had to be sent more than once.
    pub lost: usize,
    /// The longest silence of a node on the air so far, in milliseconds.
    pub longest_silence_ms: u64,
}

/// Loads 64 KB into a node that runs pods, sends and hears frames and uses its disk all the time.
///
/// # Errors
/// [`ClusterError`].
pub fn in_a_cluster(seed: u64) -> Result<InCluster, ClusterError> {
    let system = system()?;
    let mut fleet = Fleet::new(2, "kube", "0123456789abcdef").map_err(LineError::from)?;
    fleet.boards[1].start = vec!["Counted.Disk".to_owned()];
    let mut lab = Lab::new(&system, &Setup::new(&fleet, seed))?;
    lab.converge(4)?;
    let image = sweep::image();
    let mut session = Session::new(seed as u32);
    let begun = Job::load(&image, false).is_ok_and(|job| session.begin(job).is_ok());
    debug_assert!(begun, "64 KB fit");
    let begin_ns = lab.world().now_ns();
    let (mut frames, mut blocks, mut told) = (FirstCopies::default(), 0, 0);
    let (mut outcome, mut us) = (None, 0);
    while outcome.is_none() && lab.world().now_ns() - begin_ns < 30_000 * MS {
        let now_us = (lab.world().now_ns() - begin_ns) / 1_000;
        let Some(station) = lab.world().station("node1") else { break };
        let news = station.log().as_bytes().get(told..).unwrap_or_default().to_vec();
        told += news.len();
        let mut out = Vec::new();
        session.poll(now_us, &news, &mut out);
        station.type_bytes(&out);
        blocks += frames.split(&out).iter().filter(|(_, counts)| !counts).count();
        while let Some(event) = session.next_event() {
            if let Event::Finished(word) = event {
                (outcome, us) = (Some(word), now_us);
            }
        }
        lab.run_ms(LOOK_NS / MS)?;
    }
    Ok(InCluster {
        whole: outcome == Some(Outcome::Done),
        share: image.len() as f64 * 1e6 / us.max(1) as f64 / f64::from(bytes_a_second()),
        lost: blocks,
        longest_silence_ms: lab.longest_silence_ms(),
    })
}

/// Why a load in a cluster cannot be tried.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// No machine.
    #[error(transparent)]
    Line(#[from] LineError),
    /// No world.
    #[error(transparent)]
    Lab(#[from] LabError),
}

fn machine(prom: &[u32], card: Option<SdCard>, power_on_ns: u64) -> Machine<NoRadio> {
    let config = Config { power_on_ns, ..Config::ours(prom.to_vec()) };
    Machine::new(config, card, NoRadio { level: true })
}

/// Tells the first copy of a block from further ones.
#[derive(Default)]
struct FirstCopies {
    seen: std::collections::BTreeSet<u32>,
}

impl FirstCopies {
    /// What a session has sent, in pieces, and whether each counts.
    fn split<'a>(&mut self, out: &'a [u8]) -> Vec<(&'a [u8], bool)> {
        let counts = |piece: &[u8], seen: &mut std::collections::BTreeSet<u32>| {
            let line = piece.strip_suffix(b"\n").unwrap_or(piece);
            Block::parse(line).is_none_or(|block| seen.insert(block.index))
        };
        out.split_inclusive(|&byte| byte == b'\n')
            .map(|piece| (piece, counts(piece, &mut self.seen)))
            .collect()
    }
}
