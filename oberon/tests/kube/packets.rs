//! The radio driver by itself: what it sends bit for bit, packets of several frames, the channel, and
//! the time it takes from the machine.

use crate::bench::{Bench, Socket};
use crate::image::image;
use kube_air::{Chip, Timing};
use kube_emu::NoRadio;
use kube_proto::frame::Format;
use kube_proto::frame::{Address, CrcMode, decode, encode};

fn started() -> Bench {
    let mut bench = Bench::new("Packets.Start");
    bench.expect("state 3", 5_000);
    bench.run_ms(20);
    bench
}

/// spec/nrf24.md A5, profile `kube`: `aa e7e7e7e7e7 01ff423408000000 4f6265726f6e 00x18`.
#[test]
fn a_packet_is_the_published_frame_on_the_air() {
    let mut bench = started();
    bench.command("Packets.Name");
    bench.run_ms(100);
    let frames = bench.take_frames();
    assert_eq!(frames.len(), 1);
    let mut payload = frames[0].payload;
    assert_eq!(frames[0].control, None, "no packet control field");
    assert_eq!((frames[0].len, frames[0].crc_ok), (32, true));
    assert!((1..255).contains(&payload[2]), "station {}", payload[2]);
    payload[2] = 0x42;
    let mut golden = [0; 32];
    golden[..14].copy_from_slice(b"\x01\xff\x42\x34\x08\0\0\0Oberon");
    assert_eq!(payload, golden);
    let bits = encode(&Address::OBERON, None, &golden, CrcMode::Crc16).expect("32 bytes");
    assert_eq!(decode(&bits, &Format::KUBE).expect("a frame").crc, 0xbc79);
}

#[test]
fn long_packets_go_out_in_bursts_of_three_frames() {
    let mut bench = started();
    bench.command("Packets.Long");
    bench.run_ms(100);
    let frames = bench.take_frames();
    assert_eq!(frames.len(), 3);
    for pair in frames.windows(2) {
        let gap_ns = pair[1].start_ns - pair[0].end_ns;
        assert!(gap_ns < 200_000, "{gap_ns} ns between frames of a burst");
    }
    let data: Vec<u8> = frames.iter().flat_map(|frame| frame.payload).skip(8).collect();
    assert!(data.iter().zip(1..=88).all(|(&byte, expected)| byte == expected));
    bench.command("Packets.Longest");
    bench.run_ms(200);
    assert_eq!(bench.take_frames().len(), 17);
}

#[test]
fn long_packets_are_received_whole() {
    let mut bench = started();
    let mut bytes = vec![1, 255, 0x42, 0x70, 88, 0, 0, 0];
    bytes.extend(1..=88);
    let frames: Vec<[u8; 32]> =
        bytes.chunks_exact(32).map(|chunk| chunk.try_into().expect("32 bytes")).collect();
    bench.send_frames(&frames, 450_000);
    let line = bench.expect("packet", 200);
    assert_eq!(line, format!("packet {} len 88 sum {}", 0x70, 88 * 89 / 2));
}

#[test]
fn noise_and_half_packets_do_not_swallow_what_follows() {
    let mut bench = started();
    let mut first = [0; 32];
    first[..8].copy_from_slice(&[1, 255, 9, 0x70, 0, 2, 0, 0]);
    bench.send_frames(&[first], 450_000);
    bench.run_ms(200);
    assert!(!bench.log().contains("packet"), "half a packet is none");
    bench.send_frames(&[first], 450_000);
    let noise = [0x5a; 32];
    let mut wrong = first;
    wrong[6] = 0xff;
    let mut whole = [0; 32];
    whole[..9].copy_from_slice(&[1, 255, 9, 0x33, 1, 0, 0, 0, 7]);
    bench.send_frames(&[noise, wrong, whole], 450_000);
    assert_eq!(bench.expect("packet", 200), "packet 51 len 1 sum 7");
}

#[test]
fn switches_choose_the_channel_and_stay_inside_the_band() {
    for (switches, channel) in [(0, 5), (0x04, 15), (0x1c, 75), (0x20, 75), (0x3c, 75)] {
        let chip = Chip::new(0, Timing::TYPICAL);
        let disk = image("Packets.Start").1;
        let mut bench = Bench::tuned(disk, Socket::Chip(Box::new(chip)), switches, channel);
        bench.expect("state 3", 5_000);
        bench.command("Packets.Name");
        bench.run_ms(100);
        assert_eq!(bench.take_frames().len(), 1, "switches {switches:#x}");
    }
}

fn number(line: &str) -> u32 {
    line.rsplit(' ').next().and_then(|text| text.parse().ok()).expect("a number")
}

#[test]
fn the_driver_never_holds_the_machine_for_two_milliseconds() {
    let mut bench = started();
    bench.command("Packets.Time");
    for what in ["longest ", "longest of three "] {
        let us = number(&bench.expect(what, 2_000));
        assert!(us < 2_000, "{what}{us} us");
    }
    bench.command("Packets.Poll");
    let us = number(&bench.expect("longest poll", 5_000));
    assert!(us < 2_000, "{us} us");
    for level in [false, true] {
        let socket = Socket::Empty(NoRadio { level });
        let mut bench = Bench::with(image("Packets.Start;Packets.Poll;Packets.Time").1, socket);
        let us = number(&bench.expect("longest poll", 5_000));
        assert!(us < 2_000, "{us} us without a chip");
        let us = number(&bench.expect("longest ", 5_000));
        assert!(us < 100, "{us} us to send without a chip");
    }
}
