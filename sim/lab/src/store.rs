//! The control plane's store on a disk that loses power: every state that the card goes through
//! while the store is written, whole and with the last block torn, must hold a whole store that is
//! not older than the one before. Read by an independent reader of the format (spec/kube.md 5).

use kube_disk::Image;
use kube_emu::{CardImageError, Config, Machine, NoRadio, SdCard};
use kube_modules::System;
use kube_proto::store::Store;

use kube_boards::fleet::{MachineSpec, Role};
use kube_boards::image::machine_image;

const MS: u64 = 1_000_000;
/// Shorter than the writing of one block.
const STEP_NS: u64 = MS / 10;
const BLOCK_BYTES: usize = 512;
/// Bytes of a torn block that are new, from its beginning or from its end.
const TORN_AT: [usize; 7] = [1, 4, 128, 255, 352, 384, 511];
/// Pods asked for, one after the other: the store grows and shrinks.
const COUNTS: [u32; 8] = [1, 12, 60, 2, 30, 90, 5, 45];

/// How many cuts there were, and how many left a whole store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cuts {
    /// Cuts between two block writes.
    pub whole: usize,
    /// Cuts within a block write.
    pub torn: usize,
    /// Of both, those after which the older or the newer state was found.
    pub survived: usize,
    /// Generations written while they were counted.
    pub generations: i32,
}

/// Why the cuts could not be counted.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk could not be made or read.
    #[error(transparent)]
    Disk(#[from] kube_disk::DiskError),
    /// The card refused it.
    #[error(transparent)]
    Card(#[from] CardImageError),
    /// The plane wrote nothing.
    #[error("the plane has written no store: its log says\n{0}")]
    Nothing(String),
}

/// The generation of a store file; `None` if it is not whole.
#[must_use]
pub fn generation(file: &[u8]) -> Option<i32> {
    Store::parse(file).ok().map(|store| store.generation)
}

/// The newest whole generation on a disk, 0 if there is none.
fn newest(disk: Vec<u8>) -> i32 {
    let Ok(image) = Image::open(disk) else { return 0 };
    let slot = |name| image.read(name).ok().and_then(|file| generation(&file));
    slot("Kube.Store0").max(slot("Kube.Store1")).unwrap_or(0)
}

struct Plane {
    machine: Machine<NoRadio>,
    disk: Vec<u8>,
    newest: i32,
    cuts: Cuts,
}

impl Plane {
    fn bytes(&self) -> Vec<u8> {
        self.machine.card().map_or_else(Vec::new, |card| card.image().bytes().to_vec())
    }

    fn writes(&self) -> u64 {
        self.machine.card().map_or(0, |card| card.transfers().1)
    }

    fn run(&mut self, ms: u64) {
        let end_ns = self.machine.now_ns() + ms * MS;
        self.machine.run_until(end_ns);
    }

    /// Lets time pass and cuts the power at every block write in it.
    fn cut(&mut self, ms: u64) {
        let end_ns = self.machine.now_ns() + ms * MS;
        let mut writes = self.writes();
        while self.machine.now_ns() < end_ns {
            let next_ns = self.machine.now_ns() + STEP_NS;
            self.machine.run_until(next_ns);
            if self.writes() != writes {
                writes = self.writes();
                let disk = self.bytes();
                self.judge_block(&disk);
                self.newest = newest(disk.clone());
                self.disk = disk;
            }
        }
    }

    /// The block that changed: as a whole, and torn at several places from either end.
    fn judge_block(&mut self, disk: &[u8]) {
        self.cuts.whole += 1;
        self.judge(disk.to_vec());
        let before = self.disk.clone();
        let blocks = before.chunks(BLOCK_BYTES).zip(disk.chunks(BLOCK_BYTES));
        let Some(at) = blocks.into_iter().position(|(old, new)| old != new) else { return };
        let start = at * BLOCK_BYTES;
        for torn in TORN_AT {
            for (from, to) in [(0, torn), (torn, BLOCK_BYTES)] {
                let mut cut = before.clone();
                cut[start + from..start + to].copy_from_slice(&disk[start + from..start + to]);
                self.cuts.torn += 1;
                self.judge(cut);
            }
        }
    }

    fn judge(&mut self, disk: Vec<u8>) {
        let found = newest(disk);
        let right = found > 0 && (found == self.newest || found == self.newest + 1);
        self.cuts.survived += usize::from(right);
    }
}

/// Runs a plane, changes its store several times and cuts the power at each block write.
///
/// # Errors
/// [`StoreError`].
pub fn cuts(system: &System) -> Result<Cuts, StoreError> {
    let commands = vec!["Kube.Start local".to_owned()];
    let spec = MachineSpec {
        name: "plane".to_owned(),
        role: Role::Plane,
        commands,
        pods: None,
        numbers: 0,
    };
    let image = machine_image(system, &spec, &[])?;
    let config = Config::ours(system.prom.clone());
    let machine = Machine::new(config, Some(SdCard::new(image)?), NoRadio { level: true });
    let mut plane = Plane { machine, disk: Vec::new(), newest: 0, cuts: Cuts::default() };
    plane.run(3_000);
    plane.disk = plane.bytes();
    plane.newest = newest(plane.disk.clone());
    let first = plane.newest;
    if first == 0 {
        let log = plane.machine.serial_received();
        return Err(StoreError::Nothing(String::from_utf8_lossy(&log).into_owned()));
    }
    for count in COUNTS {
        plane.machine.serial_send(format!("Kube.Apply web {count} Ticker\n").as_bytes());
        plane.cut(1_500);
    }
    plane.cuts.generations = plane.newest - first;
    Ok(plane.cuts)
}
