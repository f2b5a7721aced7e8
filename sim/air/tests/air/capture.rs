//! Strong and weak, near and far: capture, sensitivity, distance, and what a tap shows of it.

use crate::rig::*;
use kube_air::{AirConfig, Identical, Outcome, Position};
use kube_proto::bits::Bits;
use kube_proto::frame::{self, Format};

/// Frames from 0 and 1, the second `gap_us` after the first, at receiver 2 with these path losses;
/// what became of them there.
fn meet(gap_ns: u64, first_db: i16, second_db: i16) -> [Outcome; 2] {
    let mut rig = Rig::new(3);
    let [zero, one, two] = rig.stations[..] else { unreachable!() };
    rig.air.link_mut(zero, two).path_loss_db = Some(first_db);
    rig.air.link_mut(one, two).path_loss_db = Some(second_db);
    rig.listen(2);
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.run_to(START + MS + gap_ns);
    rig.send(1, 2);
    rig.run_to(START + 3 * MS);
    let log = rig.outcomes();
    [log[0][2], log[1][2]]
}

#[test]
fn the_stronger_frame_is_received_if_it_is_10_db_above() {
    use Outcome::{Collision, Delivered};
    // First and stronger.
    assert_eq!(meet(100 * US, 50, 60), [Delivered, Collision]);
    assert_eq!(meet(100 * US, 50, 59), [Collision, Collision]);
    // Stronger and within the preamble of the first: 8 us.
    assert_eq!(meet(7_999, 60, 50), [Collision, Delivered]);
    assert_eq!(meet(7_999, 59, 50), [Collision, Collision]);
    // Stronger but too late: the receiver is at the first.
    assert_eq!(meet(8_000, 60, 50), [Collision, Collision]);
    assert_eq!(meet(320 * US, 60, 50), [Delivered, Delivered]);
}

#[test]
fn the_sum_of_the_disturbers_counts_and_only_while_they_last() {
    // 0 is received at -50 dBm, 200 us after the start. Disturbers with another address at -62 dBm:
    // two together make -59.
    for (first_us, second_us, outcome) in
        [(250, 260, Outcome::Collision), (0, 400, Outcome::Delivered)]
    {
        let mut rig = Rig::new(4);
        let three = rig.stations[3];
        for (at, loss_db) in [(0, 50), (1, 62), (2, 62)] {
            let from = rig.stations[at];
            rig.air.link_mut(from, three).path_loss_db = Some(loss_db);
        }
        for at in [1, 2] {
            command(rig.chip(at), START, &[0x30, 1, 2, 3, 4, 5]);
        }
        rig.listen(3);
        let mut sends = [(200, 0), (first_us, 1), (second_us, 2)];
        sends.sort_unstable();
        for (at_us, station) in sends {
            rig.run_to(START + MS + at_us * US);
            rig.send(station, station as u8);
        }
        rig.run_to(START + 4 * MS);
        let log = rig.log();
        let wanted = log.iter().find(|r| r.flight.sender.index() == 0).expect("it was sent");
        assert_eq!(wanted.outcomes[3], outcome, "{first_us} and {second_us} us");
    }
}

#[test]
fn a_frame_that_cannot_be_received_does_not_keep_the_receiver() {
    // 1 sends to another address: it disturbs, 12 dB below, but nobody is at it.
    let mut rig = Rig::new(3);
    let [zero, one, two] = rig.stations[..] else { unreachable!() };
    rig.air.link_mut(zero, two).path_loss_db = Some(50);
    rig.air.link_mut(one, two).path_loss_db = Some(62);
    command(rig.chip(1), START, &[0x30, 1, 2, 3, 4, 5]);
    rig.listen(2);
    rig.run_to(START + MS);
    rig.send(1, 1);
    rig.run_to(START + MS + 100 * US);
    rig.send(0, 2);
    rig.run_to(START + 3 * MS);
    let log = rig.outcomes();
    assert_eq!([log[0][2], log[1][2]], [Outcome::WrongAddress, Outcome::Delivered]);
}

#[test]
fn below_the_sensitivity_nothing_is_received() {
    for (setup, rate, limit_db) in [(0x06, "1M", 85), (0x0e, "2M", 82), (0x26, "250k", 94)] {
        for (loss_db, outcome) in [(limit_db, Outcome::Delivered), (limit_db + 1, Outcome::TooWeak)]
        {
            let mut rig = Rig::new(2);
            let [zero, one] = rig.stations[..] else { unreachable!() };
            rig.air.link_mut(zero, one).path_loss_db = Some(loss_db);
            (0..2).for_each(|at| write(rig.chip(at), START, 0x06, setup));
            rig.listen(1);
            rig.run_to(START + MS);
            rig.send(0, 1);
            rig.run_to(START + 4 * MS);
            assert_eq!(rig.outcomes()[0][1], outcome, "{rate} at -{loss_db} dBm");
        }
    }
}

#[test]
fn power_and_distance_decide_who_hears() {
    // 40 dB over the first metre, 27 for each tenfold: -85 dBm is reached at 46 m with 0 dBm, at 10
    // m with -18 dBm.
    for (setup, metres, outcome) in [
        (0x06, 46.0, Outcome::Delivered),
        (0x06, 47.0, Outcome::TooWeak),
        (0x00, 10.0, Outcome::Delivered),
        (0x00, 10.1, Outcome::TooWeak),
    ] {
        let mut rig = Rig::new(2);
        let [zero, one] = rig.stations[..] else { unreachable!() };
        rig.air.set_position(zero, Position::default());
        rig.air.set_position(one, Position::flat(metres, 0.0));
        write(rig.chip(0), START, 0x06, setup);
        rig.listen(1);
        rig.run_to(START + MS);
        rig.send(0, 1);
        rig.run_to(START + 2 * MS);
        assert_eq!(rig.outcomes()[0][1], outcome, "{setup:02x} at {metres} m");
    }
}

#[test]
fn merging_can_be_a_matter_of_chance() {
    let config = AirConfig { identical: Identical::Probability(0.5), seed: 3, ..logged() };
    let mut rig = wirth(3, config);
    write(rig.chip(0), SENT, 0x04, 0x10);
    let mut acknowledged = 0;
    for round in 0..200 {
        let now_ns = SENT + round * 3 * MS;
        rig.send(0, round as u8);
        rig.run_to(now_ns + 3 * MS);
        acknowledged += u32::from(read(rig.chip(0), now_ns + 3 * MS, 0x07) & 0x20 != 0);
        write(rig.chip(0), now_ns + 3 * MS, 0x07, 0x70);
        command(rig.chip(0), now_ns + 3 * MS, &[FLUSH_TX]);
        for station in [1, 2] {
            command(rig.chip(station), now_ns + 3 * MS, &[FLUSH_RX]);
        }
    }
    // Standard deviation 7.
    assert!((65..=135).contains(&acknowledged), "{acknowledged} of 200, seed {}", config.seed);
}

#[test]
fn a_tap_sees_good_frames_and_bad_ones_on_all_channels() {
    let mut rig = Rig::new(3);
    let tap = rig.air.add_tap();
    rig.run_to(START + MS);
    write(rig.chip(2), START + MS, 0x05, 77);
    write(rig.chip(2), START + MS, 0x06, 0x0e);
    rig.send(2, 3);
    rig.send(0, 1);
    rig.run_to(START + MS + 200 * US);
    rig.send(1, 2);
    rig.run_to(START + 3 * MS);
    let seen = rig.air.take_seen(tap);
    let facts: Vec<_> =
        seen.iter().map(|s| (s.flight.sender.index(), s.flight.channel, s.outcome)).collect();
    use Outcome::{Collision, Delivered};
    assert_eq!(facts, [(2, 77, Delivered), (0, 5, Collision), (1, 5, Collision)]);
    // What collides arrives damaged, and only where it was disturbed.
    let good = |bits: &Bits| frame::decode(bits, &Format::KUBE).is_ok_and(|decoded| decoded.crc_ok);
    assert_eq!(seen.iter().map(|s| good(&s.bits)).collect::<Vec<_>>(), [true, false, false]);
    let damage = |s: &kube_air::Sighting| {
        (0..320).filter(|&at| s.bits.read(at, 1) != s.flight.bits.read(at, 1)).collect::<Vec<_>>()
    };
    let (first, second) = (damage(&seen[1]), damage(&seen[2]));
    assert!(first.iter().all(|&at| at >= 200) && first.len() > 30, "{first:?}");
    assert!(second.iter().all(|&at| at < 120) && second.len() > 30, "{second:?}");
    assert_eq!(seen[0].level_dbm, -50);
}
