//! Sending and receiving: times, pulses, FIFOs, flags.

use crate::rig::*;
use kube_air::{Lint, Outcome};

#[test]
fn a_frame_takes_130_us_to_begin_and_320_us_to_pass() {
    let mut rig = Rig::new(2);
    rig.listen(1);
    rig.run_to(START + MS);
    rig.send(0, 0x55);
    let from = START + MS;
    rig.run_to(from + 449 * US);
    assert_eq!(read(rig.chip(0), from + 449 * US, 0x07) & 0x20, 0, "not yet sent");
    assert!(!rig.chip(1).interrupt(from + 449 * US));
    assert_eq!(rig.chip(0).next_event_ns(), Some(from + 450 * US));
    assert_eq!(rig.chip(1).next_event_ns(), Some(from + 450 * US));
    rig.run_to(from + 450 * US);
    assert_eq!(read(rig.chip(0), from + 450 * US, 0x07), 0x2e, "TX_DS");
    assert_eq!(read(rig.chip(0), from + 450 * US, 0x17), 0x11);
    assert!(rig.chip(1).interrupt(from + 450 * US));
    assert_eq!(read(rig.chip(1), from + 450 * US, 0x07), 0x40, "RX_DR, pipe 0");
    assert_eq!(read(rig.chip(1), from + 450 * US, 0x17), 0x10, "one payload");
    assert_eq!(command(rig.chip(1), from + 450 * US, &[0x60, NOP])[1], 32);
    assert_eq!(fetch(rig.chip(1), from + 450 * US), payload(0x55));
    assert_eq!(read(rig.chip(1), from + 450 * US, 0x17), 0x11);
    write(rig.chip(1), from + 450 * US, 0x07, 0x40);
    assert!(!rig.chip(1).interrupt(from + 450 * US));
    let record = &rig.log()[0];
    assert_eq!((record.flight.start_ns, record.flight.end_ns), (from + 130 * US, from + 450 * US));
    assert_eq!(record.outcomes, [Outcome::Sender, Outcome::Delivered]);
    for station in 0..2 {
        // The rig's commands follow each other without any time between them.
        let broken = rig.chip(station).lints().broken();
        let broken: Vec<_> = broken.filter(|&(lint, _)| lint != Lint::CsnHighTime).collect();
        assert_eq!(broken, []);
    }
}

#[test]
fn the_frame_on_the_air_is_the_golden_one() {
    let mut rig = Rig::new(1);
    let mut golden = [0; 32];
    golden[..14].copy_from_slice(b"\x01\xff\x42\x34\x08\x00\x00\x00Oberon");
    // The control field: 51 in its length, PID 2 in this chip's second frame.
    for (acknowledge, bits, crc) in [(0x00, 320, 0xbc79), (0x3f, 329, 0x66da)] {
        let now_ns = rig.air.now_ns();
        let chip = rig.chip(0);
        write(chip, now_ns, 0x01, acknowledge);
        write(chip, now_ns, 0x00, SENDER);
        load(chip, now_ns, &golden);
        chip.enable(now_ns, true);
        chip.enable(now_ns + 10 * US, false);
        rig.run_to(now_ns + MS);
        let sent = rig.log()[0].flight.bits;
        assert_eq!(sent.len(), bits);
        assert_eq!(sent.read(bits - 16, 16), crc);
    }
}

#[test]
fn ce_9_us_sends_nothing_and_10_us_sends() {
    for (pulse_us, sent) in [(9, 0), (10, 1)] {
        let mut rig = Rig::new(1);
        write(rig.chip(0), START, 0x00, SENDER);
        load(rig.chip(0), START, &payload(1));
        rig.chip(0).enable(START, true);
        rig.chip(0).enable(START + pulse_us * US, false);
        rig.run_to(START + MS);
        assert_eq!(rig.air.totals().flights, sent, "{pulse_us} us");
        assert_eq!(rig.chip(0).lints().count(Lint::ShortPulse), 1 - sent as u32);
        let waiting = read(rig.chip(0), START + MS, 0x17) & 0x10 == 0;
        assert_eq!(waiting, sent == 0, "the payload stays");
    }
}

#[test]
fn ce_9_9_us_sends_nothing_and_10_us_sends() {
    let mut rig = Rig::new(1);
    write(rig.chip(0), START, 0x00, SENDER);
    load(rig.chip(0), START, &payload(1));
    rig.chip(0).enable(START, true);
    rig.chip(0).enable(START + 9_900, false);
    rig.run_to(START + MS);
    assert_eq!(rig.air.totals().flights, 0);
}

#[test]
fn a_pulse_sends_one_of_three_and_ce_held_sends_all_without_a_gap() {
    for (held, frames) in [(false, 1), (true, 3)] {
        let mut rig = Rig::new(2);
        rig.listen(1);
        rig.run_to(START + MS);
        let from = START + MS;
        write(rig.chip(0), from, 0x00, SENDER);
        (1..=3).for_each(|first| load(rig.chip(0), from, &payload(first)));
        rig.chip(0).enable(from, true);
        if !held {
            rig.chip(0).enable(from + 10 * US, false);
        }
        rig.run_to(from + 2 * MS);
        let log = rig.log();
        assert_eq!(log.len(), frames);
        for (at, record) in log.iter().enumerate() {
            assert_eq!(record.flight.start_ns, from + (130 + 320 * at as u64) * US);
            assert_eq!(record.outcomes[1], Outcome::Delivered);
        }
    }
}

#[test]
fn a_payload_written_late_begins_130_us_after_it_was_written() {
    // The first frame ends at 450 us.
    for (written_us, begins_us) in [(310, 450), (320, 450), (330, 460), (440, 570), (600, 730)] {
        let mut rig = Rig::new(2);
        write(rig.chip(0), START, 0x00, SENDER);
        load(rig.chip(0), START, &payload(1));
        rig.chip(0).enable(START, true);
        rig.run_to(START + written_us * US);
        load(rig.chip(0), START + written_us * US, &payload(2));
        rig.run_to(START + 2 * MS);
        let log = rig.log();
        assert_eq!(log[1].flight.start_ns, START + begins_us * US, "written at {written_us} us");
    }
}

#[test]
fn rx_fifo_holds_three_and_the_fourth_is_dropped() {
    let mut rig = Rig::new(2);
    rig.listen(1);
    rig.run_to(START + MS);
    for first in 1..=4 {
        rig.send(0, first);
        rig.run_to(rig.air.now_ns() + MS);
    }
    let now_ns = rig.air.now_ns();
    let at_receiver: Vec<_> = rig.outcomes().into_iter().map(|outcomes| outcomes[1]).collect();
    use Outcome::{Delivered, FifoFull};
    assert_eq!(at_receiver, [Delivered, Delivered, Delivered, FifoFull]);
    assert_eq!(read(rig.chip(1), now_ns, 0x17), 0x12, "RX full, TX empty");
    let firsts: Vec<_> = (0..3).map(|_| fetch(rig.chip(1), now_ns)[0]).collect();
    assert_eq!(firsts, [1, 2, 3]);
}

#[test]
fn rx_dr_is_an_edge_not_a_level() {
    let mut rig = Rig::new(2);
    rig.listen(1);
    rig.run_to(START + MS);
    for first in 1..=3 {
        rig.send(0, first);
        rig.run_to(rig.air.now_ns() + MS);
    }
    let now_ns = rig.air.now_ns();
    let chip = rig.chip(1);
    assert_eq!(read(chip, now_ns, 0x07), 0x40);
    fetch(chip, now_ns);
    write(chip, now_ns, 0x07, 0x40);
    assert_eq!(read(chip, now_ns, 0x07), 0x00, "two payloads wait, RX_DR is clear");
    assert_eq!(read(chip, now_ns, 0x17) & 1, 0, "RX_EMPTY tells");
    assert!(!chip.interrupt(now_ns));
    fetch(chip, now_ns);
    fetch(chip, now_ns);
    assert_eq!(read(chip, now_ns, 0x07), 0x0e);
    rig.send(0, 4);
    rig.run_to(now_ns + MS);
    assert_eq!(read(rig.chip(1), now_ns + MS, 0x07), 0x40);
}

#[test]
fn masked_flags_do_not_drive_the_line() {
    let mut rig = Rig::new(2);
    write(rig.chip(1), START, 0x00, RECEIVER | 0x70);
    rig.listen(1);
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.run_to(START + MS + 200 * US);
    assert_eq!(rig.chip(1).next_event_ns(), None);
    rig.run_to(START + 2 * MS);
    assert_eq!(read(rig.chip(1), START + 2 * MS, 0x07), 0x40);
    assert!(!rig.chip(1).interrupt(START + 2 * MS));
}

#[test]
fn reuse_sends_the_same_payload_until_a_new_one() {
    let mut rig = Rig::new(2);
    rig.listen(1);
    rig.run_to(START + MS);
    rig.send(0, 9);
    rig.run_to(START + 2 * MS);
    command(rig.chip(0), START + 2 * MS, &[REUSE_TX_PL]);
    assert_eq!(read(rig.chip(0), START + 2 * MS, 0x17), 0x41, "TX_REUSE, not empty");
    for round in 2..4 {
        rig.chip(0).enable(START + round * MS, true);
        rig.chip(0).enable(START + round * MS + 10 * US, false);
        rig.run_to(START + (round + 1) * MS);
    }
    rig.send(0, 10);
    rig.run_to(START + 5 * MS);
    let firsts: Vec<_> = rig.air.take_heard(rig.tap).iter().map(|heard| heard.payload[0]).collect();
    assert_eq!(firsts, [9, 9, 9, 10]);
    assert_eq!(read(rig.chip(0), START + 5 * MS, 0x17), 0x11);
}

#[test]
fn held_reuse_breaks_the_4_ms_rule() {
    let mut rig = Rig::new(1);
    write(rig.chip(0), START, 0x00, SENDER);
    load(rig.chip(0), START, &payload(1));
    command(rig.chip(0), START, &[REUSE_TX_PL]);
    rig.chip(0).enable(START, true);
    rig.run_to(START + 3 * MS);
    assert_eq!(rig.chip(0).lints().count(Lint::LongSend), 0);
    rig.run_to(START + 6 * MS);
    assert!(rig.chip(0).lints().count(Lint::LongSend) > 0);
    rig.chip(0).enable(START + 6 * MS, false);
    rig.run_to(START + 8 * MS);
    let sent = rig.air.totals().flights;
    rig.run_to(START + 10 * MS);
    assert_eq!(rig.air.totals().flights, sent);
}

#[test]
fn rpd_needs_170_us_of_listening_and_40_us_of_signal_and_latches() {
    let mut rig = Rig::new(2);
    rig.send(0, 1);
    // The frame lasts from 130 to 450 us; the receiver listens from 180 us.
    rig.run_to(START + 50 * US);
    rig.listen(1);
    for (at_us, seen) in [(219, 0), (220, 1), (449, 1), (460, 0)] {
        rig.run_to(START + at_us * US);
        assert_eq!(read(rig.chip(1), START + at_us * US, 0x09), seen, "{at_us} us");
    }
    // It missed the first bit. A frame heard whole latches the bit, beyond CE low.
    rig.run_to(START + MS);
    rig.send(0, 2);
    rig.run_to(START + 2 * MS);
    assert_eq!(read(rig.chip(1), START + 2 * MS, 0x09), 1);
    rig.chip(1).enable(START + 2 * MS, false);
    assert_eq!(read(rig.chip(1), START + 3 * MS, 0x09), 1);
    rig.chip(1).enable(START + 3 * MS, true);
    assert_eq!(read(rig.chip(1), START + 4 * MS, 0x09), 0);
}

#[test]
fn power_up_takes_its_time() {
    use kube_air::{Air, AirConfig, Chip, Timing};
    for (timing, ready_us) in [(Timing::TYPICAL, 1_500), (Timing::WORST, 4_500)] {
        let mut air = Air::new(AirConfig { keep_log: true, ..AirConfig::default() });
        air.add_station();
        let mut chip = Chip::new(0, timing);
        set_up(&mut chip, RESET_NS, SENDER);
        load(&mut chip, RESET_NS, &payload(1));
        chip.enable(RESET_NS, true);
        for at_us in (0..8_000).step_by(100) {
            air.step(RESET_NS + at_us * US, &mut [Some(&mut chip)]).expect("short steps");
        }
        let log = air.take_log();
        assert_eq!(log[0].flight.start_ns, RESET_NS + (ready_us + 130) * US);
    }
}
