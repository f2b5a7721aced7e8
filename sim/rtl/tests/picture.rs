//! What a screen on a ULX3S's GPDI connector makes of the lanes is what stands in the framebuffer, while the
//! machine stores and loads as fast as it can.

use std::error::Error;
use std::io::Write as _;
use std::path::Path;

use kube_emu::{Config, NoRadio, SdCard, framebuffer, loader};
use kube_rtl::picture::{Picture, take};
use risc5_isa::{Cond, Instruction, Op, map};

/// The framebuffer of a genuine desktop.
const DESKTOP: u32 = 0xB5DF_C933;

/// Stores and loads at places 36 bytes apart below 512 KB, for ever: both caches' way to the memory is busy.
fn busy_program() -> Vec<u32> {
    let immediate =
        |op, u, a, b, imm: u16| Instruction::Immediate { op, u, v: false, a, b, imm }.encode();
    let memory =
        |store, offset| Instruction::Memory { store, byte: false, a: 2, b: 1, offset }.encode();
    let branch = Instruction::BranchRelative { link: false, cond: Cond::Always, offset: -7 };
    vec![
        immediate(Op::Mov, false, 1, 0, 0),
        immediate(Op::Mov, true, 5, 0, 7),
        immediate(Op::Ior, false, 5, 5, 0xFFFC),
        memory(true, 0),
        memory(false, 0x4000),
        immediate(Op::Add, false, 2, 2, 1),
        memory(true, 0x8000),
        immediate(Op::Add, false, 1, 1, 36),
        Instruction::Register { op: Op::And, u: false, v: false, a: 1, b: 1, c: 5 }.encode(),
        branch.encode(),
    ]
}

/// A picture of our own: a frame, a slope, and every pattern of eight points.
fn own_picture() -> Vec<u32> {
    let mut words = vec![0_u32; map::FRAMEBUFFER_BYTES as usize / 4];
    for (at, word) in words.iter_mut().enumerate() {
        let (row, column) = (at as u32 / 32, at as u32 % 32);
        *word = match (row, column) {
            (0 | 767, _) => u32::MAX,
            (_, 0) => 1,
            (_, 31) => 0x8000_0000,
            _ if column == row / 32 => 1 << (row % 32),
            _ => (row * 32 + column).wrapping_mul(0x0101_0107),
        };
    }
    words
}

fn shown(name: &str, screen: &[u32]) -> Result<Picture, Box<dyn Error>> {
    let mut memory = vec![0; map::FRAMEBUFFER as usize / 4];
    memory.extend_from_slice(screen);
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hdl/verilog/ulx3s");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("picture").join(name);
    let picture = take(&sources, &folder, &memory, &busy_program())?;
    assert_eq!(picture.wrong, "");
    assert_eq!((picture.lines, picture.columns), (768, 1024));
    assert_eq!(picture.total, 1344 * 806);
    assert_eq!((picture.low_h, picture.low_v), (136 * 806, 6 * 1344));
    assert!(picture.balance <= 10, "{} ones too many", picture.balance);
    // Two frames of four lines a row, and what the program asked for besides.
    assert!(picture.lines_read > 2 * 768 * 4 + 10_000, "{} lines read", picture.lines_read);
    assert!(picture.writes > 100_000, "{} written", picture.writes);
    Ok(picture)
}

#[test]
fn a_screen_shows_the_framebuffer() -> Result<(), Box<dyn Error>> {
    let screen = own_picture();
    assert!(shown("own", &screen)?.framebuffer() == screen, "another picture");
    Ok(())
}

#[test]
fn a_screen_shows_a_genuine_desktop() -> Result<(), Box<dyn Error>> {
    let Some(path) = std::env::var_os("KUBE_GENUINE_IMAGE") else {
        let needs = "needs KUBE_GENUINE_IMAGE (path of a Project Oberon image)";
        writeln!(std::io::stderr(), "skipped: genuine desktop on a screen {needs}")?;
        return Ok(());
    };
    let card = SdCard::new(std::fs::read(path)?)?;
    let config = Config::ours(loader::words());
    let mut emulator = kube_emu::Machine::new(config, Some(card), NoRadio { level: true });
    emulator.run_until(3_000_000_000);
    assert_eq!(emulator.framebuffer_hash(), DESKTOP);
    let picture = shown("desktop", emulator.framebuffer())?;
    assert_eq!(framebuffer::hash(&picture.framebuffer()), DESKTOP);
    Ok(())
}
