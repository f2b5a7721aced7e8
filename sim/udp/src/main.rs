//! `kube-air`: frames over UDP for people: a relay and a listener.
#![allow(clippy::print_stderr, reason = "a program that people run")]

use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use kube_proto::capture::{Captured, Flags};
use kube_proto::datagram::RELAY_PORT;
use kube_proto::frame::{self, Address, CrcMode, Rate};
use kube_proto::key::Key;
use kube_proto::pcapng::CaptureWriter;
use kube_udp::listener::{HeardDatagram, Link};
use kube_udp::relay::{Event, Relay};
use kube_udp::report::Report;
use serde_json::json;

/// Frames over UDP: a relay and a listener.
#[derive(Parser)]
#[command(version, propagate_version = true, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str =
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 6 no permission or port in use, 130 interrupted.";

#[derive(Subcommand)]
enum Command {
    /// Pass every frame on to everybody else who has sent something within the last minute.
    Relay(RelayFlags),
    /// Hear what a relay passes on, one line a frame; sends nothing but hello.
    Listen(ListenFlags),
}

#[derive(clap::Args)]
#[command(after_help = EXIT_CODES)]
struct RelayFlags {
    /// UDP port.
    #[arg(long, default_value_t = RELAY_PORT)]
    port: u16,
    /// Address to listen on.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::UNSPECIFIED))]
    bind: IpAddr,
    /// Probability that a delivery is dropped, 0 to 1, for each receiver apart.
    #[arg(long, default_value_t = 0.0, value_parser = probability)]
    loss: f64,
    /// Seed of the loss.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Say every frame.
    #[arg(long, short)]
    verbose: bool,
    /// Say nothing but errors and the counts at the end.
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Print the counts as JSON (kube-air-relay/v1) on stdout at the end.
    #[arg(long)]
    json: bool,
    /// End after that many seconds.
    #[arg(long, value_parser = seconds)]
    seconds: Option<f64>,
}

#[derive(clap::Args)]
#[command(after_help = EXIT_CODES)]
struct ListenFlags {
    /// Host of the relay.
    #[arg(default_value = "127.0.0.1")]
    host: String,
    /// UDP port of the relay.
    #[arg(long, default_value_t = RELAY_PORT)]
    port: u16,
    /// One JSON object a line (kube-air-listen/v1).
    #[arg(long)]
    json: bool,
    /// Cluster key, up to 16 hexadecimal digits: says whether signatures fit.
    #[arg(long, value_parser = key)]
    key: Option<Key>,
    /// Also write the frames to this pcapng file.
    #[arg(long, value_name = "FILE")]
    capture: Option<std::path::PathBuf>,
    /// End after that many frames.
    #[arg(long)]
    count: Option<u64>,
    /// End after that many seconds.
    #[arg(long, value_parser = seconds)]
    seconds: Option<f64>,
}

fn probability(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("expected a probability, 0 to 1".to_owned()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.0..=1e9).contains(&value) => Ok(value),
        _ => Err("expected a number of seconds".to_owned()),
    }
}

fn key(text: &str) -> Result<Key, String> {
    Key::parse(text).map_err(|error| error.to_string())
}

/// How often the loops look at the clock and at ^C.
const TURN: Duration = Duration::from_millis(100);

/// When to end: ^C, or a time.
struct End {
    interrupted: Arc<AtomicBool>,
    at: Option<Instant>,
}

impl End {
    fn new(seconds: Option<f64>) -> Result<Self> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let set = Arc::clone(&interrupted);
        ctrlc::set_handler(move || set.store(true, Ordering::Relaxed))?;
        let at = seconds.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
        Ok(Self { interrupted, at })
    }

    fn reached(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || self.at.is_some_and(|at| Instant::now() >= at)
    }

    fn code(&self) -> ExitCode {
        if self.interrupted.load(Ordering::Relaxed) {
            ExitCode::from(130)
        } else {
            ExitCode::SUCCESS
        }
    }
}

/// A line of talk. Nobody listening is no reason to stop.
fn say(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Relay(flags) => relay(&flags),
        Command::Listen(flags) => listen(&flags),
    };
    result.unwrap_or_else(|error| {
        let kind = error.downcast_ref::<Error>().map(Error::kind);
        match kind {
            // The reader of a pipe has had enough.
            Some(ErrorKind::BrokenPipe) => return ExitCode::SUCCESS,
            _ => say(format_args!("kube-air: {error:#}")),
        }
        match kind {
            Some(ErrorKind::PermissionDenied | ErrorKind::AddrInUse) => ExitCode::from(6),
            _ => ExitCode::FAILURE,
        }
    })
}

fn relay(flags: &RelayFlags) -> Result<ExitCode> {
    let address = SocketAddr::from((flags.bind, flags.port));
    let mut relay = Relay::bind(address, flags.loss, flags.seed)
        .with_context(|| format!("cannot listen on {address}; choose another with --port"))?;
    if !flags.quiet {
        say(format_args!("Relay on {}, loss {}", relay.address()?, flags.loss));
    }
    let end = End::new(flags.seconds)?;
    while !end.reached() {
        relay.serve(TURN, &mut |event| tell(&event, flags))?;
    }
    let (counts, peers) = (relay.counts(), relay.peers());
    if flags.json {
        let line = json!({
            "schema": "kube-air-relay/v1",
            "peers": peers,
            "frames": counts.frames,
            "hellos": counts.hellos,
            "delivered": counts.delivered,
            "lost": counts.lost,
            "malformed": counts.malformed,
            "refused": counts.refused,
            "failed": counts.failed,
        });
        writeln!(std::io::stdout(), "{line}")?;
    }
    say(format_args!(
        "Done: {} frames in, {} delivered; dropped: {} by loss, {} of a wrong size, {} of too many \
         peers, {} that could not be sent",
        counts.frames,
        counts.delivered,
        counts.lost,
        counts.malformed,
        counts.refused,
        counts.failed
    ));
    Ok(end.code())
}

fn tell(event: &Event, flags: &RelayFlags) {
    match event {
        Event::Relayed { from, channel, to } if flags.verbose => {
            say(format_args!("{from}: frame on channel {channel} to {to}"));
        }
        Event::Relayed { .. } => {}
        _ if flags.quiet => {}
        Event::Joined(peer) => say(format_args!("{peer} joined")),
        Event::Left(peer) => say(format_args!("{peer} left: silent for a minute")),
        Event::Malformed { from, error } => say(format_args!("{from}: dropped: {error}")),
        Event::Refused(peer) => say(format_args!("{peer}: refused, too many peers")),
        Event::Failed { to, reason } => say(format_args!("{to}: frame not sent: {reason}")),
    }
}

fn listen(flags: &ListenFlags) -> Result<ExitCode> {
    let name = format!("{}:{}", flags.host, flags.port);
    let mut link = Link::new(&name)
        .with_context(|| format!("cannot reach the relay {name}; start one with kube-air relay"))?;
    let mut capture = match &flags.capture {
        None => None,
        Some(path) => {
            let file = File::create(path)
                .with_context(|| format!("cannot write the capture {}", path.display()))?;
            let mut writer = CaptureWriter::new(BufWriter::new(file))?;
            let interface = writer.add_interface(&name)?;
            Some((writer, interface))
        }
    };
    let end = End::new(flags.seconds)?;
    let mut heard = 0;
    while !end.reached() && flags.count.is_none_or(|count| heard < count) {
        link.greet();
        if let Some(datagram) = link.receive(TURN)? {
            heard += 1;
            let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let report = Report::new(&datagram, flags.key.as_ref());
            let mut out = std::io::stdout().lock();
            if flags.json {
                writeln!(out, "{}", report.json(at.as_secs_f64()))?;
            } else {
                writeln!(out, "{}", report.text(at.as_secs_f64()))?;
            }
            // A reader of a pipe must see a frame when it was heard.
            out.flush()?;
            if let Some((writer, interface)) = &mut capture {
                let at_ns = u64::try_from(at.as_nanos()).unwrap_or(u64::MAX);
                writer.write(*interface, at_ns, &captured(&datagram))?;
            }
        }
        if let Some(error) = link.take_error() {
            say(format_args!("dropped: {error}"));
        }
    }
    if let Some((writer, _)) = capture {
        let file = writer.into_inner();
        file.into_inner().context("cannot write the end of the capture")?;
    }
    Ok(end.code())
}

/// The frame that the datagram stands for, as profile `kube` would send it. Nobody has checked its
/// checksum, which is made here.
fn captured(heard: &HeardDatagram) -> Captured {
    let bits = frame::encode(&Address::OBERON, None, &heard.payload, CrcMode::Crc16);
    Captured {
        flags: Flags::CONTROL_KNOWN,
        channel: heard.channel,
        rate: Rate::M1,
        level_dbm: None,
        address_bytes: Some(5),
        bits: Captured::without_preamble(&bits.unwrap_or_default()),
    }
}
