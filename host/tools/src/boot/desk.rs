//! A session on a port: jobs are waited for, silence is reported, and the board's lines go where the
//! flags say.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::time::{Duration, Instant};

use kube_serial::{Event, Job, Outcome as Word, Unknown};

use super::LineFlags;
use super::codes;
use super::port::{self, Place, Port};
use crate::code;
use crate::failure::{Failure, Outcome};
use crate::program::Session;

/// What came of a job.
#[derive(Debug)]
pub struct Ended {
    /// The tool's word.
    pub word: Word,
    /// What the last line that was asked wrote on the board's log.
    pub lines: Vec<String>,
    /// Whether the time was over.
    pub timed_out: bool,
}

/// Where the board's lines go, besides what a job does with them.
pub struct Record {
    file: Option<File>,
    timestamps: bool,
    started: Instant,
}

impl Record {
    /// As the flags say.
    ///
    /// # Errors
    /// `kube::io`.
    pub fn new(flags: &LineFlags) -> Outcome<Self> {
        let open = |path| OpenOptions::new().create(true).append(true).open(path);
        let file = flags.log.as_ref().map(|path| {
            open(path).map_err(|error| {
                Failure::new(&code::IO, format!("{} cannot be written", path.display()))
                    .cause(error)
                    .help("--log names another file")
            })
        });
        let file = file.transpose()?;
        Ok(Self { file, timestamps: flags.timestamps, started: Instant::now() })
    }

    /// The line as it is shown, which is also appended to the file.
    pub fn line(&mut self, text: &str) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        let shown = if self.timestamps { format!("{seconds:9.3} {text}") } else { text.to_owned() };
        if let Some(file) = &mut self.file {
            // A full disk is no reason to lose the board.
            let _ = writeln!(file, "{shown}");
        }
        shown
    }
}

/// A session with a board.
pub struct Desk<'a> {
    /// What the program was called with.
    pub tool: &'a Session,
    /// The board and its port.
    pub place: Place,
    /// The line.
    pub port: Box<dyn Port>,
    /// Where lines go.
    pub record: Record,
    session: kube_serial::Session,
    timeout: Option<Duration>,
    started: Instant,
    last: String,
    freed: bool,
}

impl<'a> Desk<'a> {
    /// Opens the board's port.
    ///
    /// # Errors
    /// `kube::port::…`.
    pub fn open(tool: &'a Session, flags: &LineFlags) -> Outcome<Self> {
        Self::at(tool, flags, port::place(tool, flags)?)
    }

    /// The same for a place that is known already.
    ///
    /// # Errors
    /// `kube::port::…`.
    pub fn at(tool: &'a Session, flags: &LineFlags, place: Place) -> Outcome<Self> {
        let port = port::open(tool, &place)?;
        Self::with(tool, flags, place, port)
    }

    /// The same for a port that is open, whatever it is.
    ///
    /// # Errors
    /// `kube::io` for a file that lines cannot be written to.
    pub fn with(
        tool: &'a Session,
        flags: &LineFlags,
        place: Place,
        port: Box<dyn Port>,
    ) -> Outcome<Self> {
        let timeout = (flags.timeout > 0.0).then(|| Duration::from_secs_f64(flags.timeout));
        Ok(Self {
            tool,
            place,
            port,
            record: Record::new(flags)?,
            session: kube_serial::Session::new(random()),
            timeout,
            started: Instant::now(),
            last: String::new(),
            freed: false,
        })
    }

    /// The board's boot number, once it has said it.
    pub fn boot(&self) -> Option<u32> {
        self.session.boot()
    }

    /// Lets time pass: receives, sends, and returns what happened.
    fn step(&mut self) -> Outcome<Vec<Event>> {
        let received = self.port.receive()?;
        let mut out = Vec::new();
        let now_us = self.port.now_us();
        self.session.poll(now_us, &received, &mut out);
        self.port.send(&out)?;
        let mut events = Vec::new();
        while let Some(event) = self.session.next_event() {
            if let Event::Log { text, .. } | Event::Plain(text) = &event {
                self.last.clone_from(text);
            }
            events.push(event);
        }
        Ok(events)
    }

    /// The time that the flags give begins anew.
    pub fn begin_anew(&mut self) {
        self.started = Instant::now();
    }

    /// From now on lines of the log also count that the board wrote before.
    pub fn with_kept_log(&mut self) {
        self.session.with_kept_log();
    }

    /// Lets a moment pass; the lines that came in it.
    ///
    /// # Errors
    /// `kube::port::lost`.
    pub fn lines(&mut self) -> Outcome<Vec<String>> {
        let line = |event| match event {
            Event::Log { text, .. } | Event::Plain(text) => Some(text),
            _ => None,
        };
        Ok(self.step()?.into_iter().filter_map(line).collect())
    }

    /// Whether the time that the flags give is over.
    #[must_use]
    pub fn out_of_time(&self) -> bool {
        self.timeout.is_some_and(|timeout| self.started.elapsed() >= timeout)
    }

    /// Does a job. `on_event` sees what happens meanwhile; lines are recorded before.
    ///
    /// # Errors
    /// `kube::port::lost`, `kube::line::busy`, `kube::line::silent`.
    pub fn job(&mut self, job: Job, mut on_event: impl FnMut(&Event)) -> Outcome<Ended> {
        self.freed = false;
        if self.session.begin(job).is_err() {
            return Err(Failure::new(&code::USAGE, "a job is under way"));
        }
        let busy_until = Instant::now() + Duration::from_secs(self.tool.flags.wait);
        let (mut lines, mut output) = (Vec::new(), 0..0);
        let mut timed_out = false;
        let mut held = self.session.boot().is_some();
        loop {
            for event in self.step()? {
                match &event {
                    Event::Held { boot } => {
                        held = true;
                        self.tool.talk.detail(format!("line held, boot number {boot}"));
                    }
                    Event::Busy { session, ms } if Instant::now() >= busy_until => {
                        return Err(self.busy(*session, *ms));
                    }
                    Event::Log { number, text } => lines.push((*number, text.clone())),
                    Event::Output { first, next } => output = *first..*next,
                    Event::Gap { lines } => {
                        let what = if *lines == 1 { "line is" } else { "lines are" };
                        self.tool.talk.warn(format!("{lines} {what} missing here"));
                    }
                    Event::Silent { ms } => self.say_silent(*ms),
                    Event::Restarted { from, to } => {
                        let label = &self.place.label;
                        self.tool.talk.warn(format!("{label} restarted: boot {from}, now {to}"));
                    }
                    Event::Finished(_) if timed_out && !held => return Err(self.silent()),
                    Event::Finished(word) => {
                        let own = |(number, _): &(u32, String)| output.contains(number);
                        let lines = lines.into_iter().filter(own).map(|(_, text)| text).collect();
                        return Ok(Ended { word: word.clone(), lines, timed_out });
                    }
                    _ => {}
                }
                on_event(&event);
            }
            if self.out_of_time() {
                timed_out = true;
                self.session.give_up();
            }
        }
    }

    fn say_silent(&self, ms: u64) {
        let shows = if self.last.is_empty() {
            "has shown nothing".to_owned()
        } else {
            format!("shows: {}", self.last)
        };
        let seconds = ms / 1000;
        self.tool.talk.warn(format!("no reply for {seconds} s; {} {shows}", self.place.label));
    }

    fn busy(&self, session: u32, ms: u32) -> Failure {
        let label = &self.place.label;
        Failure::new(&codes::LINE_BUSY, format!("another tool holds the line of {label}"))
            .cause(format!("its session is {session:08x}; it ends {ms} ms after its last line"))
            .help("wait for it: --wait 30")
    }

    fn silent(&self) -> Failure {
        let failure =
            Failure::new(&codes::LINE_SILENT, format!("{} does not answer", self.place.label));
        let failure = match self.last.is_empty() {
            true => failure.cause("nothing at all has come over the line"),
            false => failure.cause(format!("the last line that came is: {}", self.last)),
        };
        failure.help("kube-boot monitor shows what it writes")
    }

    /// Waits for a line with a text; `on_event` sees what happens meanwhile.
    ///
    /// # Errors
    /// `kube::line::timeout`, `kube::port::lost`.
    pub fn wait_for(&mut self, text: &str, mut on_line: impl FnMut(&mut Record, &str)) -> Outcome {
        loop {
            for event in self.step()? {
                if let Event::Log { text: line, .. } | Event::Plain(line) = &event {
                    on_line(&mut self.record, line);
                    if line.contains(text) {
                        return Ok(());
                    }
                }
            }
            if self.out_of_time() {
                return Err(self.too_late(text));
            }
        }
    }

    fn too_late(&self, text: &str) -> Failure {
        Failure::new(&codes::TIMEOUT, format!("no line with {text:?} came in time"))
            .cause(format!("the last line of {} was: {}", self.place.label, self.last))
            .help("--timeout gives it more")
    }

    /// Lets go of the line; a board that does not answer any more lets go by itself.
    pub fn free(&mut self) {
        const PATIENCE: Duration = Duration::from_millis(1_500);
        if std::mem::replace(&mut self.freed, true) || self.session.boot().is_none() {
            return;
        }
        self.session.give_up();
        self.session.free();
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            match self.step() {
                Ok(events) if events.contains(&Event::Freed) => return,
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }
}

impl Drop for Desk<'_> {
    fn drop(&mut self) {
        self.free();
    }
}

/// A number for a session that no other tool has.
pub(crate) fn random() -> u32 {
    let mut bytes = [0; 4];
    match rustix::rand::getrandom(&mut bytes[..], rustix::rand::GetRandomFlags::empty()) {
        Ok(_) => u32::from_le_bytes(bytes),
        Err(_) => std::process::id(),
    }
}

/// Why nobody knows, as a sentence.
#[must_use]
pub fn why(unknown: &Unknown) -> String {
    match unknown {
        Unknown::Restarted { from, to } => {
            format!("the board restarted before it answered: boot {from}, now {to}")
        }
        Unknown::Displaced => "another tool took the line before the answer came".to_owned(),
        Unknown::Silent => "the time was over before an answer came".to_owned(),
    }
}
