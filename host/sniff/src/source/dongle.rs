//! Our own dongle (docs/dongle.md), over its serial port. Its messages are the table of
//! [`kube_proto::dongle`].

mod line;

pub use line::{Line, Serial, ports};

use super::usb::Tuning;
use super::{Event, Source, SourceError};
use kube_proto::dongle::{
    Collector, Damage, Frame, FromDongle, FromHost, Identity, PROTOCOL, Settings, State, parse,
};
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// An answer is awaited that long.
const ANSWER: Duration = Duration::from_secs(3);
/// A dongle that hears nothing is asked whether it is well that often.
const ASK: Duration = Duration::from_secs(1);
/// One that does not answer that is given up.
const PATIENCE: Duration = Duration::from_secs(20);
/// So many damaged lines in a row come from something else.
const DAMAGED_MAX: u32 = 64;

/// Why a dongle cannot be listened to (any more).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DongleError {
    /// The port.
    #[error("{what}")]
    Port {
        /// What kind of refusal.
        kind: ErrorKind,
        /// What the system says.
        what: String,
    },
    /// It was pulled out, or the lab that emulates it has ended.
    #[error("it is gone: it was pulled out, or its cable is bad")]
    Gone,
    /// Nobody answers.
    #[error("nothing answers there in {waited_s} s")]
    Silent {
        /// Time waited.
        waited_s: u64,
    },
    /// Something else is there.
    #[error("something else talks there: {damaged} lines and none of a dongle; {last}")]
    Garbage {
        /// Lines.
        damaged: u32,
        /// What was wrong with the last one.
        last: Damage,
    },
    /// Another version of the table.
    #[error("its firmware {} speaks version {protocol}, this program version {PROTOCOL}", dotted(.firmware))]
    Version {
        /// Its version of the table.
        protocol: u8,
        /// Its own version.
        firmware: [u8; 3],
    },
    /// No chip.
    #[error("its radio module does not answer")]
    NoChip,
    /// A bad chip.
    #[error("its radio module does not hold what is written to it")]
    ChipDiffers,
    /// It cannot be tuned so.
    #[error("it refuses channel {channel}")]
    Refused {
        /// The channel.
        channel: u8,
    },
}

impl DongleError {
    /// What helps.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Port { kind: ErrorKind::PermissionDenied, .. } => {
                "kube-flash doctor --udev prints a rule that gives it to the user at the desk"
            }
            Self::Port { kind: ErrorKind::ResourceBusy, .. } => {
                "end the other program that has it open"
            }
            Self::Port { .. } | Self::Gone => {
                "kube-sniff list shows what is there; plug it in again"
            }
            Self::Silent { .. } | Self::Garbage { .. } => {
                "is it a dongle with this project's firmware? cargo xtask dongle makes that"
            }
            Self::Version { .. } => {
                "cargo xtask dongle makes firmware that fits; docs/dongle.md says how it gets there"
            }
            Self::NoChip => "check the module's supply and wires: docs/dongle.md shows them",
            Self::ChipDiffers => "shorter wires, 10 uF at the module's supply; another module",
            Self::Refused { .. } => "the chip tunes to channels 0 to 125",
        }
    }
}

fn dotted(version: &[u8; 3]) -> String {
    version.map(|part| part.to_string()).join(".")
}

/// A dongle that listens.
pub struct Dongle<L: Line> {
    line: L,
    name: String,
    tuning: Tuning,
    /// What has come and was not looked at.
    incoming: VecDeque<u8>,
    collector: Collector,
    /// The dongle's time in microseconds and the calendar's in nanoseconds at one moment. Its crystal is
    /// good to 30 ppm, a tenth of a second an hour.
    clock: (u64, u64),
    /// The next frame's number.
    number: u32,
    /// Frames that the dongle had no room for, as it said last.
    overrun: u32,
    /// Frames lost beyond those that were told as trouble.
    lost: u64,
    /// Damaged lines since the last good one.
    damaged: u32,
    waiting: VecDeque<Event>,
    heard: Instant,
    asked: Instant,
}

impl Dongle<Serial> {
    /// Opens the port of a dongle and tunes it.
    ///
    /// # Errors
    /// [`SourceError::Dongle`].
    pub fn open(path: &str, name: String, tuning: Tuning) -> Result<Self, SourceError> {
        match Serial::open(path) {
            Ok(line) => Self::new(line, name, tuning),
            Err(error) => Err(SourceError::Dongle { name, error }),
        }
    }
}

impl<L: Line> Dongle<L> {
    /// Finds out what is at the other end, and tunes it.
    ///
    /// # Errors
    /// [`SourceError::Dongle`].
    pub fn new(line: L, name: String, tuning: Tuning) -> Result<Self, SourceError> {
        let mut dongle = Self {
            line,
            name,
            tuning,
            incoming: VecDeque::new(),
            collector: Collector::new(),
            clock: (0, 0),
            number: 0,
            overrun: 0,
            lost: 0,
            damaged: 0,
            waiting: VecDeque::new(),
            heard: Instant::now(),
            asked: Instant::now(),
        };
        match dongle.start() {
            Ok(()) => Ok(dongle),
            Err(error) => Err(SourceError::Dongle { name: dongle.name, error }),
        }
    }

    fn start(&mut self) -> Result<(), DongleError> {
        // Whatever an earlier program has half said ends here.
        self.line.send(b"\n")?;
        self.ask(&FromHost::Identify, |_| true)?;
        let Tuning { channel, rate, wirth, mut address } = self.tuning;
        address.reverse();
        let settings = Settings { channel, rate, wirth, address };
        let tuned =
            |identity: &Identity| identity.settings == settings && identity.state != State::Idle;
        let identity = self.ask(&FromHost::Tune(settings), tuned)?;
        well(&identity)?;
        self.clock = (identity.time_us, now_ns());
        (self.number, self.overrun, self.damaged, self.lost) = (0, 0, 0, 0);
        (self.heard, self.asked) = (Instant::now(), Instant::now());
        Ok(())
    }

    /// Says something and waits for the identity that answers it. Frames of before are passed over.
    fn ask(
        &mut self,
        message: &FromHost,
        answers: impl Fn(&Identity) -> bool,
    ) -> Result<Identity, DongleError> {
        self.send(message)?;
        let asked = Instant::now();
        let (mut damaged, mut good) = (0, false);
        while asked.elapsed() < ANSWER {
            self.fill(Duration::from_millis(20))?;
            while let Some(byte) = self.incoming.pop_front() {
                match self.collector.push(byte).map(|body| body.and_then(parse)) {
                    Ok(Some(FromDongle::Identity(identity))) => {
                        let Identity { protocol, firmware, .. } = identity;
                        if protocol != PROTOCOL {
                            return Err(DongleError::Version { protocol, firmware });
                        }
                        if answers(&identity) {
                            return Ok(identity);
                        }
                    }
                    Ok(Some(FromDongle::Refused(kind))) if kind != 0 => {
                        return Err(DongleError::Refused { channel: self.tuning.channel });
                    }
                    Ok(Some(_)) => good = true,
                    Ok(None) => {}
                    Err(last) => {
                        damaged += 1;
                        if damaged >= DAMAGED_MAX && !good {
                            return Err(DongleError::Garbage { damaged, last });
                        }
                        self.damaged = damaged;
                    }
                }
            }
        }
        if damaged > 0 && !good {
            let last = Damage::Check { bytes: 0 };
            return Err(DongleError::Garbage { damaged, last });
        }
        Err(DongleError::Silent { waited_s: ANSWER.as_secs() })
    }

    fn send(&mut self, message: &FromHost) -> Result<(), DongleError> {
        let (line, len) = message.line();
        self.line.send(&line[..len])
    }

    /// Waits for bytes where none are left.
    fn fill(&mut self, wait: Duration) -> Result<(), DongleError> {
        if self.incoming.is_empty() {
            self.incoming.extend(self.line.receive(wait)?);
        }
        Ok(())
    }

    /// One look at the line, and what follows from what came.
    fn take(&mut self, wait: Duration) -> Result<(), DongleError> {
        self.fill(wait)?;
        while let Some(byte) = self.incoming.pop_front() {
            let message = match self.collector.push(byte) {
                Ok(None) => continue,
                Ok(Some(body)) => parse(body),
                Err(damage) => {
                    self.damaged += 1;
                    if self.damaged >= DAMAGED_MAX {
                        return Err(DongleError::Garbage { damaged: self.damaged, last: damage });
                    }
                    self.trouble(damage.to_string());
                    continue;
                }
            };
            self.heard = Instant::now();
            match message {
                Some(FromDongle::Frame(frame)) => self.frame(&frame),
                Some(FromDongle::Identity(identity)) => {
                    self.damaged = 0;
                    well(&identity)?;
                }
                _ => self.damaged = 0,
            }
        }
        let now = Instant::now();
        if now.duration_since(self.heard) > PATIENCE {
            return Err(DongleError::Silent { waited_s: PATIENCE.as_secs() });
        }
        if now.duration_since(self.heard.max(self.asked)) > ASK {
            self.asked = now;
            self.send(&FromHost::Identify)?;
        }
        Ok(())
    }

    fn trouble(&mut self, what: String) {
        self.waiting.push_back(Event::Trouble(format!("{}: {what}", self.name)));
    }

    fn frame(&mut self, frame: &Frame) {
        let missing = frame.number.wrapping_sub(self.number);
        // Each damaged line may have been one of them, and was told already.
        let missing = missing.saturating_sub(std::mem::take(&mut self.damaged));
        self.number = frame.number.wrapping_add(1);
        if missing > 0 {
            self.lost += u64::from(missing - 1);
            self.trouble(format!("{missing} frames were lost between the dongle and here"));
        }
        let overrun = frame.dropped.saturating_sub(self.overrun);
        self.overrun = self.overrun.max(frame.dropped);
        if overrun > 0 {
            self.lost += u64::from(overrun - 1);
            let why = "this computer was slow to read";
            self.trouble(format!("{overrun} frames were dropped in the dongle: {why}"));
        }
        let tuning = Tuning { channel: frame.channel, rate: frame.rate, ..self.tuning };
        let wirth = frame.flags & Frame::CUT != 0;
        let checked = frame.flags & Frame::CRC_GOOD != 0;
        let captured = Tuning { wirth, ..tuning }.captured(frame.payload(), checked);
        // The whole frame was on the air before its time, its preamble and all that was cut off too.
        let bits = if wirth { captured.bits.len() + 9 + 16 } else { captured.bits.len() };
        let air_ns = frame.rate.air_time_ns(8 + bits);
        let at_ns = self.calendar_ns(frame.time_us).saturating_sub(air_ns);
        let interface = self.name.clone();
        self.waiting.push_back(Event::Frame { at_ns, interface, frame: captured });
    }

    /// A time of the dongle's on the calendar.
    fn calendar_ns(&self, time_us: u64) -> u64 {
        let (then_us, then_ns) = self.clock;
        let since_ns = (i128::from(time_us) - i128::from(then_us)) * 1_000;
        u64::try_from(i128::from(then_ns) + since_ns).unwrap_or_default()
    }
}

/// Whether the dongle can hear.
fn well(identity: &Identity) -> Result<(), DongleError> {
    match identity.state {
        State::Idle | State::Listens => Ok(()),
        State::Absent => Err(DongleError::NoChip),
        State::Differs => Err(DongleError::ChipDiffers),
    }
}

impl<L: Line> Source for Dongle<L> {
    fn next(&mut self, wait: Duration) -> Result<Event, SourceError> {
        let begun = Instant::now();
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Ok(event);
            }
            let left = wait.saturating_sub(begun.elapsed());
            if let Err(error) = self.take(left.min(Duration::from_millis(10))) {
                // What was heard before comes first.
                if !self.waiting.is_empty() {
                    continue;
                }
                return Err(SourceError::Dongle { name: self.name.clone(), error });
            }
            if self.waiting.is_empty() && begun.elapsed() >= wait {
                return Ok(Event::Quiet(Some(now_ns())));
            }
        }
    }

    fn dropped(&self) -> u64 {
        self.lost
    }

    fn limits(&self) -> &'static str {
        if self.tuning.wirth {
            "of acknowledged frames it hears that they were there: the end is cut off; one channel, \
             never sends"
        } else {
            "whole frames whose checksum its chip found good, bad ones not; one channel, times of the \
             air, never sends"
        }
    }

    fn live(&self) -> bool {
        true
    }
}

fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
