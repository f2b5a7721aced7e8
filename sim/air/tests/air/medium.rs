//! Several stations: who hears whom, and why not.

use crate::rig::*;
use kube_air::{Air, AirConfig, AirError, Chip, Departure, Outcome, QUANTUM_NS, Timing};
use kube_proto::frame::{Address, CrcMode, Rate, encode};

/// One frame from station 0 to station 1, which `prepare` has spoilt; what became of it.
fn outcome_after(prepare: impl FnOnce(&mut Chip)) -> Outcome {
    let mut rig = Rig::new(2);
    prepare(rig.chip(1));
    rig.run_to(START + 10 * MS);
    rig.send(0, 1);
    rig.run_to(START + 12 * MS);
    rig.outcomes()[0][1]
}

#[test]
fn every_kind_of_deafness_has_its_reason() {
    let on = |chip: &mut Chip| chip.enable(START, true);
    assert_eq!(outcome_after(on), Outcome::Delivered);
    assert_eq!(outcome_after(|_| {}), Outcome::CeLow);
    let with = |register, value| {
        move |chip: &mut Chip| {
            write(chip, START, register, value);
            chip.enable(START, true);
        }
    };
    assert_eq!(outcome_after(with(0x00, 0x0d)), Outcome::PoweredDown);
    assert_eq!(outcome_after(with(0x00, SENDER)), Outcome::Standby);
    assert_eq!(outcome_after(with(0x05, 15)), Outcome::WrongChannel);
    assert_eq!(outcome_after(with(0x06, 0x0e)), Outcome::WrongRate);
    assert_eq!(outcome_after(with(0x0a, 0xe6)), Outcome::WrongAddress);
    assert_eq!(outcome_after(with(0x02, 0x00)), Outcome::WrongAddress);
    assert_eq!(outcome_after(with(0x11, 0)), Outcome::WrongAddress);
    // The address fits on its first three bytes, but everything behind is two bytes off.
    assert_eq!(outcome_after(with(0x03, 0x01)), Outcome::Crc);
    assert_eq!(outcome_after(with(0x11, 31)), Outcome::Crc);
    assert_eq!(outcome_after(with(0x01, 0x01)), Outcome::Crc);
    assert_eq!(outcome_after(with(0x00, 0x0b)), Outcome::Crc);
}

#[test]
fn pipes_2_to_5_take_their_upper_bytes_from_pipe_1() {
    let mut rig = Rig::new(2);
    write(rig.chip(1), START, 0x02, 0x08);
    write(rig.chip(1), START, 0x14, 32);
    rig.listen(1);
    command(rig.chip(0), START, &[0x30, 0xc4, 0xc2, 0xc2, 0xc2, 0xc2]);
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.run_to(START + 2 * MS);
    assert_eq!(rig.outcomes()[0][1], Outcome::Delivered);
    assert_eq!(read(rig.chip(1), START + 2 * MS, 0x07), 0x40 | 3 << 1);
}

#[test]
fn a_receiver_must_listen_before_the_first_bit_and_to_the_last() {
    // The frame lasts from 130 to 450 us.
    for (on_us, off_us, outcome) in [
        (0, 900, Outcome::Delivered),
        (1, 900, Outcome::Settling),
        (0, 449, Outcome::CeLow),
        (0, 450, Outcome::Delivered),
        (131, 900, Outcome::CeLow),
    ] {
        let mut rig = Rig::new(2);
        rig.send(0, 1);
        rig.run_to(START + on_us * US);
        rig.chip(1).enable(START + on_us * US, true);
        rig.run_to(START + off_us * US);
        rig.chip(1).enable(START + off_us * US, false);
        rig.run_to(START + MS);
        assert_eq!(rig.outcomes()[0][1], outcome, "on at {on_us} us, off at {off_us} us");
    }
}

#[test]
fn a_channel_changed_in_mid_frame_loses_it() {
    let mut rig = Rig::new(2);
    rig.listen(1);
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.run_to(START + MS + 300 * US);
    for channel in [6, 5] {
        write(rig.chip(1), START + MS + 300 * US, 0x05, channel);
    }
    rig.run_to(START + 2 * MS);
    assert_eq!(rig.outcomes()[0][1], Outcome::Retuned);
}

#[test]
fn overlapping_frames_are_both_lost_and_neighbours_are_not() {
    // A frame lasts 320 us.
    for (gap_us, outcome) in
        [(0, Outcome::Collision), (319, Outcome::Collision), (320, Outcome::Delivered)]
    {
        let mut rig = Rig::new(3);
        rig.listen(2);
        rig.run_to(START + MS);
        rig.send(0, 1);
        rig.run_to(START + MS + gap_us * US);
        rig.send(1, 2);
        rig.run_to(START + 3 * MS);
        let outcomes = rig.outcomes();
        assert_eq!([outcomes[0][2], outcomes[1][2]], [outcome; 2], "{gap_us} us apart");
        let heard = rig.air.take_heard(rig.tap).len();
        assert_eq!(heard, if outcome == Outcome::Delivered { 2 } else { 0 });
        assert_eq!(rig.air.collided(rig.tap), 2 - heard as u64);
    }
}

#[test]
fn three_frames_in_a_chain_of_overlaps_are_all_lost() {
    let mut rig = Rig::new(4);
    rig.listen(3);
    rig.run_to(START + MS);
    for (station, at_us) in [(0, 0), (1, 200), (2, 400)] {
        rig.run_to(START + MS + at_us * US);
        rig.send(station, 1);
    }
    rig.run_to(START + 3 * MS);
    assert!(rig.outcomes().iter().all(|outcomes| outcomes[3] == Outcome::Collision));
}

#[test]
fn frames_on_other_channels_do_not_disturb() {
    let mut rig = Rig::new(3);
    write(rig.chip(1), START, 0x05, 15);
    rig.listen(2);
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.send(1, 2);
    rig.run_to(START + 2 * MS);
    let outcomes = rig.outcomes();
    assert_eq!([outcomes[0][2], outcomes[1][2]], [Outcome::Delivered, Outcome::WrongChannel]);
}

#[test]
fn a_sender_is_deaf_from_ce_to_its_last_bit_and_while_it_turns_round() {
    let mut rig = Rig::new(2);
    rig.send(0, 1);
    rig.run_to(START + 100 * US);
    rig.send(1, 2);
    rig.run_to(START + 2 * MS);
    // Both sent; neither heard the other.
    use Outcome::{Sender, Transmitting};
    assert_eq!(rig.outcomes(), [[Sender, Transmitting], [Transmitting, Sender]]);
}

#[test]
fn a_station_cut_off_neither_hears_nor_is_heard() {
    let mut rig = Rig::new(3);
    rig.listen(1);
    rig.listen(2);
    let one = rig.stations[1];
    rig.air.set_cut_off(one, true);
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.run_to(START + 2 * MS);
    rig.send(1, 2);
    rig.run_to(START + 3 * MS);
    use Outcome::{CutOff, Delivered, Sender};
    assert_eq!(rig.outcomes(), [[Sender, CutOff, Delivered], [CutOff, Sender, CutOff]]);
    assert_eq!(rig.air.take_heard(rig.tap).len(), 1);
    rig.air.set_cut_off(one, false);
    rig.send(1, 3);
    rig.run_to(START + 4 * MS);
    assert_eq!(rig.outcomes(), [[Outcome::CeLow, Sender, Delivered]]);
}

#[test]
fn while_the_air_is_off_nobody_hears() {
    let mut rig = Rig::new(2);
    rig.listen(1);
    rig.run_to(START + MS);
    // Off in mid-frame.
    rig.send(0, 1);
    rig.run_to(START + MS + 300 * US);
    rig.air.set_on(false);
    rig.run_to(START + 2 * MS);
    // On again in mid-frame.
    rig.send(0, 2);
    rig.run_to(START + 2 * MS + 300 * US);
    rig.air.set_on(true);
    rig.run_to(START + 3 * MS);
    rig.send(0, 3);
    rig.run_to(START + 4 * MS);
    let at_receiver: Vec<_> = rig.outcomes().into_iter().map(|outcomes| outcomes[1]).collect();
    assert_eq!(at_receiver, [Outcome::AirOff, Outcome::AirOff, Outcome::Delivered]);
    assert_eq!(rig.air.take_heard(rig.tap).len(), 1);
    assert!(read(rig.chip(0), START + 4 * MS, 0x07) & 0x20 != 0, "the sender does not notice");
}

#[test]
fn a_sender_that_loses_power_in_mid_frame_is_heard_by_nobody() {
    for new_chip in [false, true] {
        let mut rig = Rig::new(2);
        rig.listen(1);
        rig.run_to(START + MS);
        rig.send(0, 1);
        rig.run_to(START + MS + 300 * US);
        rig.chips[0] = new_chip.then(|| Chip::new(START + MS + 300 * US, Timing::TYPICAL));
        rig.run_to(START + 2 * MS);
        let record = &rig.log()[0];
        assert!(record.cut_short);
        assert_eq!(record.outcomes, [Outcome::Sender, Outcome::Truncated]);
        assert!(rig.air.take_heard(rig.tap).is_empty());
    }
}

#[test]
fn a_sender_powered_down_in_mid_frame_is_heard_by_nobody() {
    let mut rig = Rig::new(2);
    rig.listen(1);
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.run_to(START + MS + 300 * US);
    write(rig.chip(0), START + MS + 300 * US, 0x00, 0x0c);
    rig.run_to(START + 2 * MS);
    assert_eq!(rig.outcomes(), [[Outcome::Sender, Outcome::Truncated]]);
    assert_eq!(read(rig.chip(0), START + 2 * MS, 0x17) & 0x10, 0, "its payload stays");
}

#[test]
fn a_receiver_without_power_has_its_reason_too() {
    let mut rig = Rig::new(3);
    rig.listen(1);
    rig.chips[2] = None;
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.run_to(START + MS + 300 * US);
    rig.chips[1] = None;
    rig.run_to(START + 2 * MS);
    use Outcome::{NoPower, Sender};
    assert_eq!(rig.outcomes(), [[Sender, NoPower, NoPower]]);
}

/// It was reported as a step that came too late: the chip's own time is ahead of the frame.
#[test]
fn a_receiver_whose_power_comes_later_has_none_yet() {
    let mut rig = Rig::new(2);
    rig.chips[1] = Some(Chip::new(START + 20 * MS, Timing::TYPICAL));
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.run_to(START + 2 * MS);
    assert_eq!(rig.outcomes(), [[Outcome::Sender, Outcome::NoPower]]);
}

#[test]
fn loss_is_independent_for_each_receiver_and_near_its_probability() {
    let config = AirConfig { seed: 20_260_101, loss: 0.3, ..AirConfig::default() };
    let mut rig = Rig::with(5, config);
    (1..5).for_each(|station| rig.listen(station));
    rig.air.set_listener_loss(rig.tap, 0.1);
    let mut at_ns = START;
    let frames = 2_000;
    for _ in 0..frames {
        rig.send(0, 1);
        at_ns += 500 * US;
        rig.run_to(at_ns);
        for station in 1..5 {
            command(rig.chip(station), at_ns, &[FLUSH_RX]);
        }
    }
    let totals = rig.air.totals();
    let (lost, delivered) = (totals.count(Outcome::Lost), totals.count(Outcome::Delivered));
    assert_eq!(lost + delivered, 4 * frames);
    // Standard deviation of 8,000 draws at 0.3 is 41; of 2,000 at 0.1 it is 13.
    assert!((2_400u64).abs_diff(lost) < 5 * 41, "{lost} of 8000 lost, seed {}", config.seed);
    let heard = rig.air.take_heard(rig.tap).len();
    assert!(1_800usize.abs_diff(heard) < 5 * 13, "{heard} of 2000 heard, seed {}", config.seed);
}

#[test]
fn a_link_can_have_its_own_loss() {
    let mut rig = Rig::new(3);
    rig.listen(1);
    rig.listen(2);
    let (from, to) = (rig.stations[0], rig.stations[2]);
    rig.air.set_link_loss(from, to, 1.0);
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.run_to(START + 2 * MS);
    use Outcome::{Delivered, Lost, Sender};
    assert_eq!(rig.outcomes(), [[Sender, Delivered, Lost]]);
}

#[test]
fn an_injected_frame_is_heard_like_any_other() {
    let mut rig = Rig::new(2);
    rig.listen(1);
    rig.run_to(START + MS);
    let bits = encode(&Address::OBERON, None, &payload(7), CrcMode::Crc16).expect("32 bytes");
    let frame =
        |start_ns, bits| Departure { start_ns, channel: 5, rate: Rate::M1, power_dbm: 0, bits };
    let mut damaged = bits;
    damaged.flip(100);
    rig.air.inject(rig.stations[0], frame(0, bits));
    rig.air.inject(rig.stations[0], frame(START + 2 * MS, damaged));
    rig.run_to(START + 3 * MS);
    let at_receiver: Vec<_> = rig.outcomes().into_iter().map(|outcomes| outcomes[1]).collect();
    assert_eq!(at_receiver, [Outcome::Delivered, Outcome::Crc]);
    let heard = rig.air.take_heard(rig.tap);
    assert_eq!(heard.iter().map(|h| h.crc_ok).collect::<Vec<_>>(), [true, false]);
    assert_eq!((heard[0].start_ns, heard[0].len), (START + MS + QUANTUM_NS + 130 * US, 32));
    assert_eq!(heard[1].start_ns, START + 2 * MS);
    assert_eq!(fetch(rig.chip(1), START + 3 * MS), payload(7));
}

#[test]
fn misuse_of_the_step_is_named() {
    let mut rig = Rig::new(2);
    rig.listen(1);
    assert!(matches!(rig.air.step(START - 1, &mut [None, None]), Err(AirError::Backwards { .. })));
    assert!(matches!(
        rig.air.step(START + 1, &mut [None]),
        Err(AirError::Stations { given: 1, stations: 2 })
    ));
    // A step too long for a frame that begins inside it.
    rig.run_to(START + MS);
    rig.send(0, 1);
    let [zero, one] = &mut rig.chips[..] else { unreachable!() };
    let late = rig.air.step(START + 3 * MS, &mut [zero.as_mut(), one.as_mut()]);
    assert!(matches!(late, Err(AirError::Late { .. })), "{late:?}");
    rig.run_to(START + 4 * MS);
    assert_eq!(rig.outcomes()[0][1], Outcome::Late);
}

/// A crowd that sends and listens at random; returns the whole trace.
fn crowd(seed: u64, backwards: bool, acknowledge: u8) -> String {
    const STATIONS: usize = 12;
    let config = AirConfig { seed, loss: 0.1, keep_log: true, ..AirConfig::default() };
    let mut rig = Rig::with(STATIONS, config);
    for station in 0..STATIONS {
        write(rig.chip(station), START, 0x01, acknowledge);
        write(rig.chip(station), START, 0x04, 0x02);
    }
    let mut states: Vec<u64> = (0..STATIONS as u64).map(|at| at * 77 + 5).collect();
    let mut trace = String::new();
    for round in 0..1_000 {
        let now_ns = START + round * 100 * US;
        let mut order: Vec<usize> = (0..STATIONS).collect();
        if backwards {
            order.reverse();
        }
        for station in order {
            let state = &mut states[station];
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            match *state >> 40 & 31 {
                0 => rig.send(station, round as u8),
                1..=4 => {
                    let chip = rig.chip(station);
                    chip.enable(now_ns, false);
                    write(chip, now_ns, 0x00, RECEIVER);
                    command(chip, now_ns, &[FLUSH_RX]);
                    chip.enable(now_ns, true);
                }
                5 => {
                    write(rig.chip(station), now_ns, 0x05, (*state >> 50) as u8 & 1 | 4);
                }
                6 if round % 50 == 7 => rig.chips[station] = Some(fresh(now_ns)),
                _ => {}
            }
        }
        let id = rig.stations[round as usize % STATIONS];
        rig.air.set_cut_off(id, round % 40 < 4);
        rig.air.set_on(round % 300 > 20);
        rig.run_to(now_ns + 100 * US);
        trace.push_str(&format!("{:?}{:?}", rig.log(), rig.air.take_heard(rig.tap)));
    }
    rig.run_to(START + 110 * MS);
    let totals = rig.air.totals();
    assert_eq!(totals.sum(), totals.flights * STATIONS as u64, "every pair has one outcome");
    assert_eq!(totals.count(Outcome::Sender), totals.flights);
    assert_eq!(totals.count(Outcome::Late), 0);
    for outcome in [Outcome::Delivered, Outcome::Collision, Outcome::Lost, Outcome::CutOff] {
        assert!(totals.count(outcome) >= 5, "{outcome:?} in {totals:?}");
    }
    trace.push_str(&format!("{totals:?}"));
    trace
}

fn fresh(power_on_ns: u64) -> Chip {
    let quick = Timing { power_on_reset_ns: 0, ..Timing::TYPICAL };
    let mut chip = Chip::new(power_on_ns, quick);
    set_up(&mut chip, power_on_ns, RECEIVER);
    chip
}

#[test]
fn the_trace_depends_on_the_seed_and_not_on_the_order_of_machines() {
    for acknowledge in [0x00, 0x3f] {
        let trace = crowd(1, false, acknowledge);
        assert!(trace == crowd(1, true, acknowledge));
        assert!(trace != crowd(2, false, acknowledge));
    }
}

#[test]
fn chips_move_between_threads() {
    fn moves<T: Send>() {}
    moves::<Chip>();
    moves::<Air>();
}

#[test]
fn no_bytes_and_no_pins_upset_the_air() {
    const STATIONS: usize = 4;
    let mut rig = Rig::new(STATIONS);
    let mut state = 20_260_102u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state >> 33
    };
    for _ in 0..20_000 {
        let station = draw() as usize % STATIONS;
        let now_ns = rig.chip(station).now_ns() + draw() % 3_000;
        let chip = rig.chip(station);
        match draw() % 8 {
            0 => chip.enable(now_ns, draw() % 8 > 0),
            1 if draw() % 4 == 0 => load(chip, now_ns, &payload(1)[..draw() as usize % 33]),
            1 => load(chip, now_ns, &payload(draw() as u8)),
            2 => write(chip, now_ns, 0x00, if station == 0 { SENDER } else { RECEIVER }),
            3 => command(chip, now_ns, &[FLUSH_RX]).clear(),
            4 => {
                fetch(chip, now_ns);
            }
            5 if draw() % 64 == 0 => write(chip, now_ns, draw() as u8 & 31, draw() as u8),
            6 if draw() % 512 == 0 => chip.brown_out(now_ns),
            6 => {
                set_up(chip, now_ns, if station == 0 { SENDER } else { RECEIVER });
                command(chip, now_ns, &[0x2a, 0xe7, 0xe7, 0xe7, 0xe7, 0xe7]);
                command(chip, now_ns, &[0x30, 0xe7, 0xe7, 0xe7, 0xe7, 0xe7]);
                write(chip, now_ns, 0x1c, 0);
            }
            _ => {
                write(chip, now_ns, 0x07, 0x70);
                write(chip, now_ns, 0x01, 0x3f);
                write(chip, now_ns, 0x04, draw() as u8 & 0x1f);
            }
        }
        // The harness fails on a frame that is announced too late.
        rig.run_to(rig.air.now_ns() + draw() % 100_000);
    }
    let (open_ns, config) = (rig.air.now_ns() + 100 * MS, 0x0c);
    for station in 0..STATIONS {
        let now_ns = rig.chip(station).now_ns();
        write(rig.chip(station), now_ns, 0x00, config);
    }
    rig.run_to(open_ns);
    let totals = rig.air.totals();
    assert_eq!(totals.sum(), totals.flights * STATIONS as u64);
    assert!(totals.count(Outcome::Delivered) > 100, "{totals:?}");
    assert!(totals.count(Outcome::Acknowledged) > 0, "{totals:?}");
}
