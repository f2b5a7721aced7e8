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
