//! A changed key on one machine: its steps, what refuses them, and what a start finds. The change of a
//! whole cluster is in `kube-lab`.

use crate::bench::{Bench, KEY};
use crate::partner::restarted;

const NEW: &str = "a5c3019e77d24b68";
const FORM: &str = "keys: the form is Keys.New key, up to 16 hex digits that are not all zero\n";
const STEPS: [&str; 3] = ["Keys.New a5c3019e77d24b68", "Keys.Use", "Keys.Drop"];

fn joined() -> Bench {
    let mut bench = Bench::new(&format!("KubeNet.Join node1 kube {KEY}"));
    bench.expect("joined the air", 5_000);
    bench
}

#[test]
fn a_step_out_of_order_names_the_one_that_comes_first() {
    let mut bench = joined();
    for (command, answer) in [
        ("Keys.Use", "keys: there is no new key, Keys.New first\n"),
        ("Keys.New", FORM),
        ("Keys.New 000", FORM),
        ("Keys.New a5c3019e77d24b68 more", FORM),
        ("Keys.New a5c3019e77d24b681", FORM),
        ("Keys.Use now", "keys: the form is Keys.Use\n"),
        (&format!("Keys.New {KEY}"), "keys: that key counts already\n"),
        (STEPS[0], "keys: the new key counts beside the old one, which signs\n"),
        (STEPS[0], "keys: that key counts already\n"),
        ("Keys.Drop", "keys: the old key signs, Keys.Use first\n"),
        ("Keys.Use", "keys: the new key signs, the old one still counts\n"),
        ("Keys.New 1234", "keys: another change is not at its end, Keys.Drop first\n"),
        ("Keys.Drop", "keys: only the new key counts\n"),
        ("Keys.Drop", "keys: only the new key counts\n"),
    ] {
        assert_eq!(bench.ask(command), answer, "{command}");
    }
    let strange = bench.strange;
    bench.run_ms(3_000);
    assert!(bench.strange >= strange + 3, "it signs with the old key");
    let mut lonely = Bench::new("");
    lonely.run_ms(1_500);
    assert!(lonely.ask(STEPS[0]).starts_with("keys: this machine is in no cluster"));
}

#[test]
fn a_machine_given_another_key_by_its_image_takes_that() {
    let mut bench = joined();
    for step in STEPS {
        bench.ask(step);
    }
    let shown = bench.ask("Keys.Show");
    let mut disk = bench.disk();
    let join = format!("KubeNet.Join node1 kube {NEW}\n");
    disk.replace("Boot.Cmd", join.as_bytes()).expect("room");
    let mut again = restarted(disk.into_bytes());
    again.expect("joined the air", 5_000);
    assert_eq!(again.ask("Keys.Show"), shown, "the image has the new key by now");
    let mut disk = again.disk();
    disk.replace("Boot.Cmd", b"KubeNet.Join node1 kube 77\n").expect("room");
    let mut other = restarted(disk.into_bytes());
    other.expect("joined the air", 5_000);
    assert_ne!(other.ask("Keys.Show"), shown);
}

/// Power is cut right after each block that a step writes.
#[test]
fn a_cut_of_power_leaves_the_step_before_or_after() {
    let mut bench = joined();
    bench.run_ms(2_000);
    let mut cuts = 0;
    for step in STEPS {
        let before = bench.ask("Keys.Show");
        let disk = bench.disk().into_bytes();
        bench.ask(step);
        let after = bench.ask("Keys.Show");
        assert_ne!(before, after, "{step}");
        for writes in 0.. {
            let mut cut = restarted(disk.clone());
            cut.expect("joined the air", 5_000);
            cut.run_ms(2_000);
            cut.command(step);
            let end_ns = cut.machine.now_ns() + 500_000_000;
            if !(0..=writes).all(|_| cut.run_to_write(end_ns)) {
                assert!(writes > 0, "{step} writes nothing");
                break;
            }
            cuts += 1;
            let mut again = restarted(cut.into_disk());
            again.expect("joined the air", 5_000);
            let found = again.ask("Keys.Show");
            assert!(found == before || found == after, "{step}, write {writes}: {found}");
        }
    }
    assert!(cuts >= 3, "{cuts}");
}
