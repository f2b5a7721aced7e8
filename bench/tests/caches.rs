//! A ULX3S's top with caches of other sizes is exported, compiled while the test runs, and boots in lockstep with
//! the emulator as far as its first sectors.

use std::error::Error;
use std::fs;

use kube_disk::ImageBuilder;
use kube_emu::sd::Timing;
use kube_emu::{NoRadio, SdCard};
use kube_hdl::export::export_ulx3s;
use kube_hdl::soc::Caches;
use kube_rtl::lockstep::Lockstep;
use kube_rtl::variant::Variant;

#[test]
fn small_unequal_caches_read_the_first_sectors_in_lockstep() -> Result<(), Box<dyn Error>> {
    let caches = Caches::new(8, 4);
    assert_ne!(caches, Caches::BOARD);
    let folder = tempfile::tempdir()?;
    let verilog = folder.path().join("verilog");
    fs::create_dir(&verilog)?;
    for file in export_ulx3s(caches)? {
        fs::write(verilog.join(&file.name), &file.text)?;
    }
    for memory in ["lane_ram_2048.v", "lane_ram_1024.v"] {
        assert!(verilog.join(memory).is_file(), "no {memory}");
    }
    let variant = Variant::build(&verilog, &folder.path().join("model"), 0)?;

    let system = kube_modules::build()?;
    let image = ImageBuilder::new().boot_image(&system.boot_image).build()?;
    let mut card = SdCard::new(image.into_bytes())?;
    card.set_timing(Timing { initialise_ns: 100_000, read_ns: 2_000, write_ns: 5_000 });
    let radio = NoRadio { level: true };
    let pair = Lockstep::variant(&variant, Some(card), radio, 0, &system.prom);
    let mut pair = pair.ok_or("the library cannot be loaded")?;
    let sectors =
        |pair: &Lockstep<NoRadio>| pair.machine.card().map_or(0, |card| card.transfers().0);
    for _ in 0..200 {
        pair.run_cycles(10_000).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        if sectors(&pair) >= 3 {
            return Ok(());
        }
    }
    panic!("{} sectors after {} instructions", sectors(&pair), pair.instructions());
}
