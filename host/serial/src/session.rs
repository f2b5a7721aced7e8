//! A tool's session with a machine: the line is taken, jobs are done one after another, and of each
//! it is known at the end whether it was done, failed, or cannot be known.
//!
//! What makes the word true: a numbered line is sent again until its answer comes, and the machine
//! does it at most once per boot. `done` and `failed` are the machine's own words, whole by their
//! check. A machine that does not know the session any more has restarted, or another tool came in
//! between. A line of which only one copy was sent and which is answered by `lost` or `order` was not
//! done: it is sent anew. Of any other nobody knows.

use std::collections::VecDeque;
use std::ops::Range;

use kube_proto::serial::line::{Answer, Line, ToolLine};
use kube_proto::serial::{SUMS_MAX, TOOL_LINE_MAX};

use crate::blocks::Blocks;
use crate::job::{Job, Step};
use crate::line_us;
use crate::log::{Entry, Log};
use crate::receiver::Receiver;

/// Between two copies of a line that is not answered, from when the line has taken it.
const AGAIN_US: u64 = 250_000;
/// The same once the machine has said that the command runs.
const RUNNING_US: u64 = 1_000_000;
/// The line is kept by a word at least so often.
const KEEP_US: u64 = 1_000_000;
/// Silence is reported this often.
const SILENT_US: u64 = 2_000_000;

/// Why nobody knows what became of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The machine has restarted since.
    Restarted {
        /// Boot number before.
        from: u32,
        /// Boot number now.
        to: u32,
    },
    /// Another tool has taken the line in between.
    Displaced,
    /// No answer came as long as somebody waited.
    Silent,
}

/// What became of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done, by the machine's own word.
    Done,
    /// Not done, and why.
    Failed(String),
    /// It may have been done or not.
    Unknown(Unknown),
}

/// What happens on the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The line is ours.
    Held {
        /// The machine's boot number.
        boot: u32,
    },
    /// Another tool holds the line.
    Busy {
        /// Its session.
        session: u32,
        /// It loses the line after so long if it is silent.
        ms: u32,
    },
    /// The machine has another boot number than before.
    Restarted {
        /// Before.
        from: u32,
        /// Now.
        to: u32,
    },
    /// The machine has begun to run the command.
    Begun,
    /// A line of the log.
    Log {
        /// Its number.
        number: u32,
        /// Its text.
        text: String,
    },
    /// Lines of the log that the machine no longer has.
    Gap {
        /// How many.
        lines: u32,
    },
    /// A line for people: from a machine that nobody holds, or an answer to typed text.
    Plain(String),
    /// CRCs of sectors.
    Sums {
        /// The first sector.
        first: u32,
        /// One each.
        sums: Vec<u32>,
    },
    /// Blocks that are there, of all.
    Progress {
        /// There.
        there: usize,
        /// All.
        all: usize,
    },
    /// A line has its answer; what it wrote are the lines of the log from `first` up to `next`.
    Output {
        /// The first.
        first: u32,
        /// The one behind the last.
        next: u32,
    },
    /// The job is over.
    Finished(Outcome),
    /// The line is free again.
    Freed,
    /// Nothing has been heard for so long.
    Silent {
        /// Milliseconds.
        ms: u64,
    },
}

/// A job is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a job is under way: wait for its end")]
pub struct Busy;

#[derive(Clone, Debug)]
struct Pending {
    text: String,
    sequence: u32,
    copies: u32,
    begun: bool,
    next_us: u64,
    /// The answer, and the lines of the log that belong to it.
    answer: Option<(Outcome, Range<u32>)>,
}

#[derive(Clone, Debug)]
enum Doing {
    Nothing,
    Line(Pending),
    Blocks(Blocks),
    Sums { next: u32, end: u32, next_us: u64 },
    Log,
}

/// The state of the host's side.
#[derive(Clone, Debug)]
pub struct Session {
    id: u32,
    sequence: u32,
    boot: Option<u32>,
    held: bool,
    freeing: bool,
    next_hold_us: u64,
    next_log_us: u64,
    line_free_us: u64,
    heard_us: Option<u64>,
    silent_us: u64,
    steps: VecDeque<Step>,
    doing: Doing,
    log: Log,
    receiver: Receiver,
    events: VecDeque<Event>,
}

impl Session {
    /// A session of that number, which must differ from that of other tools and not be 0.
    #[must_use]
    pub fn new(id: u32) -> Self {
        Self {
            id: id.max(1),
            sequence: 0,
            boot: None,
            held: false,
            freeing: false,
            next_hold_us: 0,
            next_log_us: 0,
            line_free_us: 0,
            heard_us: None,
            silent_us: 0,
            steps: VecDeque::new(),
            doing: Doing::Nothing,
            log: Log::default(),
            receiver: Receiver::default(),
            events: VecDeque::new(),
        }
    }

    /// Lines of the log that the machine wrote before the line is taken come as well, as far as it
    /// keeps them.
    pub fn with_kept_log(&mut self) {
        self.log.with_kept();
    }

    /// Begins a job; the line is taken first if need be.
    ///
    /// # Errors
    /// [`Busy`].
    pub fn begin(&mut self, job: Job) -> Result<(), Busy> {
        if self.working() {
            return Err(Busy);
        }
        self.freeing = false;
        // Nobody has waited so far.
        (self.heard_us, self.silent_us) = (None, 0);
        self.steps = job.steps;
        Ok(())
    }

    /// Whether a job is under way.
    #[must_use]
    pub fn working(&self) -> bool {
        !self.steps.is_empty() || !matches!(self.doing, Doing::Nothing)
    }

    /// Lets go of the line once the job is over.
    pub fn free(&mut self) {
        self.freeing = true;
        self.next_hold_us = 0;
    }

    /// Nobody waits any longer: the job is over, with what is known of it.
    pub fn give_up(&mut self) {
        if !self.working() {
            return;
        }
        let outcome = match &self.doing {
            Doing::Line(Pending { answer: Some((outcome, _)), .. }) => outcome.clone(),
            Doing::Line(pending) if pending.copies > 0 => Outcome::Unknown(Unknown::Silent),
            Doing::Blocks(_) | Doing::Sums { .. } | Doing::Log => {
                Outcome::Failed(self.unfinished())
            }
            _ => Outcome::Failed("the machine has not been asked: it did not answer".to_owned()),
        };
        self.finish(outcome);
    }

    /// What happened next.
    pub fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Boot number, once the machine has said it.
    #[must_use]
    pub fn boot(&self) -> Option<u32> {
        self.boot
    }

    /// A line that has begun to come and has not ended, such as a prompt.
    #[must_use]
    pub fn begun_line(&self) -> &[u8] {
        self.receiver.begun()
    }

    /// Takes what has come by now and appends what is to be sent. Called whenever bytes come and
    /// every few milliseconds.
    pub fn poll(&mut self, now_us: u64, received: &[u8], out: &mut Vec<u8>) {
        if !received.is_empty() {
            self.heard_us = Some(now_us);
            self.silent_us = 0;
        }
        let mut lines = Vec::new();
        self.receiver.take(received, |line| lines.push(line.to_vec()));
        for line in lines {
            self.line(&line);
        }
        self.entries();
        self.silence(now_us);
        self.send(now_us, out);
    }

    fn silence(&mut self, now_us: u64) {
        let since = *self.heard_us.get_or_insert(now_us);
        let silent = now_us.saturating_sub(since);
        if silent >= self.silent_us + SILENT_US {
            self.silent_us = silent;
            if self.working() {
                self.events.push_back(Event::Silent { ms: silent / 1000 });
            }
        }
    }

    // ---- what comes ----

    fn line(&mut self, line: &[u8]) {
        match Line::parse(line) {
            Line::Answer(answer) if answer.session == self.id => self.answer(&answer),
            Line::Answer(_) | Line::Damaged => {}
            Line::Log { number, text } => self.log.take(number, text),
            Line::Plain(bytes) => {
                self.events.push_back(Event::Plain(String::from_utf8_lossy(bytes).into_owned()));
            }
        }
    }

    fn answer(&mut self, answer: &Answer<'_>) {
        let mut numbers = answer.numbers();
        let (a, b) = (numbers.next(), numbers.next());
        match (answer.word, a, b) {
            ("held", Some(boot), Some(last)) => {
                if let (Some(first), Some(next)) = (numbers.next(), numbers.next()) {
                    self.on_held(boot, last, first, next);
                }
            }
            ("busy", _, _) => {
                let mut parts = answer.rest.split(' ');
                let session = parts.next().and_then(|hex| u32::from_str_radix(hex, 16).ok());
                let ms = parts.next().and_then(|ms| ms.parse().ok());
                if let (Some(session), Some(ms)) = (session, ms) {
                    self.held = false;
                    self.events.push_back(Event::Busy { session, ms });
                }
            }
            ("freed", _, _) if self.freeing => self.on_freed(),
            ("lost", Some(boot), _) => self.on_lost(answer.sequence, boot),
            ("order", Some(last), _) => self.on_order(answer.sequence, last),
            ("got", Some(index), _) => self.on_got(index),
            ("bad", Some(index), _) => self.on_bad(index),
            ("sums", Some(first), _) => self.on_sums(first, answer.rest),
            ("begun", _, _) => self.on_begun(answer.sequence),
            ("done", Some(first), Some(next)) => {
                self.on_end(answer.sequence, first..next, Outcome::Done);
            }
            ("failed", Some(first), Some(next)) => {
                let reason = answer.rest.splitn(3, ' ').nth(2).unwrap_or("no reason given");
                self.on_end(answer.sequence, first..next, Outcome::Failed(reason.to_owned()));
            }
            _ => {}
        }
    }

    fn on_held(&mut self, boot: u32, last: u32, first: u32, next: u32) {
        let first_time = !self.held;
        self.held = true;
        self.on_boot(boot);
        if !matches!(self.doing, Doing::Line(_)) {
            self.sequence = last;
        }
        if let Some(Entry::Gap { from, to }) = self.log.announce(first, next) {
            self.events.push_back(Event::Gap { lines: to - from });
        }
        if first_time {
            self.events.push_back(Event::Held { boot });
        }
    }

    fn on_boot(&mut self, boot: u32) {
        let before = self.boot.replace(boot);
        if let Some(from) = before.filter(|&from| from != boot) {
            self.log.restart();
            self.sequence = 0;
            self.events.push_back(Event::Restarted { from, to: boot });
            self.displace(Unknown::Restarted { from, to: boot }, None);
        }
    }

    /// The machine does not know this session.
    fn on_lost(&mut self, sequence: u32, boot: u32) {
        if self.freeing && !self.working() {
            self.on_freed();
            return;
        }
        self.held = false;
        self.next_hold_us = 0;
        let why = match self.boot.filter(|&from| from != boot) {
            Some(from) => Unknown::Restarted { from, to: boot },
            None => Unknown::Displaced,
        };
        // Before its end the job has the word; then the new boot is news of its own.
        self.displace(why, Some(sequence));
        self.on_boot(boot);
    }

    /// What was asked of a session that is no more; `lost` names the line that was answered so.
    fn displace(&mut self, why: Unknown, lost: Option<u32>) {
        match &mut self.doing {
            Doing::Nothing | Doing::Sums { .. } | Doing::Log => {}
            Doing::Line(Pending { answer: Some(_), .. }) => self.conclude(),
            Doing::Line(pending) => {
                let anew = lost == Some(pending.sequence) && pending.copies == 1 && !pending.begun;
                if anew {
                    let text = std::mem::take(&mut pending.text);
                    self.doing = Doing::Nothing;
                    self.steps.push_front(Step::Line(text));
                } else if pending.copies > 0 {
                    self.finish(Outcome::Unknown(why));
                }
            }
            Doing::Blocks(_) => {
                let cause = match why {
                    Unknown::Restarted { from, to } => {
                        format!("the machine restarted in between (boot {from}, now {to})")
                    }
                    _ => "another tool took the line in between".to_owned(),
                };
                let unfinished = self.unfinished();
                self.finish(Outcome::Failed(format!("{cause}: {unfinished}")));
            }
        }
    }

    fn on_order(&mut self, sequence: u32, last: u32) {
        // Another tool had the line in between: the machine has forgotten what came before.
        if matches!(&self.doing, Doing::Line(pending) if pending.sequence == sequence) {
            self.displace(Unknown::Displaced, Some(sequence));
            self.sequence = last;
        }
    }

    fn on_begun(&mut self, sequence: u32) {
        if let Doing::Line(pending) = &mut self.doing
            && pending.sequence == sequence
            && !std::mem::replace(&mut pending.begun, true)
        {
            self.events.push_back(Event::Begun);
        }
    }

    fn on_end(&mut self, sequence: u32, output: Range<u32>, outcome: Outcome) {
        if let Doing::Line(pending) = &mut self.doing
            && pending.sequence == sequence
            && pending.answer.is_none()
        {
            self.log.reach(output.end);
            pending.answer = Some((outcome, output));
        }
    }

    fn on_got(&mut self, index: u32) {
        if let Doing::Blocks(blocks) = &mut self.doing {
            blocks.got(index);
            let (there, all) = blocks.progress();
            self.events.push_back(Event::Progress { there, all });
            if there == all {
                self.doing = Doing::Nothing;
                self.step_done();
            }
        }
    }

    fn on_bad(&mut self, index: u32) {
        if let Doing::Blocks(blocks) = &mut self.doing
            && !blocks.bad(index)
        {
            let unfinished = self.unfinished();
            let reason = format!("the machine cannot write block {index}: {unfinished}");
            self.finish(Outcome::Failed(reason));
        }
    }

    fn on_sums(&mut self, first: u32, rest: &str) {
        if let Doing::Sums { next, end, next_us } = &mut self.doing
            && *next == first
        {
            let hex = |text| u32::from_str_radix(text, 16).ok();
            let wanted = (*end - first).min(SUMS_MAX as u32) as usize;
            let sums: Option<Vec<u32>> = rest.split(' ').skip(1).map(hex).collect();
            let Some(sums) = sums.filter(|sums| sums.len() == wanted) else { return };
            *next += wanted as u32;
            *next_us = 0;
            let over = next == end;
            self.events.push_back(Event::Sums { first, sums });
            if over {
                self.doing = Doing::Nothing;
                self.step_done();
            }
        }
    }

    fn on_freed(&mut self) {
        self.held = false;
        self.freeing = false;
        self.events.push_back(Event::Freed);
    }

    fn entries(&mut self) {
        while let Some(entry) = self.log.pop() {
            self.events.push_back(match entry {
                Entry::Line(number, text) => Event::Log { number, text },
                Entry::Gap { from, to } => Event::Gap { lines: to - from },
            });
        }
        if let Doing::Line(Pending { answer: Some((_, output)), .. }) = &self.doing
            && self.log.is_past(output.end)
        {
            self.conclude();
        }
        if matches!(self.doing, Doing::Log) && self.log.missing().is_none() {
            self.doing = Doing::Nothing;
            self.step_done();
        }
    }

    /// The line under way has its answer.
    fn conclude(&mut self) {
        if let Doing::Line(Pending { answer: Some((outcome, output)), .. }) =
            std::mem::replace(&mut self.doing, Doing::Nothing)
        {
            self.events.push_back(Event::Output { first: output.start, next: output.end });
            match outcome {
                Outcome::Done => self.step_done(),
                other => self.finish(other),
            }
        }
    }

    fn step_done(&mut self) {
        if self.steps.is_empty() {
            self.finish(Outcome::Done);
        }
    }

    fn finish(&mut self, outcome: Outcome) {
        self.steps.clear();
        self.doing = Doing::Nothing;
        self.events.push_back(Event::Finished(outcome));
    }

    fn unfinished(&self) -> String {
        match &self.doing {
            Doing::Blocks(blocks) => {
                let (there, all) = blocks.progress();
                format!("{there} of {all} blocks are there")
            }
            _ => "the machine did not answer".to_owned(),
        }
    }

    // ---- what goes ----

    fn send(&mut self, now_us: u64, out: &mut Vec<u8>) {
        if self.held && matches!(self.doing, Doing::Nothing) {
            self.next_step();
        }
        if self.held && self.working() {
            self.send_step(now_us, out);
        }
        self.send_own(now_us, out);
    }

    fn next_step(&mut self) {
        self.doing = match self.steps.pop_front() {
            None => Doing::Nothing,
            Some(Step::Line(text)) => {
                self.sequence = self.sequence.saturating_add(1);
                Doing::Line(Pending {
                    text,
                    sequence: self.sequence,
                    copies: 0,
                    begun: false,
                    next_us: 0,
                    answer: None,
                })
            }
            Some(Step::Blocks(blocks)) => Doing::Blocks(Blocks::new(blocks)),
            Some(Step::Sums { first, count }) => {
                Doing::Sums { next: first, end: first + count, next_us: 0 }
            }
            Some(Step::Log) => Doing::Log,
        };
        if matches!(&self.doing, Doing::Blocks(blocks) if blocks.bytes() == 0) {
            self.doing = Doing::Nothing;
            self.step_done();
        }
    }

    fn send_step(&mut self, now_us: u64, out: &mut Vec<u8>) {
        match &mut self.doing {
            Doing::Line(pending) if pending.answer.is_none() && now_us >= pending.next_us => {
                pending.copies += 1;
                let again = if pending.begun { RUNNING_US } else { AGAIN_US };
                let (sequence, text) = (pending.sequence, pending.text.clone());
                let taken_us = self.say(now_us, sequence, &text, out);
                if let Doing::Line(pending) = &mut self.doing {
                    pending.next_us = taken_us + again;
                }
            }
            Doing::Blocks(blocks) => {
                let before = out.len();
                blocks.send(self.id, now_us, &mut self.line_free_us, out);
                if out.len() > before {
                    self.next_hold_us = self.line_free_us + KEEP_US;
                }
            }
            Doing::Sums { next, end, next_us } if now_us >= *next_us => {
                let text = format!("sums {next} {}", (*end - *next).min(SUMS_MAX as u32));
                let taken_us = self.say(now_us, 0, &text, out);
                if let Doing::Sums { next_us, .. } = &mut self.doing {
                    *next_us = taken_us + AGAIN_US;
                }
            }
            _ => {}
        }
    }

    fn send_own(&mut self, now_us: u64, out: &mut Vec<u8>) {
        if self.held && self.log.missing().is_some() && now_us >= self.next_log_us {
            let first = self.log.missing().unwrap_or_default();
            let taken_us = self.say(now_us, 0, &format!("log {first}"), out);
            self.log.asked();
            self.next_log_us = taken_us + AGAIN_US;
        }
        let wanted = self.held || self.working() || self.freeing;
        if wanted && now_us >= self.next_hold_us {
            let free = self.freeing && !self.working();
            let again = if self.held && !free { KEEP_US } else { AGAIN_US };
            let boot = self.boot.filter(|_| self.held).unwrap_or(0);
            let text = if free { "free".to_owned() } else { format!("hold {boot}") };
            let taken_us = self.say(now_us, 0, &text, out);
            self.next_hold_us = taken_us + again;
        }
    }

    /// Appends a line; when the line will have taken it.
    fn say(&mut self, now_us: u64, sequence: u32, text: &str, out: &mut Vec<u8>) -> u64 {
        debug_assert!(text.len() < TOOL_LINE_MAX, "jobs are checked");
        if let Ok(line) = ToolLine::new(self.id, sequence, format_args!("{text}")) {
            // A line end before it ends whatever noise has begun.
            out.push(b'\n');
            out.extend_from_slice(line.bytes());
            let us = line_us(line.bytes().len() + 1);
            self.line_free_us = self.line_free_us.max(now_us) + us;
        }
        self.line_free_us
    }
}
