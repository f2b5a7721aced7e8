//! What of a crowd's frames arrives when whole machines with the Oberon radio driver send them, beside
//! what ALOHA predicts for the same load.
//!
//! Every machine sends one frame at a random moment of each interval, as packets of profile `kube`, and
//! reads what it hears. A listener that is never deaf counts what arrives. All hear each other
//! equally well, so nothing is captured.

use kube_air::{Air, AirConfig, Chip, QUANTUM_NS, Timing};
use kube_emu::{Config, Machine, SdCard};
use kube_proto::frame::{Address, Rate};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::engine::RadioPort;
use crate::throughput::{ThroughputError, disk, modules};
use crate::world::CHANNEL;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowd {
    /// Machines.
    pub machines: usize,
    /// Bit rate in Mbit/s, 1 or 2.
    pub mbit: u8,
    /// Milliseconds in which each machine sends one frame.
    pub interval_ms: u16,
    /// Seconds counted.
    pub seconds: u64,
    /// Seed of the moments at which the machines are switched on.
    pub seed: u64,
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery {
    /// Frames that went on the air.
    pub sent: u64,
    /// Frames that the listener got whole.
    pub delivered: u64,
    /// Their share.
    pub share: f64,
    /// Air time of all frames in a second, in seconds.
    pub load: f64,
    /// Share that pure ALOHA predicts for this load: exp(-2 load).
    pub pure: f64,
    /// Share that slotted ALOHA predicts: exp(-load).
    pub slotted: f64,
}

const SECOND_NS: u64 = 1_000_000_000;
/// All machines are up and have begun to send.
const WARM_UP_NS: u64 = 4 * SECOND_NS;
/// Preamble, address, 32 bytes and checksum of profile `kube`.
const FRAME_BITS: usize = 320;

/// Runs a crowd.
///
/// # Errors
/// [`ThroughputError`].
pub fn delivered(crowd: &Crowd) -> Result<Delivery, ThroughputError> {
    let system = modules()?;
    let rate = if crowd.mbit == 2 { Rate::M2 } else { Rate::M1 };
    let mut air = Air::new(AirConfig { seed: crowd.seed, ..AirConfig::default() });
    let listener = air.add_listener(CHANNEL, rate, Address::OBERON);
    let mut chance = Pcg64::seed_from_u64(crowd.seed);
    let mut machines = Vec::new();
    for number in 0..crowd.machines {
        air.add_station();
        let Crowd { mbit, interval_ms, .. } = crowd;
        let start = format!("Radio.Kube {CHANNEL} {mbit}\nRadio.Start\n");
        let beat = format!("{start}Stream.Beat {number} {interval_ms}\n");
        let power_on_ns = chance.random_range(0..SECOND_NS);
        let config = Config { power_on_ns, ..Config::ours(system.prom.clone()) };
        let card = SdCard::new(disk(&system, &beat)?)?;
        let radio = RadioPort(Chip::new(power_on_ns, Timing::TYPICAL));
        machines.push((power_on_ns, Machine::new(config, Some(card), radio)));
    }
    run(&mut air, &mut machines, WARM_UP_NS)?;
    let before = air.totals().flights;
    air.take_heard(listener);
    run(&mut air, &mut machines, WARM_UP_NS + crowd.seconds * SECOND_NS)?;
    let sent = air.totals().flights - before;
    let delivered = air.take_heard(listener).iter().filter(|frame| frame.crc_ok).count() as u64;
    let load = sent as f64 / crowd.seconds as f64 * rate.air_time_ns(FRAME_BITS) as f64 / 1e9;
    Ok(Delivery {
        sent,
        delivered,
        share: delivered as f64 / sent.max(1) as f64,
        load,
        pure: (-2.0 * load).exp(),
        slotted: (-load).exp(),
    })
}

fn run(
    air: &mut Air,
    machines: &mut [(u64, Machine<RadioPort>)],
    until_ns: u64,
) -> Result<(), ThroughputError> {
    let mut now_ns = air.now_ns();
    while now_ns < until_ns {
        now_ns = air.horizon_ns().clamp(now_ns + 1, now_ns + QUANTUM_NS).min(until_ns);
        machines.iter_mut().for_each(|(_, machine)| machine.run_until(now_ns));
        // One that is still off is not there.
        let on = machines.iter_mut().map(|(power_on_ns, machine)| {
            (*power_on_ns < now_ns).then(|| &mut machine.radio_mut().0)
        });
        let mut chips: Vec<_> = on.collect();
        air.step(now_ns, &mut chips)?;
    }
    Ok(())
}
