//! The verb without a name: build, write, verify.

use std::path::Path;

use kube_disk::{Image, Layout};
use serde_json::json;

use super::guard;
use super::medium::Medium;
use super::target::Target;
use super::write::{self, Job, Plan};
use super::{Form, WriteFlags, bitstream, build, codes, trouble};
use crate::failure::{Failure, Outcome};
use crate::host::{Disk, Host, size};
use crate::output::Output;
use crate::program::Session;

/// Bytes a second that a card in a cheap reader takes; plans are estimated with it.
const SLOW_CARD_BYTES_PER_S: u64 = 4_000_000;

/// Builds or reads an image and brings it to its target.
///
/// # Errors
/// All of `kube-flash`.
pub fn run(session: &Session, flags: &WriteFlags) -> Outcome {
    let host = Host::here();
    let target = session.target(&host, flags.to.as_deref())?;
    let named = flags.bitstream.clone();
    let (content, label, load, lock) = match &flags.image {
        Some(path) => (read_image(path)?, path.display().to_string(), None, None),
        None => {
            let chosen = session.board()?;
            // Before anything is written: a bitstream for another part ends it here.
            let bitstream = named.or_else(|| chosen.board.hardware.bitstream.clone());
            let load = match bitstream.filter(|_| !chosen.simulated) {
                Some(path) => Some(bitstream::command(&chosen.board, &path, flags.persist)?),
                None => None,
            };
            let form = match target {
                Target::File(_) => flags.layout,
                Target::Card(_) | Target::Machine(_) => Form::Short,
            };

            // A file that somebody names is nobody else's; a card, a stand-in and a board may be.
            let own = matches!(target, Target::File(_)) && flags.to.is_some();
            let shared = !own || load.is_some();
            let lock = if shared { Some(session.lock(&chosen)?) } else { None };
            let image = match &flags.genuine {
                Some(path) => build::on_genuine(&session.talk, &chosen, path)?,
                None if flags.self_test => build::self_test(&session.talk, &chosen, form)?,
                None => build::image(&session.talk, &chosen, form)?,
            };
            (image, chosen.board.name.clone(), load, lock)
        }
    };
    let brought = bring(session, &host, &target, &content, &label, flags);
    if session.flags.dry_run {
        if let Some(words) = load {
            session.talk.say(format!("Would load {label}: {}", words.join(" ")));
        }
        return brought;
    }
    brought?;
    if let Some(words) = load {
        bitstream::load(&session.talk, &label, &words)?;
    }
    if flags.monitor {
        // kube-boot takes the board itself.
        drop(lock);
        return monitor(session);
    }
    Ok(())
}

/// Hands over to kube-boot, which stands beside this program, and ends as it does.
fn monitor(session: &Session) -> Outcome {
    let board = session.board()?.label();
    let here = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join("kube-boot")));
    let program = here.filter(|path| path.exists()).unwrap_or_else(|| "kube-boot".into());
    let status = std::process::Command::new(program).args(["--board", &board, "monitor"]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => Err(Failure::new(&codes::MONITOR, format!("{board} cannot be watched"))
            .cause(format!("kube-boot: {error}"))
            .help("install kube-boot beside kube-flash; everything has been written")),
    }
}

/// Reads an image file.
pub(super) fn read_image(path: &Path) -> Outcome<Vec<u8>> {
    let content = std::fs::read(path)
        .map_err(|error| trouble::of(&error, &format!("{} cannot be read", path.display())))?;
    Ok(image_of(content, path)?.into_bytes())
}

fn image_of(content: Vec<u8>, path: &Path) -> Outcome<Image> {
    Image::open(content).map_err(|error| {
        Failure::new(&codes::IMAGE_KIND, format!("{} is no Oberon image", path.display()))
            .cause(error)
            .help("give an image of this tool, or a genuine one")
    })
}

/// Brings an image to its target: only what differs, and read back.
///
/// # Errors
/// All of `kube-flash`.
pub fn bring(
    session: &Session,
    host: &Host,
    target: &Target,
    content: &[u8],
    label: &str,
    flags: &WriteFlags,
) -> Outcome {
    let layout = layout_of(content);
    let to = target.label();
    let job = target.job(content, layout, &to, label);
    if let Target::Card(disk) = target {
        let end = job.base + content.len() as u64;
        guard::check(disk, flags.i_know_that_this_disk_is_no_card, end)?;
    }
    let there = match target {
        Target::File(path) if !path.exists() => None,
        _ => Some(target.open(host)?),
    };
    let plan = match &there {
        Some(medium) => write::plan(medium, &job, flags.no_skip)?,
        None => {
            let blocks = content.len().div_ceil(512) as u64;
            Plan { changed: std::iter::once(0..blocks).collect(), blocks, cut: false }
        }
    };
    let powered = there.as_ref().is_some_and(Medium::powered);
    drop(there);
    if session.flags.dry_run {
        return dry_run(session, target, label, &job, &plan);
    }
    if plan.is_empty() {
        let sha256 = write::sha256(content);
        session.talk.say(format!("{to} holds {label} already, sha256 {sha256}"));
        return result(session.output, label, target, &job, &plan, 0, plan.blocks, &sha256);
    }
    if let Target::Card(disk) = target {
        agree(session, disk, label, flags)?;
    }
    if let (Target::Machine(machine), true) = (target, powered) {
        let name = &machine.name;
        let question = format!("{to} runs: it loses power while its card becomes {label}.");
        session.talk.confirm(&question, name)?;
    }
    if let Target::File(path) = target
        && flags.to.is_none()
        && let Some(folder) = path.parent()
    {
        // The place of a stand-in is ours to make; a folder that a person names has to be there.
        std::fs::create_dir_all(folder).map_err(|error| {
            trouble::of(&error, &format!("{} cannot be made", folder.display()))
        })?;
    }
    let is_new = matches!(target, Target::File(path) if !path.exists());
    let mut opened = false;
    let outcome = target.open_to_write(host).and_then(|mut medium| {
        opened = true;
        let verify = !flags.no_verify;
        let done = write::write(&mut medium, &job, &plan, verify, &session.talk)?;
        give_back(session, &mut medium, &to)?;
        Ok(done)
    });
    if let (Err(_), true, Target::Machine(_)) = (&outcome, opened, target) {
        session.talk.say(format!("{to} stays without power: its card may not be whole"));
    }
    if let (Err(_), true, Target::File(path)) = (&outcome, is_new, target) {
        // Half a file that was not there before helps nobody.
        let _ = std::fs::remove_file(path);
    }
    let done = outcome?;
    result(session.output, label, target, &job, &plan, done.written, done.verified, &done.sha256)
}

/// Puts the card of a machine in a lab back.
fn give_back(session: &Session, medium: &mut Medium, to: &str) -> Outcome {
    let given = medium.give_back().map_err(|error| {
        trouble::of_lab(&error, &format!("the card of {to} cannot be put back"))
    })?;
    match given {
        Some(true) => session.talk.say(format!("Power done: {to} starts from its new card")),
        Some(false) => {
            session.talk.say(format!("{to} has its card again, and no power, as before"))
        }
        None => {}
    }
    Ok(())
}

/// The form of an image that has been opened before.
fn layout_of(content: &[u8]) -> Layout {
    let mark = 0x9B1E_A38D_u32.to_le_bytes();
    if content.starts_with(&mark) { Layout::Shortened } else { Layout::FullCard }
}

/// Names the card and lets somebody agree, or checks that it is the one named beforehand.
fn agree(session: &Session, disk: &Disk, label: &str, flags: &WriteFlags) -> Outcome {
    let serial = disk.serial.as_deref().unwrap_or("none");
    let path = disk.path.display();
    session.talk.say(format!("Card {path}: {}, {}, serial {serial}", disk.title(), disk.size()));
    for link in &disk.links {
        session.talk.detail(format!("card {path} is {}", link.display()));
    }
    if let Some(expected) = &flags.expect_serial
        && disk.serial.as_ref() != Some(expected)
    {
        return Err(Failure::new(&codes::CARD_SERIAL, format!("{path} is another card"))
            .cause(format!("its serial number is {serial}, expected is {expected}"))
            .help("put the right card in, or correct --expect-serial"));
    }
    let known =
        disk.backing.is_some() || flags.expect_serial.is_some() || from_fleet(session, disk);
    if session.talk.yes() && !known {
        return Err(Failure::new(&codes::CARD_UNNAMED, format!("nobody has named card {path}"))
            .cause("--yes answers the question, so the card's serial number must be given")
            .help(format!("--expect-serial {serial}")));
    }
    let question = format!("Everything of the Oberon file system on {path} becomes {label}.");
    session.talk.confirm(&question, &disk.name)
}

/// Whether the fleet file names this very card for the board meant, by serial number.
fn from_fleet(session: &Session, disk: &Disk) -> bool {
    let named = session.board().ok().and_then(|chosen| chosen.board.hardware.sd);
    matches!(named, Some(kube_boards::fleet::Card::Serial(serial)) if disk.serial.as_ref() == Some(&serial))
}

fn dry_run(session: &Session, target: &Target, label: &str, job: &Job<'_>, plan: &Plan) -> Outcome {
    let bytes = plan.changes() * 512;
    let link = match target {
        Target::Card(disk) => disk.links.first().map(|link| format!(" ({})", link.display())),
        Target::File(_) | Target::Machine(_) => None,
    };
    let seconds = (bytes + job.content.len() as u64).div_ceil(SLOW_CARD_BYTES_PER_S);
    let talk = &session.talk;
    talk.say(format!(
        "Would write {label} to {}{}",
        target.label(),
        link.clone().unwrap_or_default()
    ));
    talk.say(format!(
        "  {} of {} blocks of 512 bytes differ ({}), about {seconds} s on a slow card",
        plan.changes(),
        plan.blocks,
        size(bytes),
    ));
    let first = job.base / 512;
    for range in plan.changed.iter().take(8) {
        talk.say(format!("  blocks {} to {}", first + range.start, first + range.end - 1));
    }
    if plan.changed.len() > 8 {
        talk.say(format!("  and {} more ranges", plan.changed.len() - 8));
    }
    session.output.object(
        "plan",
        json!({
            "board": label,
            "target": target.label(),
            "link": link.map(|link| link.trim_matches([' ', '(', ')']).to_owned()),
            "blocks": plan.blocks,
            "changed_blocks": plan.changes(),
            "first_block": first,
            "ranges": plan.changed.iter().map(|r| [first + r.start, first + r.end]).collect::<Vec<_>>(),
            "seconds": seconds,
        }),
    )?;
    if plan.is_empty() {
        return Ok(());
    }
    Err(Failure::new(&codes::DIFFERENT, format!("{} does not hold {label} yet", target.label()))
        .help("without --dry-run it is written")
        .answered())
}

#[allow(clippy::too_many_arguments, reason = "the fields of one object, named where it is made")]
fn result(
    output: Output,
    label: &str,
    target: &Target,
    job: &Job<'_>,
    plan: &Plan,
    written: u64,
    verified: u64,
    sha256: &str,
) -> Outcome {
    output.object(
        "write",
        json!({
            "board": label,
            "target": target.label(),
            "bytes": job.content.len(),
            "blocks": plan.blocks,
            "written_blocks": written,
            "verified_blocks": verified,
            "sha256": sha256,
        }),
    )
}
