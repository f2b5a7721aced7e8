//! `kube-sniff`: what is on the air, for people and for tests. Listens and never sends.
//!
//! | module | holds |
//! |---|---|
//! | `hearing` | from the source to whoever shows it, with capture and rules on the way |
//! | `listen` | one line a frame |
//! | `top`, `screen` | the table, off and on a terminal |
//! | `diff` | two captures compared |
//! | `extcap` | a capture interface for Wireshark |
//! | [`flags`], [`codes`] | flags, error codes |

pub mod codes;
mod diff;
mod extcap;
pub mod flags;
mod hearing;
mod listen;
mod screen;
mod top;
mod trouble;

use clap::{Parser, Subcommand};
use kube_sniff::source::{SourceError, usb};
use serde_json::json;

use crate::failure::Outcome;
use crate::flags::Shared;
use crate::output::Column;
use crate::program::{Program, Session};

/// Hears the air of a cluster and says what is on it, one line a frame. Never sends.
///
/// Sources: udp:HOST:PORT is a relay, sim:SOCKET a lab that was started with --attach, pcap:FILE a
/// capture, usb:SERIAL a receiver. Keys and names come from the fleet file, if there is one.
#[derive(Parser, Debug)]
#[command(name = "kube-sniff", subcommand_negates_reqs = true)]
pub struct Arguments {
    #[command(flatten)]
    shared: Shared,
    #[command(flatten)]
    listen: flags::Listen,
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// What each station sends and what the cluster looks like: a table that is kept up to date.
    Top(flags::Top),
    /// Compare two captures without their times; ends with 0 if they have the same frames, else 1.
    Diff(diff::Flags),
    /// The receivers that are plugged in, and what each can hear.
    List,
    /// Show the language of --expect.
    Rules,
    /// Print the Lua dissector for Wireshark.
    Dissector,
    /// Wireshark: install as a capture interface, and be one.
    Extcap(ExtcapFlags),
}

#[derive(clap::Args, Debug)]
struct ExtcapFlags {
    #[command(subcommand)]
    verb: extcap::Verb,
}

impl Program for Arguments {
    fn shared(&self) -> &Shared {
        &self.shared
    }

    fn run(self, session: &Session) -> Outcome {
        match self.verb {
            None => listen::run(session, &self.listen),
            Some(Verb::Top(flags)) => top::run(session, &flags),
            Some(Verb::Diff(flags)) => diff::run(session, &flags),
            Some(Verb::List) => list(session),
            Some(Verb::Rules) => session.output.bytes(flags::RULES.as_bytes()),
            Some(Verb::Dissector) => {
                let text = kube_sniff::dissector::lua(env!("CARGO_PKG_VERSION"));
                session.output.bytes(text.as_bytes())
            }
            Some(Verb::Extcap(flags)) => extcap::run(session, &flags.verb),
        }
    }
}

/// Receivers in the order in which the system tells them.
fn list(session: &Session) -> Outcome {
    let found = usb::list().map_err(|error| SourceError::Usb { name: "usb:".to_owned(), error })?;
    let columns = ["SOURCE", "KIND", "ID", "KUBE", "WIRTH"].map(Column::new);
    let rows = found.iter().map(|found| {
        let kind = &found.kind;
        let useless = "nothing: another device, not supported";
        let heard = |text: &str| if found.usable() { text.to_owned() } else { useless.to_owned() };
        let id = format!("{:04x}:{:04x}", kind.vendor, kind.product);
        vec![
            json!(found.place()),
            json!(kind.name),
            json!(id),
            json!(heard(kind.kube)),
            json!(heard(kind.wirth)),
        ]
    });
    if found.is_empty() {
        session.talk.say("No receiver is plugged in; a relay, a lab and captures need none");
    }
    session.output.rows("receivers", &columns, &rows.collect::<Vec<_>>())
}
