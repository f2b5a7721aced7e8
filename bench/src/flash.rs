//! `kube-flash`: how fast an image is made and read back, and how much of what the tools promise is
//! tested.

use std::io::Read;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, anyhow};
use kube_boards::fleet::Fleet;
use kube_boards::image::machine_image;
use kube_tools::features;
use kube_tools::flash::medium::Medium;
use kube_tools::flash::write::{Job, verify_blocks};
use kube_tools::interrupt::Hold;

use crate::figure::{Figure, Measure, Reference};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 3] = [
    ("flash.image_ms", image),
    ("flash.verify_mb_per_s", verify),
    ("flash.features_tested", features_tested),
];

const IMAGES: usize = 50;

/// Middle of many images.
fn image() -> Result<Option<Figure>> {
    let start = Instant::now();
    let system = kube_modules::build()?;
    let compile_ms = start.elapsed().as_secs_f64() * 1e3;
    let fleet = Fleet::new(2, "kube", "00c0ffee00c0ffee")?;
    let machine = fleet.machine(&fleet.boards[1]);
    let mut times = Vec::new();
    for _ in 0..IMAGES {
        let start = Instant::now();
        let image = machine_image(&system, &machine, &[])?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        std::hint::black_box(image);
    }
    times.sort_by(f64::total_cmp);
    Ok(Some(Figure {
        name: "flash.image_ms",
        value: times[IMAGES / 2],
        unit: "ms",
        reference: Reference::Target(100.0, "bound of the project"),
        work: format!(
            "image of node1, 8 MiB, middle of {IMAGES}; compiling the system took {compile_ms:.0} ms"
        ),
    }))
}

const CARD_BYTES: usize = 300 << 20;

/// The whole content read back and compared, beside the same file only read.
fn verify() -> Result<Option<Figure>> {
    let mut content = vec![0_u8; CARD_BYTES];
    for (at, chunk) in (0_u32..).zip(content.chunks_exact_mut(4)) {
        chunk.copy_from_slice(&at.wrapping_mul(0x9E37_79B9).to_le_bytes());
    }
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), &content)?;
    file.as_file().sync_all()?;
    let medium = Medium::new(file.reopen()?, CARD_BYTES as u64);
    let job = Job { content: &content, base: 0, root: 0, whole: true, label: "card", of: "card" };
    let start = Instant::now();
    verify_blocks(&medium, &job, &Hold::new(), |_| {}).map_err(|e| anyhow!(e.text(false)))?;
    let verify_s = start.elapsed().as_secs_f64();
    medium.forget();
    let mut reader = file.reopen()?;
    let mut piece = vec![0; 1 << 16];
    let start = Instant::now();
    while reader.read(&mut piece)? > 0 {}
    let read_s = start.elapsed().as_secs_f64();
    let megabytes = CARD_BYTES as f64 / 1e6;
    let source = "the same file read in pieces of 64 KiB and not compared".to_owned();
    Ok(Some(Figure {
        name: "flash.verify_mb_per_s",
        value: megabytes / verify_s,
        unit: "MB/s",
        reference: Reference::SameRun(megabytes / read_s, source),
        work: "300 MiB on this computer's disk, its cache dropped before each; a card is slower"
            .into(),
    }))
}

/// Promises whose tests exist.
fn features_tested() -> Result<Option<Figure>> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/tools/tests");
    let tested = features::tested(&tests).map_err(|error| anyhow!(error))?;
    let open = features::FEATURES.iter().filter(|feature| feature.tests.is_empty());
    let open: Vec<_> = open.map(|feature| feature.number.to_string()).collect();
    let work = match open.is_empty() {
        true => "all promises of host/tools/src/features.rs".to_owned(),
        false => format!("promises of host/tools/src/features.rs; open: {}", open.join(", ")),
    };
    Ok(Some(Figure {
        name: "flash.features_tested",
        value: tested as f64,
        unit: "promises",
        reference: Reference::Target(features::FEATURES.len() as f64, "all"),
        work,
    }))
}
