//! A frame as one line of text, and its bytes below it if they are wanted.
//!
//! ```text
//!    12.345678   5  -  32  node1    heartbeat   [20] node1 ids=1,3 #4660  good
//!    time        |  |  |   sender   kind        values                    state and remarks
//!                |  |  payload bytes
//!                |  packet identity, where the frame has one
//!                channel
//! ```

use crate::decoder::{Checksum, Heard, State, What};
use crate::oberon_net;
use crate::reading::{Reading, Value};
use console::Style;
use kube_proto::capture::Flags;
use kube_proto::layout::{Kind, Width};
use kube_proto::replay::Verdict;
use std::fmt::Write;

/// From which moment times are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// From the first frame, where they are those of a calendar; else from the beginning of the
    /// simulation.
    #[default]
    Relative,
    /// As captured.
    Absolute,
    /// From the frame before.
    Delta,
}

/// Times past this are those of a calendar: 1980.
const CALENDAR_NS: u64 = 315_532_800_000_000_000;

/// How lines look.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineStyle {
    /// Which times.
    pub times: Times,
    /// Bytes below the line.
    pub hex: bool,
    /// Colours.
    pub colour: bool,
    /// Passwords as they are.
    pub secrets: bool,
    /// Longest line.
    pub width: Option<usize>,
}

/// Writes frames as lines.
#[derive(Debug, Default)]
pub struct Printer {
    style: LineStyle,
    base_ns: Option<u64>,
    last_ns: Option<u64>,
}

impl Printer {
    /// In that style.
    #[must_use]
    pub fn new(style: LineStyle) -> Self {
        Self { style, base_ns: None, last_ns: None }
    }

    /// A moment as the lines show it, without moving what times are counted from.
    pub fn time(&mut self, at_ns: u64) -> String {
        let base_ns = *self.base_ns.get_or_insert(if at_ns >= CALENDAR_NS { at_ns } else { 0 });
        let shown = match self.style.times {
            Times::Relative => at_ns.saturating_sub(base_ns),
            Times::Absolute => at_ns,
            Times::Delta => at_ns.saturating_sub(self.last_ns.unwrap_or(at_ns)),
        };
        format!("{:>5}.{:06}", shown / 1_000_000_000, shown / 1_000 % 1_000_000)
    }

    /// A frame: a line, and more with its bytes. Ends without a line break.
    pub fn frame(&mut self, heard: &Heard) -> String {
        let time = self.time(heard.at_ns);
        self.last_ns = Some(heard.at_ns);
        let pid = heard.control.map_or("-".to_owned(), |control| control.pid.to_string());
        let sender = sender(heard);
        let head =
            format!("{time} {:>3}  {pid}  {:>2}  ", heard.frame.channel, heard.payload.len());
        let sender_cell = format!("{sender:<8}");
        let body = format!("  {:<12} ", heard.kind());
        let (tail, remarks) = (values(heard, self.style.secrets), remarks(heard));
        let state = state(heard.state);
        let line = if self.style.colour {
            let sender = by_name(&sender).force_styling(true).apply_to(sender_cell);
            let state = by_state(heard.state).force_styling(true).apply_to(state);
            format!("{head}{sender}{body}{tail}{state} {remarks}")
        } else {
            format!("{head}{sender_cell}{body}{tail}{state} {remarks}")
        };
        let line = line.trim_end();
        let mut text = match self.style.width {
            Some(width) => console::truncate_str(line, width, "…").into_owned(),
            None => line.to_owned(),
        };
        if self.style.hex {
            text.push_str(&hex_rows(heard, self.style.secrets, self.style.width));
        }
        text
    }

    /// What a machine wrote on its serial line.
    pub fn serial(&mut self, at_ns: u64, machine: &str, text: &str) -> String {
        let line = format!("{}  serial  {machine:<8}  {text}", self.time(at_ns));
        match self.style.width {
            Some(width) => console::truncate_str(&line, width, "…").into_owned(),
            None => line,
        }
    }
}

/// Who sent the frame: a name, an address, or a name with `?` for which nobody has vouched.
#[must_use]
pub fn sender(heard: &Heard) -> String {
    match (&heard.from, heard.packet(), heard.reading().and_then(Reading::node)) {
        (Some(name), _, _) => name.clone(),
        // Somebody says so; nobody has vouched for it.
        (None, Some(_), Some(node)) if heard.state == State::Bad => format!("{node}?"),
        (None, Some(packet), _) => format!("{:02x}", packet.sadr),
        _ => "-".to_owned(),
    }
}

/// What the frame says, with a blank behind it; passwords as they are only with `secrets`.
#[must_use]
pub fn values(heard: &Heard, secrets: bool) -> String {
    match &heard.what {
        What::Message(_, reading) => {
            let mut text = String::new();
            for (field, value) in &reading.values {
                // Some lists are always empty.
                if field.width == (Width::Counted { max: 0 }) {
                    continue;
                }
                let _ = match (field.kind, value) {
                    (Kind::Tag, Value::Number(tag)) => write!(text, "[{tag}] "),
                    (Kind::Counter, Value::Number(counter)) => write!(text, "#{counter} "),
                    (Kind::Mac, _) => Ok(()),
                    (_, Value::Number(_)) if field.name == "n" => Ok(()),
                    (_, Value::Text(node)) if field.name == "node" => write!(text, "{node} "),
                    (_, value) => write!(text, "{}={} ", field.name, show(value)),
                };
            }
            text
        }
        What::Malformed(packet, _, error) => format!("{} {error} ", route(packet)),
        What::Packet(packet) if oberon_net::has_password(packet.typ) => {
            let request = oberon_net::file_request(packet.data());
            let password = if secrets {
                packet.data().get(request.password.clone()).map(hex).unwrap_or_default()
            } else {
                "****".to_owned()
            };
            let (user, file) = (&request.user, &request.file);
            format!("{} user={user} password={password} file={file} ", route(packet))
        }
        What::Packet(packet) => {
            format!("{} typ={:02x} len={} ", route(packet), packet.typ, packet.len)
        }
        What::Continuation { part, of } => format!("frame {part} of {of} "),
        What::Cut => format!("{} bits ", heard.frame.bits.len()),
        What::Acknowledgement | What::Unknown => String::new(),
    }
}

fn route(packet: &kube_proto::packet::Packet) -> String {
    format!("{:02x}>{:02x}", packet.sadr, packet.dadr)
}

/// A value as text.
#[must_use]
pub fn show(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Text(text) if text.contains(' ') => format!("{text:?}"),
        Value::Text(text) => text.clone(),
        Value::Ids(ids) if ids.is_empty() => "-".to_owned(),
        Value::Ids(ids) => ids.iter().map(u8::to_string).collect::<Vec<_>>().join(","),
        Value::Bytes(bytes) => hex(bytes),
    }
}

/// Bytes as hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn state(state: State) -> &'static str {
    match state {
        State::Plain => "",
        State::Bad => "BAD",
        State::Damaged => "DAMAGED",
        state => state.word(),
    }
}

/// What is unusual about the frame.
fn remarks(heard: &Heard) -> String {
    let flags = heard.frame.flags;
    let mut words = Vec::new();
    for (holds, word) in [
        (heard.checksum == Checksum::Bad, "crc"),
        (flags.has(Flags::COLLISION), "collision"),
        (flags.has(Flags::TRUNCATED), "truncated"),
        (flags.has(Flags::WEAK), "weak"),
        (flags.has(Flags::SENT), "sent"),
        (heard.repeated, "repeated"),
        (heard.window == Some(Verdict::Replayed), "replayed"),
        (heard.window == Some(Verdict::Relearned), "relearned"),
    ] {
        if holds {
            words.push(word.to_owned());
        }
    }
    if heard.lost > 0 {
        words.push(format!("{} lost before", heard.lost));
    }
    if words.is_empty() { String::new() } else { format!("({})", words.join(", ")) }
}

/// The payload, 16 bytes a row; narrower on a narrow terminal.
fn hex_rows(heard: &Heard, secrets: bool, width: Option<usize>) -> String {
    let mut text = String::new();
    let row = if width.is_some_and(|width| width < 80) { 8 } else { 16 };
    for (at, bytes) in (0..).step_by(row).zip(heard.payload.chunks(row)) {
        let (mut digits, mut letters) = (String::new(), String::new());
        for (place, &byte) in (at..).zip(bytes) {
            let hidden = !secrets && heard.secret.contains(&place);
            if hidden {
                digits.push_str(" **");
                letters.push('*');
            } else {
                let _ = write!(digits, " {byte:02x}");
                letters.push(if byte.is_ascii_graphic() { char::from(byte) } else { '.' });
            }
        }
        let _ = write!(text, "\n        {at:02x} {digits:<width$}  {letters}", width = row * 3);
    }
    text
}

/// The same colour for the same name, everywhere.
fn by_name(name: &str) -> Style {
    let sum = name.bytes().fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    match sum % 6 {
        0 => Style::new().cyan(),
        1 => Style::new().green(),
        2 => Style::new().magenta(),
        3 => Style::new().blue(),
        4 => Style::new().yellow(),
        _ => Style::new().cyan().bright(),
    }
}

fn by_state(state: State) -> Style {
    match state {
        State::Good => Style::new().green(),
        State::Bad | State::Malformed | State::Damaged => Style::new().red().bold(),
        State::Foreign | State::Unchecked => Style::new().yellow(),
        State::Plain => Style::new(),
    }
}
