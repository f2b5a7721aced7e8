//! Commands: one after another, each with its answer.

use kube_boards::file::nearest;
use kube_serial::{Event, Job, Outcome as Word};
use serde_json::json;

use super::codes;
use super::desk::{Desk, Ended, why};
use super::{BANNER, LineFlags};
use crate::failure::{Failure, Outcome};
use crate::program::Session;

/// Flags of commands at a board's start.
#[derive(clap::Args, Clone, Debug)]
pub struct StartFlags {
    /// Wait for the board's next start and run the commands before those of its image.
    #[arg(long)]
    pub at_start: bool,
    /// With --at-start: in place of those of its image.
    #[arg(long, requires = "at_start")]
    pub replace: bool,
}

/// Runs commands.
pub fn run(session: &Session, flags: &LineFlags, start: &StartFlags, words: &[String]) -> Outcome {
    let text = words.join(" ");
    check_form(words)?;
    let commands: Vec<&str> = text.split(';').map(str::trim).filter(|c| !c.is_empty()).collect();
    if commands.is_empty() && flags.exit_on.is_none() {
        return Err(Failure::new(&codes::COMMAND, "no command was given")
            .help("kube-boot --board node1 System.Watch; kube-boot --help shows the verbs"));
    }
    let jobs: Vec<(&str, Job)> = commands
        .iter()
        .map(|&command| Job::command(command).map(|job| (command, job)))
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::new(&codes::COMMAND, error.to_string()))?;
    let label = session.flags.board.as_deref().unwrap_or("the board");
    if session.flags.dry_run {
        for command in commands {
            session.talk.say(format!("would run on {label}: {command}"));
        }
        return Ok(());
    }
    let mut desk = Desk::open(session, flags)?;
    if start.at_start {
        session.talk.say(format!("waiting for {} to start", desk.place.label));
        desk.wait_for(BANNER, |record, line| {
            record.line(line);
        })?;
        if start.replace {
            let job = Job::skip_start_commands();
            let ended = desk.job(job, |_| ())?;
            judge(session, &desk, "leave Boot.Cmd out", &ended)?;
        }
    }
    let result = jobs.into_iter().try_for_each(|(command, job)| {
        let ended = one(session, &mut desk, command, job)?;
        judge(session, &desk, command, &ended)
    });
    desk.free();
    result?;
    match &flags.exit_on {
        None => Ok(()),
        Some(text) => desk.wait_for(text, |record, line| {
            let line = record.line(line);
            if !session.output.structured() {
                let _ = session.output.line(&line);
            }
        }),
    }
}

/// A word that is neither a verb nor has a point is a slip.
fn check_form(words: &[String]) -> Outcome {
    let Some(first) = words.first().filter(|word| !word.contains(['.', ';'])) else {
        return Ok(());
    };
    let failure = Failure::new(&codes::COMMAND, format!("{first} is neither a verb nor a command"))
        .cause("a command is Module.Command and its parameters");
    Err(match nearest(first, ["monitor", "info", "load", "write"]) {
        Some(near) => failure.help(format!("did you mean kube-boot {near}?")),
        None => failure.help("kube-boot --board node1 System.Watch; kube-boot --help"),
    })
}

/// Does one command and prints what it writes.
fn one(session: &Session, desk: &mut Desk<'_>, command: &str, job: Job) -> Outcome<Ended> {
    let own = format!("boot: {command}");
    let mut ended = desk.job(job, |event| {
        if let Event::Plain(text) = event {
            session.talk.detail(text);
        }
    })?;
    ended.lines.retain(|line| *line != own);
    for text in &ended.lines {
        let line = desk.record.line(text);
        if !session.output.structured() {
            session.output.line(&line)?;
        }
    }
    if session.output.structured() {
        let (word, reason) = words(&ended.word);
        let fields = json!({
            "board": desk.place.label, "boot": desk.boot(), "command": command,
            "word": word, "reason": reason, "output": ended.lines,
        });
        session.output.object("command", fields)?;
    }
    Ok(ended)
}

fn words(word: &Word) -> (&'static str, Option<String>) {
    match word {
        Word::Done => ("done", None),
        Word::Failed(reason) => ("failed", Some(reason.clone())),
        Word::Unknown(unknown) => ("unknown", Some(why(unknown))),
    }
}

/// The word as the program's end.
pub fn judge(session: &Session, desk: &Desk<'_>, command: &str, ended: &Ended) -> Outcome {
    let label = &desk.place.label;
    match &ended.word {
        Word::Done => {
            session.talk.say(format!("Run done: {command} on {label}"));
            Ok(())
        }
        Word::Failed(reason) => {
            let headline = format!("{command} failed on {label}");
            Err(Failure::new(&codes::COMMAND_FAILED, headline).cause(reason))
        }
        Word::Unknown(unknown) => {
            let code = match ended.timed_out {
                true => &codes::TIMEOUT,
                false => &codes::COMMAND_UNKNOWN,
            };
            let headline = format!("unknown: whether {command} was done on {label}");
            Err(Failure::new(code, headline)
                .cause(why(unknown))
                .help("look at the state of the board before you send it again"))
        }
    }
}
