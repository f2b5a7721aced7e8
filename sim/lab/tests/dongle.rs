//! The dongle's firmware in the emulator of its processor, on the air of this process.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test stops at the first surprise")]

use std::path::PathBuf;

use kube_lab::dongle::{Burst, Dongle, DongleError, burst};
use kube_proto::dongle::{
    Collector, FromDongle, FromHost, Settings, State, USB_MAKER, USB_NAME, USB_PRODUCT, USB_VENDOR,
    parse,
};
use kube_proto::frame::Rate;

/// The UF2 file, or a note that the test did not run.
fn firmware() -> Option<PathBuf> {
    let path = std::env::var_os("KUBE_DONGLE_FIRMWARE").map(PathBuf::from);
    if path.is_none() {
        println!("skipped: needs KUBE_DONGLE_FIRMWARE, a file of cargo xtask dongle");
    }
    path
}

#[test]
fn frames_back_to_back_at_2_mbit_arrive_while_the_host_stalls() {
    let Some(firmware) = firmware() else { return };
    let load = Burst { frames: 1_100, rate: Rate::M2, gap_ns: 0, stall_ms: 100 };
    let heard = burst(&firmware, &load).unwrap();
    assert_eq!((heard.lost(), heard.wrong, heard.transmissions), (0, 0, 0), "{heard:?}");
    assert_eq!((heard.counts.received, heard.counts.dropped), (1_100, 0), "{heard:?}");
    assert_eq!(heard.frames_per_s, 6_250, "the air's limit");
    assert_eq!(heard.late, 0, "{heard:?}");
    // The chip's interrupt comes after the frame, and the processor is at its task at once.
    assert!(heard.time_error_ns < 20_000, "{heard:?}");
}

#[test]
fn what_has_no_room_is_dropped_counted_and_told_in_the_next_frame() {
    let Some(firmware) = firmware() else { return };
    // Nothing is read for longer than the queue of 2,047 frames lasts.
    let load = Burst { frames: 2_600, rate: Rate::M2, gap_ns: 0, stall_ms: 1_000 };
    let heard = burst(&firmware, &load).unwrap();
    assert!(heard.counts.dropped > 0, "{heard:?}");
    assert_eq!(heard.lost(), heard.counts.dropped, "{heard:?}");
    assert_eq!((heard.counts.received, heard.wrong), (2_600, 0), "{heard:?}");
}

fn ask(dongle: &mut Dongle, message: &FromHost) -> Vec<FromDongle> {
    let (line, len) = message.line();
    say(dongle, &line[..len])
}

fn say(dongle: &mut Dongle, bytes: &[u8]) -> Vec<FromDongle> {
    dongle.usb_send(bytes);
    dongle.run_until(dongle.now_ns() + 200_000_000);
    let mut collector = Collector::new();
    let mut said = Vec::new();
    for byte in dongle.usb_received() {
        said.extend(collector.push(byte).unwrap().map(|body| parse(body).unwrap()));
    }
    said
}

#[test]
fn every_command_is_answered_and_what_is_none_is_refused() {
    let Some(firmware) = firmware() else { return };
    let mut dongle = Dongle::new(&firmware).unwrap();
    let known = dongle.enumerated().unwrap();
    assert_eq!((known.vendor, known.product), (USB_VENDOR, USB_PRODUCT));
    assert_eq!(known.names, [USB_MAKER, USB_NAME, "kube"]);
    let said = ask(&mut dongle, &FromHost::Identify);
    assert!(matches!(said[..], [FromDongle::Identity(i)] if i.state == State::Idle), "{said:?}");
    assert!(!dongle.listens());

    let settings =
        Settings { channel: 75, rate: Rate::K250, wirth: true, address: [1, 2, 3, 4, 5] };
    let said = ask(&mut dongle, &FromHost::Tune(settings));
    let [FromDongle::Identity(identity)] = said[..] else { panic!("{said:?}") };
    assert_eq!((identity.state, identity.settings), (State::Listens, settings));
    assert!(dongle.listens());
    let said = ask(&mut dongle, &FromHost::Tune(Settings { channel: 126, ..settings }));
    assert_eq!(said, [FromDongle::Refused(2)]);

    assert_eq!(say(&mut dongle, b"\n\nAT\n"), [FromDongle::Refused(0)]);
    let said = ask(&mut dongle, &FromHost::Count);
    assert!(matches!(said[..], [FromDongle::Statistics(s)] if s.damaged == 1), "{said:?}");

    // The chip loses its settings, and has them again at the next look.
    let now_ns = dongle.now_ns();
    dongle.chip().brown_out(now_ns);
    dongle.run_until(now_ns + 1_200_000_000);
    let said = ask(&mut dongle, &FromHost::Count);
    assert!(matches!(said[..], [FromDongle::Statistics(s)] if s.restarts == 1), "{said:?}");

    assert!(!dongle.rebooted());
    ask(&mut dongle, &FromHost::Bootloader);
    assert!(dongle.rebooted());
    assert!(dongle.fault().is_none());
}

#[test]
fn what_is_no_firmware_does_not_start() {
    if firmware().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("not.uf2");
    std::fs::write(&file, [b'x'; 1024]).unwrap();
    let error = Dongle::new(&file).err().unwrap();
    assert!(matches!(error, DongleError::Emulator { .. }), "{error}");
    assert!(error.to_string().contains("no UF2 block at 0"), "{error}");
}
