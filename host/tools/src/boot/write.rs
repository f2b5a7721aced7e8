//! A disk image onto the card of a running board.

use std::path::PathBuf;

use kube_disk::{Image, Sector};
use kube_proto::serial::{BLOCK_BYTES, sum};
use kube_serial::job::Numbered;
use kube_serial::{Event, Job, Outcome as Word, Unknown};
use serde_json::json;

use super::LineFlags;
use super::codes;
use super::desk::{Desk, why};
use crate::code;
use crate::failure::{Failure, Outcome};
use crate::program::Session;

/// The first sector that holds files; before it lie the directory's root and the boot area.
const FIRST_DATA: u32 = 64;

/// Flags of `write`.
#[derive(clap::Args, Clone, Debug)]
pub struct Flags {
    /// The disk image.
    #[arg(value_name = "IMAGE")]
    image: PathBuf,
    /// Also send sectors that are right already.
    #[arg(long)]
    no_skip: bool,
    /// Do not restart the board afterwards. It goes on with what it knows of the old card and must not
    /// write to it.
    #[arg(long)]
    no_restart: bool,
}

/// Writes an image.
pub fn run(session: &Session, line: &LineFlags, flags: &Flags) -> Outcome {
    let name = flags.image.display().to_string();
    let bytes =
        std::fs::read(&flags.image).map_err(|error| Failure::unreadable(&flags.image, &error))?;
    let image = Image::open(bytes).map_err(|error| {
        Failure::new(&crate::flash::codes::IMAGE_KIND, format!("{name} is no disk image"))
            .cause(error)
            .help("kube-flash --board NAME --to FILE makes one")
    })?;
    let sectors = sectors(&image);
    let mut desk = Desk::open(session, line)?;
    let label = desk.place.label.clone();
    let wanted = if flags.no_skip { sectors } else { differing(session, &mut desk, sectors)? };
    let what = format!("{} sectors of {name} on the card of {label}", wanted.len());
    if session.flags.dry_run {
        session.talk.say(format!("would write {what}"));
        return match wanted.is_empty() {
            true => Ok(()),
            false => Err(Failure::new(&crate::flash::codes::DIFFERENT, "the card differs")),
        };
    }
    if wanted.is_empty() {
        session.talk.say(format!("Write done: the card of {label} holds {name} already"));
    } else {
        session.talk.confirm(&format!("Overwrite {what}?"), &label)?;
        send(session, &mut desk, wanted, &what)?;
        if !flags.no_restart {
            restart(session, &mut desk)?;
        }
    }
    if session.output.structured() {
        session.output.object("write", json!({ "board": label, "image": name }))?;
    }
    Ok(())
}

/// What an image holds, the root of its directory last: until that is written, what the board finds
/// on the card is the old directory.
fn sectors(image: &Image) -> Vec<Numbered> {
    let empty = [0; BLOCK_BYTES];
    let numbered = (1..65_536).filter_map(|number| {
        let bytes = image.sector(Sector::new(number)?)?;
        let data: [u8; BLOCK_BYTES] = bytes.try_into().ok()?;
        (data != empty).then(|| (number, Box::new(data)))
    });
    let mut all: Vec<Numbered> = numbered.collect();
    all.sort_by_key(|(number, _)| (*number < FIRST_DATA, *number == 1, *number));
    all
}

/// Leaves out the sectors that the card holds already.
fn differing(
    session: &Session,
    desk: &mut Desk<'_>,
    sectors: Vec<Numbered>,
) -> Outcome<Vec<Numbered>> {
    let first = sectors.iter().map(|(number, _)| *number).min().unwrap_or(1);
    let last = sectors.iter().map(|(number, _)| *number).max().unwrap_or(1);
    let job = Job::sums(first, last - first + 1)
        .map_err(|error| Failure::new(&code::USAGE, error.to_string()))?;
    let bytes = u64::from(last - first + 1) * BLOCK_BYTES as u64;
    let mut step = session.talk.step("Verify", &desk.place.label, Some(bytes));
    let mut on_card = Vec::new();
    let ended = desk.job(job, |event| {
        if let Event::Sums { sums, .. } = event {
            on_card.extend_from_slice(sums);
            step.advance((sums.len() * BLOCK_BYTES) as u64);
        }
    })?;
    if ended.word != Word::Done {
        return Err(not_written(&desk.place.label, &ended.word));
    }
    let differs = |(number, data): &Numbered| {
        on_card.get((number - first) as usize).is_none_or(|on_card| *on_card != sum(&data[..]))
    };
    let differing: Vec<_> = sectors.into_iter().filter(differs).collect();
    step.done(&format!("{} sectors differ", differing.len()));
    Ok(differing)
}

fn send(session: &Session, desk: &mut Desk<'_>, sectors: Vec<Numbered>, what: &str) -> Outcome {
    let total = sectors.len() * BLOCK_BYTES;
    let job = Job::write(sectors).map_err(|error| Failure::new(&code::USAGE, error.to_string()))?;
    let mut step = session.talk.step("Write", &desk.place.label, Some(total as u64));
    let mut there_before = 0;
    let ended = desk.job(job, |event| {
        if let Event::Progress { there, .. } = event {
            step.advance((there.saturating_sub(there_before) * BLOCK_BYTES) as u64);
            there_before = *there;
        }
    })?;
    if ended.word != Word::Done {
        return Err(not_written(&desk.place.label, &ended.word));
    }
    step.done(&format!("{what}, each read back there"));
    Ok(())
}

fn not_written(label: &str, word: &Word) -> Failure {
    let cause = match word {
        Word::Failed(reason) => reason.clone(),
        Word::Unknown(unknown) => why(unknown),
        Word::Done => String::new(),
    };
    Failure::new(&codes::WRITE_FAILED, format!("not all is on the card of {label}"))
        .cause(cause)
        .help("repeat the write: only what is missing is sent")
}

/// Restarts the board, which then does not know this session any more. Its boot number need not
/// differ: the count of starts is on the card, and the new one has a count of its own.
fn restart(session: &Session, desk: &mut Desk<'_>) -> Outcome {
    let label = desk.place.label.clone();
    let job = Job::command("System.Restart")
        .map_err(|error| Failure::new(&code::USAGE, error.to_string()))?;
    match desk.job(job, |_| ())?.word {
        Word::Unknown(Unknown::Restarted { .. } | Unknown::Displaced) => {
            session.talk.say(format!("Reset done: {label} runs from its new card"));
            Ok(())
        }
        word => Err(not_written(&label, &word).help("switch it off and on")),
    }
}
