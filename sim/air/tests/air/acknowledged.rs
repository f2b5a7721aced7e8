//! Enhanced ShockBurst: acknowledgement, retries, identities, duplicates.

use crate::rig::*;
use kube_air::{Chip, Outcome, Timing};

#[test]
fn a_retry_after_250_us_meets_a_receiver_that_turns_back() {
    // The answer ends 203 us after the frame.
    for (turn_back_us, outcome) in [(130, Outcome::Settling), (47, Outcome::Duplicate)] {
        let timing = Timing { turn_back_ns: turn_back_us * US, ..Timing::TYPICAL };
        let mut rig = wirth(2, logged());
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
    let mut rig = wirth(2, logged());
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
    let mut rig = wirth(2, logged());
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
    let mut rig = wirth(2, logged());
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
