//! Where an image is: a file, a card, a machine of a running lab, or the stand-in of a board beside its
//! fleet file.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use kube_boards::fleet::{Board, Card};
use kube_disk::{CARD_FIRST_BLOCK, Image, Layout, MAX_SECTORS, SECTOR_BYTES};
use kube_proto::attach::default_socket;
use rustix::fs::OFlags;

use super::codes;
use super::guard;
use super::machine::{LabCard, Machine};
use super::mark::{BLOCK_BYTES, Mark};
use super::medium::{Fault, Medium};
use super::trouble;
use super::write::Job;
use crate::discovery::{Chosen, SIMULATED};
use crate::failure::{Failure, Outcome};
use crate::host::{Disk, Host};
use crate::program::Session;

/// Where on a card the directory root lies, in bytes from its start.
pub const CARD_ROOT: u64 = CARD_FIRST_BLOCK as u64 * BLOCK_BYTES as u64 + SECTOR_BYTES as u64;
/// Longest file system.
const FILE_SYSTEM_BYTES: u64 = (MAX_SECTORS as u64 - 1) * SECTOR_BYTES as u64;

/// A place for an image.
#[derive(Clone, Debug)]
pub enum Target {
    /// A file.
    File(PathBuf),
    /// A card, or what stands for one.
    Card(Box<Disk>),
    /// The card of a machine in a running lab.
    Machine(Machine),
}

impl Target {
    /// How people call it.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Card(disk) => disk.path.display().to_string(),
            Self::Machine(machine) => format!("{SIMULATED}{} in the lab", machine.name),
        }
    }

    /// What a path means.
    ///
    /// # Errors
    /// `kube::target::kind`, `kube::target::missing`.
    pub fn at(host: &Host, path: &Path) -> Outcome<Self> {
        if path.starts_with("/dev") {
            return match host.disk_at(path) {
                Some((disk, true)) => Ok(Self::Card(Box::new(disk))),
                Some((disk, false)) => Err(kind(path, "is a partition")
                    .help(format!("name the whole disk: {}", disk.path.display()))),
                None if host.path(path).exists() => {
                    Err(kind(path, "is no disk").help("kube-flash list shows the cards"))
                }
                None => {
                    let headline = format!("there is no {}", path.display());
                    Err(Failure::new(&codes::TARGET_MISSING, headline)
                        .help("kube-flash list shows the cards"))
                }
            };
        }
        match std::fs::metadata(path).map(|data| data.file_type()) {
            Ok(is) if is.is_dir() => Err(kind(path, "is a folder").help("name a file in it")),
            Ok(is) if is.is_block_device() => {
                Self::at(host, &Path::new("/dev").join(real_name(path)))
            }
            Ok(is) if !is.is_file() => Err(kind(path, "is neither a file nor a disk")),
            _ => Ok(Self::File(path.to_owned())),
        }
    }

    /// Opens for reading.
    ///
    /// # Errors
    /// `kube::target::…`.
    pub fn open(&self, host: &Host) -> Outcome<Medium> {
        let headline = format!("{} cannot be opened", self.label());
        if let Self::Machine(machine) = self {
            let card = LabCard::open(machine);
            return Ok(Medium::of_lab(card.map_err(|error| trouble::of_lab(&error, &headline))?));
        }
        let path = self.real_path(host);
        let file = self.opened(host, OpenOptions::new().read(true), &path);
        let file = file.map_err(|error| trouble::of(&error, &headline))?;
        self.medium(host, file).map_err(|error| trouble::of(&error, &headline))
    }

    /// Opens for writing; a disk for this program alone, after a last look at its content. The card of a
    /// machine in a lab is out of it from then on.
    ///
    /// # Errors
    /// `kube::target::…`, `kube::card::member`.
    pub fn open_to_write(&self, host: &Host) -> Outcome<Medium> {
        let headline = format!("{} cannot be opened for writing", self.label());
        if let Self::Machine(machine) = self {
            let taken = LabCard::open(machine).and_then(|mut card| card.take().map(|()| card));
            return Ok(Medium::of_lab(taken.map_err(|error| trouble::of_lab(&error, &headline))?));
        }
        let path = self.real_path(host);
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        match self {
            Self::File(_) => options.create(true).truncate(false),
            Self::Card(_) if host.simulated() => &mut options,
            Self::Machine(_) => &mut options,
            // On a disk EXCL means: nobody else, and no mounted file system.
            Self::Card(_) => options.custom_flags(OFlags::EXCL.bits() as i32),
        };
        let file = self.opened(host, &options, &path);
        let file = file.map_err(|error| trouble::of(&error, &headline))?;
        if let Self::Card(disk) = self {
            guard::check_signatures(disk, &file)?;
        }
        self.medium(host, file).map_err(|error| trouble::of(&error, &headline))
    }

    fn opened(&self, host: &Host, options: &OpenOptions, path: &Path) -> std::io::Result<File> {
        if let Self::Card(disk) = self
            && host.simulated()
            && let Some(errno) = refusal(host, disk)
        {
            return Err(errno.into());
        }
        options.open(path)
    }

    fn medium(&self, host: &Host, mut file: File) -> std::io::Result<Medium> {
        let len = file.seek(SeekFrom::End(0))?;
        let fault = match self {
            Self::Card(disk) if host.simulated() => fault(host, disk),
            _ => None,
        };
        Ok(Medium::new(file, len).failing(fault))
    }

    fn real_path(&self, host: &Host) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Card(disk) => host.path(&disk.path),
            Self::Machine(machine) => machine.socket.clone(),
        }
    }

    /// The job of putting an image there. `content` is an image file's bytes, of any form.
    #[must_use]
    pub fn job<'a>(
        &self,
        content: &'a [u8],
        layout: Layout,
        label: &'a str,
        of: &'a str,
    ) -> Job<'a> {
        match (self, layout) {
            (Self::Card(_) | Self::Machine(_), Layout::Shortened) => {
                Job { content, base: CARD_ROOT, root: 0, whole: false, label, of }
            }
            (_, Layout::Shortened) => Job { content, base: 0, root: 0, whole: true, label, of },
            (Self::Card(_) | Self::Machine(_), Layout::FullCard) => {
                Job { content, base: 0, root: CARD_ROOT, whole: false, label, of }
            }
            (_, Layout::FullCard) => {
                Job { content, base: 0, root: CARD_ROOT, whole: true, label, of }
            }
        }
    }

    /// Reads the image there.
    ///
    /// # Errors
    /// `kube::target::…`, `kube::image::kind`, `kube::image::unfinished`.
    pub fn image(&self, host: &Host) -> Outcome<Image> {
        let medium = self.open(host)?;
        let (at, length) = match self {
            Self::File(_) => (0, medium.len()),
            Self::Card(_) | Self::Machine(_) => {
                (CARD_ROOT, medium.len().saturating_sub(CARD_ROOT).min(FILE_SYSTEM_BYTES))
            }
        };
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
        let filled = medium
            .read_at(at, &mut bytes)
            .map_err(|error| trouble::of(&error, &format!("{} cannot be read", self.label())))?;
        bytes.truncate(filled);
        let root = |at: u64| bytes.get(at as usize..).and_then(Mark::find);
        if let Some(mark) = root(0).or_else(|| root(CARD_ROOT)) {
            return Err(self.unfinished(&mark));
        }
        Image::open(bytes).map_err(|error| {
            Failure::new(&codes::IMAGE_KIND, format!("{} holds no Oberon image", self.label()))
                .cause(error)
                .help("write one with kube-flash --board NAME")
        })
    }

    fn unfinished(&self, mark: &Mark) -> Failure {
        let headline = format!("a write to {} was not finished", self.label());
        Failure::new(&codes::IMAGE_UNFINISHED, headline)
            .cause(format!("{} was being written, sha256 {}", mark.label, mark.sha256))
            .help("give the command that was interrupted again")
    }
}

fn kind(path: &Path, what: &str) -> Failure {
    Failure::new(&codes::TARGET_KIND, format!("{} {what}", path.display()))
}

fn real_name(path: &Path) -> PathBuf {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real.file_name().map(PathBuf::from).unwrap_or_default()
}

/// What the folder that stands in for a computer says of a disk: `faults/sdb`.
fn refusal(host: &Host, disk: &Disk) -> Option<rustix::io::Errno> {
    match fault_text(host, disk).trim() {
        "denied" => Some(rustix::io::Errno::ACCESS),
        "busy" => Some(rustix::io::Errno::BUSY),
        _ => None,
    }
}

fn fault(host: &Host, disk: &Disk) -> Option<Fault> {
    let text = fault_text(host, disk);
    let mut words = text.split_whitespace();
    let kind = words.next()?;
    let block = words.next()?.parse().ok()?;
    match kind {
        "unplug" => Some(Fault::Unplug(block)),
        "full" => Some(Fault::Full(block)),
        "flip" => Some(Fault::Flip(block)),
        "power-cut" => Some(Fault::PowerCut(block, words.next()?.parse().ok()?)),
        _ => None,
    }
}

fn fault_text(host: &Host, disk: &Disk) -> String {
    std::fs::read_to_string(host.path("/faults").join(&disk.name)).unwrap_or_default()
}

impl Session {
    /// The target that is meant: the one named, else that of the board.
    ///
    /// # Errors
    /// `kube::target::…`, `kube::card::…`, `kube::board::…`.
    pub fn target(&self, host: &Host, named: Option<&Path>) -> Outcome<Target> {
        if let Some(path) = named {
            return Target::at(host, path);
        }
        let chosen = self.board()?;
        if chosen.simulated {
            return self.stand_in(&chosen);
        }
        self.card_of(host, &chosen.board)
    }

    /// Of `sim:NAME`: the machine of a running lab; where none runs, the image beside the fleet file.
    fn stand_in(&self, chosen: &Chosen) -> Outcome<Target> {
        let (socket, name) = (default_socket(), &chosen.board.name);
        let found = Machine::find(&socket, name).map_err(|error| {
            let headline = format!("{} cannot be found in the lab", chosen.label());
            trouble::of_lab(&error, &headline)
        })?;
        let image = simulator_image(&chosen.file.path, name);
        Ok(match found {
            Some(machine) => {
                self.talk.detail(format!("card of {name} in the lab at {}", socket.display()));
                Target::Machine(machine)
            }
            None => {
                self.talk.detail(format!("no lab runs: image {}", image.display()));
                Target::File(image)
            }
        })
    }

    fn card_of(&self, host: &Host, board: &Board) -> Outcome<Target> {
        let to_file = format!("--to FILE writes a file; --to /dev/NAME a card for {}", board.name);
        match &board.hardware.sd {
            Some(Card::Path(path)) => {
                self.talk.detail(format!("card {} (fleet file)", path.display()));
                Target::at(host, path)
            }
            Some(Card::Serial(serial)) => {
                let found = |disk: &Disk| disk.serial.as_deref() == Some(serial);
                match host.disks().into_iter().find(found) {
                    Some(disk) => {
                        self.talk.detail(format!("card {} (serial {serial})", disk.path.display()));
                        Ok(Target::Card(Box::new(disk)))
                    }
                    None => {
                        let headline = format!("the card of {} is not here", board.name);
                        Err(Failure::new(&codes::CARD_NONE, headline)
                            .cause(format!("no disk has serial number {serial}"))
                            .help(format!("put it in; {to_file}")))
                    }
                }
            }
            None => {
                let usable =
                    |disk: &Disk| guard::check(disk, false, 0).is_ok() && disk.backing.is_none();
                let mut cards: Vec<_> = host.disks().into_iter().filter(usable).collect();
                let shown: Vec<_> = cards
                    .iter()
                    .map(|disk| {
                        format!("{} {}, {}", disk.path.display(), disk.title(), disk.size())
                    })
                    .collect();
                match cards.len() {
                    1 => {
                        self.talk
                            .detail(format!("card {} (the only one)", cards[0].path.display()));
                        Ok(Target::Card(Box::new(cards.remove(0))))
                    }
                    0 => Err(Failure::new(&codes::CARD_NONE, "there is no card")
                        .cause(format!(
                            "the fleet file names none for {}, and none is found",
                            board.name
                        ))
                        .help(to_file)),
                    _ => match self.talk.choose("Which card?", &shown) {
                        Some(at) => Ok(Target::Card(Box::new(cards.remove(at)))),
                        None => {
                            Err(Failure::new(&codes::CARD_SEVERAL, "several cards could be meant")
                                .cause(shown.join("; "))
                                .help(to_file))
                        }
                    },
                }
            }
        }
    }
}

/// The image of a board's stand-in in the simulator, beside its fleet file.
#[must_use]
pub fn simulator_image(fleet: &Path, board: &str) -> PathBuf {
    fleet.with_file_name("sim").join(format!("{board}.img"))
}
