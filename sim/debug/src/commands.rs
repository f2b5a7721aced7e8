//! The debugger's command language: one command a line, the answer as text.

use std::fmt::Write as _;

use kube_emu::SpiDevice;
use risc5_isa::Instruction;

use crate::memory::qualified;
use crate::session::{Session, Stop, Target};
use crate::trap;
use crate::value::Scope;

/// What `help` shows.
pub const HELP: &str = "\
break FILE:LINE | MODULE.PROCEDURE | MODULE | nnnH   stop there (MODULE: its body)
delete N, breaks                take a breakpoint away, show all
continue [MS]                   run on, at most so many milliseconds of the machine (default 10000)
step, next, stepi, finish       one line into calls, one line, one instruction, to the caller
where                           the call chain
frame N                         variables and source of the Nth caller
print NAME                      x, x.field, x[3], p^, Module.x
locals, globals [MODULE]        all variables
list [LINE]                     source lines around the place
dis [nnnH]                      instructions from the place on
registers, memory nnnH [WORDS]  contents
modules                         what is loaded
send TEXT, serial               a line to the serial port, what came from it
traps on | off                  stop at traps, or let the system handle them
help, quit";

/// Time that one command runs at most, in milliseconds, unless it says otherwise.
const RUN_MS: u64 = 10_000;
const NS_PER_MS: u64 = 1_000_000;

/// A session with the state that commands share.
pub struct Debugger<R> {
    session: Session<R>,
    frame: usize,
    serial: Vec<u8>,
}

/// What a command gave.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// Text for people.
    Text(String),
    /// The command could not be done; why.
    Error(String),
    /// The end.
    Quit,
}

impl<R: SpiDevice> Debugger<R> {
    /// A debugger of a machine.
    pub fn new(session: Session<R>) -> Self {
        Self { session, frame: 0, serial: Vec::new() }
    }

    /// The session.
    pub fn session(&mut self) -> &mut Session<R> {
        &mut self.session
    }

    /// Does one command; an empty line does nothing, `#` begins a comment.
    pub fn run(&mut self, line: &str) -> Answer {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let outcome = match word {
            "" => Ok(String::new()),
            "break" | "b" => self.set(rest),
            "delete" => self.delete(rest),
            "breaks" => Ok(self.breaks()),
            "continue" | "c" | "run" => milliseconds(rest).map(|ms| {
                let stop = self.session.go(self.until(ms));
                self.stopped(&stop)
            }),
            "step" | "s" => Ok(self.moved(Session::step)),
            "next" | "n" => Ok(self.moved(Session::next)),
            "stepi" => Ok(self.moved(|session, _| session.step_instruction())),
            "finish" => self.finish(),
            "where" | "bt" => Ok(self.chain()),
            "frame" => self.select(rest),
            "print" | "p" => self.print(rest),
            "locals" => self.locals(),
            "globals" => self.globals(rest),
            "list" | "l" => self.list(rest),
            "dis" => self.disassemble(rest),
            "registers" => Ok(self.registers()),
            "memory" | "x" => self.memory(rest),
            "modules" => Ok(self.modules()),
            "send" => {
                self.session.machine_mut().serial_send(format!("{rest}\r\n").as_bytes());
                Ok(String::new())
            }
            "serial" => Ok(self.serial()),
            "traps" => self.traps(rest),
            "help" => Ok(format!("{HELP}\n")),
            "quit" | "q" => return Answer::Quit,
            other => Err(format!("unknown command {other}: help lists all")),
        };
        match outcome {
            Ok(text) => Answer::Text(text),
            Err(error) => Answer::Error(error),
        }
    }

    fn until(&self, ms: u64) -> u64 {
        self.session.machine().now_ns().saturating_add(ms.saturating_mul(NS_PER_MS))
    }

    fn moved(&mut self, step: impl FnOnce(&mut Session<R>, u64) -> Stop) -> String {
        let until = self.until(RUN_MS);
        let stop = step(&mut self.session, until);
        self.stopped(&stop)
    }

    fn finish(&mut self) -> Result<String, String> {
        let until = self.until(RUN_MS);
        match self.session.finish(until) {
            Some(stop) => Ok(self.stopped(&stop)),
            None => Err("the caller is not known here".into()),
        }
    }

    /// Why and where the machine stands.
    fn stopped(&mut self, stop: &Stop) -> String {
        self.frame = 0;
        let received = self.session.machine_mut().serial_received();
        self.serial.extend(received);
        match stop {
            Stop::Trap(trap) => trap::report(self.session.machine(), self.session.tables(), trap),
            Stop::Breakpoint(number) => format!("breakpoint {number}: {}", self.place()),
            Stop::Step => self.place(),
            Stop::Halted => format!("the program has ended: {}", self.place()),
            Stop::Time => format!("the time is over: {}", self.place()),
        }
    }

    fn place(&self) -> String {
        let frames = self.session.chain();
        let Some(frame) = frames.get(self.frame) else {
            return "nowhere\n".into();
        };
        let mut out = format!("{}\n", frame.location);
        if let Some((_, line, _)) = &frame.location.place
            && let Some(text) = self.session.tables().line(&frame.location.module, *line)
        {
            let _ = writeln!(out, "    {line:>5} | {text}");
        }
        out
    }

    fn set(&mut self, text: &str) -> Result<String, String> {
        let target = target(text)?;
        let known = match &target {
            Target::Line { file, .. } => self.session.tables().of_file(file).is_some(),
            Target::Procedure { module, procedure } => self
                .session
                .tables()
                .get(module)
                .is_some_and(|t| t.procedures.iter().any(|p| p.name == *procedure)),
            Target::Address(_) => true,
        };
        if !known {
            return Err(format!(
                "no position table knows {text}: build with obc, and name --tables"
            ));
        }
        let set = self.session.set(target);
        let when = if set.addresses.is_empty() { ", once its module is loaded" } else { "" };
        Ok(format!("breakpoint {} at {text}{when}\n", set.number))
    }

    fn delete(&mut self, text: &str) -> Result<String, String> {
        let number = text.parse().map_err(|_| "delete takes the number of a breakpoint")?;
        if self.session.clear(number) {
            Ok(String::new())
        } else {
            Err(format!("there is no breakpoint {number}"))
        }
    }

    fn breaks(&self) -> String {
        let mut out = String::new();
        for b in self.session.breakpoints() {
            let target = match &b.target {
                Target::Line { file, line } => format!("{file}:{line}"),
                Target::Procedure { module, procedure } => qualified(module, procedure),
                Target::Address(address) => format!("{address:05X}H"),
            };
            let at: Vec<String> = b.addresses.iter().map(|a| format!("{a:05X}H")).collect();
            let at = if at.is_empty() { "not loaded".into() } else { at.join(" ") };
            let _ = writeln!(out, "{} {target} ({at})", b.number);
        }
        out
    }

    fn chain(&self) -> String {
        trap::calls(&self.session.chain(), self.session.tables())
    }

    fn select(&mut self, text: &str) -> Result<String, String> {
        let number: usize = text.parse().map_err(|_| "frame takes a number that where shows")?;
        if number >= self.session.chain().len() {
            return Err(format!("there is no frame {number}"));
        }
        self.frame = number;
        Ok(self.place())
    }

    fn with_scope<T>(&self, work: impl FnOnce(&Scope<'_, kube_emu::Machine<R>>) -> T) -> T {
        let frames = self.session.chain();
        work(&Scope {
            memory: self.session.machine(),
            map: self.session.map(),
            tables: self.session.tables(),
            frame: frames.get(self.frame),
        })
    }

    fn print(&self, text: &str) -> Result<String, String> {
        let value = self.with_scope(|scope| scope.value(text));
        value.map(|v| format!("{text} = {v}\n")).map_err(|e| e.to_string())
    }

    fn locals(&self) -> Result<String, String> {
        let shown = self.with_scope(|scope| scope.locals());
        shown.ok_or_else(|| "there is no position table for this place".into())
    }

    fn globals(&self, module: &str) -> Result<String, String> {
        let frames = self.session.chain();
        let here = frames.get(self.frame).map(|f| f.location.module.clone()).unwrap_or_default();
        let module = if module.is_empty() { here.as_str() } else { module };
        let shown = self.with_scope(|scope| scope.globals(module));
        shown.ok_or_else(|| format!("module {module:?} is not loaded or has no position table"))
    }

    fn list(&self, text: &str) -> Result<String, String> {
        let frames = self.session.chain();
        let location = frames.get(self.frame).map(|f| &f.location);
        let place = location.and_then(|l| Some((l.module.as_str(), l.place.as_ref()?.1)));
        let (module, here) = place.ok_or("there is no position table for this place")?;
        let middle = if text.is_empty() {
            here
        } else {
            text.parse().map_err(|_| "list takes a line number")?
        };
        let mut out = String::new();
        for line in middle.saturating_sub(4)..=middle.saturating_add(4) {
            if let Some(text) = self.session.tables().line(module, line) {
                let mark = if line == here { '>' } else { ' ' };
                let _ = writeln!(out, "{mark}{line:>5} | {text}");
            }
        }
        if out.is_empty() {
            Err("the source is not at hand, or has changed".into())
        } else {
            Ok(out)
        }
    }

    fn disassemble(&self, text: &str) -> Result<String, String> {
        let machine = self.session.machine();
        let start = if text.is_empty() { machine.pc() } else { hexadecimal(text)? };
        let mut out = String::new();
        for at in (0..12).map(|i| start.wrapping_add(4 * i)) {
            let word = machine.word(at);
            let _ = writeln!(out, "{at:05X}  {word:08X}  {}", Instruction::decode(word));
        }
        Ok(out)
    }

    fn registers(&self) -> String {
        let machine = self.session.machine();
        let mut out = String::new();
        for row in 0..4 {
            let words: Vec<String> = (0..4)
                .map(|column| 4 * row + column)
                .map(|n| format!("R{n:<2} {:08X}", machine.register(n)))
                .collect();
            let _ = writeln!(out, "{}", words.join("  "));
        }
        let flags: String = "NZCV"
            .chars()
            .enumerate()
            .map(|(i, name)| if machine.flags() >> (3 - i) & 1 == 1 { name } else { '-' })
            .collect();
        let _ = writeln!(out, "PC  {:08X}  H   {:08X}  {flags}", machine.pc(), machine.h());
        out
    }

    fn memory(&self, text: &str) -> Result<String, String> {
        let (address, count) = text.split_once(' ').unwrap_or((text, "16"));
        let address = hexadecimal(address)? & !3;
        let count: u32 = count.trim().parse().map_err(|_| "memory takes a number of words")?;
        let mut out = String::new();
        for row in 0..count.min(4096).div_ceil(4) {
            let at = address.wrapping_add(16 * row);
            let words = (count - 4 * row).min(4);
            let _ = write!(out, "{at:05X} ");
            for word in 0..words {
                let _ = write!(out, " {:08X}", self.session.machine().word(at + 4 * word));
            }
            out.push('\n');
        }
        Ok(out)
    }

    fn modules(&self) -> String {
        let mut out = String::new();
        for m in self.session.map().modules() {
            let known = self.session.map().table(m, self.session.tables()).is_some();
            let note = if known { "" } else { "  no position table" };
            let _ = writeln!(
                out,
                "{:>2} {:<16} data {:05X}H code {:05X}H..{:05X}H{note}",
                m.number, m.name, m.data, m.code, m.end
            );
        }
        out
    }

    fn serial(&mut self) -> String {
        let received = self.session.machine_mut().serial_received();
        self.serial.extend(received);
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.serial)).replace('\r', "");
        if text.is_empty() || text.ends_with('\n') { text } else { format!("{text}\n") }
    }

    fn traps(&mut self, text: &str) -> Result<String, String> {
        self.session.stop_at_traps = match text {
            "on" => true,
            "off" => false,
            _ => return Err("traps is on or off".into()),
        };
        Ok(String::new())
    }
}

fn milliseconds(text: &str) -> Result<u64, String> {
    if text.is_empty() {
        return Ok(RUN_MS);
    }
    text.parse().map_err(|_| "continue takes milliseconds".into())
}

fn hexadecimal(text: &str) -> Result<u32, String> {
    let digits = text.strip_suffix(['H', 'h']).unwrap_or(text);
    u32::from_str_radix(digits, 16)
        .map_err(|_| format!("{text} is no address: write it like 0A1CH"))
}

fn target(text: &str) -> Result<Target, String> {
    if let Some((file, line)) = text.rsplit_once(':') {
        let line = line.parse().map_err(|_| format!("{line} is no line number"))?;
        return Ok(Target::Line { file: file.to_string(), line });
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return hexadecimal(text).map(Target::Address);
    }
    let (module, procedure) = text.split_once('.').unwrap_or((text, text));
    if module.is_empty() {
        return Err("break takes FILE:LINE, MODULE.PROCEDURE, MODULE or an address".into());
    }
    Ok(Target::Procedure { module: module.into(), procedure: procedure.into() })
}
