//! Arbitrary pins, bytes and times at two chips on one air: nothing panics, the chip's two status
//! registers agree, the interrupt line changes no earlier than the chip said, and every frame has one
//! outcome at every station.
//!
//! The first byte chooses variant and knobs; then each operation is a byte (low nibble: which,
//! bit 4: which chip) and, where it needs one, an argument byte.

#![no_main]

use kube_air::{AckIdentity, Air, AirConfig, Chip, ChipConfig, Outcome, Timing, Variant};
use libfuzzer_sys::fuzz_target;

const STATIONS: usize = 2;

fn command(chip: &mut Chip, bytes: &[u8]) -> Vec<u8> {
    let at_ns = chip.now_ns();
    chip.select(at_ns, false);
    chip.select(at_ns, true);
    let back = bytes.iter().map(|&byte| chip.transfer(at_ns, byte)).collect();
    chip.select(at_ns, false);
    back
}

fn chip(knobs: u8) -> Chip {
    let variant =
        [Variant::Plus, Variant::NonPlus, Variant::Si24r1, Variant::Bk242x][usize::from(knobs & 3)];
    let interrupt_delay_ns = if knobs & 16 != 0 { 8_200 } else { 0 };
    let timing =
        Timing { power_on_reset_ns: 0, power_up_ns: 1_000, interrupt_delay_ns, ..Timing::TYPICAL };
    let ack_identity = if knobs & 8 != 0 { AckIdentity::Count } else { AckIdentity::Mirror };
    let ce_low_aborts_ack = knobs & 4 != 0;
    let mut chip = Chip::with(0, ChipConfig { variant, timing, ce_low_aborts_ack, ack_identity });
    // Ready to talk, so that short inputs reach the air.
    for (register, value) in [(0x05, 5), (0x06, 0x06), (0x11, 32), (0x12, 32), (0x00, 0x0f)] {
        command(&mut chip, &[0x20 | register, value]);
    }
    chip
}

fn check(chip: &mut Chip) {
    let line = chip.interrupt(chip.now_ns());
    assert!(chip.next_event_ns().is_none_or(|at_ns| at_ns > chip.now_ns()), "line {line}");
    let mut probe = chip.clone();
    if chip.variant() == Variant::Bk242x && command(&mut probe, &[0xff])[0] & 0x80 != 0 {
        return;
    }
    let back = command(&mut probe, &[0x17, 0xff]);
    let (status, fifo) = (back[0], back[1]);
    assert_eq!(status & 1 != 0, fifo & 0x20 != 0, "TX_FULL");
    assert_eq!(status & 0x0e == 0x0e, fifo & 1 != 0, "RX_EMPTY");
    assert!(fifo & 0x30 != 0x30 && fifo & 3 != 3, "full and empty: {fifo:02x}");
}

fuzz_target!(|data: &[u8]| {
    let Some((&knobs, mut rest)) = data.split_first() else { return };
    let mut air = Air::new(AirConfig {
        seed: u64::from(knobs),
        bit_error_rate: if knobs & 32 != 0 { 1e-3 } else { 0.0 },
        keep_log: true,
        ..AirConfig::default()
    });
    let mut chips = [chip(knobs), chip(knobs & !3)];
    for _ in 0..STATIONS {
        air.add_station();
    }
    let mut frames = 0;
    let mut next = || {
        let (&byte, tail) = rest.split_first()?;
        rest = tail;
        Some(byte)
    };
    while let Some(operation) = next() {
        let at = usize::from(operation >> 4 & 1);
        let chip = &mut chips[at];
        // A machine is never more than a little ahead of the air.
        let now_ns = chip.now_ns();
        match operation & 15 {
            0 => chip.select(now_ns, true),
            1 => chip.select(now_ns, false),
            2 => chip.enable(now_ns, true),
            3 => chip.enable(now_ns, false),
            4..=6 => {
                let Some(byte) = next() else { break };
                chip.transfer(now_ns, byte);
            }
            7 => {
                let Some(bits) = next() else { break };
                chip.cut_byte(now_ns, bits);
            }
            8 => {
                let Some(len) = next() else { break };
                let opcode = if len & 0x80 != 0 { 0xa8 } else { 0xa0 };
                command(chip, &[&[opcode], &[len; 32][..usize::from(len & 31) + 1]].concat());
            }
            9 => {
                let (Some(register), Some(value)) = (next(), next()) else { break };
                command(chip, &[0x20 | register & 31, value]);
            }
            10 => {
                // A pulse: the machine's next 10 us.
                chip.enable(now_ns, true);
                if now_ns <= air.now_ns() {
                    chip.enable(now_ns + 10_000, false);
                }
            }
            11 => chip.inject_width(now_ns, operation >> 5, operation),
            12 if operation >> 5 == 7 => chip.brown_out(now_ns),
            12 => {
                command(chip, &[0x61; 33]);
            }
            _ => {
                let Some(us) = next() else { break };
                let steps = if operation & 15 == 15 { 20 } else { 1 };
                for _ in 0..steps {
                    let until_ns = air.now_ns() + u64::from(us) * 500;
                    let until_ns = until_ns.min(air.horizon_ns()).max(air.now_ns() + 1);
                    let [zero, one] = &mut chips;
                    air.step(until_ns, &mut [Some(zero), Some(one)]).expect("steps are short");
                }
                frames += air.take_log().iter().map(|record| record.outcomes.len()).sum::<usize>();
            }
        }
        chips.iter_mut().for_each(check);
    }
    for chip in &mut chips {
        // Quiet: whatever is on the air ends, no retry follows.
        chip.brown_out(chip.now_ns());
    }
    let end_ns = air.now_ns() + 10_000_000;
    while air.now_ns() < end_ns {
        let until_ns = air.horizon_ns();
        let [zero, one] = &mut chips;
        air.step(until_ns, &mut [Some(zero), Some(one)]).expect("steps are short");
    }
    frames += air.take_log().iter().map(|record| record.outcomes.len()).sum::<usize>();
    let totals = air.totals();
    assert_eq!(totals.sum(), totals.flights * STATIONS as u64);
    assert_eq!(frames as u64, totals.sum());
    assert_eq!(totals.count(Outcome::Sender), totals.flights);
});
