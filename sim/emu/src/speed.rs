//! How fast the emulator is on this host, measured with a bootable image.

use std::time::Instant;

use crate::{CardImageError, Config, Machine, NoRadio, SdCard};

/// Machine time within which a genuine image has booted.
const BOOT_NS: u64 = 60_000_000_000;
/// The boot counts as over once the picture has stood still for this long.
const STILL_NS: u64 = 100_000_000;
/// Clock cycles measured at the idle desktop.
const IDLE_CYCLES: u64 = 200_000_000;

/// Result of [`measure`].
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// Millions of instructions a second from power-on to the desktop.
    pub boot_mips: f64,
    /// The same at the idle desktop.
    pub idle_mips: f64,
    /// Instructions from power-on to the desktop.
    pub boot_instructions: u64,
    /// Hash of the picture at the end.
    pub framebuffer_hash: u32,
}

/// Boots the image and lets it idle; the fastest of `runs` (at least one). `config` needs a PROM, for
/// instance [`crate::loader::words`]. A machine that waits in the idle word executes nothing, so the
/// idle figure is for images that do not know it.
///
/// At 50 MHz three quarters of a genuine boot are polls of the SPI status. With a clock of 1 MHz the
/// SPI is as fast as the processor and the mix is that of emulators whose SPI takes no time.
///
/// # Errors
/// If the bytes are no card image.
pub fn measure(image: &[u8], config: &Config, runs: u32) -> Result<Speed, CardImageError> {
    let desktop_ns = desktop_at(image, config)?;
    let mut best = run(image, config, desktop_ns)?;
    for _ in 1..runs {
        let next = run(image, config, desktop_ns)?;
        best.boot_mips = best.boot_mips.max(next.boot_mips);
        best.idle_mips = best.idle_mips.max(next.idle_mips);
    }
    Ok(best)
}

fn machine(image: &[u8], config: &Config) -> Result<Machine<NoRadio>, CardImageError> {
    let card = SdCard::new(image.to_vec())?;
    Ok(Machine::new(config.clone(), Some(card), NoRadio::default()))
}

/// When the picture was last seen to change.
fn desktop_at(image: &[u8], config: &Config) -> Result<u64, CardImageError> {
    let mut machine = machine(image, config)?;
    let (mut hash, mut changed_ns) = (0, 0);
    for at_ns in (0..BOOT_NS).step_by(10_000_000) {
        machine.run_until(at_ns);
        let now = machine.framebuffer_hash();
        if now != hash {
            (hash, changed_ns) = (now, at_ns);
        } else if hash != 0 && at_ns > changed_ns + STILL_NS {
            break;
        }
    }
    Ok(changed_ns)
}

fn run(image: &[u8], config: &Config, desktop_ns: u64) -> Result<Speed, CardImageError> {
    let mut machine = machine(image, config)?;
    let started = Instant::now();
    machine.run_until(desktop_ns);
    let boot_s = started.elapsed().as_secs_f64();
    let boot_instructions = machine.instructions();

    let started = Instant::now();
    let idle_ns = IDLE_CYCLES * 1_000_000_000 / u64::from(config.clock_hz.max(1));
    machine.run_until(desktop_ns + idle_ns);
    let idle_s = started.elapsed().as_secs_f64();
    let idle_instructions = machine.instructions() - boot_instructions;
    Ok(Speed {
        boot_mips: boot_instructions as f64 / boot_s / 1e6,
        idle_mips: idle_instructions as f64 / idle_s / 1e6,
        boot_instructions,
        framebuffer_hash: machine.framebuffer_hash(),
    })
}
