//! The list at the end of spec/nrf24.md F: what a radio model should pass, a test for each line, in
//! its order. (A radio that is absent, MISO high or low, belongs to the machine: no chip, no model.
//! The vectors are tested as bits in host/proto, and here as what a chip sends.)

use crate::rig::*;
use kube_air::{AirConfig, Chip, ChipConfig, Identical, Outcome};
use kube_proto::bits::Bits;

#[test]
fn golden_vectors_leave_the_chip() {
    // A5: E7E7E7E7E7, CRC-16, "to all from 42H, type 34H, 8 bytes"; a static payload carries 51 in
    // the length field. The chip's first packet has PID 1.
    let mut golden = [0; 32];
    golden[..14].copy_from_slice(b"\x01\xff\x42\x34\x08\x00\x00\x00Oberon");
    let mut rig = wirth(2, logged());
    for (data_crc, answer) in [
        (0x7a71, [0xcd, 0x60, 0x13, 0x00]),
        (0x66da, [0xce, 0x50, 0x70, 0x00]),
        (0x6d43, [0xcf, 0x40, 0x51, 0x00]),
        (0x71e8, [0xcc, 0x70, 0x32, 0x00]),
    ] {
        let now_ns = rig.air.now_ns();
        write(rig.chip(0), now_ns, 0x00, SENDER);
        load(rig.chip(0), now_ns, &golden);
        rig.chip(0).enable(now_ns, true);
        rig.chip(0).enable(now_ns + 10 * US, false);
        rig.run_to(now_ns + MS);
        command(rig.chip(1), now_ns + MS, &[FLUSH_RX]);
        let log = rig.log();
        let crc = |bits: &Bits| bits.read(bits.len() - 16, 16);
        assert_eq!((log[0].flight.bits.len(), crc(&log[0].flight.bits)), (329, data_crc));
        assert_eq!(log[0].flight.bits.read(48, 6), 51);
        assert_eq!(log[1].flight.bits.as_bytes()[6..], answer);
    }
}

#[test]
fn exchange_is_662_us_at_1_mbit() {
    let mut rig = wirth(2, logged());
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
fn max_rt_at_2446_us() {
    let mut rig = wirth(1, logged());
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
fn lost_ack_is_one_delivery_two_air_frames_same_pid() {
    let mut rig = wirth(2, logged());
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
fn four_lost_and_the_same_payload_is_wrongly_deduped() {
    let mut rig = wirth(2, logged());
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
fn rx_full_is_no_ack_and_max_rt() {
    let mut rig = wirth(2, logged());
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
fn two_receivers_acknowledge_at_once() {
    for (identical, flags) in [(Identical::Merge, 0x20), (Identical::Collide, 0x10)] {
        let mut rig = wirth(3, AirConfig { identical, ..logged() });
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
fn two_hidden_senders() {
    // 0 and 2 hear 1 and not each other; both send at once.
    let mut rig = Rig::new(3);
    rig.listen(1);
    rig.listen(2);
    let [zero, _, two] = rig.stations[..] else { unreachable!() };
    for (from, to) in [(zero, two), (two, zero)] {
        rig.air.link_mut(from, to).path_loss_db = Some(120);
    }
    rig.run_to(START + MS);
    rig.send(0, 1);
    rig.run_to(START + 2 * MS);
    use Outcome::{Collision, Delivered, Sender, TooWeak, Transmitting};
    assert_eq!(rig.outcomes(), [[Sender, Delivered, TooWeak]]);
    rig.send(0, 2);
    rig.send(2, 3);
    rig.run_to(START + 3 * MS);
    let log = rig.outcomes();
    assert_eq!(log, [[Sender, Collision, Transmitting], [Transmitting, Collision, Sender]]);
}

#[test]
fn three_oberon_stations_with_merge_and_with_collide() {
    // All have one address and acknowledge; a packet of three frames from 0 to both others.
    for (identical, sent) in [(Identical::Merge, 3), (Identical::Collide, 0)] {
        let mut rig = wirth(3, AirConfig { identical, ..logged() });
        write(rig.chip(0), SENT, 0x04, 0x13);
        let mut arrived = 0;
        for first in 1..=3 {
            let now_ns = rig.air.now_ns();
            write(rig.chip(0), now_ns, 0x07, 0x70);
            command(rig.chip(0), now_ns, &[FLUSH_TX]);
            rig.send(0, first);
            rig.run_to(now_ns + 5 * MS);
            arrived += usize::from(read(rig.chip(0), now_ns + 5 * MS, 0x07) & 0x20 != 0);
        }
        assert_eq!(arrived, sent, "{identical:?}");
        // Either way both have all three: the sender alone is wrong about it.
        let now_ns = rig.air.now_ns();
        for station in [1, 2] {
            let firsts = [(); 3].map(|()| fetch(rig.chip(station), now_ns)[0]);
            assert_eq!(firsts, [1, 2, 3], "{identical:?}");
        }
    }
}

/// A receiver that reads as Project Oberon's SCC does: CE falls `reaction_us` after the frame's end
/// and rises again 100 us later. Returns whether the sender was acknowledged, its retries, and the
/// outcomes of its tries at the receiver.
fn scc_reads(ce_low_aborts_ack: bool, reaction_us: u64) -> (bool, u8, Vec<Outcome>) {
    let mut rig = wirth(2, logged());
    let config = ChipConfig { ce_low_aborts_ack, ..ChipConfig::default() };
    let mut receiver = Chip::with(0, config);
    set_up(&mut receiver, RESET_NS, RECEIVER);
    write(&mut receiver, SENT - MS, 0x01, 0x3f);
    receiver.enable(SENT - MS, true);
    rig.chips[1] = Some(receiver);
    rig.send(0, 1);
    let mut end_ns = SENT + (130 + 329) * US;
    for _ in 0..4 {
        rig.run_to(end_ns + reaction_us * US);
        let now_ns = rig.air.now_ns();
        if read(rig.chip(1), now_ns, 0x17) & 1 == 0 {
            rig.chip(1).enable(now_ns, false);
            fetch(rig.chip(1), now_ns);
            write(rig.chip(1), now_ns, 0x07, 0x40);
            rig.run_to(now_ns + 100 * US);
            rig.chip(1).enable(now_ns + 100 * US, true);
        }
        end_ns += (250 + 329) * US;
    }
    rig.run_to(SENT + 5 * MS);
    let now_ns = rig.air.now_ns();
    let acknowledged = read(rig.chip(0), now_ns, 0x07) & 0x20 != 0;
    let data = rig.log().into_iter().filter(|record| !record.flight.acknowledgement);
    let outcomes = data.map(|record| record.outcomes[1]).collect();
    (acknowledged, read(rig.chip(0), now_ns, 0x08) & 15, outcomes)
}

#[test]
fn scc_with_ce_low_aborts_ack_both_ways() {
    use Outcome::{Delivered, Duplicate, Settling};
    // CE may fall as early as it likes if the chip finishes its acknowledgement.
    assert_eq!(scc_reads(false, 50), (true, 0, vec![Delivered]));
    // Otherwise the acknowledgement is gone, the first retry (250 us) meets a receiver that is
    // settling (CE high again at 150 us), and the second is a duplicate that is acknowledged.
    assert_eq!(scc_reads(true, 50), (true, 2, vec![Delivered, Settling, Duplicate]));
    // CE that falls after the acknowledgement does no harm; the retry is never sent.
    assert_eq!(scc_reads(true, 250), (true, 0, vec![Delivered]));
}

#[test]
fn a_stale_payload_goes_out_after_give_up() {
    // SCC never flushes: the payload it gave up leads, and its success is taken for the new one's.
    let mut rig = wirth(2, logged());
    rig.chip(1).enable(SENT, false);
    rig.send(0, 1);
    rig.run_to(SENT + 4 * MS);
    assert_eq!(read(rig.chip(0), SENT + 4 * MS, 0x07) & 0x70, 0x10, "given up");
    rig.chip(1).enable(SENT + 4 * MS, true);
    write(rig.chip(0), SENT + 4 * MS, 0x07, 0x70);
    rig.run_to(SENT + 5 * MS);
    rig.send(0, 2);
    rig.run_to(SENT + 8 * MS);
    assert_eq!(read(rig.chip(0), SENT + 8 * MS, 0x07) & 0x70, 0x20, "TX_DS");
    assert_eq!(fetch(rig.chip(1), SENT + 8 * MS)[0], 1, "of the old payload");
    assert_eq!(read(rig.chip(0), SENT + 8 * MS, 0x17) & 0x10, 0, "the new one still waits");
    // Three give-ups fill the FIFO.
    rig.chip(1).enable(SENT + 8 * MS, false);
    for round in 0..2 {
        write(rig.chip(0), SENT + (8 + 4 * round) * MS, 0x07, 0x70);
        rig.send(0, 3);
        rig.run_to(SENT + (12 + 4 * round) * MS);
    }
    assert_eq!(read(rig.chip(0), SENT + 16 * MS, 0x17) & 0x20, 0x20, "TX_FULL");
}

#[test]
fn a_warm_chip_keeps_what_another_driver_left() {
    // Only power resets a chip. Left set up for 2 Mbit/s, 3-byte addresses and dynamic payloads, it
    // is deaf to a driver that trusts the reset values, and hears one that writes everything.
    for (writes_all, heard) in [(false, Outcome::WrongRate), (true, Outcome::Delivered)] {
        let mut rig = Rig::new(2);
        let chip = rig.chip(1);
        for (register, value) in [(0x03, 1), (0x06, 0x0e), (0x1d, 4), (0x1c, 1), (0x01, 1)] {
            write(chip, START, register, value);
        }
        write(chip, START, 0x05, 5);
        write(chip, START, 0x11, 32);
        if writes_all {
            set_up(chip, START, RECEIVER);
            write(chip, START, 0x1c, 0);
            write(chip, START, 0x1d, 0);
        }
        chip.enable(START, true);
        rig.run_to(START + MS);
        rig.send(0, 1);
        rig.run_to(START + 2 * MS);
        assert_eq!(rig.outcomes()[0][1], heard);
    }
}

#[test]
fn every_drop_has_exactly_one_reason_and_sent_is_received_plus_dropped() {
    // Twenty-five stations of both kinds at random for 200 ms, with everything that loses frames.
    let run = crate::mixture::mixture(20_261_130, 1);
    let totals = run.totals;
    assert_eq!(totals.sum(), totals.flights * run.stations as u64);
    assert_eq!(totals.count(Outcome::Sender), totals.flights);
    let received: u64 = totals.occurred().filter(|(o, _)| o.received()).map(|(_, n)| n).sum();
    let reasons: u64 = totals.occurred().filter(|(o, _)| !o.received()).map(|(_, n)| n).sum();
    assert_eq!(received + reasons, totals.sum());
    assert!(totals.occurred().count() > 12, "{:?}", totals.occurred().collect::<Vec<_>>());
    // The same for each station alone, and for the listener and the tap.
    for station in 0..run.stations {
        let outcomes = run.records.iter().map(|record| record.outcomes[station]);
        assert_eq!(outcomes.count() as u64, totals.flights);
    }
    assert_eq!(run.listener.sum(), totals.flights);
    assert_eq!(run.listener.flights, totals.flights);
    assert_eq!(run.seen.len() as u64, totals.flights);
}

#[test]
fn same_seed_same_dump() {
    let run = |seed, threads| {
        let run = crate::mixture::mixture(seed, threads);
        let dump = format!("{:?}{:?}{:?}{:?}", run.records, run.totals, run.seen, run.listener);
        (dump, run.file)
    };
    let first = run(1, 1);
    assert!(first == run(1, 1));
    assert!(first == run(1, 2), "the same records and the same pcapng on two threads");
    let other = run(2, 1);
    assert!(first.0 != other.0 && first.1 != other.1);
}
