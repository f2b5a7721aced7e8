//! Enhanced ShockBurst: acknowledgement, retries, identities, duplicates.

use crate::rig::*;
use kube_air::{AirConfig, Chip, Identical, Outcome, Timing};

/// Stations with the chip's reset values for auto-acknowledge: all pipes, 3 retries of 250 us.
fn rig(stations: usize, config: AirConfig) -> Rig {
    let mut rig = Rig::with(stations, config);
    for station in 0..stations {
        write(rig.chip(station), START, 0x01, 0x3f);
        write(rig.chip(station), START, 0x04, 0x03);
        if station > 0 {
            rig.listen(station);
        }
    }
    rig.run_to(SENT);
    rig
}

const SENT: u64 = START + MS;

fn logged() -> AirConfig {
    AirConfig { keep_log: true, ..AirConfig::default() }
}

#[test]
fn an_exchange_takes_662_us() {
    let mut rig = rig(2, logged());
    rig.send(0, 1);
    rig.run_to(SENT + 661 * US);
    assert_eq!(read(rig.chip(0), SENT + 661 * US, 0x07) & 0x70, 0);
    rig.run_to(SENT + 662 * US);
    assert_eq!(read(rig.chip(0), SENT + 662 * US, 0x07), 0x2e, "TX_DS");
    assert_eq!(read(rig.chip(0), SENT + 662 * US, 0x17), 0x11);
    assert_eq!(read(rig.chip(0), SENT + 662 * US, 0x08), 0x00);
    rig.run_to(SENT + 2 * MS);
    use Outcome::{Acknowledged, Delivered, Sender};
    let log = rig.log();
    assert_eq!(log[0].outcomes, [Sender, Delivered]);
    assert_eq!(log[1].outcomes, [Acknowledged, Sender]);
    assert_eq!(log[1].flight.start_ns, SENT + 589 * US);
    // The golden acknowledgement of PID 1.
    let bytes = log[1].flight.bits;
    assert_eq!(bytes.as_bytes(), [0xaa, 0xe7, 0xe7, 0xe7, 0xe7, 0xe7, 0xcd, 0x60, 0x13, 0x00]);
    assert_eq!(fetch(rig.chip(1), SENT + 2 * MS), payload(1));
}

#[test]
fn without_an_answer_max_rt_comes_after_2446_us_and_the_payload_stays() {
    let mut rig = rig(1, logged());
    rig.send(0, 1);
    rig.run_to(SENT + 2_445 * US);
    assert_eq!(read(rig.chip(0), SENT + 2_445 * US, 0x07) & 0x70, 0);
    rig.run_to(SENT + 2_446 * US);
    assert_eq!(read(rig.chip(0), SENT + 2_446 * US, 0x07), 0x1e, "MAX_RT");
    assert_eq!(read(rig.chip(0), SENT + 2_446 * US, 0x17), 0x01, "the payload stays");
    assert_eq!(read(rig.chip(0), SENT + 2_446 * US, 0x08), 0x13, "one lost, three retries");
    let starts: Vec<_> = rig.log().iter().map(|r| (r.flight.start_ns - SENT) / US).collect();
    assert_eq!(starts, [130, 709, 1_288, 1_867]);

    // No further transmission until the flag is cleared; then the same packet again.
    let pulse = |rig: &mut Rig, at_ns| {
        rig.chip(0).enable(at_ns, true);
        rig.chip(0).enable(at_ns + 10 * US, false);
        rig.run_to(at_ns + 4 * MS);
        rig.log()
    };
    assert_eq!(pulse(&mut rig, SENT + 3 * MS).len(), 0);
    write(rig.chip(0), SENT + 7 * MS, 0x07, 0x10);
    let again = pulse(&mut rig, SENT + 8 * MS);
    assert_eq!(again.len(), 4);
    assert_eq!(again[0].flight.bits.read(54, 2), 1, "the same PID");
}

#[test]
fn a_lost_acknowledgement_makes_two_frames_and_one_delivery() {
    let mut rig = rig(2, logged());
    write(rig.chip(0), SENT, 0x04, 0x13);
    let [sender, receiver] = rig.stations[..] else { unreachable!() };
    rig.air.set_link_loss(receiver, sender, 1.0);
    rig.send(0, 1);
    rig.run_to(SENT + 700 * US);
    rig.air.set_link_loss(receiver, sender, 0.0);
    rig.run_to(SENT + 3 * MS);
    use Outcome::{Acknowledged, Delivered, Duplicate, Lost, Sender};
    let log = rig.log();
    let outcomes: Vec<_> = log.iter().map(|record| record.outcomes.clone()).collect();
    let want = [[Sender, Delivered], [Lost, Sender], [Sender, Duplicate], [Acknowledged, Sender]];
    assert_eq!(outcomes, want);
    assert_eq!(log[0].flight.bits, log[2].flight.bits, "the same PID");
    assert_eq!(read(rig.chip(0), SENT + 3 * MS, 0x08), 0x01);
    fetch(rig.chip(1), SENT + 3 * MS);
    assert_eq!(read(rig.chip(1), SENT + 3 * MS, 0x17) & 1, 1, "stored once");
}

#[test]
fn a_retry_after_250_us_meets_a_receiver_that_turns_back() {
    // The answer ends 203 us after the frame.
    for (turn_back_us, outcome) in [(130, Outcome::Settling), (47, Outcome::Duplicate)] {
        let timing = Timing { turn_back_ns: turn_back_us * US, ..Timing::TYPICAL };
        let mut rig = rig(2, logged());
        let mut receiver = Chip::new(0, timing);
        set_up(&mut receiver, RESET_NS, RECEIVER);
        write(&mut receiver, SENT - MS, 0x01, 0x3f);
        receiver.enable(SENT - MS, true);
        rig.chips[1] = Some(receiver);
        rig.air.set_link_loss(rig.stations[1], rig.stations[0], 1.0);
        rig.send(0, 1);
        rig.run_to(SENT + 4 * MS);
        let data: Vec<_> = rig.log().into_iter().filter(|r| r.flight.sender.index() == 0).collect();
        assert_eq!(data[1].outcomes[1], outcome);
    }
}

#[test]
fn after_four_lost_packets_an_equal_payload_is_wrongly_taken_for_a_duplicate() {
    let mut rig = rig(2, logged());
    let mut at_ns = SENT;
    for round in 0..5 {
        let lost = if (1..4).contains(&round) { 1.0 } else { 0.0 };
        rig.air.set_loss(lost);
        write(rig.chip(0), at_ns, 0x07, 0x70);
        command(rig.chip(0), at_ns, &[FLUSH_TX]);
        rig.send(0, 7);
        at_ns += 4 * MS;
        rig.run_to(at_ns);
    }
    let totals = rig.air.totals();
    assert_eq!((totals.count(Outcome::Delivered), totals.count(Outcome::Duplicate)), (1, 1));
    assert_eq!(read(rig.chip(0), at_ns, 0x07) & 0x70, 0x20, "the sender believes it delivered");
}

#[test]
fn a_full_receiver_does_not_acknowledge() {
    let mut rig = rig(2, logged());
    let mut at_ns = SENT;
    for first in 1..=4 {
        write(rig.chip(0), at_ns, 0x07, 0x70);
        rig.send(0, first);
        at_ns += 4 * MS;
        rig.run_to(at_ns);
    }
    assert_eq!(read(rig.chip(0), at_ns, 0x07) & 0x70, 0x10, "MAX_RT");
    assert_eq!(rig.air.totals().count(Outcome::FifoFull), 4);
}

#[test]
fn two_receivers_acknowledge_at_once_and_a_knob_says_what_that_does() {
    for (identical, flags) in [(Identical::Merge, 0x20), (Identical::Collide, 0x10)] {
        let mut rig = rig(3, AirConfig { identical, ..logged() });
        write(rig.chip(0), SENT, 0x04, 0x13);
        rig.send(0, 1);
        rig.run_to(SENT + 5 * MS);
        assert_eq!(read(rig.chip(0), SENT + 5 * MS, 0x07) & 0x70, flags);
        let totals = rig.air.totals();
        assert_eq!(totals.count(Outcome::Delivered), 2);
        if identical == Identical::Merge {
            assert_eq!(totals.count(Outcome::Acknowledged), 1);
            assert_eq!(totals.count(Outcome::Merged), 1);
        } else {
            assert_eq!(totals.count(Outcome::Collision), 8, "two answers to each of four tries");
        }
    }
}

#[test]
fn at_250_kbit_250_us_are_too_short_for_an_answer_and_500_us_are_not() {
    for (setup, flags) in [(0x03, 0x10), (0x13, 0x20)] {
        let mut rig = Rig::with(2, logged());
        for station in 0..2 {
            for (register, value) in [(0x01, 0x3f), (0x04, setup), (0x06, 0x26)] {
                write(rig.chip(station), START, register, value);
            }
        }
        rig.listen(1);
        rig.run_to(SENT);
        rig.send(0, 1);
        rig.run_to(SENT + 10 * MS);
        assert_eq!(read(rig.chip(0), SENT + 10 * MS, 0x07) & 0x70, flags);
        assert_eq!(rig.air.totals().count(Outcome::Delivered), 1);
    }
}

#[test]
fn a_payload_that_wants_no_answer_is_sent_when_it_is_out() {
    let mut rig = rig(2, logged());
    write(rig.chip(0), SENT, 0x1d, 0x01);
    let chip = rig.chip(0);
    chip.enable(SENT, false);
    write(chip, SENT, 0x00, SENDER);
    command(chip, SENT, &[&[0xb0], &payload(1)[..]].concat());
    chip.enable(SENT, true);
    chip.enable(SENT + 10 * US, false);
    rig.run_to(SENT + 459 * US);
    assert_eq!(read(rig.chip(0), SENT + 459 * US, 0x07) & 0x70, 0x20);
    rig.run_to(SENT + 4 * MS);
    assert_eq!(rig.air.totals().flights, 1);
}

#[test]
fn dynamic_lengths_travel_in_the_control_field() {
    let mut rig = rig(2, logged());
    for station in 0..2 {
        write(rig.chip(station), SENT, 0x1d, 0x04);
        write(rig.chip(station), SENT, 0x1c, 0x01);
        rig.chip(station).enable(SENT, station == 1);
    }
    rig.run_to(SENT + MS);
    let chip = rig.chip(0);
    write(chip, SENT + MS, 0x00, SENDER);
    load(chip, SENT + MS, b"seven b");
    chip.enable(SENT + MS, true);
    chip.enable(SENT + MS + 10 * US, false);
    rig.run_to(SENT + 3 * MS);
    let log = rig.log();
    assert_eq!(log[0].flight.bits.len(), 8 + 40 + 9 + 56 + 16);
    assert_eq!(log[0].flight.bits.read(48, 6), 7);
    assert_eq!(log[1].outcomes[0], Outcome::Acknowledged);
    assert_eq!(command(rig.chip(1), SENT + 3 * MS, &[0x60, NOP])[1], 7);
    assert_eq!(fetch(rig.chip(1), SENT + 3 * MS)[..8], *b"seven b\0");
}

#[test]
fn the_next_payload_waits_for_the_answer() {
    let mut rig = rig(2, logged());
    rig.chip(0).enable(SENT, false);
    write(rig.chip(0), SENT, 0x00, SENDER);
    (1..=3).for_each(|first| load(rig.chip(0), SENT, &payload(first)));
    rig.chip(0).enable(SENT, true);
    rig.run_to(SENT + 4 * MS);
    let data: Vec<_> = rig.log().into_iter().filter(|r| r.flight.sender.index() == 0).collect();
    let starts: Vec<_> = data.iter().map(|r| (r.flight.start_ns - SENT) / US).collect();
    assert_eq!(starts, [130, 792, 1_454], "an exchange of 662 us each");
    let pids: Vec<_> = data.iter().map(|r| r.flight.bits.read(54, 2)).collect();
    assert_eq!(pids, [1, 2, 3]);
}
