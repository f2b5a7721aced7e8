//! The disks and ports of this computer, as `/sys`, `/proc` and `/dev` show them.
//!
//! A folder named by `KUBE_HOST_ROOT` can stand in for them: what it has below `dev` are files, so
//! that everything can be tried without a card. Real devices are out of reach then.

use std::fs;
use std::path::{Path, PathBuf};

/// Variable that names a folder in place of `/`.
pub const ROOT_VARIABLE: &str = "KUBE_HOST_ROOT";

/// Where `/sys`, `/proc` and `/dev` are.
#[derive(Clone, Debug)]
pub struct Host {
    root: PathBuf,
    simulated: bool,
}

/// A disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disk {
    /// Kernel name, such as `sdb`.
    pub name: String,
    /// Its file below `/dev`.
    pub path: PathBuf,
    /// Size in bytes.
    pub bytes: u64,
    /// Whether its medium can be taken out.
    pub removable: bool,
    /// Whether it is an SD card in a reader on the host's own bus.
    pub sd: bool,
    /// The file behind a loop device.
    pub backing: Option<String>,
    /// Whether it is write-protected.
    pub read_only: bool,
    /// Who made it, as it says itself.
    pub vendor: String,
    /// What it is, as it says itself.
    pub model: String,
    /// Serial number of the card, or of its reader.
    pub serial: Option<String>,
    /// USB vendor and product, as `0403:6015`.
    pub usb: Option<String>,
    /// Where it or one of its partitions is mounted, swap as `swap`.
    pub mounts: Vec<String>,
    /// Volumes that it or one of its partitions is a part of.
    pub holders: Vec<String>,
    /// Its names below `/dev/disk/by-id` and `by-path`.
    pub links: Vec<PathBuf>,
}

impl Disk {
    /// Vendor and model in one, or what else can be said.
    #[must_use]
    pub fn title(&self) -> String {
        let words = format!("{} {}", self.vendor, self.model);
        match (words.trim(), &self.backing) {
            (_, Some(file)) => format!("loop device of {file}"),
            ("", None) => "disk without a name".to_owned(),
            (words, None) => words.to_owned(),
        }
    }

    /// Size as people say it.
    #[must_use]
    pub fn size(&self) -> String {
        size(self.bytes)
    }
}

/// A port: something on USB that is a serial line, a JTAG adapter or a radio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its file below `/dev`, if it has one.
    pub path: Option<PathBuf>,
    /// What it is.
    pub kind: Kind,
    /// USB vendor and product, as `0403:6015`.
    pub usb: String,
    /// Serial number.
    pub serial: Option<String>,
    /// What it calls itself.
    pub title: String,
}

/// What a thing on this computer is to a fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words say it")]
pub enum Kind {
    Card,
    Uart,
    Jtag,
    Radio,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Card => "card",
            Self::Uart => "uart",
            Self::Jtag => "jtag",
            Self::Radio => "radio",
        })
    }
}

/// USB devices that are known without a serial line of their own, or beside it. Sources: FTDI's
/// standard numbers (0403), DAPLink (0D28), Raspberry Pi (2E8A, the dongle's microcontroller).
const KNOWN_USB: [(&str, Kind); 6] = [
    ("0403:6015", Kind::Jtag),
    ("0403:6010", Kind::Jtag),
    ("0403:6011", Kind::Jtag),
    ("0403:6014", Kind::Jtag),
    ("0d28:0204", Kind::Jtag),
    ("16c0:27dd", Kind::Radio),
];

/// Whether something can be opened now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// It can.
    Ok,
    /// This user may not.
    Denied,
    /// Somebody has it: a mount point, or a program with its number.
    Busy(String),
    /// It has no file of its own.
    Unknown,
}

impl std::fmt::Display for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ok => f.write_str("ok"),
            Self::Denied => f.write_str("denied"),
            Self::Busy(by) => write!(f, "busy ({by})"),
            Self::Unknown => f.write_str("-"),
        }
    }
}

/// Bytes as people say it, in powers of ten as cards are sold.
#[must_use]
pub fn size(bytes: u64) -> String {
    let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];
    let fitting = units.iter().find(|(_, unit)| bytes >= *unit);
    fitting.map_or(format!("{bytes} bytes"), |(name, unit)| {
        format!("{:.1} {name}", bytes as f64 / *unit as f64)
    })
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

impl Host {
    /// This computer, or the folder that stands in for it.
    #[must_use]
    pub fn here() -> Self {
        match std::env::var_os(ROOT_VARIABLE) {
            Some(root) => Self { root: PathBuf::from(root), simulated: true },
            None => Self { root: PathBuf::from("/"), simulated: false },
        }
    }

    /// A folder that stands in for a computer.
    #[must_use]
    pub fn simulated_at(root: &Path) -> Self {
        Self { root: root.to_owned(), simulated: true }
    }

    /// Whether a folder stands in for this computer.
    #[must_use]
    pub const fn simulated(&self) -> bool {
        self.simulated
    }

    /// Where an absolute path of the computer is.
    #[must_use]
    pub fn path(&self, absolute: impl AsRef<Path>) -> PathBuf {
        let path = absolute.as_ref();
        match self.simulated {
            true => self.root.join(path.strip_prefix("/").unwrap_or(path)),
            false => path.to_owned(),
        }
    }

    /// All disks, in the order of their names.
    #[must_use]
    pub fn disks(&self) -> Vec<Disk> {
        let names = names(&self.path("/sys/block"));
        names.iter().filter_map(|name| self.disk(name)).filter(|disk| disk.bytes > 0).collect()
    }

    /// The disk of that kernel name.
    #[must_use]
    pub fn disk(&self, name: &str) -> Option<Disk> {
        let folder = self.path("/sys/block").join(name);
        if !folder.is_dir() {
            return None;
        }
        let of = |file: &str| text(&folder.join(file));
        let flag = |file: &str| of(file) == "1";
        let (usb, usb_serial) = usb_of(&folder.join("device"));
        let own = Some(of("device/serial")).filter(|serial| !serial.is_empty());
        let backing = Some(of("loop/backing_file")).filter(|file| !file.is_empty());
        let mut model = of("device/model");
        if model.is_empty() {
            model = of("device/name");
        }
        let (mounts, holders) = self.uses(name, &folder);
        Some(Disk {
            name: name.to_owned(),
            path: Path::new("/dev").join(name.replace('!', "/")),
            bytes: of("size").parse::<u64>().unwrap_or(0) * 512,
            removable: flag("removable"),
            sd: of("device/type") == "SD",
            backing,
            read_only: flag("ro"),
            vendor: of("device/vendor"),
            model,
            serial: own.or(usb_serial),
            usb,
            mounts,
            holders,
            links: self.links(name),
        })
    }

    /// All serial lines, adapters and radios on USB, in the order of their numbers.
    #[must_use]
    pub fn ports(&self) -> Vec<Port> {
        let mut ports = Vec::new();
        for name in names(&self.path("/sys/class/tty")) {
            let device = self.path("/sys/class/tty").join(&name).join("device");
            let (Some(usb), serial) = usb_of(&device) else { continue };
            let title = self.usb_title(&usb, serial.as_deref());
            let path = Some(Path::new("/dev").join(&name));
            ports.push(Port { path, kind: Kind::Uart, usb, serial, title });
        }
        for name in names(&self.path("/sys/bus/usb/devices")) {
            let folder = self.path("/sys/bus/usb/devices").join(&name);
            let (Some(usb), serial) = usb_of(&folder) else { continue };
            let Some((_, kind)) = KNOWN_USB.iter().find(|(known, _)| *known == usb) else {
                continue;
            };
            // Interfaces stand beside their devices; only devices have a product.
            if !folder.join("idVendor").exists() {
                continue;
            }
            let title = text(&folder.join("product"));
            ports.push(Port { path: None, kind: *kind, usb, serial, title });
        }
        ports.sort_by(|a, b| (&a.usb, &a.path).cmp(&(&b.usb, &b.path)));
        ports
    }

    fn usb_title(&self, usb: &str, serial: Option<&str>) -> String {
        let root = self.path("/sys/bus/usb/devices");
        let fits = |folder: &PathBuf| {
            folder.join("idVendor").exists()
                && usb_of(folder) == (Some(usb.into()), serial.map(Into::into))
        };
        let found = names(&root).into_iter().map(|name| root.join(name)).find(fits);
        found.map_or(String::new(), |folder| text(&folder.join("product")))
    }

    /// Whether this user can open a file below `/dev` for reading and writing, and who holds it.
    #[must_use]
    pub fn access(&self, path: &Path) -> Access {
        use rustix::fs::{Access as Wanted, access};
        let real = self.path(path);
        let name = path.file_name().unwrap_or_default();
        let fault = fs::read_to_string(self.path("/faults").join(name)).unwrap_or_default();
        match (self.simulated, fault.trim()) {
            (true, "denied") => return Access::Denied,
            (true, "busy") => return Access::Busy("1 somebody".to_owned()),
            _ => {}
        }
        match access(&real, Wanted::READ_OK | Wanted::WRITE_OK) {
            Err(_) => Access::Denied,
            Ok(()) => self.holder(&real).map_or(Access::Ok, Access::Busy),
        }
    }

    /// A program that has a file open: its number and name. Programs of others may stay unseen.
    fn holder(&self, real: &Path) -> Option<String> {
        let real = fs::canonicalize(real).ok()?;
        let proc = self.path("/proc");
        let own = std::process::id().to_string();
        let programs = names(&proc)
            .into_iter()
            .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()) && *name != own);
        for program in programs {
            let files =
                fs::read_dir(proc.join(&program).join("fd")).into_iter().flatten().flatten();
            if files.into_iter().any(|file| fs::read_link(file.path()).is_ok_and(|to| to == real)) {
                return Some(format!("{program} {}", text(&proc.join(&program).join("comm"))));
            }
        }
        None
    }

    /// The disk that a path below `/dev` means, and whether the path means the whole disk.
    #[must_use]
    pub fn disk_at(&self, path: &Path) -> Option<(Disk, bool)> {
        let real = fs::canonicalize(self.path(path)).ok()?;
        let name = real.file_name()?.to_string_lossy().into_owned();
        if let Some(disk) = self.disk(&name) {
            return Some((disk, true));
        }
        let parent = names(&self.path("/sys/block"))
            .into_iter()
            .find(|disk| self.path("/sys/block").join(disk).join(&name).is_dir())?;
        Some((self.disk(&parent)?, false))
    }

    /// Mounts and volumes of a disk and its partitions.
    fn uses(&self, name: &str, folder: &Path) -> (Vec<String>, Vec<String>) {
        let is_part = |part: &String| folder.join(part).join("partition").exists();
        let parts: Vec<_> = names(folder).into_iter().filter(is_part).collect();
        let mut holders = names(&folder.join("holders"));
        holders.extend(parts.iter().flat_map(|part| names(&folder.join(part).join("holders"))));
        let mut devices = vec![name.to_owned()];
        devices.extend(parts);
        let is_ours = |device: &str| {
            let real = fs::canonicalize(self.path(device)).unwrap_or_else(|_| device.into());
            let name = real.file_name().map(|name| name.to_string_lossy().into_owned());
            name.is_some_and(|name| devices.contains(&name))
        };
        let lines =
            |file: &str| text(&self.path(file)).lines().map(str::to_owned).collect::<Vec<_>>();
        let mut mounts: Vec<String> = Vec::new();
        for line in lines("/proc/self/mounts") {
            let mut words = line.split(' ');
            if let (Some(device), Some(point)) = (words.next(), words.next())
                && device.starts_with('/')
                && is_ours(device)
            {
                mounts.push(point.replace("\\040", " "));
            }
        }
        for line in lines("/proc/swaps").iter().skip(1) {
            if line.split_whitespace().next().is_some_and(is_ours) {
                mounts.push("swap".to_owned());
            }
        }
        (mounts, holders)
    }

    fn links(&self, name: &str) -> Vec<PathBuf> {
        let folders = ["/dev/disk/by-id", "/dev/disk/by-path"];
        let linked = |folder: &str| {
            let real = self.path(folder);
            let points = |link: &String| {
                fs::canonicalize(real.join(link))
                    .is_ok_and(|to| to.file_name() == Some(name.as_ref()))
            };
            let found: Vec<_> = names(&real).into_iter().filter(points).collect();
            found.into_iter().map(|link| Path::new(folder).join(link)).collect::<Vec<_>>()
        };
        folders.iter().flat_map(|folder| linked(folder)).collect()
    }
}

/// USB vendor, product and serial number of the device that something hangs on.
#[must_use]
pub fn usb_of(device: &Path) -> (Option<String>, Option<String>) {
    let Ok(real) = fs::canonicalize(device) else {
        return (None, None);
    };
    for folder in real.ancestors() {
        let (vendor, product) = (text(&folder.join("idVendor")), text(&folder.join("idProduct")));
        if !vendor.is_empty() && !product.is_empty() {
            let serial = Some(text(&folder.join("serial"))).filter(|serial| !serial.is_empty());
            return (Some(format!("{vendor}:{product}")), serial);
        }
    }
    (None, None)
}
