//! Rows of spec/nrf24.md B that a model must show (marked M there): what people reported of real
//! chips, a test for each row.

use crate::rig::*;
use kube_air::{AirConfig, Chip, ChipConfig, Identical, Lint, Outcome, Position, Timing, Variant};

fn clone(variant: Variant) -> Chip {
    let mut chip = Chip::with(0, ChipConfig { variant, ..ChipConfig::default() });
    set_up(&mut chip, RESET_NS, RECEIVER);
    chip
}

#[test]
fn row_01_width_0_sticks_until_flush_rx() {
    corrupt_width_sticks(0);
}

#[test]
fn row_02_width_above_32_sticks_until_flush_rx() {
    corrupt_width_sticks(33);
    corrupt_width_sticks(255);
}

fn corrupt_width_sticks(width: u8) {
    let mut rig = Rig::new(1);
    let chip = rig.chip(0);
    chip.inject_width(START, 0, width);
    for _ in 0..3 {
        assert!(chip.interrupt(START));
        assert_eq!(read(chip, START, 0x17) & 1, 0, "there is something");
        assert_eq!(command(chip, START, &[0x60, NOP])[1], width);
        fetch(chip, START);
    }
    command(chip, START, &[FLUSH_RX]);
    assert_eq!(read(chip, START, 0x17) & 1, 1);
    assert_eq!(command(chip, START, &[NOP])[0] & 0x4e, 0x4e, "the flag stays, the pipe is 7");
}

#[test]
fn row_05_a_failed_payload_stays_until_flush_tx() {
    let mut rig = wirth(1, logged());
    rig.send(0, 1);
    rig.run_to(SENT + 4 * MS);
    write(rig.chip(0), SENT + 4 * MS, 0x07, 0x70);
    rig.send(0, 2);
    rig.run_to(SENT + 8 * MS);
    let firsts: Vec<_> = rig.log().iter().map(|r| r.flight.bits.read(57, 8)).collect();
    assert_eq!(firsts, [1; 8], "the first payload for ever");
    let chip = rig.chip(0);
    command(chip, SENT + 8 * MS, &[FLUSH_TX]);
    write(chip, SENT + 8 * MS, 0x07, 0x70);
    rig.send(0, 3);
    rig.run_to(SENT + 12 * MS);
    assert_eq!(rig.log()[0].flight.bits.read(57, 8), 3);
}

#[test]
fn row_07_a_brown_out_leaves_reset_values_and_neither_flag() {
    let mut rig = wirth(2, logged());
    rig.send(0, 1);
    rig.run_to(SENT + 200 * US);
    rig.chip(0).brown_out(SENT + 200 * US);
    rig.run_to(SENT + 10 * MS);
    assert!(!rig.chip(0).interrupt(SENT + 10 * MS), "no flag ever comes");
    rig.run_to(SENT + 110 * MS);
    let chip = rig.chip(0);
    assert_eq!(read(chip, SENT + 110 * MS, 0x07), 0x0e);
    assert_eq!(read(chip, SENT + 110 * MS, 0x00), 0x08, "powered down: how a driver notices");
}

#[test]
fn row_08_a_pulse_of_9_us_sends_nothing_and_leaves_no_flag() {
    for (pulse_us, flag, frames) in [(9, 0, 0), (10, 0x20, 1)] {
        let mut rig = Rig::new(1);
        write(rig.chip(0), START, 0x00, SENDER);
        load(rig.chip(0), START, &payload(1));
        rig.chip(0).enable(START, true);
        rig.chip(0).enable(START + pulse_us * US, false);
        rig.run_to(START + 10 * MS);
        assert_eq!(read(rig.chip(0), START + 10 * MS, 0x07) & 0x70, flag, "{pulse_us} us");
        assert_eq!(rig.air.totals().flights, frames);
        assert_eq!(rig.chip(0).lints().count(Lint::ShortPulse), 1 - frames as u32);
    }
}

#[test]
fn row_09_an_acknowledgement_after_ard_is_late_and_the_packet_is_sent_again() {
    for (ard, tries, flag) in [(0x03, 4, 0x10), (0x13, 1, 0x20)] {
        let mut rig = wirth(2, logged());
        for station in 0..2 {
            write(rig.chip(station), SENT, 0x04, ard);
            write(rig.chip(station), SENT, 0x06, 0x26);
        }
        rig.run_to(SENT + MS);
        rig.send(0, 1);
        rig.run_to(SENT + 20 * MS);
        let data = rig.log().iter().filter(|r| !r.flight.acknowledgement).count();
        assert_eq!(data, tries);
        assert_eq!(read(rig.chip(0), SENT + 20 * MS, 0x07) & 0x70, flag);
    }
}

#[test]
fn row_11_pipes_2_to_5_take_their_upper_bytes_from_pipe_1_for_the_answer_too() {
    for (upper, flag) in [(0xc2, 0x20), (0xd2, 0x10)] {
        let mut rig = wirth(2, logged());
        write(rig.chip(0), SENT, 0x04, 0x13);
        for register in [0x30, 0x2a] {
            command(rig.chip(0), SENT, &[register, 0xc5, 0xc2, 0xc2, 0xc2, 0xc2]);
        }
        command(rig.chip(1), SENT, &[0x2b, 0xc2, upper, upper, upper, upper]);
        write(rig.chip(1), SENT, 0x02, 0x3f);
        write(rig.chip(1), SENT, 0x15, 32);
        rig.run_to(SENT + MS);
        rig.send(0, 1);
        rig.run_to(SENT + 5 * MS);
        assert_eq!(read(rig.chip(0), SENT + 5 * MS, 0x07) & 0x70, flag, "upper bytes {upper:02x}");
        let pipe = read(rig.chip(1), SENT + 5 * MS, 0x07) >> 1 & 7;
        assert_eq!(pipe, if flag == 0x20 { 4 } else { 7 });
    }
}

#[test]
fn row_12_rpd_is_read_while_ce_is_high_and_170_us_after_it_rose() {
    use kube_air::Noise;
    let mut rig = Rig::new(1);
    let (start_ns, end_ns) = (START, START + MS);
    rig.air.add_noise(&Noise { start_ns, end_ns, channels: 0..=125, level_dbm: -40 });
    // A scanner that reads after CE fell early sees nothing, however strong the signal.
    rig.listen(0);
    rig.run_to(START + 160 * US);
    rig.chip(0).enable(START + 160 * US, false);
    rig.run_to(START + 300 * US);
    assert_eq!(read(rig.chip(0), START + 300 * US, 0x09), 0);
    // One that waits sees it, and the latch keeps it when CE falls.
    rig.chip(0).enable(START + 300 * US, true);
    rig.run_to(START + 470 * US);
    assert_eq!(read(rig.chip(0), START + 470 * US, 0x09), 1);
    rig.chip(0).enable(START + 470 * US, false);
    assert_eq!(read(rig.chip(0), START + 900 * US, 0x09), 1);
}

#[test]
fn row_13_status_may_be_written_in_receive_mode() {
    let mut rig = Rig::new(2);
    rig.listen(1);
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.run_to(START + 2 * MS);
    write(rig.chip(1), START + 2 * MS, 0x07, 0x40);
    assert!(!rig.chip(1).interrupt(START + 2 * MS));
    assert_eq!(rig.chip(1).lints().count(Lint::WriteWhileActive), 0);
    rig.send(0, 2);
    rig.run_to(START + 3 * MS);
    assert_eq!(rig.outcomes()[1][1], Outcome::Delivered, "reception goes on");
}

#[test]
fn row_14_a_byte_cut_short_is_dropped() {
    let mut rig = Rig::new(1);
    let chip = rig.chip(0);
    // The last byte of a payload: 31 arrive.
    chip.select(START, true);
    chip.transfer(START, W_TX_PAYLOAD);
    (0..31).for_each(|at| {
        chip.transfer(START, at);
    });
    chip.cut_byte(START, 7);
    write(chip, START, 0x00, SENDER);
    chip.enable(START, true);
    chip.enable(START + 10 * US, false);
    rig.run_to(START + MS);
    assert_eq!(rig.log()[0].flight.bits.len(), 8 + 40 + 31 * 8 + 16);
    let chip = rig.chip(0);
    // A command byte: nothing happens.
    chip.select(START + MS, true);
    chip.cut_byte(START + MS, 4);
    // Two commands without CSN between them: the second is data of the first.
    chip.select(START + MS, true);
    for byte in [0x25, 40, 0x26, 0x0e] {
        chip.transfer(START + MS, byte);
    }
    chip.select(START + MS, false);
    assert_eq!(read(chip, START + MS, 0x05), 40);
    assert_eq!(read(chip, START + MS, 0x06), 0x06);
    assert_eq!(chip.lints().count(Lint::PartialByte), 2);
    assert_eq!(chip.lints().count(Lint::RegisterLength), 2);
}

#[test]
fn row_15_csn_less_than_4_us_after_ce_is_counted() {
    for (wait_ns, count) in [(3_999, 1), (4_000, 0)] {
        let mut rig = Rig::new(1);
        let chip = rig.chip(0);
        chip.enable(START, true);
        read(chip, START + wait_ns, 0x07);
        assert_eq!(chip.lints().count(Lint::CsnAfterCe), count, "{wait_ns} ns");
    }
}

#[test]
fn row_18_a_warm_chip_is_not_reset() {
    // The machine is reset, its chip is not: CONFIG and the FIFOs are as they were.
    let mut rig = Rig::new(1);
    let chip = rig.chip(0);
    load(chip, START, &payload(9));
    chip.select(START, false);
    chip.enable(START, false);
    assert_eq!(read(chip, START + MS, 0x00), RECEIVER);
    assert_eq!(read(chip, START + MS, 0x17), 0x01, "an old payload waits");
}

#[test]
fn row_19_si24r1_and_genuine_chips_do_not_acknowledge_each_other_with_dynamic_lengths() {
    use Variant::{Plus, Si24r1};
    for (sender, receiver, dynamic, flag) in [
        (Si24r1, Si24r1, true, 0x20),
        (Si24r1, Plus, true, 0x10),
        (Plus, Si24r1, true, 0x10),
        (Si24r1, Plus, false, 0x20),
        (Plus, Si24r1, false, 0x20),
    ] {
        let mut rig = wirth(2, logged());
        rig.chips = vec![Some(clone(sender)), Some(clone(receiver))];
        for station in 0..2 {
            let chip = rig.chip(station);
            for (register, value) in [(0x01, 0x3f), (0x04, 0x13)] {
                write(chip, SENT, register, value);
            }
            if dynamic {
                write(chip, SENT, 0x1d, 0x04);
                write(chip, SENT, 0x1c, 0x3f);
            }
            chip.enable(SENT, station == 1);
        }
        rig.run_to(SENT + 2 * MS);
        rig.send(0, 1);
        rig.run_to(SENT + 6 * MS);
        let status = read(rig.chip(0), SENT + 6 * MS, 0x07);
        assert_eq!(status & 0x70, flag, "{sender:?} to {receiver:?}, dynamic {dynamic}");
        assert_eq!(read(rig.chip(1), SENT + 6 * MS, 0x17) & 1, 0, "the data arrive in any case");
    }
}

#[test]
fn row_19_selective_acknowledgement_is_broken_on_si24r1() {
    // EN_DYN_ACK alone turns the sense round.
    let mut rig = wirth(2, logged());
    rig.chips[0] = Some(clone(Variant::Si24r1));
    let chip = rig.chip(0);
    for (register, value) in [(0x01, 0x3f), (0x04, 0x13), (0x1d, 0x01)] {
        write(chip, SENT, register, value);
    }
    rig.run_to(SENT + 2 * MS);
    rig.send(0, 1);
    rig.run_to(SENT + 6 * MS);
    assert_eq!(read(rig.chip(0), SENT + 6 * MS, 0x07) & 0x70, 0x10);
}

#[test]
fn row_21_bk242x_is_dead_until_its_second_bank_is_set_up() {
    for set_up_bank in [false, true] {
        let mut rig = Rig::new(2);
        let mut chip = clone(Variant::Bk242x);
        if set_up_bank {
            command(&mut chip, RESET_NS, &[0x50, 0x53]);
            assert_eq!(command(&mut chip, RESET_NS, &[NOP]), [0x8e], "STATUS bit 7 is the bank");
            for register in 0..6 {
                command(&mut chip, RESET_NS, &[0x20 | register, 1, 2, 3, 4]);
                let back = command(&mut chip, RESET_NS, &[register, NOP, NOP, NOP, NOP]);
                assert_eq!(back[1..], [1, 2, 3, 4]);
            }
            command(&mut chip, RESET_NS, &[0x50, 0x53]);
        }
        assert_eq!(read(&mut chip, RESET_NS, 0x05), 5, "the first bank is untouched");
        chip.enable(RESET_NS, true);
        rig.chips[1] = Some(chip);
        rig.run_to(START + MS);
        rig.send(0, 1);
        rig.run_to(START + 2 * MS);
        let outcome = rig.outcomes()[0][1];
        assert_eq!(outcome, if set_up_bank { Outcome::Delivered } else { Outcome::StartingUp });
    }
}

#[test]
fn row_21_bk242x_locks_up_after_15_failures_until_flush_tx() {
    let mut rig = wirth(1, logged());
    let mut chip = clone(Variant::Bk242x);
    command(&mut chip, RESET_NS, &[0x50, 0x53]);
    (0..6).for_each(|register| write(&mut chip, RESET_NS, register, 1));
    command(&mut chip, RESET_NS, &[0x50, 0x53]);
    write(&mut chip, RESET_NS, 0x01, 0x3f);
    write(&mut chip, RESET_NS, 0x04, 0x00);
    rig.chips[0] = Some(chip);
    let mut at_ns = SENT + 2 * MS;
    rig.run_to(at_ns);
    let mut pulse = |rig: &mut Rig, flush: bool| {
        let chip = rig.chip(0);
        write(chip, at_ns, 0x07, 0x70);
        if flush {
            command(chip, at_ns, &[FLUSH_TX]);
            load(chip, at_ns, &payload(1));
        }
        write(chip, at_ns, 0x00, SENDER);
        chip.enable(at_ns, true);
        chip.enable(at_ns + 10 * US, false);
        at_ns += 2 * MS;
        rig.run_to(at_ns);
        rig.log().len()
    };
    assert_eq!(pulse(&mut rig, true), 1);
    let sent: Vec<_> = (0..16).map(|_| pulse(&mut rig, false)).collect();
    assert_eq!(sent, [vec![1; 14], vec![0; 2]].concat());
    assert_eq!(pulse(&mut rig, true), 1);
}

#[test]
fn row_21_clones_and_the_non_plus_chip_hide_their_features_until_activate() {
    for variant in [Variant::NonPlus, Variant::Bk242x] {
        let mut chip = clone(variant);
        write(&mut chip, RESET_NS, 0x1d, 0x07);
        assert_eq!(read(&mut chip, RESET_NS, 0x1d), 0);
        command(&mut chip, RESET_NS, &[0xb0, 1]);
        assert_eq!(read(&mut chip, RESET_NS, 0x17), 0x11, "W_TX_PAYLOAD_NOACK is not there");
        assert_eq!(chip.lints().count(Lint::NotActivated), 2);
        command(&mut chip, RESET_NS, &[0x50, 0x73]);
        write(&mut chip, RESET_NS, 0x1d, 0x07);
        assert_eq!(read(&mut chip, RESET_NS, 0x1d), 0x07);
        command(&mut chip, RESET_NS, &[0x50, 0x73]);
        assert_eq!(read(&mut chip, RESET_NS, 0x1d), 0, "it toggles");
    }
}

#[test]
fn row_23_static_frames_carry_51_and_without_auto_ack_no_control_field() {
    for (en_aa, bits, length) in [(0x3f, 329, Some(51)), (0x00, 320, None)] {
        let mut rig = Rig::new(1);
        write(rig.chip(0), START, 0x01, en_aa);
        rig.run_to(START + MS);
        rig.send(0, 1);
        rig.run_to(START + 2 * MS);
        let sent = rig.log()[0].flight.bits;
        assert_eq!(sent.len(), bits);
        assert_eq!(length.map(|_| sent.read(48, 6)), length);
    }
}

#[test]
fn row_24_the_near_receivers_acknowledgement_satisfies_the_sender() {
    // Two receivers, one address; the far one does not get the packet, and nobody notices.
    let mut rig = wirth(3, logged());
    let [zero, _, two] = rig.stations[..] else { unreachable!() };
    rig.air.link_mut(zero, two).loss = Some(1.0);
    rig.send(0, 1);
    rig.run_to(SENT + 5 * MS);
    assert_eq!(read(rig.chip(0), SENT + 5 * MS, 0x07) & 0x70, 0x20);
    assert_eq!(read(rig.chip(0), SENT + 5 * MS, 0x08) & 15, 0, "at the first try");
    assert_eq!(rig.outcomes()[0], [Outcome::Sender, Outcome::Delivered, Outcome::Lost]);
}

#[test]
fn row_25_of_two_senders_the_nearest_wins() {
    let mut rig = Rig::with(3, AirConfig { identical: Identical::Collide, ..logged() });
    for (at, metres) in [(0, 2.0), (1, 8.0), (2, 0.0)] {
        let id = rig.stations[at];
        rig.air.set_position(id, Position::flat(metres, 0.0));
    }
    rig.listen(2);
    rig.run_to(START + MS);
    for round in 0..10 {
        let now_ns = START + (1 + round) * MS;
        rig.send(1, 1);
        rig.send(0, 2);
        rig.run_to(now_ns + MS);
        command(rig.chip(2), now_ns + MS, &[FLUSH_RX]);
    }
    let log = rig.log();
    let won = |sender| {
        let own = log.iter().filter(|r| r.flight.sender.index() == sender);
        own.filter(|r| r.outcomes[2] == Outcome::Delivered).count()
    };
    assert_eq!([won(0), won(1)], [10, 0]);
}

#[test]
fn row_26_four_lost_packets_make_an_equal_payload_a_duplicate() {
    // The packet identity has two bits: the fifth packet has that of the first.
    for (payload_differs, delivered) in [(false, 1), (true, 2)] {
        let mut rig = wirth(2, logged());
        let mut at_ns = SENT;
        for round in 0..5 {
            rig.air.set_loss(if (1..4).contains(&round) { 1.0 } else { 0.0 });
            write(rig.chip(0), at_ns, 0x07, 0x70);
            command(rig.chip(0), at_ns, &[FLUSH_TX]);
            rig.send(0, if payload_differs { round } else { 7 });
            at_ns += 4 * MS;
            rig.run_to(at_ns);
        }
        assert_eq!(rig.air.totals().count(Outcome::Delivered), delivered);
        assert_eq!(read(rig.chip(0), at_ns, 0x07) & 0x70, 0x20, "the sender believes it arrived");
    }
}

#[test]
fn row_28_weak_addresses_are_counted() {
    for (low_first, weak) in [
        ([0xe7; 5], false),
        ([0x01, 0, 0, 0, 0], true),
        ([0x02, 0, 0, 0, 0], true),
        ([0; 5], true),
        ([0xff, 0xff, 0x0f, 0, 0], true),
        ([0xaa; 5], true),
        ([0x55; 5], true),
        ([0x34, 0x12, 0xc2, 0xc2, 0xc2], false),
    ] {
        let mut chip = Chip::new(0, Timing::TYPICAL);
        for register in [0x2a, 0x2b, 0x30] {
            command(&mut chip, RESET_NS, &[&[register], &low_first[..]].concat());
        }
        let count = chip.lints().count(Lint::WeakAddress);
        assert_eq!(count, if weak { 3 } else { 0 }, "{low_first:02x?}");
    }
}
