//! Two captures compared.

use super::codes;
use super::flags::{Cluster, width};
use crate::failure::{Failure, Outcome};
use crate::program::Session;
use clap::Args;
use kube_sniff::compare::{Part, Sameness, compare, counts};
use kube_sniff::decoder::{Decoder, Heard};
use kube_sniff::line::{LineStyle, Printer};
use kube_sniff::object;
use kube_sniff::source::pcap::read_all;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Flags of the comparison.
#[derive(Args, Debug)]
pub struct Flags {
    /// First capture.
    a: PathBuf,
    /// Second capture; - is standard input.
    b: PathBuf,
    /// Frames are the same if they say the same: counters, signatures and senders' addresses, which
    /// differ from run to run, do not count.
    #[arg(long)]
    content: bool,
    /// Only frames of this interface; as when listening.
    #[arg(short = 'i', long, value_name = "NAME")]
    interface: Option<String>,
    #[command(flatten)]
    cluster: Cluster,
}

fn read(session: &Session, path: &Path, flags: &Flags) -> Outcome<Vec<Heard>> {
    let (records, troubles) = read_all(path, flags.interface.as_deref())?;
    troubles.iter().for_each(|trouble| session.talk.warn(trouble));
    let mut decoder = Decoder::new(flags.cluster.keyring(session)?);
    Ok(records.iter().map(|r| decoder.decode(r.at_ns, &r.name, &r.frame)).collect())
}

/// Compares.
///
/// # Errors
/// `kube::capture::differs`, and what goes wrong in reading.
pub fn run(session: &Session, flags: &Flags) -> Outcome {
    let (a, b) = (read(session, &flags.a, flags)?, read(session, &flags.b, flags)?);
    let sameness = if flags.content { Sameness::Content } else { Sameness::Bits };
    let parts = compare(&a, &b, sameness);
    let (first, second, same) = counts(&parts);
    let output = session.output;
    let width = width().map(|width| width.saturating_sub(2));
    let style = LineStyle { width, ..LineStyle::default() };
    let mut printers = [Printer::new(style), Printer::new(style)];
    for part in &parts {
        let (side, sign, heard) = match *part {
            Part::Same(..) => continue,
            Part::First(at, len) => (0, '-', &a[at..at + len]),
            Part::Second(at, len) => (1, '+', &b[at..at + len]),
        };
        for heard in heard {
            if output.structured() {
                let frame = object::frame(heard, false);
                let only = if side == 0 { "a" } else { "b" };
                output.object("difference", json!({"only": only, "frame": frame}))?;
            } else {
                output.line(&format!("{sign} {}", printers[side].frame(heard)))?;
            }
        }
    }
    output.object("comparison", json!({"only_a": first, "only_b": second, "both": same}))?;
    if !output.structured() {
        output.line(&format!("{same} frames in both, {first} only in a, {second} only in b"))?;
    }
    if first + second == 0 {
        return Ok(());
    }
    let failure = Failure::new(&codes::CAPTURE_DIFFERS, "the captures differ");
    Err(match sameness {
        Sameness::Bits => failure.help("--content leaves counters and signatures out of it"),
        Sameness::Content => failure.help("- stands for frames of the first only, + of the second"),
    })
}
