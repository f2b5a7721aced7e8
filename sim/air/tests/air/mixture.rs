//! A run with everything that can happen on an air, for the tests of account and repetition.

use crate::rig::*;
use kube_air::{
    AirConfig, Chip, DropRule, Frames, Identical, NoiseSource, Position, Record, Recorder,
    Sighting, Totals,
};

/// All that a run leaves.
pub struct Run {
    pub stations: usize,
    pub totals: Totals,
    pub listener: Totals,
    pub records: Vec<Record>,
    pub seen: Vec<Sighting>,
    /// A capture of everything: an interface for each station, and the tap.
    pub file: Vec<u8>,
}

/// Acknowledging and plain stations that send at random on an air with distances, losses, bit
/// errors, noise and a carrier, for 200 ms. Chips live on as many threads as asked for.
pub fn mixture(seed: u64, threads: usize) -> Run {
    const STATIONS: usize = 24;
    let config = AirConfig {
        seed,
        loss: 0.02,
        ack_loss: 0.05,
        bit_error_rate: 1e-4,
        identical: Identical::Probability(0.5),
        keep_log: true,
        ..AirConfig::default()
    };
    let mut rig = Rig::with(STATIONS + 1, config);
    for at in 0..STATIONS {
        // A grid of 30 by 20 metres.
        let place = Position::flat(6.0 * (at % 6) as f64, 6.0 * (at / 6) as f64);
        rig.air.set_position(rig.stations[at], place);
        if at % 2 == 0 {
            write(rig.chip(at), START, 0x01, 0x3f);
            write(rig.chip(at), START, 0x04, 0x13);
        }
        rig.listen(at);
    }
    rig.air.set_listener_position(rig.tap, Position::flat(15.0, 10.0));
    let everything = rig.air.add_tap();
    rig.air.set_tap_position(everything, Position::flat(15.0, 10.0));
    rig.air.add_noise_source(NoiseSource {
        gap_ns: 4 * MS,
        burst_ns: 700 * US,
        channels: 0..=20,
        level_dbm: -70,
    });
    // The last station is a test set that sends a carrier for a while.
    write(rig.chip(STATIONS), START, 0x06, 0x96);
    write(rig.chip(STATIONS), START, 0x00, SENDER);
    let mut states: Vec<u64> = (0..STATIONS as u64).map(|at| seed * 1_000 + at).collect();
    for round in 0..2_000u64 {
        let now_ns = START + round * 100 * US;
        rig.chip(STATIONS).enable(now_ns, (900..1_000).contains(&round));
        let act = |at: usize, chip: &mut Chip, state: &mut u64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            match *state >> 40 & 255 {
                0..=2 => {
                    chip.enable(now_ns, false);
                    write(chip, now_ns, 0x07, 0x70);
                    command(chip, now_ns, &[FLUSH_TX]);
                    write(chip, now_ns, 0x00, SENDER);
                    load(chip, now_ns, &payload(*state as u8));
                    chip.enable(now_ns, true);
                    chip.enable(now_ns + 10 * US, false);
                }
                3..=40 => {
                    chip.enable(now_ns, false);
                    write(chip, now_ns, 0x00, RECEIVER);
                    command(chip, now_ns, &[FLUSH_RX]);
                    chip.enable(now_ns, true);
                }
                41 if at == 5 => chip.brown_out(now_ns),
                _ => {}
            }
            // Along its own time line, as a machine would.
            chip.interrupt(now_ns + 12 * US);
        };
        let mut crowd: Vec<_> = rig
            .chips
            .iter_mut()
            .take(STATIONS)
            .zip(&mut states)
            .enumerate()
            .filter_map(|(at, (chip, state))| chip.as_mut().map(|chip| (at, chip, state)))
            .collect();
        let share = crowd.len().div_ceil(threads);
        std::thread::scope(|scope| {
            for part in crowd.chunks_mut(share) {
                let mut work =
                    move || part.iter_mut().for_each(|(at, chip, state)| act(*at, chip, state));
                if threads > 1 {
                    scope.spawn(work);
                } else {
                    work();
                }
            }
        });
        if round == 500 {
            let (from, to) = (Some(rig.stations[2]), None);
            rig.air.drop(DropRule { from, to, frames: Frames::Any, skip: 3, count: 30 });
        }
        rig.run_to(now_ns + 100 * US);
    }
    for chip in rig.chips.iter_mut().flatten() {
        chip.enable(START + 200 * MS, false);
        command(chip, START + 200 * MS, &[FLUSH_TX]);
    }
    rig.run_to(START + 220 * MS);
    let (records, seen) = (rig.log(), rig.air.take_seen(everything));
    let mut recorder = Recorder::new(Vec::new()).expect("memory takes it");
    for (at, &id) in rig.stations.iter().enumerate() {
        recorder.add_station(id, &format!("station {at}")).expect("memory takes it");
    }
    let tap = recorder.add_tap("tap").expect("memory takes it");
    recorder.record(&records).expect("memory takes it");
    recorder.see(tap, &seen).expect("memory takes it");
    Run {
        stations: STATIONS + 1,
        totals: rig.air.totals(),
        listener: rig.air.listener_totals(rig.tap),
        records,
        seen,
        file: recorder.finish(),
    }
}
