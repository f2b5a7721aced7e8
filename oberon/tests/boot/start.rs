//! From power-on to the first commands.

use kube_emu::Config;

use crate::station::{Station, card, disk, system};

#[test]
fn boots_to_the_log_and_answers_a_typed_command() {
    let mut station = Station::new(&disk(""));
    station.wait_for("Kubestation Oberon: ", 1_000);
    assert_eq!(station.machine.leds(), 0x84, "the boot loader's last sign");
    let answer = station.command("Probe.Echo hello");
    assert!(answer.contains("boot: Probe.Echo hello\r\necho hello\r\n"), "{answer}");
}

#[test]
fn is_up_within_a_second_and_then_sleeps() {
    let mut station = Station::new(&disk(""));
    station.wait_for(" ms\r\n", 1_000);
    station.run_ms(100);
    let before = station.machine.instructions();
    station.run_ms(1_000);
    let busy = station.machine.instructions() - before;
    assert!(busy < 500_000, "an idle second takes {busy} instructions");
}

#[test]
fn start_commands_run_in_order_whatever_separates_them() {
    let mut station =
        Station::new(&disk("Probe.Echo a; \tProbe.Echo b\nProbe.Echo c\r\n;;Probe.Echo d"));
    station.wait_for("echo d", 1_000);
    let order: Vec<_> =
        station.heard.lines().map(str::trim_end).filter(|line| line.starts_with("echo ")).collect();
    assert_eq!(order, ["echo a", "echo b", "echo c", "echo d"]);
}

#[test]
fn a_trap_in_a_start_command_does_not_lose_the_next_one() {
    let mut station = Station::new(&disk("Probe.Trap6;Probe.Echo alive"));
    station.wait_for("echo alive", 1_000);
    assert!(station.heard.contains("TRAP 6 division by zero"), "{}", station.heard);
}

#[test]
fn runs_on_the_reference_machine() {
    let mut station = Station::compat(&disk("Probe.Echo there"));
    station.wait_for("echo there", 3_000);
}

#[test]
fn boot_image_comes_in_over_the_serial_line() {
    let mut config = Config::ours(system().prom.clone());
    config.switches = 1;
    let mut station = Station::with(config, Some(card(&disk(""))));
    let image = &system().boot_image;
    let length = u32::try_from(image.len()).expect("small");
    let mut bytes = [length.to_le_bytes(), 0_u32.to_le_bytes()].concat();
    bytes.extend_from_slice(image);
    bytes.extend_from_slice(&0_u32.to_le_bytes());
    station.machine.serial_send(&bytes);
    station.run_ms(1);
    assert_eq!(station.machine.leds(), 0x81);
    station.wait_for("Kubestation Oberon: ", 6_000);
}

/// Address and size of the frame buffer's picture after the genuine system's start, as a sum.
const GENUINE_DESKTOP: u32 = 0xB5DF_C933;

/// Our boot loader starts the system of others, too, on either machine.
#[test]
fn boots_a_genuine_image_to_its_desktop() {
    let Some(path) = std::env::var_os("KUBE_GENUINE_IMAGE") else {
        eprintln!("skipped: boots_a_genuine_image_to_its_desktop, KUBE_GENUINE_IMAGE is not set");
        return;
    };
    let image = std::fs::read(path).expect("KUBE_GENUINE_IMAGE names a readable file");
    let prom = system().prom.clone();
    for config in [Config::ours(prom.clone()), Config::compat(prom)] {
        let card = kube_emu::SdCard::new(image.clone()).expect("an Oberon image");
        let mut station = Station::with(config, Some(card));
        for _ in 0..60 {
            station.run_ms(100);
            if station.machine.framebuffer_hash() == GENUINE_DESKTOP {
                break;
            }
        }
        assert_eq!(station.machine.framebuffer_hash(), GENUINE_DESKTOP, "{}", station.heard);
    }
}

/// A node and a plane come up from their start commands, as far as they can without a radio.
#[test]
fn the_control_plane_runs_with_local_nodes() {
    let mut station = Station::new(&disk("Kube.Start local;Kube.Apply web 3 Ticker"));
    station.wait_for("deployment web applied, replicas=3", 3_000);
    station.run_ms(2_000);
    let tree = station.command("Kube.Get");
    assert_eq!(tree.matches(" Running").count(), 3, "{tree}");
}
