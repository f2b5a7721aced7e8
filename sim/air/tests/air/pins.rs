//! One chip over SPI: registers, commands, FIFOs, times. No air.

use crate::rig::*;
use kube_air::{Chip, Lint, Timing};

fn chip() -> Chip {
    Chip::new(0, Timing::TYPICAL)
}

#[test]
fn before_power_on_reset_ends_spi_reads_zero_and_writes_are_lost() {
    let mut chip = chip();
    write(&mut chip, RESET_NS - 1, 0x05, 40);
    assert_eq!(command(&mut chip, RESET_NS - 1, &[0x05, NOP]), [0, 0]);
    assert_eq!(read(&mut chip, RESET_NS, 0x05), 2);
    assert_eq!(chip.lints().count(Lint::BeforeReset), 4);
}

#[test]
fn fewer_bytes_change_only_the_low_ones_and_more_are_refused() {
    let mut chip = chip();
    command(&mut chip, RESET_NS, &[0x2a, 1, 2]);
    assert_eq!(command(&mut chip, RESET_NS, &[0x0a, 0, 0, 0, 0, 0])[1..], [1, 2, 0xe7, 0xe7, 0xe7]);
    command(&mut chip, RESET_NS, &[0x25, 40, 41]);
    assert_eq!(read(&mut chip, RESET_NS, 0x05), 40);
    assert_eq!(chip.lints().count(Lint::RegisterLength), 1);
}

#[test]
fn without_csn_nothing_is_heard() {
    let mut chip = chip();
    assert_eq!(chip.transfer(RESET_NS, 0x25), 0xff);
    assert_eq!(chip.transfer(RESET_NS, 40), 0xff);
    assert_eq!(read(&mut chip, RESET_NS, 0x05), 2);
}

#[test]
fn tx_fifo_takes_three_and_reports_it() {
    let mut chip = chip();
    for (count, status, fifo) in [(1, 0x0e, 0x01), (2, 0x0e, 0x01), (3, 0x0f, 0x21)] {
        load(&mut chip, RESET_NS, &payload(count));
        assert_eq!(command(&mut chip, RESET_NS, &[NOP]), [status]);
        assert_eq!(read(&mut chip, RESET_NS, 0x17), fifo);
    }
    assert_eq!(chip.lints().count(Lint::TxFifoOverflow), 0);
    load(&mut chip, RESET_NS, &payload(4));
    assert_eq!(chip.lints().count(Lint::TxFifoOverflow), 1);
    command(&mut chip, RESET_NS, &[FLUSH_TX]);
    assert_eq!(read(&mut chip, RESET_NS, 0x17), 0x11);
}

#[test]
fn a_payload_counts_when_csn_rises_and_only_with_data() {
    let mut chip = chip();
    command(&mut chip, RESET_NS, &[W_TX_PAYLOAD]);
    assert_eq!(read(&mut chip, RESET_NS, 0x17), 0x11);
    chip.select(RESET_NS, true);
    chip.transfer(RESET_NS, W_TX_PAYLOAD);
    chip.transfer(RESET_NS, 1);
    assert!(chip.next_event_ns().is_none());
    chip.select(RESET_NS, false);
    assert_eq!(read(&mut chip, RESET_NS, 0x17), 0x01);
}

#[test]
fn an_empty_rx_fifo_gives_width_zero_and_zeros() {
    let mut chip = chip();
    assert_eq!(command(&mut chip, RESET_NS, &[0x60, NOP]), [0x0e, 0]);
    assert_eq!(fetch(&mut chip, RESET_NS), [0; 32]);
    assert_eq!(chip.lints().count(Lint::RxFifoUnderflow), 1);
}

#[test]
fn activate_is_harmless_on_a_plus_chip() {
    let mut chip = chip();
    write(&mut chip, RESET_NS, 0x1d, 0x04);
    command(&mut chip, RESET_NS, &[0x50, 0x73]);
    assert_eq!(read(&mut chip, RESET_NS, 0x1d), 0x04);
    assert_eq!(chip.lints().count(Lint::UnknownCommand), 0);
}

#[test]
fn unknown_commands_and_registers_are_counted_and_change_nothing() {
    let mut chip = chip();
    for opcode in 0..=255u8 {
        let known = opcode < 0x40
            || [0x50, 0x60, 0x61, 0xa0, 0xb0, 0xe1, 0xe2, 0xe3, 0xff].contains(&opcode)
            || (0xa8..=0xad).contains(&opcode);
        let before = chip.lints().count(Lint::UnknownCommand);
        let back = command(&mut chip, RESET_NS, &[opcode, 0]);
        assert_eq!(back.len(), 2);
        assert_eq!(chip.lints().count(Lint::UnknownCommand) == before, known, "{opcode:02x}");
    }
    // 18..1B, 1E, 1F, read and write.
    assert_eq!(chip.lints().count(Lint::UnknownRegister), 12);
}

#[test]
fn forbidden_values_are_counted() {
    let mut chip = chip();
    for (register, value, lint) in [
        (0x03, 0x00, Lint::AddressWidth),
        (0x05, 126, Lint::Channel),
        (0x05, 145, Lint::Channel),
        (0x06, 0x2e, Lint::ReservedRate),
        (0x11, 33, Lint::PayloadWidth),
    ] {
        let before = chip.lints().count(lint);
        write(&mut chip, RESET_NS, register, value);
        assert_eq!(chip.lints().count(lint), before + 1, "{lint:?}");
    }
    load(&mut chip, RESET_NS, &[0; 33]);
    assert_eq!(chip.lints().count(Lint::PayloadLength), 1);
}

#[test]
fn status_may_be_written_in_receive_mode_and_nothing_else() {
    let mut chip = chip();
    set_up(&mut chip, RESET_NS, RECEIVER);
    chip.enable(RESET_NS + 2 * MS, true);
    write(&mut chip, RESET_NS + 3 * MS, 0x07, 0x70);
    assert_eq!(chip.lints().count(Lint::WriteWhileActive), 0);
    write(&mut chip, RESET_NS + 3 * MS, 0x05, 7);
    assert_eq!(chip.lints().count(Lint::WriteWhileActive), 1);
}

#[test]
fn hurried_pins_are_counted() {
    let mut chip = chip();
    chip.enable(RESET_NS, true);
    chip.select(RESET_NS + 3_999, true);
    chip.select(RESET_NS + 9_000, false);
    chip.select(RESET_NS + 9_049, true);
    assert_eq!(chip.lints().count(Lint::CsnAfterCe), 1);
    assert_eq!(chip.lints().count(Lint::CsnHighTime), 1);
}

#[test]
fn a_brown_out_leaves_reset_values() {
    let mut chip = chip();
    set_up(&mut chip, RESET_NS, SENDER);
    load(&mut chip, RESET_NS, &payload(1));
    chip.brown_out(RESET_NS + MS);
    let again = RESET_NS + MS + 100 * MS;
    assert_eq!(read(&mut chip, again - 1, 0x05), 0);
    assert_eq!(read(&mut chip, again, 0x05), 2);
    assert_eq!(read(&mut chip, again, 0x01), 0x3f);
    assert_eq!(read(&mut chip, again, 0x17), 0x11);
}

#[test]
fn no_bytes_and_no_pins_make_the_chip_panic() {
    let mut state = 7u64;
    let mut chip = chip();
    let mut at_ns = RESET_NS;
    for _ in 0..200_000 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let draw = state >> 33;
        at_ns += draw % 40_000;
        match draw % 8 {
            0 => chip.select(at_ns, draw & 0x100 != 0),
            1 => chip.enable(at_ns, draw & 0x100 != 0),
            2 => write(&mut chip, at_ns, 0x00, 0x0e | (draw >> 8) as u8 & 1),
            _ => {
                chip.transfer(at_ns, (draw >> 8) as u8);
            }
        }
        let asserted = chip.interrupt(at_ns);
        assert!(chip.next_event_ns().is_none_or(|next| next > at_ns), "asserted {asserted}");
    }
}

#[test]
fn the_interrupt_line_lags_behind_the_flags_by_its_delay() {
    // Tirq at 1 Mbit/s.
    let timing = Timing { interrupt_delay_ns: 8_200, ..Timing::TYPICAL };
    let mut rig = Rig::new(2);
    let mut receiver = Chip::new(0, timing);
    set_up(&mut receiver, RESET_NS, RECEIVER);
    receiver.enable(RESET_NS, true);
    rig.chips[1] = Some(receiver);
    rig.run_to(START + MS);
    rig.send(0, 1);
    let ends_ns = START + MS + 450 * US;
    rig.run_to(ends_ns - 20 * US);
    assert_eq!(rig.chip(1).next_event_ns(), Some(ends_ns + 8_200));
    rig.run_to(ends_ns + 8_199);
    assert_eq!(read(rig.chip(1), ends_ns + 8_199, 0x07), 0x40, "the flag is there");
    assert!(!rig.chip(1).interrupt(ends_ns + 8_199));
    assert_eq!(rig.chip(1).next_event_ns(), Some(ends_ns + 8_200));
    assert!(rig.chip(1).interrupt(ends_ns + 8_200));
    assert_eq!(rig.chip(1).next_event_ns(), None);
    write(rig.chip(1), ends_ns + 9_000, 0x07, 0x40);
    assert!(!rig.chip(1).interrupt(ends_ns + 9_000));
}

#[test]
fn what_the_features_forbid_is_counted() {
    let mut chip = chip();
    command(&mut chip, RESET_NS, &[0xb0, 1]);
    assert_eq!(chip.lints().count(Lint::DynAckDisabled), 1);
    write(&mut chip, RESET_NS, 0x1d, 0x01);
    command(&mut chip, RESET_NS, &[0xb0, 1]);
    assert_eq!(chip.lints().count(Lint::DynAckDisabled), 1);
    write(&mut chip, RESET_NS, 0x06, 0x86);
    assert_eq!(chip.lints().count(Lint::CarrierWithoutLock), 1);
    write(&mut chip, RESET_NS, 0x06, 0x96);
    assert_eq!(chip.lints().count(Lint::CarrierWithoutLock), 1);
}

#[test]
fn flush_rx_while_an_acknowledgement_is_being_sent_is_counted() {
    let mut rig = wirth(2, logged());
    rig.send(0, 1);
    for (at_us, count) in [(450, 0), (470, 1), (650, 2), (670, 2)] {
        rig.run_to(SENT + at_us * US);
        command(rig.chip(1), SENT + at_us * US, &[FLUSH_RX]);
        assert_eq!(rig.chip(1).lints().count(Lint::FlushWhileAnswering), count, "{at_us} us");
    }
}
