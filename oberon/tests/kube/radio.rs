//! The radio driver and a radio that is not there, goes away, or was left in another state.

use crate::bench::{Bench, KEY, Socket, pods, spec};
use crate::image::image;
use kube_air::{Chip, Timing};
use kube_emu::NoRadio;
use kube_proto::message::Body;

const LOST: &str = "scc: no radio answers on the SPI: check wiring and power; going on without";
const BACK: &str = "scc: the radio answers again";

fn join() -> String {
    format!("KubeNet.Join node1 kube {KEY}")
}

#[test]
fn without_a_radio_the_machine_says_so_once_and_goes_on() {
    for level in [false, true] {
        let socket = Socket::Empty(NoRadio { level });
        let mut bench = Bench::with(image(&join()).1, socket);
        bench.expect(LOST, 5_000);
        bench.run_ms(5_000);
        assert_eq!(bench.log().matches(LOST).count(), 1);
        let tree = bench.ask("Kube.Get");
        assert_eq!(tree, "nodes: 0 Ready, 0 NotReady\n", "line at {level}");
    }
}

#[test]
fn a_brown_out_is_noticed_and_healed() {
    let mut bench = Bench::new(&join());
    bench.expect("joined the air", 5_000);
    bench.run_ms(2_000);
    assert!(bench.last_ids(false, "node1").is_some());
    let now_ns = bench.machine.now_ns();
    bench.chip().brown_out(now_ns);
    bench.expect(LOST, 500);
    bench.expect(BACK, 2_500);
    bench.send(spec(1, "Ticker"));
    bench.send(Body::Assignment(pods("node1", &[1])));
    bench.expect("Ticker v1: started pod 1", 1_000);
    bench.run_ms(1_100);
    assert_eq!(bench.last_ids(false, "node1"), Some(vec![1]));
}

#[test]
fn a_chip_put_in_later_is_found() {
    let mut bench = Bench::with(image(&join()).1, Socket::Empty(NoRadio { level: true }));
    bench.expect(LOST, 5_000);
    let now_ns = bench.machine.now_ns();
    *bench.machine.radio_mut() = Socket::Chip(Box::new(Chip::new(now_ns, Timing::WORST)));
    bench.expect(BACK, 3_000);
    bench.run_ms(1_500);
    assert_eq!(bench.last_ids(false, "node1"), Some(vec![]));
}

/// A warm chip keeps what another program wrote; no register may be taken for granted.
#[test]
fn a_chip_left_in_another_state_is_set_up_anew() {
    let mut chip = Chip::new(0, Timing::WORST);
    let mut now_ns = 0;
    let foreign: [&[u8]; 12] = [
        &[0x21, 0x3f],
        &[0x22, 0x3f],
        &[0x23, 0x01],
        &[0x24, 0xff],
        &[0x25, 0x4c],
        &[0x26, 0x28],
        &[0x2a, 1, 2, 3, 4, 5],
        &[0x30, 9, 8, 7, 6, 5],
        &[0x31, 0x07],
        &[0x3d, 0x07],
        &[0x3c, 0x3f],
        &[0x20, 0x0b],
    ];
    now_ns += 100_000_000;
    for command in foreign {
        now_ns += 1_000;
        chip.select(now_ns, true);
        for &byte in command {
            now_ns += 1_000;
            chip.transfer(now_ns, byte);
        }
        now_ns += 1_000;
        chip.select(now_ns, false);
    }
    let mut bench = Bench::with(image(&join()).1, Socket::Chip(Box::new(chip)));
    // The machine must not touch the chip before the time the test has used.
    bench.expect("joined the air", 5_000);
    bench.run_ms(2_500);
    assert_eq!(bench.last_ids(false, "node1"), Some(vec![]));
    assert_eq!(bench.strange, 0);
}

#[test]
fn a_dead_chip_costs_next_to_nothing() {
    let mut bench = Bench::with(image(&join()).1, Socket::Empty(NoRadio { level: true }));
    bench.expect(LOST, 5_000);
    let before = bench.machine.instructions();
    bench.run_ms(10_000);
    let per_second = (bench.machine.instructions() - before) / 10;
    assert!(per_second < 2_000_000, "{per_second} instructions a second on an idle machine");
}
