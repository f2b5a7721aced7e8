//! No radio, a bad radio, a radio that goes and comes.

use crate::rig::{Port, Rig, disk, system};
use kube_emu::Config;

const LOST: &str = "scc: no radio answers on the SPI: check wiring and power; going on without";
const BACK: &str = "scc: the radio answers again";

#[test]
fn without_a_radio_the_machine_boots_and_says_so_within_two_seconds() {
    let configs = [Config::ours(system().prom.clone()), Config::compat(system().prom.clone())];
    for config in configs {
        for level in [true, false] {
            for commands in ["KubeNet.Join node1", "Radio.Start", "Radio.Wirth;Radio.Start"] {
                let mut rig = Rig::new();
                rig.add(config.clone(), disk(commands), Port::empty(level));
                rig.expect(0, LOST, 2_000);
                assert!(rig.now_ms() <= 2_000);
                let before = rig.stations[0].machine.instructions();
                rig.run_ms(2_000);
                assert_eq!(rig.stations[0].log.matches(LOST).count(), 1);
                if config.variant == kube_emu::Variant::Ours {
                    let busy = rig.stations[0].machine.instructions() - before;
                    assert!(busy < 2_000_000, "{busy} instructions in two idle seconds");
                }
            }
        }
    }
}

/// The chip is there, but its answers do not get through.
#[test]
fn a_data_line_that_sticks_in_either_profile_is_noticed_and_heals() {
    for commands in ["Radio.Start", "Radio.Wirth;Radio.Start"] {
        for level in [true, false] {
            let mut rig = Rig::of(&[commands]);
            rig.run_ms(1_000);
            rig.stations[0].machine.radio_mut().level = Some(level);
            rig.expect(0, LOST, 200);
            rig.command(0, "Partner.Send 112 24");
            rig.run_ms(1_000);
            rig.stations[0].machine.radio_mut().level = None;
            rig.expect(0, BACK, 1_500);
            assert_eq!((rig.count(0, "lost"), rig.count(0, "found")), (1, 1));
            assert_eq!(rig.count(0, "refused"), 1);
        }
    }
}

#[test]
fn a_brown_out_is_noticed_and_healed_in_profile_wirth() {
    let wirth = "Radio.Wirth;Radio.Start;Partner.Start";
    let mut rig = Rig::of(&[wirth, wirth]);
    rig.expect(0, "partner up", 3_000);
    rig.expect(1, "partner up", 3_000);
    let now_ns = rig.stations[0].machine.now_ns();
    rig.stations[0].machine.radio_mut().chip.as_mut().expect("a chip").brown_out(now_ns);
    rig.expect(0, LOST, 200);
    rig.expect(0, BACK, 2_500);
    rig.command(1, "Partner.Send 112 24");
    rig.expect(0, "heard 112 len 24", 1_000);
}
