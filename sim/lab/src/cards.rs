//! Cards of a lab's machines in the hands of other programs ([`kube_proto::attach`]).
//!
//! Anybody may read a card at any time, also under a running machine, which may be writing it. To be
//! written a card is taken out, as on a desk: the machine loses its power, and it has it again when the
//! card is back. A card whose program has gone is put back, and the machine stays off: what is on the
//! card may be half written.

use std::collections::{BTreeMap, BTreeSet};

use kube_emu::BlockImage;
use kube_proto::attach::{CARD_BLOCK_BYTES, Record, Word};

use crate::world::World;

/// Blocks that are sent for one question: more is not a question of a tool of ours.
const MOST_BLOCKS: u32 = 1 << 17;

/// What a program wants of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardWish {
    index: u8,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Read { first: u32, count: u32 },
    Take,
    Write { block: u32, bytes: Box<[u8; CARD_BLOCK_BYTES]> },
    Give,
}

impl CardWish {
    /// The wish of a record, if it is one.
    #[must_use]
    pub fn of(record: &Record<'_>) -> Option<Self> {
        let (index, what) = match *record {
            Record::Read { index, first, count } => (index, What::Read { first, count }),
            Record::Take { index } => (index, What::Take),
            Record::Write { index, block, bytes } => {
                (index, What::Write { block, bytes: Box::new(*bytes) })
            }
            Record::Give { index } => (index, What::Give),
            _ => return None,
        };
        Some(Self { index, what })
    }
}

/// A card that is out.
#[derive(Debug)]
struct Taken {
    /// Who has it.
    program: u64,
    image: BlockImage,
    /// Whether its machine had power.
    power: bool,
}

/// The cards that are out, and what is owed to their machines.
#[derive(Debug, Default)]
pub struct Cards {
    taken: BTreeMap<u8, Taken>,
    /// Machines that lost power for a card that was never given back in order.
    owed: BTreeSet<u8>,
}

impl Cards {
    /// Does what a program wants, and answers.
    pub fn obey(
        &mut self,
        wish: &CardWish,
        world: &mut World,
        program: u64,
        mut tell: impl FnMut(&Record<'_>),
    ) {
        let index = wish.index;
        let word = match &wish.what {
            What::Read { first, count } => self.read(index, *first, *count, world, &mut tell),
            What::Take => self.take(index, world, program),
            What::Write { block, bytes } => match self.taken.get_mut(&index) {
                Some(taken) if taken.program == program => {
                    if taken.image.write(*block, &bytes[..]) { Word::Done } else { Word::Refused }
                }
                _ => Word::Refused,
            },
            What::Give => self.give(index, world, program),
        };
        let station = world.stations().get(usize::from(index));
        let power = station.is_some_and(|station| station.has_power());
        let taken = self.taken.get(&index).map(|taken| &taken.image);
        let image = taken.or_else(|| station.and_then(|station| station.card()));
        let end = image.map_or(0, BlockImage::end);
        tell(&Record::Answer { index, word, power, end });
    }

    fn read(
        &self,
        index: u8,
        first: u32,
        count: u32,
        world: &mut World,
        tell: &mut impl FnMut(&Record<'_>),
    ) -> Word {
        let station = world.stations().get(usize::from(index));
        let taken = self.taken.get(&index).map(|taken| &taken.image);
        let Some(image) = taken.or_else(|| station.and_then(|station| station.card())) else {
            return Word::NoCard;
        };
        let Some(end) = first.checked_add(count).filter(|_| count <= MOST_BLOCKS) else {
            return Word::Refused;
        };
        for block in first..end {
            tell(&Record::Block { index, block, bytes: &image.read(block) });
        }
        Word::Done
    }

    fn take(&mut self, index: u8, world: &mut World, program: u64) -> Word {
        match self.taken.get(&index) {
            Some(taken) if taken.program == program => return Word::Done,
            Some(_) => return Word::Busy,
            None => {}
        }
        let Some(station) = world.stations().get_mut(usize::from(index)) else {
            return Word::NoCard;
        };
        let power = station.has_power() || self.owed.contains(&index);
        let Some(image) = station.take_card() else { return Word::NoCard };
        self.owed.remove(&index);
        self.taken.insert(index, Taken { program, image, power });
        world.air_mut().set_bridged();
        Word::Done
    }

    fn give(&mut self, index: u8, world: &mut World, program: u64) -> Word {
        if self.taken.get(&index).is_none_or(|taken| taken.program != program) {
            return Word::Refused;
        }
        if self.put_back(index, world) == Some(true) {
            let now_ns = world.now_ns();
            if let Some(station) = world.stations().get_mut(usize::from(index)) {
                station.power_on(now_ns);
            }
        }
        Word::Done
    }

    /// Puts a card back; says whether its machine is to have power.
    fn put_back(&mut self, index: u8, world: &mut World) -> Option<bool> {
        let Taken { image, power, .. } = self.taken.remove(&index)?;
        let station = world.stations().get_mut(usize::from(index))?;
        // Somebody may have switched it on without its card.
        let power = power || station.has_power();
        station.put_card(image);
        Some(power)
    }

    /// Puts cards back whose program has gone, and forgets what is no longer owed.
    pub fn look(&mut self, world: &mut World, attached: impl Fn(u64) -> bool) {
        let left = self.taken.iter().filter(|(_, taken)| !attached(taken.program));
        let left: Vec<u8> = left.map(|(&index, _)| index).collect();
        for index in left {
            if self.put_back(index, world) == Some(true) {
                self.owed.insert(index);
            }
        }
        let powered = |index: &u8| {
            world.stations().get(usize::from(*index)).is_some_and(|station| station.has_power())
        };
        let paid: Vec<u8> = self.owed.iter().copied().filter(powered).collect();
        self.owed.retain(|index| !paid.contains(index));
    }
}
