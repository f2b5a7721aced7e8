//! Writes the binary seeds in `corpus/`, all made from our own material: run it in this folder,
//! without instrumentation, when a format or the library module changes.

use kube_disk::ImageBuilder;
use kube_proto::capture::{Captured, Flags};
use kube_proto::frame::{Address, Control, CrcMode, Rate, STATIC_LENGTH, encode};
use kube_proto::pcapng::CaptureWriter;
use obc::link::boot_image;
use obc::object::ObjectFile;
use obc::{NoSymbols, Options, Source, compile, compile_with_table};
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
    let source = Source::new("M.Mod", LIBRARY);
    let (_, table) = compile_with_table(&source, &NoSymbols, &options)
        .map_err(|errors| format!("library.Mod: {errors:?}"))?;
    write("position_table", "library", table.to_string().as_bytes())?;
    for target in ["scanner", "parser"] {
        write(target, "library.Mod", LIBRARY.as_bytes())?;
        write(target, "statements.Mod", include_bytes!("../corpus/compile/statements.Mod"))?;
    }
    disk_images()?;
    radio()
}

/// Frames, messages, a capture, and two chips that exchange a frame.
fn radio() -> Result<(), Box<dyn Error>> {
    let mut payload = [0; 32];
    payload[..24].copy_from_slice(
        b"\x01\xff\x07\x60\x10\0\0\0\x14node1\0\x02\x01\x03\x34\x12\x99\x8f\x79\x63",
    );
    write("packet_message", "heartbeat", &payload)?;
    payload[3] = 0x62;
    payload[4..24].copy_from_slice(b"\x0f\0\0\0\x14\x01\x06Ticker\x35\x12\x1f\x3b\x3d\x01\0");
    write("packet_message", "spec", &payload)?;
    let control = Control { length: STATIC_LENGTH, pid: 1, no_ack: false };
    let mut capture = CaptureWriter::new(Vec::new())?;
    let tap = capture.add_interface("tap")?;
    for (name, control, knobs) in [("kube", None, 0x25), ("wirth", Some(control), 0x2d)] {
        let bits = encode(&Address::OBERON, control, &payload, CrcMode::Crc16)?;
        let spare = (8 - bits.len() % 8) % 8;
        write("frame_decode", name, &[&[knobs, 32, spare as u8], bits.as_bytes()].concat())?;
        let frame = Captured {
            flags: Flags::CRC_OK,
            channel: 5,
            rate: Rate::M1,
            level_dbm: Some(-50),
            address_bytes: Some(5),
            bits: Captured::without_preamble(&bits),
        };
        let (bytes, len) = frame.encode();
        write("frame_decode", &format!("captured-{name}"), &bytes[..len])?;
        capture.write(tap, 1_000_000, &frame)?;
    }
    write("capture_read", "two", &capture.into_inner())?;
    // The second chip listens; the first is a sender, loads 32 bytes and pulses CE; time passes.
    let exchange = [0, 0x12, 15, 200, 0x09, 0x00, 0x0e, 0x08, 31, 0x0a, 15, 200, 0x1c];
    write("chip_spi", "exchange", &exchange)?;
    let answer = [12, 0x12, 15, 200, 0x09, 0, 0x0e, 0x09, 4, 0x13, 0x08, 31, 0x0a, 15, 200, 0x13];
    write("chip_spi", "acknowledged", &answer)
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
