//! `kube-flash list`: cards, serial lines, JTAG adapters and radios in one table.

use std::time::{Duration, Instant};

use kube_boards::fleet::{Card, Fleet};
use serde_json::{Value, json};

use super::guard;
use crate::failure::Outcome;
use crate::host::{Access, Host, Kind};
use crate::output::Column;
use crate::program::Session;

/// Flags of `list`.
#[derive(clap::Args, Clone, Debug)]
pub struct Flags {
    /// List again whenever something changes, until Ctrl-C.
    #[arg(long)]
    watch: bool,
    /// With --watch: end after so many seconds.
    #[arg(long, value_name = "SECONDS", requires = "watch")]
    duration: Option<u64>,
}

/// One thing that a fleet may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its file, or its USB number where it has none.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// USB vendor and product.
    pub usb: Option<String>,
    /// Serial number.
    pub serial: Option<String>,
    /// Whether it can be opened.
    pub access: Access,
    /// The board that the fleet file gives it to.
    pub board: Option<String>,
    /// What it calls itself.
    pub title: String,
    /// Size of a card.
    pub size: Option<String>,
    /// A name that stays.
    pub link: Option<String>,
}

const COLUMNS: [Column; 9] = [
    Column::new("name"),
    Column::new("kind"),
    Column::new("usb"),
    Column::new("serial"),
    Column::new("access"),
    Column::new("board"),
    Column::wide("title"),
    Column::wide("size"),
    Column::wide("link"),
];

/// Everything that is here. Disks that are no cards are left out.
#[must_use]
pub fn entries(host: &Host, fleet: Option<&Fleet>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let boards = fleet.map(|fleet| fleet.boards.as_slice()).unwrap_or_default();
    for disk in host.disks() {
        let card = disk.removable || disk.sd;
        if !card || disk.bytes > guard::LARGEST_CARD_BYTES {
            continue;
        }
        let access = match disk.mounts.first().or(disk.holders.first()) {
            Some(mount) => Access::Busy(mount.clone()),
            None => host.access(&disk.path),
        };
        let owner = boards.iter().find(|board| match &board.hardware.sd {
            Some(Card::Serial(serial)) => disk.serial.as_ref() == Some(serial),
            Some(Card::Path(path)) => *path == disk.path || disk.links.contains(path),
            None => false,
        });
        entries.push(Entry {
            name: disk.path.display().to_string(),
            kind: Kind::Card,
            usb: disk.usb.clone(),
            serial: disk.serial.clone(),
            access,
            board: owner.map(|board| board.name.clone()),
            title: disk.title(),
            size: Some(disk.size()),
            link: disk.links.first().map(|link| link.display().to_string()),
        });
    }
    for port in host.ports() {
        let owner = boards.iter().find(|board| {
            let named = match port.kind {
                Kind::Uart => &board.hardware.uart,
                Kind::Jtag => &board.hardware.jtag,
                Kind::Card | Kind::Radio => return false,
            };
            let path = port.path.as_ref().map(|path| path.display().to_string());
            named.is_some() && (*named == port.serial || *named == path)
        });
        entries.push(Entry {
            name: match &port.path {
                Some(path) => path.display().to_string(),
                None => format!("usb:{}", port.usb),
            },
            kind: port.kind,
            usb: Some(port.usb),
            serial: port.serial,
            access: port.path.map_or(Access::Unknown, |path| host.access(&path)),
            board: owner.map(|board| board.name.clone()),
            title: port.title,
            size: None,
            link: None,
        });
    }
    entries
}

fn row(entry: &Entry) -> Vec<Value> {
    vec![
        json!(entry.name),
        json!(entry.kind.to_string()),
        json!(entry.usb),
        json!(entry.serial),
        json!(entry.access.to_string()),
        json!(entry.board),
        json!(entry.title),
        json!(entry.size),
        json!(entry.link),
    ]
}

const BOARD_COLUMNS: [Column; 8] = [
    Column::new("name"),
    Column::new("role"),
    Column::new("model"),
    Column::new("card"),
    Column::new("uart"),
    Column::wide("revision"),
    Column::wide("jtag"),
    Column::wide("pods"),
];

/// Lists the boards of the fleet.
///
/// # Errors
/// `kube::fleet::…`.
pub fn boards(session: &Session) -> Outcome {
    let file = session.fleet()?;
    let row = |board: &kube_boards::fleet::Board| -> Vec<Value> {
        let hardware = &board.hardware;
        let card = hardware.sd.as_ref().map(|card| match card {
            Card::Path(path) => path.display().to_string(),
            Card::Serial(serial) => format!("serial {serial}"),
        });
        vec![
            json!(board.name),
            json!(board.role.to_string()),
            json!(hardware.model),
            json!(card),
            json!(hardware.uart),
            json!(hardware.revision),
            json!(hardware.jtag),
            json!(board.pods.as_ref().map(|pods| pods.join(" "))),
        ]
    };
    let rows: Vec<_> = file.fleet.boards.iter().map(row).collect();
    session.output.rows("boards", &BOARD_COLUMNS, &rows)
}

/// Lists.
///
/// # Errors
/// `kube::io`.
pub fn run(session: &Session, flags: &Flags) -> Outcome {
    let host = Host::here();
    // A fleet file helps with names; the list is right without one.
    let fleet = session.fleet().ok().map(|file| file.fleet);
    let begin = Instant::now();
    let mut before = None;
    loop {
        let found = entries(&host, fleet.as_ref());
        if before.as_ref() != Some(&found) {
            let rows: Vec<_> = found.iter().map(row).collect();
            session.output.rows("devices", &COLUMNS, &rows)?;
            if found.is_empty() {
                session.talk.say("No card, serial line, adapter or radio is here");
            }
        }
        before = Some(found);
        let over = flags.duration.is_some_and(|s| begin.elapsed() >= Duration::from_secs(s));
        if !flags.watch || over {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(250));
    }
}
