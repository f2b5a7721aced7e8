//! Writes the linker's scripts: where memory is, and the second stage of the bootloader as data. A static
//! with a section of its own would do the same, and be unsafe code.

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    // The one that reads any flash: clones of the Pico have many. The program runs from the cache.
    let stage = rp2040_boot2::BOOT_LOADER_GENERIC_03H;
    let mut script = String::from("SECTIONS {\n  .boot2 ORIGIN(BOOT2) : {\n");
    for word in stage.chunks_exact(4) {
        let word = word.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
        let _ = writeln!(script, "    LONG({word:#010x})");
    }
    script.push_str("  } > BOOT2\n} INSERT BEFORE .text;\n");
    fs::write(out.join("boot2.x"), script)?;
    fs::copy("memory.x", out.join("memory.x"))?;
    println!("cargo:rustc-link-search={}", out.display());
    for argument in ["--nmagic", "-Tlink.x", "-Tboot2.x"] {
        println!("cargo:rustc-link-arg={argument}");
    }
    println!("cargo:rerun-if-changed=memory.x");
    println!("cargo:rerun-if-env-changed=KUBE_DONGLE_NAME");
    Ok(())
}
