//! The monitor: what a board writes, as it comes.

use std::io::{BufRead, IsTerminal};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use kube_proto::serial::line::Line;
use serde_json::json;

use super::LineFlags;
use super::codes;
use super::desk::Record;
use super::port;
use crate::failure::{Failure, Outcome};
use crate::program::Session;

/// Between two tries to open a port that has gone.
const REOPEN: Duration = Duration::from_millis(300);

/// Shows lines until the flags say that it is enough.
pub fn run(session: &Session, flags: &LineFlags) -> Outcome {
    let place = port::place(session, flags)?;
    let mut record = Record::new(flags)?;
    let mut port = Some(port::open(session, &place)?);
    session
        .talk
        .say(format!("Monitor: {}; what you type is sent as a line, Ctrl-C ends", place.label));
    let typed = typed_lines();
    let started = Instant::now();
    let mut receiver = kube_serial::receiver::Receiver::default();
    loop {
        if flags.timeout > 0.0 && started.elapsed().as_secs_f64() >= flags.timeout {
            let failure = Failure::new(&codes::TIMEOUT, "the time is over");
            return Err(match &flags.exit_on {
                Some(text) => failure.cause(format!("no line with {text:?} came")),
                None => failure,
            }
            .help("--timeout 0 goes on for ever"));
        }
        let Some(open) = &mut port else {
            std::thread::sleep(REOPEN);
            // An adapter that was found by its serial number may come back as another device.
            let found = port::place(session, flags);
            port = found.and_then(|place| port::open(session, &place)).ok();
            if port.is_some() {
                session.talk.say(format!("{} is back", place.label));
            }
            continue;
        };
        let passed = open.receive().and_then(|bytes| {
            if let Some(line) = typed.as_ref().and_then(|typed| typed.try_recv().ok()) {
                open.send(format!("{line}\n").as_bytes())?;
            }
            Ok(bytes)
        });
        let bytes = match passed {
            Ok(bytes) => bytes,
            Err(failure) => {
                session.talk.warn(format!("{}; waiting for it", failure.headline));
                port = None;
                continue;
            }
        };
        let mut lines = Vec::new();
        receiver.take(&bytes, |line| lines.push(shown(line)));
        for line in lines {
            let text = record.line(&line);
            if session.output.structured() {
                session.output.object("line", json!({ "board": place.label, "text": line }))?;
            } else {
                session.output.line(&text)?;
            }
            if flags.exit_on.as_ref().is_some_and(|wanted| line.contains(wanted.as_str())) {
                return Ok(());
            }
        }
    }
}

/// A line as people read it: marks and checks of marked lines are left off.
fn shown(line: &[u8]) -> String {
    match Line::parse(line) {
        Line::Log { text, .. } => text.to_owned(),
        Line::Answer(_) | Line::Damaged | Line::Plain(_) => {
            String::from_utf8_lossy(line).chars().map(visible).collect()
        }
    }
}

fn visible(c: char) -> char {
    if c.is_control() { '.' } else { c }
}

/// Lines that somebody types, if there is a terminal.
fn typed_lines() -> Option<Receiver<String>> {
    if !std::io::stdin().is_terminal() {
        return None;
    }
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Some(receiver)
}
