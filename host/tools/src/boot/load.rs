//! Boot images into memory: through the running system, or to the boot loader in the PROM.

use std::path::{Path, PathBuf};

use kube_disk::Image;
use kube_proto::serial::{BLOCK_BYTES, IMAGE_MAX};
use kube_serial::{Event, Job, Outcome as Word, Unknown};
use serde_json::json;

use super::LineFlags;
use super::codes;
use super::desk::{Desk, why};
use crate::failure::{Failure, Outcome};
use crate::program::Session;

/// A descriptor behind the module table is the least that an image holds.
const IMAGE_MIN: usize = 0x100 + 80;
/// What a banner begins with.
const BANNER: &str = "boot number ";

/// Flags of `load`.
#[derive(clap::Args, Clone, Debug)]
pub struct Flags {
    /// The image: a boot image as `obc link` makes it, or a disk image.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Leave it in memory and do not start it.
    #[arg(long)]
    no_start: bool,
    /// Send it to a boot loader that waits with switch 0 set; it does not answer.
    #[arg(long, conflicts_with = "no_start")]
    loader: bool,
}

/// Loads an image.
pub fn run(session: &Session, line: &LineFlags, flags: &Flags) -> Outcome {
    let image = read(&flags.file)?;
    let what = format!("{} ({} bytes)", flags.file.display(), image.len());
    if session.flags.dry_run {
        session.talk.say(format!("would load {what}"));
        return Ok(());
    }
    let mut desk = Desk::open(session, line)?;
    if flags.loader {
        return to_loader(session, &mut desk, &image, &what);
    }
    let job = Job::load(&image, !flags.no_start)
        .map_err(|error| Failure::new(&codes::LOAD_IMAGE, error.to_string()))?;
    let label = desk.place.label.clone();
    let mut step = session.talk.step("Load", &label, Some(image.len() as u64));
    let mut there_before = 0;
    let ended = desk.job(job, |event| {
        if let Event::Progress { there, .. } = event {
            step.advance((there.saturating_sub(there_before) * BLOCK_BYTES) as u64);
            there_before = *there;
        }
    })?;
    match ended.word {
        Word::Done => step.done(&format!("{what} is in the memory of {label}")),
        Word::Failed(reason) => {
            let failure =
                Failure::new(&codes::COMMAND_FAILED, format!("{label} did not take the image"));
            return Err(failure.cause(reason).help("load it again"));
        }
        Word::Unknown(unknown) => {
            let headline = format!("unknown: whether {label} started the image");
            let code = match unknown {
                Unknown::Silent => &codes::TIMEOUT,
                _ => &codes::COMMAND_UNKNOWN,
            };
            return Err(Failure::new(code, headline)
                .cause(why(&unknown))
                .help("kube-boot monitor shows what it does now"));
        }
    }
    if !flags.no_start {
        desk.wait_for(BANNER, |record, line| {
            record.line(line);
        })?;
        session.talk.say(format!("Reset done: {label} runs the image"));
    }
    if session.output.structured() {
        let fields = json!({ "board": label, "bytes": image.len(), "started": !flags.no_start });
        session.output.object("load", fields)?;
    }
    Ok(())
}

/// Reads an image; from a disk image that of its boot area.
fn read(path: &Path) -> Outcome<Vec<u8>> {
    let refuse = |cause: String| {
        Failure::new(&codes::LOAD_IMAGE, format!("{} is no boot image", path.display()))
            .cause(cause)
            .help("obc link makes one from Kernel, FileDir, Files and Modules")
    };
    let bytes = std::fs::read(path).map_err(|error| Failure::unreadable(path, &error))?;
    let image = match Image::open(bytes.clone()) {
        Ok(disk) => disk.boot_image().map_err(|error| refuse(error.to_string()))?.to_vec(),
        Err(_) => bytes,
    };
    let length = image.get(16..20).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
    match length {
        Some(length) if length as usize == image.len() && image.len() >= IMAGE_MIN => {}
        Some(length) => {
            let bytes = image.len();
            return Err(refuse(format!("its word at byte 16 says {length}, it has {bytes} bytes")));
        }
        None => return Err(refuse(format!("it has {} bytes", image.len()))),
    }
    if image.len() > IMAGE_MAX {
        return Err(refuse(format!("{} bytes are more than {IMAGE_MAX}", image.len())));
    }
    Ok(image)
}

/// The loader's own form: length, address and data as words, then a length of 0. Nothing comes back
/// before the image runs.
fn to_loader(session: &Session, desk: &mut Desk<'_>, image: &[u8], what: &str) -> Outcome {
    let label = desk.place.label.clone();
    let words = image.len().next_multiple_of(4);
    let mut bytes = Vec::with_capacity(words + 12);
    bytes.extend_from_slice(&(words as u32).to_le_bytes());
    bytes.extend_from_slice(&0_u32.to_le_bytes());
    bytes.extend_from_slice(image);
    bytes.resize(8 + words, 0);
    bytes.extend_from_slice(&0_u32.to_le_bytes());
    let mut step = session.talk.step("Load", &label, Some(bytes.len() as u64));
    for part in bytes.chunks(BLOCK_BYTES) {
        desk.port.send(part)?;
        step.advance(part.len() as u64);
    }
    step.done(&format!("{what} sent to the boot loader of {label}"));
    desk.wait_for(BANNER, |record, line| {
        record.line(line);
    })?;
    session.talk.say(format!("Reset done: {label} runs the image"));
    Ok(())
}
