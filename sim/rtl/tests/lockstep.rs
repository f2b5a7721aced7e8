//! Circuit against emulator on random programs.

use std::error::Error;

use kube_emu::NoRadio;
use kube_rtl::Machine;
use kube_rtl::lockstep::Lockstep;
use kube_rtl::program;

/// A branch to address 0, for a PROM.
const TO_ZERO: [u32; 2] = [0x4000_0000, 0xC700_0000];

/// Programs of one disturbance; `KUBE_LOCKSTEP_PROGRAMS` asks for more.
fn programs() -> u64 {
    std::env::var("KUBE_LOCKSTEP_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(12)
}

fn run(first_seed: u64, i_wait: u32, d_wait: u32, interrupts: u32) -> Result<u64, Box<dyn Error>> {
    let (mut instructions, mut events) = (0, 0);
    for seed in first_seed..first_seed + programs() {
        let mut machine = Machine::new(None, NoRadio::default(), 0);
        machine.set_disturbance(i_wait, d_wait, interrupts, seed);
        let mut pair = Lockstep::new(machine, &TO_ZERO);
        pair.load_words(0, &program::random(seed, 1_500));
        if let Err(mismatch) = pair.run_cycles(30_000) {
            panic!("seed {seed}: {mismatch}");
        }
        instructions += pair.instructions();
        events += pair.events();
    }
    assert!(instructions > 2_000 * programs(), "{instructions} instructions only");
    assert_eq!(events > 0, interrupts > 0);
    Ok(instructions)
}

#[test]
fn random_programs_without_waits() -> Result<(), Box<dyn Error>> {
    run(1_000, 0, 0, 0).map(drop)
}

#[test]
fn random_programs_with_interrupts() -> Result<(), Box<dyn Error>> {
    run(2_000, 0, 0, 3_000).map(drop)
}

#[test]
fn random_programs_with_waiting_ports_and_interrupts() -> Result<(), Box<dyn Error>> {
    run(3_000, 16_000, 16_000, 3_000).map(drop)
}
