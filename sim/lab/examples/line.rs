//! Tries a machine's serial line at more places than a test has time for: `line commands`,
//! `line power`, or `line load STRIDE`, where 1 is every byte of a 64 KB load and takes its time.
//! `line air COUNT` gives so many commands over the air, at 30 % loss, with recordings and power cuts.
#![allow(clippy::print_stdout, reason = "a program that people run")]

use kube_boards::fleet::Keys;
use kube_lab::desk::{Desk, Weather};
use kube_lab::line::sweep::{self, Tally};
use kube_lab::line::{Rig, system};
use kube_serial::Outcome;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let stride = words.get(1).map_or(Ok(1), |text| text.parse())?;
    if words.first().is_some_and(|word| word == "air") {
        let mut desk = Desk::new(&system()?, Keys::PerNode, true, 1)?;
        desk.set_weather(Weather { loss: 0.3, replay_ms: 40, cut_every: 20 });
        println!("{:#?}", desk.orders(stride, 20_000)?);
        return Ok(());
    }
    let mut rig = Rig::new(&system()?, &["Counted.Load"])?;
    let tally: Tally = match words.first().map(String::as_str) {
        Some("power") => sweep::power(&mut rig, "Counted.Up", 400, stride),
        Some("load") => sweep::load(&mut rig, stride),
        _ => sweep::command(&mut rig, "Counted.Up", &Outcome::Done, stride),
    };
    println!("{tally:#?}");
    Ok(())
}
