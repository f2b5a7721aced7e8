//! What is on the air beside frames, and what spoils them: noise, carriers, bit errors, loss, drops
//! by script; and how RPD sees it.

use crate::rig::*;
use kube_air::{
    AirConfig, Chip, ChipConfig, DropRule, Frames, Noise, NoiseSource, Outcome, Variant,
};
use kube_proto::frame::{self, Format};

fn rpd(rig: &mut Rig, station: usize, at_ns: u64) -> u8 {
    rig.run_to(at_ns);
    read(rig.chip(station), at_ns, 0x09)
}

fn burst(start_ns: u64, end_ns: u64, level_dbm: i16) -> Noise {
    Noise { start_ns, end_ns, channels: 3..=7, level_dbm }
}

#[test]
fn noise_disturbs_the_frames_it_meets() {
    // A frame at -50 dBm from 130 to 450 us.
    for (noise, outcome) in [
        (burst(START + MS, START + MS + 130 * US, -20), Outcome::Delivered),
        (burst(START + MS, START + MS + 131 * US, -20), Outcome::Collision),
        (burst(START + MS + 449 * US, START + 2 * MS, -20), Outcome::Collision),
        (burst(START + MS + 450 * US, START + 2 * MS, -20), Outcome::Delivered),
        (burst(START, START + 3 * MS, -60), Outcome::Delivered),
        (burst(START, START + 3 * MS, -59), Outcome::Collision),
        (Noise { channels: 6..=80, ..burst(START, START + 3 * MS, -20) }, Outcome::Delivered),
    ] {
        let mut rig = Rig::new(2);
        rig.listen(1);
        rig.air.add_noise(&noise);
        rig.run_to(START + MS);
        rig.send(0, 1);
        rig.run_to(START + 3 * MS);
        assert_eq!(rig.outcomes()[0][1], outcome, "{noise:?}");
        assert_eq!(rig.air.collided(rig.tap), u64::from(outcome == Outcome::Collision));
    }
}

#[test]
fn noise_that_begins_in_mid_frame_is_felt() {
    let mut rig = Rig::new(2);
    rig.listen(1);
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.run_to(START + MS + 300 * US);
    rig.air.add_noise(&burst(0, START + 3 * MS, -50));
    rig.run_to(START + 3 * MS);
    assert_eq!(rig.outcomes()[0][1], Outcome::Collision);
}

#[test]
fn a_source_of_bursts_costs_its_share_of_frames() {
    let mut rig = Rig::with(2, AirConfig { seed: 9, keep_log: true, ..AirConfig::default() });
    rig.listen(1);
    // A burst of 1 ms after every 4 ms on average: a frame of 320 us meets one with 1.32 / 5.
    let (gap_ns, burst_ns) = (4 * MS, MS);
    rig.air.add_noise_source(NoiseSource { gap_ns, burst_ns, channels: 0..=80, level_dbm: -40 });
    for round in 0..1_000 {
        let now_ns = START + round * 730 * US;
        rig.send(0, 1);
        rig.run_to(now_ns + 730 * US);
        command(rig.chip(1), now_ns + 730 * US, &[FLUSH_RX]);
    }
    let collided = rig.air.totals().count(Outcome::Collision);
    assert!((190..340).contains(&collided), "{collided} of 1000, seed 9");
}

#[test]
fn rpd_sums_the_power_of_all_signals() {
    // Alone -66 dBm is not seen; two of them together are -63.
    for (sources, seen) in [(1, 0), (2, 1)] {
        let mut rig = Rig::new(1);
        rig.listen(0);
        for _ in 0..sources {
            rig.air.add_noise(&burst(START, START + 10 * MS, -66));
        }
        assert_eq!(rpd(&mut rig, 0, START + MS), seen);
    }
    for (level_dbm, seen) in [(-65, 0), (-64, 1)] {
        let mut rig = Rig::new(1);
        rig.listen(0);
        rig.air.add_noise(&burst(START, START + 10 * MS, level_dbm));
        assert_eq!(rpd(&mut rig, 0, START + MS), seen, "{level_dbm} dBm");
    }
}

#[test]
fn rpd_latches_when_ce_falls_and_forgets_when_it_rises() {
    let mut rig = Rig::new(1);
    rig.listen(0);
    rig.air.add_noise(&burst(START, START + MS, -40));
    assert_eq!(rpd(&mut rig, 0, START + 169 * US), 0, "130 us of settling and 40 of reception");
    assert_eq!(rpd(&mut rig, 0, START + 170 * US), 1);
    rig.chip(0).enable(START + 500 * US, false);
    assert_eq!(rpd(&mut rig, 0, START + 5 * MS), 1, "latched");
    rig.chip(0).enable(START + 5 * MS, true);
    assert_eq!(rpd(&mut rig, 0, START + 6 * MS), 0);
    // A signal that ends while CE is high leaves nothing, as no packet was received.
    rig.air.add_noise(&burst(START + 7 * MS, START + 8 * MS, -40));
    assert_eq!(rpd(&mut rig, 0, START + 7 * MS + 500 * US), 1);
    assert_eq!(rpd(&mut rig, 0, START + 9 * MS), 0);
}

#[test]
fn the_carrier_detector_of_the_non_plus_chip_needs_128_us() {
    let mut rig = Rig::new(1);
    let mut chip = Chip::with(0, ChipConfig { variant: Variant::NonPlus, ..ChipConfig::default() });
    set_up(&mut chip, RESET_NS, RECEIVER);
    rig.chips[0] = Some(chip);
    rig.listen(0);
    rig.run_to(START + 10 * MS);
    rig.air.add_noise(&burst(START + 10 * MS, START + 20 * MS, -40));
    assert_eq!(rpd(&mut rig, 0, START + 10 * MS + 127 * US), 0);
    assert_eq!(rpd(&mut rig, 0, START + 10 * MS + 128 * US), 1);
}

#[test]
fn a_continuous_carrier_jams_its_channel_and_shows_in_rpd() {
    let mut rig = Rig::new(3);
    rig.listen(1);
    write(rig.chip(2), START, 0x00, SENDER);
    write(rig.chip(2), START, 0x06, 0x96);
    rig.run_to(START + MS);
    assert_eq!(rpd(&mut rig, 1, START + MS), 0, "not without CE");
    rig.chip(2).enable(START + MS, true);
    assert_eq!(rpd(&mut rig, 1, START + MS + 169 * US), 0, "settling");
    assert_eq!(rpd(&mut rig, 1, START + MS + 170 * US), 1, "40 us later");
    rig.send(0, 1);
    rig.run_to(START + 2 * MS);
    rig.chip(2).enable(START + 2 * MS, false);
    rig.run_to(START + 3 * MS);
    assert_eq!(rpd(&mut rig, 1, START + 3 * MS), 0);
    rig.send(0, 2);
    rig.run_to(START + 4 * MS);
    let log = rig.outcomes();
    assert_eq!([log[0][1], log[1][1]], [Outcome::Collision, Outcome::Delivered]);
    // The test set itself was deaf meanwhile.
    assert_eq!(log[0][2], Outcome::Transmitting);
    assert_eq!(rig.air.totals().flights, 2, "a carrier is no frame");
    assert_eq!(rig.chip(2).lints().count(kube_air::Lint::CarrierWithoutLock), 0);
}

#[test]
fn bit_errors_flip_real_bits_and_the_checksum_rejects_the_frame() {
    let config =
        AirConfig { bit_error_rate: 1e-3, keep_log: true, seed: 5, ..AirConfig::default() };
    let mut rig = Rig::with(2, config);
    rig.listen(1);
    rig.run_to(START + MS);
    for round in 0..1_000 {
        let now_ns = START + MS + round * 500 * US;
        rig.send(0, 1);
        rig.run_to(now_ns + 500 * US);
        command(rig.chip(1), now_ns + 500 * US, &[FLUSH_RX]);
    }
    let totals = rig.air.totals();
    let [delivered, crc, garbled] =
        [Outcome::Delivered, Outcome::Crc, Outcome::Garbled].map(|outcome| totals.count(outcome));
    assert_eq!(delivered + crc + garbled, 1_000);
    // 312 bits behind the preamble are right with 0.999^312 = 73.2 %, 40 of address with 96.1 %.
    assert!((690..=775).contains(&delivered), "{delivered}, seed 5");
    assert!((15..=65).contains(&garbled), "{garbled}, seed 5");
    for record in rig.log() {
        let Some((_, reception)) = record.receptions.first() else {
            assert_eq!(record.outcomes[1], Outcome::Garbled);
            continue;
        };
        let intact = reception.bits == record.flight.bits;
        let decoded = frame::decode(&reception.bits, &Format::KUBE).expect("its length is right");
        assert_eq!(decoded.crc_ok, record.outcomes[1] == Outcome::Delivered);
        assert!(intact || reception.bits.read(0, 8) != 0xaa || !decoded.crc_ok);
    }
}

#[test]
fn data_and_acknowledgements_are_lost_apart() {
    for (loss, ack_loss, data_lost, acks_lost) in [(1.0, 0.0, 4, 0), (0.0, 1.0, 0, 4)] {
        let mut rig = wirth(2, AirConfig { loss, ack_loss, ..logged() });
        write(rig.chip(0), SENT, 0x04, 0x13);
        rig.send(0, 1);
        rig.run_to(SENT + 5 * MS);
        let log = rig.log();
        let lost = |acknowledgement| {
            let of = log.iter().filter(|r| r.flight.acknowledgement == acknowledgement);
            of.filter(|r| r.outcomes.contains(&Outcome::Lost)).count()
        };
        assert_eq!((lost(false), lost(true)), (data_lost, acks_lost));
    }
}

#[test]
fn a_script_drops_the_nth_frame() {
    let mut rig = Rig::new(3);
    rig.listen(1);
    rig.listen(2);
    let [zero, one, _] = rig.stations[..] else { unreachable!() };
    let (from, to) = (Some(zero), Some(one));
    rig.air.drop(DropRule { from, to, frames: Frames::Data, skip: 1, count: 2 });
    rig.run_to(START + MS);
    for round in 1..=5 {
        rig.send(0, round as u8);
        rig.run_to(START + (1 + round) * MS);
        command(rig.chip(1), START + (1 + round) * MS, &[FLUSH_RX]);
        command(rig.chip(2), START + (1 + round) * MS, &[FLUSH_RX]);
    }
    let log = rig.outcomes();
    use Outcome::{Delivered, Scripted};
    let at = |station: usize| log.iter().map(|outcomes| outcomes[station]).collect::<Vec<_>>();
    assert_eq!(at(1), [Delivered, Scripted, Scripted, Delivered, Delivered]);
    assert_eq!(at(2), [Delivered; 5]);
}

#[test]
fn a_script_drops_one_acknowledgement() {
    let mut rig = wirth(2, logged());
    write(rig.chip(0), SENT, 0x04, 0x13);
    rig.air.drop(DropRule { frames: Frames::Acknowledgements, ..DropRule::default() });
    rig.send(0, 1);
    rig.run_to(SENT + 5 * MS);
    use Outcome::{Acknowledged, Delivered, Duplicate, Scripted, Sender};
    let want =
        [[Sender, Delivered], [Scripted, Sender], [Sender, Duplicate], [Acknowledged, Sender]];
    assert_eq!(rig.outcomes(), want);
}

#[test]
fn a_station_that_browns_out_in_mid_frame_loses_what_it_was_sending_and_hearing() {
    let mut rig = Rig::new(3);
    rig.listen(1);
    rig.listen(2);
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.run_to(START + MS + 300 * US);
    rig.chip(1).brown_out(START + MS + 300 * US);
    rig.run_to(START + 2 * MS);
    rig.send(0, 2);
    rig.run_to(START + 2 * MS + 300 * US);
    rig.chip(0).brown_out(START + 2 * MS + 300 * US);
    rig.run_to(START + 3 * MS);
    use Outcome::{Delivered, PoweredDown, Sender, Truncated};
    let log = rig.log();
    assert_eq!(log[0].outcomes, [Sender, PoweredDown, Delivered]);
    assert_eq!(log[1].outcomes, [Sender, PoweredDown, Truncated]);
    assert_eq!(read(rig.chip(0), START + 200 * MS, 0x05), 2, "registers as after power-on");
}
