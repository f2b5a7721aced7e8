//! Writes the binary seeds in `corpus/`, all made from our own material: run it in this folder,
//! without instrumentation, when a format or the library module changes.

use kube_disk::ImageBuilder;
use obc::link::boot_image;
use obc::object::ObjectFile;
use obc::{NoSymbols, Options, Source, compile};
use std::error::Error;
use std::fs;

const LIBRARY: &str = include_str!("../corpus/compile/library.Mod");

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::default();
    let library = compile(&Source::new("M.Mod", LIBRARY), &NoSymbols, &options)
        .map_err(|errors| format!("library.Mod: {errors:?}"))?;
    write("symbol_file", "library", &library.symbol_file)?;
    write("object_file", "library", &library.object.to_bytes())?;
    write("object_file", "importer", &importer().to_bytes())?;
    disk_images()
}

/// An object with one link in each chain, all into module `A`.
fn importer() -> ObjectFile {
    ObjectFile {
        name: "T".to_string(),
        imports: vec![("A".to_string(), 1)],
        type_descriptors: vec![32, 1 << 24 | 1 << 12 | 1, 8 << 12 | 1, 0],
        variable_bytes: 8,
        strings: b"text\0\0\0\0".to_vec(),
        code: vec![0xC700_000F, 0xF710_1001, 0x8000_0002, 0x8110_0001, 0x4118_0102, 0xC700_000F],
        commands: vec![("Run".to_string(), 0)],
        entries: vec![0, 4, 16],
        pointers: vec![16],
        fix_p: 1,
        fix_d: 3,
        fix_t: 2,
        ..ObjectFile::default()
    }
}

/// Images in the short forms of the `disk_image` target.
fn disk_images() -> Result<(), Box<dyn Error>> {
    let mut few = ImageBuilder::new().size_bytes(63 * 1024).file("Long", &[7; 66_000]);
    let mut many = ImageBuilder::new().size_bytes(63 * 1024);
    for i in 0..3 {
        few = few.file(&format!("F{i}"), &[i; 700]);
    }
    for i in 10..62 {
        many = many.file(&format!("N{i}"), b"");
    }
    for (name, builder) in [("few", few), ("many", many)] {
        let bytes = builder.build()?.into_bytes();
        let mut seed = vec![1];
        seed.extend_from_slice(&bytes[..1024]);
        seed.extend_from_slice(&bytes[63 * 1024..]);
        write("disk_image", name, &seed)?;
    }
    let low = ObjectFile {
        name: "A".to_string(),
        key: 1,
        code: vec![0xC700_000F; 4],
        entries: vec![0, 4, 8],
        ..ObjectFile::default()
    };
    let mut seed = vec![2];
    seed.extend_from_slice(&boot_image(&[low, importer()])?);
    write("disk_image", "boot", &seed)
}

fn write(target: &str, name: &str, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let folder = format!("corpus/{target}");
    fs::create_dir_all(&folder)?;
    Ok(fs::write(format!("{folder}/seed-{name}"), bytes)?)
}
