//! Machines that sleep are left alone; nothing of what is heard may depend on it.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use kube_boards::fleet::Fleet;
use kube_lab::lab::{Lab, Setup};

const MS: u64 = 1_000_000;

/// A cluster that forms, and a node that loses its power and comes back. Every so often all machines
/// are brought to the present.
fn trace(every_ns: u64, threads: usize) -> (String, usize) {
    let fleet = Fleet::new(3, "kube", "00c0ffee00c0ffee").unwrap();
    let setup = Setup { threads, ..Setup::new(&fleet, 5) };
    let mut lab = Lab::new(&kube_modules::build().unwrap(), &setup).unwrap();
    let pass = |lab: &mut Lab, until_ms: u64| {
        while lab.now_ns() < until_ms * MS {
            let next_ns = (lab.now_ns() / every_ns + 1) * every_ns;
            lab.look(next_ns.min(until_ms * MS)).unwrap();
        }
    };
    pass(&mut lab, 2_600);
    lab.world().station("plane").unwrap().type_line("Kube.Ensure web 4 Ticker");
    pass(&mut lab, 3_400);
    lab.world().station("node2").unwrap().power_off();
    pass(&mut lab, 3_700);
    let now_ns = lab.now_ns();
    lab.world().station("node2").unwrap().power_on(now_ns);
    pass(&mut lab, 5_500);
    (lab.trace(), lab.heard().len())
}

#[test]
fn who_sleeps_is_not_missed() {
    let often = trace(100_000, 1);
    assert!(often.1 > 20, "{} frames", often.1);
    assert_eq!(trace(10 * MS, 1), often);
    assert_eq!(trace(200 * MS, 2), often);
}
