//! `kube-flash doctor`: what keeps the tools from reaching the boards, and what helps.

use std::process::{Command, Stdio};

use kube_boards::model;
use kube_sniff::source::usb;
use serde_json::json;

use super::codes;
use super::list::entries;
use crate::failure::{Failure, Outcome};
use crate::host::{Access, Host, Kind};
use crate::output::Column;
use crate::program::Session;

/// Flags of `doctor`.
#[derive(clap::Args, Clone, Debug)]
pub struct Flags {
    /// Print udev rules that give the user at the desk access to cards, lines and adapters.
    #[arg(long)]
    udev: bool,
}

/// How something is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Ok,
    Warning,
    Failure,
}

struct Finding {
    state: State,
    what: String,
    detail: String,
    help: Option<String>,
}

fn finding(state: State, what: &str, detail: impl Into<String>, help: Option<&str>) -> Finding {
    let (what, detail) = (what.to_owned(), detail.into());
    Finding { state, what, detail, help: help.map(str::to_owned) }
}

const COLUMNS: [Column; 4] =
    [Column::new("state"), Column::new("what"), Column::new("detail"), Column::new("help")];

/// Looks at everything.
///
/// # Errors
/// `kube::doctor` if something does not work.
pub fn run(session: &Session, flags: &Flags) -> Outcome {
    if flags.udev {
        return session.output.bytes(udev_rules().as_bytes());
    }
    let host = Host::here();
    let mut findings = fleet(session);
    findings.extend(devices(session, &host));
    findings.push(tool("openFPGALoader", "-V", "sudo apt install openfpgaloader"));
    let word = |state| match state {
        State::Ok => "ok",
        State::Warning => "warning",
        State::Failure => "failure",
    };
    let rows: Vec<_> = findings
        .iter()
        .map(|f| vec![json!(word(f.state)), json!(f.what), json!(f.detail), json!(f.help)])
        .collect();
    session.output.rows("doctor", &COLUMNS, &rows)?;
    let failures = findings.iter().filter(|f| f.state == State::Failure).count();
    if failures > 0 {
        let headline = format!("{failures} things do not work");
        return Err(Failure::new(&codes::DOCTOR, headline)
            .help("the table says what helps")
            .answered());
    }
    Ok(())
}

fn fleet(session: &Session) -> Vec<Finding> {
    match session.fleet() {
        Ok(file) => {
            let boards = file.fleet.boards.len();
            let detail = format!("{}, {boards} boards", file.path.display());
            let mut findings = vec![finding(State::Ok, "fleet", detail, None)];
            if file.key_is_public {
                let detail = "the cluster's key is the one of the example: everybody knows it";
                let help = Some("kube-flash init FOLDER writes a fleet with a fresh key");
                findings.push(finding(State::Warning, "key", detail, help));
            }
            findings
        }
        Err(failure) => {
            let cause =
                failure.causes.first().map(|cause| format!(": {cause}")).unwrap_or_default();
            let detail = format!("{}{cause}", failure.headline);
            vec![finding(State::Failure, "fleet", detail, failure.help.as_deref())]
        }
    }
}

fn devices(session: &Session, host: &Host) -> Vec<Finding> {
    let fleet = session.fleet().ok().map(|file| file.fleet);
    let here = entries(host, fleet.as_ref());
    let mut findings = Vec::new();
    for entry in &here {
        let what = format!("{} {}", entry.kind, entry.name);
        findings.push(match &entry.access {
            Access::Ok | Access::Unknown => finding(State::Ok, &what, entry.title.clone(), None),
            Access::Denied => {
                let detail = "this user may not open it";
                let help = "kube-flash doctor --udev prints a rule that changes that";
                finding(State::Failure, &what, detail, Some(help))
            }
            Access::Busy(by) if entry.kind == Kind::Card => {
                let help = format!("umount {by}");
                finding(State::Warning, &what, format!("in use at {by}"), Some(&help))
            }
            Access::Busy(by) => {
                let program = by.split(' ').next().unwrap_or_default();
                let help = format!("end it: kill {program}");
                finding(State::Failure, &what, format!("held by program {by}"), Some(&help))
            }
        });
    }
    for board in fleet.iter().flat_map(|fleet| &fleet.boards) {
        let named = [
            (board.hardware.sd.is_some(), Kind::Card),
            (board.hardware.uart.is_some(), Kind::Uart),
            (board.hardware.jtag.is_some(), Kind::Jtag),
        ];
        for (_, kind) in named.iter().filter(|(is_named, _)| *is_named) {
            let found = |entry: &&super::list::Entry| {
                entry.kind == *kind && entry.board.as_ref() == Some(&board.name)
            };
            if here.iter().find(found).is_none() {
                let detail = format!("the {kind} that the fleet file names is not here");
                let help = Some("plug it in; kube-flash list shows what is here");
                findings.push(finding(State::Warning, &board.name, detail, help));
            }
        }
    }
    findings
}

/// Whether a program is there, and what it says of itself.
fn tool(name: &str, version: &str, install: &str) -> Finding {
    let output = Command::new(name).arg(version).stdin(Stdio::null()).output();
    match output {
        Ok(output) => {
            let said = [output.stdout, output.stderr].concat();
            let first =
                String::from_utf8_lossy(&said).lines().next().unwrap_or_default().to_owned();
            finding(State::Ok, name, first, None)
        }
        Err(error) => {
            let detail = format!("{error}; needed only to load bitstreams");
            finding(State::Warning, name, detail, Some(install))
        }
    }
}

/// Rules for the user at the desk. Their file must sort before 73-seat-late.rules, which acts on the
/// tag.
fn udev_rules() -> String {
    let mut rules = "# Access to boards for the user at the desk. As root:\n\
                     #   kube-flash doctor --udev > /etc/udev/rules.d/60-kubestation.rules\n\
                     #   udevadm control --reload && udevadm trigger\n\
                     SUBSYSTEM==\"block\", SUBSYSTEMS==\"usb\", ATTR{removable}==\"1\", TAG+=\"uaccess\"\n"
        .to_owned();
    let mut ids: Vec<_> = model::families().into_iter().flat_map(|family| family.usb).collect();
    let receivers = usb::KINDS.iter().map(|kind| (kind.vendor, kind.product));
    ids.extend(receivers.map(|(vendor, product)| format!("{vendor:04x}:{product:04x}")));
    ids.sort();
    ids.dedup();
    for id in ids {
        let (vendor, product) = id.split_once(':').unwrap_or((&id, ""));
        for subsystem in ["usb", "tty"] {
            rules.push_str(&format!(
                "SUBSYSTEM==\"{subsystem}\", ATTRS{{idVendor}}==\"{vendor}\", \
                 ATTRS{{idProduct}}==\"{product}\", TAG+=\"uaccess\"\n"
            ));
        }
    }
    rules
}
