//! What the driver counts, and that its counts are right.

use crate::exchange::{KUBE, up};
use crate::rig::{MS, Rig};
use kube_air::Noise;

#[test]
fn a_machine_that_looks_away_counts_a_full_chip_and_a_broken_packet() {
    let mut rig = up(Rig::of(&[KUBE, KUBE]));
    rig.command(1, "Partner.Sleep");
    rig.command(0, "Partner.Send 112 512");
    rig.run_ms(300);
    assert_eq!(rig.count(0, "sent"), 17);
    assert_eq!(rig.count(1, "heard"), 3, "as many as the chip holds");
    assert_eq!(rig.count(1, "overruns"), 1);
    assert_eq!(rig.count(1, "broken"), 1);
    assert!(!rig.stations[1].log.contains("heard 112"), "half a packet is none");
}

#[test]
fn a_noisy_air_is_waited_for_and_counted() {
    let mut rig = up(Rig::of(&[KUBE, KUBE]));
    let start_ns = rig.air.now_ns();
    let noise = Noise { start_ns, end_ns: start_ns + 30 * MS, channels: 0..=20, level_dbm: -50 };
    rig.air.add_noise(&noise);
    rig.heard();
    rig.command(0, "Partner.Send 112 24");
    rig.expect(1, "heard 112 len 24", 200);
    let first_ns = rig.heard()[0].start_ns;
    assert!(first_ns > start_ns + 30 * MS, "{} us into it", (first_ns - start_ns) / 1_000);
    assert!(rig.count(0, "air busy") >= 1);
    assert_eq!(rig.count(0, "collided"), 1, "a carrier that brought no frame");
}

#[test]
fn noise_that_never_ends_does_not_silence_a_station() {
    let mut rig = up(Rig::of(&[KUBE, KUBE]));
    let start_ns = rig.air.now_ns();
    let noise = Noise { start_ns, end_ns: u64::MAX, channels: 0..=20, level_dbm: -60 };
    rig.air.add_noise(&noise);
    rig.command(0, "Partner.Send 112 24");
    rig.run_ms(1_000);
    assert_eq!(rig.count(0, "sent"), 1, "after a dozen looks it sends all the same");
}

#[test]
fn packets_without_a_place_to_go_are_refused_and_counted() {
    let mut rig = Rig::of(&["Partner.Start"]);
    rig.run_ms(1_000);
    rig.command(0, "Partner.Send 112 24 5");
    rig.run_ms(50);
    assert_eq!(rig.count(0, "refused"), 5, "the radio is off");
    rig.command(0, "Radio.Wirth");
    rig.command(0, "Radio.Start");
    rig.run_ms(100);
    // A wirth station waits before each packet: the queue of 40 frames is full after two.
    rig.command(0, "Partner.Send 112 512 5");
    rig.run_ms(20);
    assert_eq!(rig.count(0, "refused"), 5 + 3);
}
