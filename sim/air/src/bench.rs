//! How many frames of a crowd arrive, beside what ALOHA theory predicts for the same load.
//!
//! Every station sends one frame a second, at a moment drawn anew each second, to one receiver that
//! does nothing but listen. Stations either send blindly, which is pure ALOHA, or listen first, as far
//! as the chip allows: one listen of 170 us, and if RPD shows a signal a random pause and another.
//! All hear each other equally well, so nothing is captured.

use crate::air::{Air, AirError};
use crate::chip::Chip;
use crate::config::AirConfig;
use crate::timing::{RPD_NS, SETTLE_NS, Timing};
use kube_proto::frame::Rate;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeSet;

const SECOND_NS: u64 = 1_000_000_000;
/// A machine's pulse on CE.
const PULSE_NS: u64 = 10_000;
/// Longest pause of a station that has heard somebody.
const PAUSE_NS: u64 = 2_000_000;
/// Listens before a station sends all the same.
const LISTENS: u8 = 16;

/// When a station sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// At its moment, whatever is on the air.
    Blind,
    /// When it has heard nothing, see the module's head.
    Listen,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowd {
    /// Stations that send.
    pub stations: usize,
    /// Data rate; 250 kbit/s counts as 1 Mbit/s here.
    pub rate: Rate,
    /// When they send.
    pub access: Access,
    /// Frames of each station, one a second.
    pub seconds: u64,
    /// Seed of the moments.
    pub seed: u64,
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery {
    /// Frames that went on the air.
    pub sent: u64,
    /// Frames that the receiver got.
    pub delivered: u64,
    /// Their share.
    pub share: f64,
    /// Offered load: air time of all frames in a second, in seconds.
    pub load: f64,
    /// Share that pure ALOHA predicts for this load: exp(-2 load).
    pub pure: f64,
    /// Share that slotted ALOHA predicts: exp(-load).
    pub slotted: f64,
    /// Mean time from a station's moment to its frame's first bit, in nanoseconds.
    pub wait_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// Begin to send, or to listen for the next time.
    Begin { due_ns: u64, listens: u8 },
    /// Look at RPD.
    Look { due_ns: u64, listens: u8 },
}

/// Runs a crowd.
///
/// ```
/// use kube_air::bench::{Access, Crowd, delivered};
/// use kube_proto::frame::Rate;
/// let crowd = Crowd { stations: 20, rate: Rate::M1, access: Access::Blind, seconds: 2, seed: 1 };
/// let delivery = delivered(&crowd)?;
/// assert_eq!(delivery.sent, 40);
/// # Ok::<(), kube_air::AirError>(())
/// ```
///
/// # Errors
/// [`AirError`] if this module steps wrongly.
pub fn delivered(crowd: &Crowd) -> Result<Delivery, AirError> {
    let mut run = Run::new(crowd);
    while let Some((at_ns, station, step)) = run.due.pop_first() {
        run.advance(at_ns)?;
        match (step, crowd.access) {
            (Step::Begin { due_ns, .. }, Access::Blind) => run.send(at_ns, station, due_ns),
            (Step::Begin { due_ns, listens }, Access::Listen) => {
                let look_ns = run.listen(at_ns, station);
                run.due.insert((look_ns, station, Step::Look { due_ns, listens: listens + 1 }));
            }
            (Step::Look { due_ns, listens }, _) => {
                let heard = read(&mut run.chips[station], at_ns, 0x09) != 0;
                run.chips[station].enable(at_ns, false);
                if heard && listens < LISTENS {
                    let pause_ns = run.chance.random_range(0..PAUSE_NS);
                    run.due.insert((at_ns + pause_ns, station, Step::Begin { due_ns, listens }));
                } else {
                    run.send(at_ns, station, due_ns);
                }
            }
        }
    }
    run.advance(run.busy_until_ns + SECOND_NS)?;
    let totals = run.air.totals();
    let delivered = run.received;
    let load = crowd.stations as f64 * run.frame_ns as f64 / SECOND_NS as f64;
    Ok(Delivery {
        sent: totals.flights,
        delivered,
        share: delivered as f64 / totals.flights.max(1) as f64,
        load,
        pure: (-2.0 * load).exp(),
        slotted: (-load).exp(),
        wait_ns: run.waited_ns / totals.flights.max(1),
    })
}

struct Run {
    air: Air,
    /// The receiver is the last one.
    chips: Vec<Chip>,
    chance: Pcg64,
    due: BTreeSet<(u64, usize, Step)>,
    setup: u8,
    frame_ns: u64,
    /// Until then something may be on the air, and steps are short.
    busy_until_ns: u64,
    received: u64,
    waited_ns: u64,
}

impl Run {
    fn new(crowd: &Crowd) -> Self {
        let mut air = Air::new(AirConfig { seed: crowd.seed, ..AirConfig::default() });
        let (setup, rate) = match crowd.rate {
            Rate::M2 => (0x0e, Rate::M2),
            _ => (0x06, Rate::M1),
        };
        let timing = Timing { power_on_reset_ns: 0, power_up_ns: 0, ..Timing::TYPICAL };
        let mut chips = Vec::new();
        for _ in 0..=crowd.stations {
            air.add_station();
            let mut chip = Chip::new(0, timing);
            for (register, value) in
                [(0x01, 0), (0x02, 1), (0x04, 0), (0x05, 5), (0x06, setup), (0x11, 32), (0, 0x0f)]
            {
                command(&mut chip, 0, &[0x20 | register, value]);
            }
            chips.push(chip);
        }
        chips[crowd.stations].enable(0, true);
        let mut chance = Pcg64::seed_from_u64(crowd.seed);
        let mut due = BTreeSet::new();
        for second in 1..=crowd.seconds {
            for station in 0..crowd.stations {
                let due_ns = second * SECOND_NS + chance.random_range(0..SECOND_NS);
                due.insert((due_ns, station, Step::Begin { due_ns, listens: 0 }));
            }
        }
        let frame_ns = rate.air_time_ns(320);
        let (received, waited_ns, busy_until_ns) = (0, 0, 0);
        Self { air, chips, chance, due, setup, frame_ns, busy_until_ns, received, waited_ns }
    }

    /// Brings the air to `until_ns`; while nothing is on it, in one step.
    fn advance(&mut self, until_ns: u64) -> Result<(), AirError> {
        while self.air.now_ns() < until_ns {
            let busy = self.air.now_ns() < self.busy_until_ns;
            let next_ns = if busy { self.air.horizon_ns().min(until_ns) } else { until_ns };
            let mut places: Vec<_> = self.chips.iter_mut().map(Some).collect();
            self.air.step(next_ns, &mut places)?;
            let Some(receiver) = self.chips.last_mut() else { continue };
            while read(receiver, next_ns, 0x17) & 1 == 0 {
                command(receiver, next_ns, &[&[0x61], &[0xff; 32][..]].concat());
                self.received += 1;
            }
        }
        Ok(())
    }

    /// Switches a station's receiver on. Returns when RPD will be right.
    fn listen(&mut self, at_ns: u64, station: usize) -> u64 {
        let chip = &mut self.chips[station];
        command(chip, at_ns, &[0x20, 0x0f]);
        command(chip, at_ns, &[0x26, self.setup]);
        chip.enable(at_ns, true);
        let look_ns = at_ns + SETTLE_NS + RPD_NS;
        // Frames that are announced meanwhile must reach this chip before it looks.
        self.busy_until_ns = self.busy_until_ns.max(look_ns);
        look_ns
    }

    fn send(&mut self, at_ns: u64, station: usize, due_ns: u64) {
        let chip = &mut self.chips[station];
        command(chip, at_ns, &[0x20, 0x0e]);
        command(chip, at_ns, &[0x27, 0x70]);
        command(chip, at_ns, &[&[0xa0], &[station as u8; 32][..]].concat());
        chip.enable(at_ns, true);
        chip.enable(at_ns + PULSE_NS, false);
        self.waited_ns += at_ns + SETTLE_NS - due_ns;
        let ends_ns = at_ns + SETTLE_NS + self.frame_ns;
        self.busy_until_ns = self.busy_until_ns.max(ends_ns);
    }
}

fn command(chip: &mut Chip, at_ns: u64, bytes: &[u8]) -> u8 {
    // The chip may have lived past the air's time by its pulse on CE.
    let at_ns = at_ns.max(chip.now_ns());
    chip.select(at_ns, true);
    let last = bytes.iter().fold(0, |_, &byte| chip.transfer(at_ns, byte));
    chip.select(at_ns, false);
    last
}

fn read(chip: &mut Chip, at_ns: u64, register: u8) -> u8 {
    command(chip, at_ns, &[register, 0xff])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flight::Outcome;

    fn run(stations: usize, rate: Rate, access: Access) -> Delivery {
        let crowd = Crowd { stations, rate, access, seconds: 40, seed: 20_261_130 };
        delivered(&crowd).expect("it steps rightly")
    }

    #[test]
    fn sending_blindly_is_pure_aloha() {
        for (stations, rate) in [(50, Rate::M1), (100, Rate::M1), (200, Rate::M1), (200, Rate::M2)]
        {
            let delivery = run(stations, rate, Access::Blind);
            assert_eq!(delivery.sent, 40 * stations as u64);
            // Lost frames come in pairs: twice the deviation of a count of pairs, four of them.
            let lost = 1.0 - delivery.pure;
            let deviation = (2.0 * lost / delivery.sent as f64).sqrt();
            let off = (delivery.share - delivery.pure).abs();
            assert!(off < 4.0 * deviation, "{stations} at {rate:?}: {delivery:?}");
        }
    }

    #[test]
    fn listening_first_is_better_than_pure_aloha_at_1_mbit() {
        for stations in [20, 50, 100, 200] {
            let delivery = run(stations, Rate::M1, Access::Listen);
            assert_eq!(delivery.sent, 40 * stations as u64);
            assert!(delivery.share > delivery.pure, "{stations}: {delivery:?}");
        }
    }

    #[test]
    fn what_the_receiver_misses_it_misses_for_collisions_alone() {
        let crowd =
            Crowd { stations: 100, rate: Rate::M1, access: Access::Blind, seconds: 10, seed: 3 };
        let mut run = Run::new(&crowd);
        while let Some((at_ns, station, _)) = run.due.pop_first() {
            run.advance(at_ns).expect("it steps rightly");
            run.send(at_ns, station, at_ns);
        }
        run.advance(run.busy_until_ns + SECOND_NS).expect("it steps rightly");
        let totals = run.air.totals();
        assert_eq!(run.received, totals.count(Outcome::Delivered));
        assert_eq!(totals.count(Outcome::Late) + totals.count(Outcome::FifoFull), 0);
    }
}
