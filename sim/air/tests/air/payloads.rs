//! Payloads that travel with acknowledgements, and the identity that these carry.

use crate::rig::*;
use kube_air::{AckIdentity, Chip, ChipConfig, DropRule, Frames, Lint, Outcome, Timing};

/// Two stations with dynamic lengths and payloads for acknowledgements, 500 us between tries.
fn rig() -> Rig {
    let mut rig = wirth(2, logged());
    for station in 0..2 {
        let chip = rig.chip(station);
        chip.enable(SENT, false);
        for (register, value) in [(0x04, 0x13), (0x1d, 0x06), (0x1c, 0x3f)] {
            write(chip, SENT, register, value);
        }
        chip.enable(SENT, station == 1);
    }
    rig.run_to(SENT + MS);
    rig
}

fn exchange(rig: &mut Rig, first: u8) -> u64 {
    let now_ns = rig.air.now_ns();
    rig.send(0, first);
    rig.run_to(now_ns + 4 * MS);
    now_ns + 4 * MS
}

#[test]
fn a_payload_comes_with_the_acknowledgement_and_is_confirmed_by_the_next_packet() {
    let mut rig = rig();
    command(rig.chip(1), SENT + MS, &[0xa8, 7, 8, 9]);
    let now_ns = exchange(&mut rig, 1);
    assert_eq!(read(rig.chip(0), now_ns, 0x07), 0x60, "TX_DS and RX_DR together, pipe 0");
    assert_eq!(command(rig.chip(0), now_ns, &[0x60, NOP])[1], 3);
    assert_eq!(fetch(rig.chip(0), now_ns)[..3], [7, 8, 9]);
    assert_eq!(read(rig.chip(1), now_ns, 0x07) & 0x70, 0x40, "not yet known to have arrived");
    assert_eq!(read(rig.chip(1), now_ns, 0x17) & 0x10, 0, "and still in the FIFO");
    let log = rig.log();
    assert_eq!(log[1].flight.bits.len(), 8 + 40 + 9 + 24 + 16);
    assert_eq!(log[1].flight.bits.read(48, 6), 3, "its length stands in the control field");
    write(rig.chip(0), now_ns, 0x07, 0x70);
    let now_ns = exchange(&mut rig, 2);
    assert_eq!(read(rig.chip(1), now_ns, 0x07) & 0x70, 0x60, "TX_DS with the new packet");
    assert_eq!(read(rig.chip(1), now_ns, 0x17) & 0x10, 0x10);
    assert_eq!(read(rig.chip(0), now_ns, 0x07) & 0x70, 0x20, "this acknowledgement was empty");
}

#[test]
fn a_payload_whose_acknowledgement_was_lost_is_repeated() {
    let mut rig = rig();
    command(rig.chip(1), SENT + MS, &[0xa8, 7]);
    command(rig.chip(1), SENT + MS, &[0xa8, 8]);
    rig.air.drop(DropRule { frames: Frames::Acknowledgements, ..DropRule::default() });
    let now_ns = exchange(&mut rig, 1);
    assert_eq!(fetch(rig.chip(0), now_ns)[0], 7);
    write(rig.chip(0), now_ns, 0x07, 0x70);
    let now_ns = exchange(&mut rig, 2);
    assert_eq!(fetch(rig.chip(0), now_ns)[0], 8);
    let carried: Vec<_> = rig
        .log()
        .iter()
        .filter(|r| r.flight.acknowledgement)
        .map(|r| r.flight.bits.read(57, 8))
        .collect();
    assert_eq!(carried, [7, 7, 8]);
}

#[test]
fn each_pipe_has_its_own_payloads() {
    let mut rig = rig();
    // For pipe 1 first: a packet to pipe 0 takes the second.
    command(rig.chip(1), SENT + MS, &[0xa9, 1]);
    command(rig.chip(1), SENT + MS, &[0xa8, 2]);
    let now_ns = exchange(&mut rig, 1);
    assert_eq!(fetch(rig.chip(0), now_ns)[0], 2);
}

#[test]
fn a_long_payload_needs_a_longer_wait() {
    // 250 us cover an acknowledgement of 5 bytes at 1 Mbit/s: 130 + 113 us (spec/nrf24.md A6).
    for (setup, len, flag) in [(0x03, 5, 0x20), (0x03, 6, 0x10), (0x13, 32, 0x20)] {
        let mut rig = rig();
        write(rig.chip(0), SENT + MS, 0x04, setup);
        let payload = vec![5; len];
        command(rig.chip(1), SENT + MS, &[&[0xa8], &payload[..]].concat());
        let now_ns = exchange(&mut rig, 1);
        assert_eq!(read(rig.chip(0), now_ns, 0x07) & 0x30, flag, "{len} bytes, {setup:02x}");
    }
}

#[test]
fn without_the_features_a_payload_is_not_taken() {
    let mut rig = rig();
    let chip = rig.chip(1);
    for (feature, dynpd) in [(0x04, 0x3f), (0x02, 0x3f), (0x06, 0x3e)] {
        write(chip, SENT + MS, 0x1d, feature);
        write(chip, SENT + MS, 0x1c, dynpd);
        command(chip, SENT + MS, &[0xa8, 1]);
        assert_eq!(read(chip, SENT + MS, 0x17) & 0x10, 0x10);
    }
    assert_eq!(chip.lints().count(Lint::AckPayloadDisabled), 3);
}

#[test]
fn the_identity_of_an_acknowledgement_is_a_knob() {
    for (ack_identity, pids) in
        [(AckIdentity::Mirror, [1, 2, 3, 0]), (AckIdentity::Count, [1, 2, 3, 0])]
    {
        let mut rig = wirth(2, logged());
        let timing = Timing::TYPICAL;
        let mut chip = Chip::with(0, ChipConfig { ack_identity, timing, ..ChipConfig::default() });
        set_up(&mut chip, RESET_NS, RECEIVER);
        write(&mut chip, SENT - MS, 0x01, 0x3f);
        chip.enable(SENT - MS, true);
        rig.chips[1] = Some(chip);
        write(rig.chip(0), SENT, 0x04, 0x13);
        for first in 1..=4 {
            let now_ns = exchange(&mut rig, first);
            command(rig.chip(1), now_ns, &[FLUSH_RX]);
        }
        let pid = |record: &kube_air::Record| record.flight.bits.read(54, 2);
        let log = rig.log();
        let answers: Vec<_> = log.iter().filter(|r| r.flight.acknowledgement).map(pid).collect();
        assert_eq!(answers, pids);
        // A retry tells the two apart.
        rig.air.drop(DropRule { frames: Frames::Acknowledgements, ..DropRule::default() });
        exchange(&mut rig, 5);
        let log = rig.log();
        let answers: Vec<_> = log.iter().filter(|r| r.flight.acknowledgement).map(pid).collect();
        let counted = ack_identity == AckIdentity::Count;
        assert_eq!(answers, if counted { [1, 2] } else { [1, 1] });
        assert_eq!(log.last().map(|r| r.outcomes[0]), Some(Outcome::Acknowledged));
    }
}
