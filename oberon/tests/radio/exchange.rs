//! Two stations of ours that talk.

use crate::rig::{Port, Rig, disk, sum, system};
use kube_air::{ChipConfig, Variant};
use kube_emu::Config;

pub const KUBE: &str = "Radio.Start;Partner.Start";
const WIRTH: &str = "Radio.Wirth;Radio.Start;Partner.Start";

/// All are on the air.
pub fn up(mut rig: Rig) -> Rig {
    for at in 0..rig.stations.len() {
        rig.expect(at, "partner up", 3_000);
    }
    rig
}

/// A packet of that length from the one to the other.
fn carries(rig: &mut Rig, from: usize, to: usize, len: u32) {
    rig.command_slowly(from, &format!("Partner.Send 112 {len}"));
    let line = rig.expect(to, "heard 112", 1_000);
    assert_eq!(line, format!("heard 112 len {len} sum {}", sum(112, len)));
}

#[test]
fn two_kube_stations_exchange_packets() {
    let mut rig = up(Rig::of(&[KUBE, KUBE]));
    for len in [0, 1, 24, 25, 56, 88, 511, 512] {
        carries(&mut rig, 0, 1, len);
        carries(&mut rig, 1, 0, len);
    }
    assert!(rig.heard().iter().all(|frame| frame.control.is_none() && frame.crc_ok));
    assert_eq!(rig.count(0, "sent"), 1 + 1 + 1 + 2 + 2 + 3 + 17 + 17);
    assert_eq!(rig.count(0, "heard"), 44);
    assert_eq!(rig.count(1, "overruns"), 0);
}

#[test]
fn two_wirth_stations_exchange_packets() {
    let mut rig = up(Rig::of(&[WIRTH, WIRTH]));
    for len in [0, 1, 24, 25, 88, 512] {
        carries(&mut rig, 0, 1, len);
        carries(&mut rig, 1, 0, len);
    }
    assert!(rig.heard().iter().all(|frame| frame.control.is_some() && frame.crc_ok));
    assert_eq!(rig.count(0, "sent"), 1 + 1 + 1 + 2 + 3 + 17);
    assert_eq!(rig.count(0, "abandoned"), 0);
    // Both queue a packet at the same moment: neither is lost.
    rig.command(0, "Partner.Send 113 88");
    rig.command(1, "Partner.Send 114 88");
    rig.expect(1, "heard 113 len 88", 1_000);
    rig.expect(0, "heard 114 len 88", 1_000);
}

#[test]
fn a_wirth_station_gives_a_silent_partner_up_and_does_not_send_it_old_frames() {
    let mut rig = up(Rig::of(&[WIRTH, WIRTH]));
    rig.command(1, "Radio.Stop");
    rig.run_ms(50);
    rig.command(0, "Partner.Send 112 88");
    rig.run_ms(3_000);
    assert_eq!(rig.count(0, "unacknowledged"), 50);
    assert_eq!(rig.count(0, "abandoned"), 1);
    rig.command(1, "Radio.Start");
    rig.run_ms(50);
    rig.command(0, "Partner.Send 113 24");
    let line = rig.expect(1, "heard", 1_000);
    assert_eq!(line, format!("heard 113 len 24 sum {}", sum(113, 24)));
}

/// Packets of one frame: a receiver waits 50 ms for the next frame of a longer one, as long as a
/// sender pauses between tries, so the profile does not promise to carry those over such an air.
#[test]
fn a_wirth_station_repeats_what_was_lost() {
    let mut rig = up(Rig::of(&[WIRTH, WIRTH]));
    rig.air.set_loss(0.4);
    for typ in 100..130 {
        rig.command(0, &format!("Partner.Send {typ} 24"));
        let line = rig.expect(1, "heard", 3_000);
        assert_eq!(line, format!("heard {typ} len 24 sum {}", sum(typ, 24)));
    }
}

/// Whether CE going low ends an acknowledgement is not known, so nothing may depend on it.
#[test]
fn wirth_stations_whose_acknowledgements_ce_cuts_off_lose_nothing() {
    let config = ChipConfig { ce_low_aborts_ack: true, ..ChipConfig::default() };
    let mut rig = up(Rig::with(&[WIRTH, WIRTH], || Port::of(config)));
    for _ in 0..5 {
        carries(&mut rig, 0, 1, 512);
        carries(&mut rig, 1, 0, 88);
    }
}

#[test]
fn clones_that_need_no_second_bank_do_in_both_profiles() {
    for variant in [Variant::NonPlus, Variant::Si24r1] {
        let config = ChipConfig { variant, ..ChipConfig::default() };
        for commands in [KUBE, WIRTH] {
            let mut rig = up(Rig::with(&[commands, commands], || Port::of(config)));
            carries(&mut rig, 0, 1, 88);
            carries(&mut rig, 1, 0, 88);
        }
    }
}

#[test]
fn the_chip_is_used_as_its_specification_says() {
    for commands in [KUBE, WIRTH] {
        let mut rig = up(Rig::of(&[commands, commands]));
        carries(&mut rig, 0, 1, 512);
        carries(&mut rig, 1, 0, 512);
        rig.command(1, "Radio.Stop");
        rig.command(0, "Partner.Send 113 24");
        rig.run_ms(3_000);
        for station in &rig.stations {
            let chip = station.machine.radio().chip.as_ref().expect("a chip");
            assert_eq!(chip.lints().broken().collect::<Vec<_>>(), [], "{commands}");
        }
    }
}

#[test]
fn no_call_of_the_driver_takes_two_milliseconds() {
    for clock_hz in [25_000_000, 50_000_000] {
        for (commands, partners) in [(KUBE, 1), (KUBE, 2), (WIRTH, 1), (WIRTH, 2)] {
            // Without a partner a wirth station tries in vain: that takes longest.
            let mut rig = Rig::new();
            for _ in 0..partners {
                let config = Config { clock_hz, ..Config::ours(system().prom.clone()) };
                rig.add(config, disk(commands), Port::chip());
            }
            let mut rig = up(rig);
            rig.command(0, "Partner.Longest");
            let line = rig.expect(0, "longest ", 4_000);
            let us = line.rsplit(' ').next().and_then(|text| text.parse::<u32>().ok());
            assert!(
                us.is_some_and(|us| us < 2_000),
                "{clock_hz} Hz, {commands}, {partners}: {line}"
            );
        }
    }
}

#[test]
fn the_profiles_do_not_hear_each_other() {
    let mut rig = up(Rig::of(&[KUBE, WIRTH]));
    rig.command(0, "Partner.Send 112 24");
    rig.run_ms(200);
    assert_eq!(rig.count(1, "heard"), 0);
}

#[test]
fn kube_stations_exchange_packets_at_2_mbit_on_a_named_channel_and_address() {
    let fast = "Radio.Kube 85 2;Radio.Address 17 22334455H;Radio.Start;Partner.Start";
    let mut rig = up(Rig::of(&[fast, fast, "Radio.Kube 85 2;Radio.Start;Partner.Start"]));
    carries(&mut rig, 0, 1, 512);
    carries(&mut rig, 1, 0, 88);
    assert_eq!(rig.count(2, "heard"), 0, "another address");
    rig.command(0, "Radio.Show");
    rig.expect(0, "radio: up, profile kube, channel 85, Mbit/s 2", 200);
}

#[test]
fn reference_machines_without_a_microsecond_counter_exchange_packets() {
    for commands in [KUBE, WIRTH] {
        let mut rig = Rig::new();
        for _ in 0..2 {
            rig.add(Config::compat(system().prom.clone()), disk(commands), Port::chip());
        }
        let mut rig = up(rig);
        for len in [24, 88] {
            carries(&mut rig, 0, 1, len);
            carries(&mut rig, 1, 0, len);
        }
        for station in &rig.stations {
            let chip = station.machine.radio().chip.as_ref().expect("a chip");
            assert_eq!(chip.lints().broken().collect::<Vec<_>>(), [], "{commands}");
        }
    }
}

#[test]
fn a_chip_that_stands_no_fast_clock_is_talked_to_slowly() {
    let mut rig = Rig::new();
    for slow_only in [true, false] {
        let mut port = Port::chip();
        port.slow_only = slow_only;
        rig.add(Config::ours(system().prom.clone()), disk(KUBE), port);
    }
    let mut rig = up(rig);
    carries(&mut rig, 0, 1, 88);
    carries(&mut rig, 1, 0, 88);
}

#[test]
fn two_that_talk_at_once_hear_each_other_first() {
    for late_ms in [0, 7, 14, 21] {
        let mut rig = up(Rig::of(&[KUBE, KUBE]));
        rig.run_ms(late_ms);
        for _ in 0..40 {
            rig.command(0, "Partner.Send 112 24 12");
            rig.command(1, "Partner.Send 113 24 12");
            rig.run_ms(100);
        }
        let busy = rig.count(0, "air busy") + rig.count(1, "air busy");
        assert!(busy > 0, "they notice each other");
        for at in 0..2 {
            assert_eq!(rig.count(at, "sent"), 480);
            let heard = rig.count(at, "heard");
            // Both begin at the same moment, and as fast as they can; ten rounds differ widely.
            assert!(heard >= 320, "{heard} of 480, {late_ms} ms late");
        }
    }
}
