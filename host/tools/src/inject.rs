//! `kube-inject`: sends frames for tests, made or recorded, to a relay or into a lab.
//!
//! | module | holds |
//! |---|---|
//! | `plan` | what is to be sent |
//! | [`codes`] | error codes |

pub mod codes;
mod plan;

use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use kube_proto::capture::Captured;
use kube_sniff::decoder::{Decoder, Heard};
use kube_sniff::filter::Filter;
use kube_sniff::keyring::Keyring;
use kube_sniff::line::{LineStyle, Printer};
use kube_sniff::object;
use kube_sniff::source::sim::Lab;
use kube_sniff::source::udp::Relayed;
use kube_sniff::source::{Event, Place, Sink, Source, SourceError};

use crate::failure::{Failure, Outcome};
use crate::flags::Shared;
use crate::interrupt::Hold;
use crate::program::{Program, Session};
use plan::Planned;

/// Sends frames for tests. A target is always named, and real air is refused unless it is said to be
/// yours.
///
/// Targets: udp:HOST:PORT is a relay, sim:SOCKET a lab that was started with --attach. Keys come
/// from the fleet file, if there is one. --dry-run shows the frames and sends nothing.
#[derive(Parser, Debug)]
#[command(name = "kube-inject", subcommand_required = true, arg_required_else_help = true)]
pub struct Arguments {
    #[command(flatten)]
    shared: Shared,
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Make a message, sign it and send it.
    Message(plan::Message),
    /// Send frames of a capture again.
    Replay(plan::Replay),
    /// Send frames given as hexadecimal digits, as kube-sniff --json and other listeners print them.
    Raw(plan::Raw),
}

/// Where to, how often, after what.
#[derive(Args, Clone, Debug)]
struct Sending {
    /// Target: udp:[HOST][:PORT] or sim:[SOCKET].
    #[arg(value_name = "TARGET", value_parser = plan::place)]
    target: Place,
    /// Times that everything is sent.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    rounds: u32,
    /// Time between two frames; replayed ones keep their own unless it is given.
    #[arg(long, value_name = "TIME", value_parser = plan::time)]
    spacing: Option<u64>,
    /// Send when a frame of this kind (from or about this node) has been heard, such as
    /// assignment:node1; again for each round.
    #[arg(long, value_name = "KIND[:NODE]", value_parser = plan::trigger)]
    after: Option<Filter>,
    /// Longest wait for it.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = plan::time)]
    within: u64,
    /// Allow a target on real air.
    #[arg(long)]
    i_own_this_air: bool,
}

impl Program for Arguments {
    fn shared(&self) -> &Shared {
        &self.shared
    }

    fn run(self, session: &Session) -> Outcome {
        match &self.verb {
            Some(Verb::Message(flags)) => run(session, &flags.sending, flags),
            Some(Verb::Replay(flags)) => run(session, &flags.sending, flags),
            Some(Verb::Raw(flags)) => run(session, &flags.sending, flags),
            None => Ok(()),
        }
    }
}

/// A target can also be listened to.
trait Target: Source + Sink {}
impl<T: Source + Sink> Target for T {}

fn open(session: &Session, sending: &Sending) -> Outcome<Option<Box<dyn Target>>> {
    let target = &sending.target;
    if let Place::Usb(_) | Place::Serial(_) = target
        && !sending.i_own_this_air
    {
        return Err(Failure::new(&codes::AIR_REAL, format!("{target} is real air"))
            .cause("others may be on it; nothing was sent")
            .help("if all of it is yours, say so with --i-own-this-air"));
    }
    Ok(match target {
        // Receivers only receive.
        Place::Usb(_) | Place::Serial(_) | Place::Pcap(_) => {
            return Err(SourceError::NoSink { name: target.to_string() }.into());
        }
        _ if session.flags.dry_run && sending.after.is_none() => None,
        Place::Udp(name) => Some(Box::new(Relayed::new(name)?)),
        Place::Sim(path) => Some(Box::new(Lab::attach(path)?)),
    })
}

fn run(session: &Session, sending: &Sending, plan: &dyn plan::Plan) -> Outcome {
    let hold = Hold::new();
    let dry_run = session.flags.dry_run;
    let keyring = plan.keyring(session)?;
    // Frames that can be made are made before anything is opened.
    plan.check(session)?;
    let mut target = open(session, sending)?;
    let mut shown = Shown {
        session,
        decoder: Decoder::new(keyring.clone()),
        printer: Printer::new(LineStyle::default()),
    };
    let mut decoder = Decoder::new(keyring);
    let mut sent = 0u64;
    for _ in 0..sending.rounds {
        let heard = match (&mut target, &sending.after) {
            (Some(target), Some(wanted)) => {
                Some(wait(target.as_mut(), wanted, &mut decoder, sending, &hold)?)
            }
            _ => None,
        };
        for (at, Planned { frame, pause_ns }) in
            plan.frames(session, heard.as_ref())?.iter().enumerate()
        {
            // What answers a frame goes out at once.
            if sent > 0 && !dry_run && (at > 0 || heard.is_none()) {
                std::thread::sleep(Duration::from_nanos(sending.spacing.unwrap_or(*pause_ns)));
            }
            hold.check()?;
            if let (Some(target), false) = (&mut target, dry_run) {
                target.send(frame)?;
            }
            sent += 1;
            shown.frame(frame)?;
        }
    }
    let word = if dry_run { "Would send" } else { "Send   " };
    session.talk.say(format!("{word} {sent} frames to {}, done", sending.target));
    Ok(())
}

/// Waits for a frame.
fn wait(
    target: &mut dyn Target,
    wanted: &Filter,
    decoder: &mut Decoder,
    sending: &Sending,
    hold: &Hold,
) -> Outcome<Heard> {
    let begun = Instant::now();
    let limit = Duration::from_nanos(sending.within);
    while begun.elapsed() < limit {
        hold.check()?;
        match target.next(Duration::from_millis(20))? {
            Event::Frame { at_ns, interface, frame } => {
                let heard = decoder.decode(at_ns, &interface, &frame);
                if wanted.wants(&heard) {
                    return Ok(heard);
                }
            }
            Event::End => break,
            _ => {}
        }
    }
    let what = [wanted.kinds.clone(), wanted.nodes.clone()].concat().join(" of ");
    let limit = kube_sniff::span::show(sending.within);
    Err(Failure::new(&codes::AIR_NOT_HEARD, format!("no {what} was heard"))
        .cause(format!("waited for {limit}, or {} was over", sending.target))
        .help(format!("kube-sniff {} shows what is on this air", sending.target)))
}

/// What is sent, as it would be heard.
struct Shown<'a> {
    session: &'a Session,
    decoder: Decoder,
    printer: Printer,
}

impl Shown<'_> {
    fn frame(&mut self, frame: &Captured) -> Outcome {
        let heard = self.decoder.decode(0, "sent", frame);
        let output = self.session.output;
        if output.structured() {
            output.line(&object::frame(&heard, false).to_string())
        } else if self.session.flags.quiet {
            Ok(())
        } else {
            output.line(&self.printer.frame(&heard))
        }
    }
}

/// What recorded frames are shown with: nobody's keys.
fn no_keys() -> Keyring {
    Keyring::new(None, None, kube_proto::key::Keys::Shared)
}
