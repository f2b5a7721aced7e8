//! Listening: from the source by way of decoder and filter to whoever shows it, with the capture and
//! the rules on the way, until it is time to end.

use super::codes;
use super::flags;
use crate::failure::{Failure, Outcome};
use crate::interrupt::Hold;
use crate::program::Session;
use kube_proto::capture::Captured;
use kube_proto::pcapng::CaptureWriter;
use kube_sniff::cluster::Cluster;
use kube_sniff::decoder::{Decoder, Heard};
use kube_sniff::expect::{Finding, Judge, Verdict};
use kube_sniff::filter::Filter;
use kube_sniff::source::{self, Event, Place, Source};
use kube_sniff::statistics::Statistics;
use kube_sniff::table;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How often the loop looks at the clock, at ^C and at keys.
const TURN: Duration = Duration::from_millis(50);

/// Who shows what is heard.
pub trait Show {
    /// A frame that passed the filters.
    fn frame(&mut self, heard: &Heard) -> Outcome;
    /// A line of a machine.
    fn serial(&mut self, at_ns: u64, machine: &str, text: &str) -> Outcome;
    /// Time goes on; `false` ends the session.
    fn turn(&mut self, known: &Known) -> Outcome<bool>;
    /// Nothing more comes.
    fn end(&mut self, known: &Known) -> Outcome;
}

/// What is known so far.
#[derive(Default)]
pub struct Known {
    /// Who sent what.
    pub statistics: Statistics,
    /// What the cluster looks like.
    pub cluster: Cluster,
    /// Frames that the source has lost, and records that were passed over.
    pub dropped: u64,
    troubles: u64,
    /// Frames that passed the filters.
    pub wanted: u64,
}

/// One run.
pub struct Hearing<'a> {
    session: &'a Session,
    place: Place,
    source: Box<dyn Source>,
    decoder: Decoder,
    filter: Filter,
    flags: &'a flags::Run,
    capture: Option<Capture>,
    judge: Judge,
    known: Known,
    hold: Hold,
    begun_ns: Option<u64>,
    frame_ns: Option<u64>,
    /// Source time and wall time of the last event.
    last: Option<(u64, Instant)>,
}

impl<'a> Hearing<'a> {
    /// Opens the source and, if one is wanted, the capture.
    pub fn new(
        session: &'a Session,
        from: &flags::From,
        wanted: &flags::Wanted,
        flags: &'a flags::Run,
    ) -> Outcome<Self> {
        let place = from.place(session);
        let keyring = from.cluster.keyring(session)?;
        let source = source::open(&place, from.interface.as_deref(), from.tuning(session)?)?;
        session.talk.say(format!("Listen  {place}: {}", source.limits()));
        Ok(Self {
            session,
            source,
            decoder: Decoder::new(keyring),
            filter: wanted.filter(session),
            flags,
            capture: flags.write.as_deref().map(Capture::new).transpose()?,
            judge: Judge::new(flags.expect.iter().cloned()),
            known: Known::default(),
            hold: Hold::new(),
            begun_ns: None,
            frame_ns: None,
            last: None,
            place,
        })
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// What went wrong; a rule that is broken; an interruption.
    pub fn run(mut self, show: &mut dyn Show) -> Outcome {
        let result = self.listen(show);
        // What was heard so far stays readable, whatever happened.
        let finished = self.capture.take().map_or(Ok(()), Capture::finish);
        result?;
        finished?;
        self.judge.finish();
        show.end(&self.known)?;
        self.report()?;
        let broken = |finding: &Finding| match &finding.verdict {
            Verdict::Broken(breach) => Some(format!("{}: {}", finding.text, breach.reason)),
            _ => None,
        };
        let broken: Vec<_> = self.judge.findings().iter().filter_map(broken).collect();
        if broken.is_empty() {
            return self.hold.check();
        }
        let failure = Failure::new(
            &codes::EXPECT_BROKEN,
            format!("{} of {} rules are broken", broken.len(), self.judge.findings().len()),
        );
        Err(broken
            .iter()
            .fold(failure, Failure::cause)
            .help("kube-sniff rules says what rules mean"))
    }

    fn listen(&mut self, show: &mut dyn Show) -> Outcome {
        loop {
            if self.hold.check().is_err() || self.judge.decided() {
                return Ok(());
            }
            let event = self.source.next(TURN)?;
            self.known.dropped = self.source.dropped() + self.known.troubles;
            match event {
                Event::Frame { at_ns, interface, frame } => {
                    if self.over(at_ns) {
                        return Ok(());
                    }
                    self.pass(at_ns);
                    self.frame_ns = Some(at_ns);
                    if self.frame(at_ns, &interface, &frame, show)? {
                        return Ok(());
                    }
                }
                Event::Serial { at_ns, machine, text } => {
                    self.pass(at_ns);
                    show.serial(at_ns, &machine, &text)?;
                }
                Event::Quiet(now_ns) => {
                    if let Some(capture) = &mut self.capture {
                        capture.flush()?;
                    }
                    let passed = |(at_ns, at): (u64, Instant)| at_ns + nanoseconds(at.elapsed());
                    if let Some(now_ns) = now_ns.or(self.last.map(passed)) {
                        if self.over(now_ns) {
                            return Ok(());
                        }
                        if self.source.live() || matches!(self.place, Place::Sim(_)) {
                            self.pass(now_ns);
                        }
                    }
                }
                Event::Trouble(trouble) => {
                    self.known.troubles += 1;
                    self.session.talk.warn(trouble);
                }
                Event::End => return Ok(()),
            }
            if !show.turn(&self.known)? {
                return Ok(());
            }
        }
    }

    /// Takes a frame in; true if it was the last that is wanted.
    fn frame(
        &mut self,
        at_ns: u64,
        interface: &str,
        frame: &Captured,
        show: &mut dyn Show,
    ) -> Outcome<bool> {
        let heard = self.decoder.decode(at_ns, interface, frame);
        self.judge.hear(&heard);
        self.known.cluster.hear(&heard);
        if !self.filter.wants(&heard) {
            return Ok(false);
        }
        self.known.statistics.hear(&heard);
        self.known.wanted += 1;
        if let Some(capture) = &mut self.capture {
            capture.write(&heard, self.source.live())?;
        }
        show.frame(&heard)?;
        Ok(self.flags.count.is_some_and(|count| self.known.wanted >= count))
    }

    fn pass(&mut self, now_ns: u64) {
        self.begun_ns.get_or_insert(now_ns);
        self.last = Some((now_ns, Instant::now()));
        self.known.statistics.pass(now_ns);
        self.judge.pass(now_ns);
    }

    /// The time that was given is over.
    fn over(&mut self, now_ns: u64) -> bool {
        let begun_ns = *self.begun_ns.get_or_insert(now_ns);
        let since = |from_ns: u64| now_ns.saturating_sub(from_ns);
        let silent_from_ns = self.frame_ns.unwrap_or(begun_ns);
        self.flags.duration.is_some_and(|limit_ns| since(begun_ns) > limit_ns)
            || self.flags.until_silent.is_some_and(|limit_ns| since(silent_from_ns) > limit_ns)
    }

    /// The last words: counts, and how the rules stand.
    fn report(&self) -> Outcome {
        let talk = &self.session.talk;
        talk.say(format!("Done    {}", table::head(&self.known.statistics, self.known.dropped)));
        for finding in self.judge.findings() {
            let (word, reason) = match &finding.verdict {
                Verdict::Held => ("held", None),
                Verdict::Broken(breach) => ("broken", Some(&breach.reason)),
                // Another rule ended the run.
                Verdict::Open => ("open", None),
            };
            let rule = &finding.text;
            self.session
                .output
                .object("rule", json!({"rule": rule, "verdict": word, "reason": reason}))?;
            talk.say(format!("{word:<7} {rule}"));
        }
        Ok(())
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn refused(name: &str, cause: &dyn std::fmt::Display) -> Failure {
    Failure::new(&codes::CAPTURE_WRITE, format!("the capture {name} cannot be written"))
        .cause(cause)
        .help("choose a file in a folder that exists, has room and may be written")
}

/// A capture being written.
pub struct Capture {
    writer: CaptureWriter<BufWriter<Box<dyn Write>>>,
    interfaces: BTreeMap<String, u32>,
    name: String,
}

impl Capture {
    /// To a file, or to standard output.
    pub fn new(path: &Path) -> Outcome<Self> {
        let name = path.display().to_string();
        let out: Box<dyn Write> = if path.as_os_str() == "-" {
            Box::new(std::io::stdout())
        } else {
            Box::new(File::create(path).map_err(|error| refused(&name, &error))?)
        };
        let mut capture = Self {
            writer: CaptureWriter::new(BufWriter::new(out))
                .map_err(|error| refused(&name, &error))?,
            interfaces: BTreeMap::new(),
            name,
        };
        capture.flush()?;
        Ok(capture)
    }

    /// A frame; at once, where a reader may wait for it.
    pub fn write(&mut self, heard: &Heard, at_once: bool) -> Outcome {
        let interface = match self.interfaces.get(&heard.interface) {
            Some(&interface) => interface,
            None => {
                let added = self.writer.add_interface(&heard.interface);
                let interface = added.map_err(|error| refused(&self.name, &error))?;
                self.interfaces.insert(heard.interface.clone(), interface);
                interface
            }
        };
        if let Err(error) = self.writer.write(interface, heard.at_ns, &heard.frame) {
            // This way the system's own error comes out, if it is one.
            self.flush()?;
            return Err(refused(&self.name, &error));
        }
        if at_once { self.flush() } else { Ok(()) }
    }

    /// Hands on what is held back.
    pub fn flush(&mut self) -> Outcome {
        match self.writer.flush() {
            // Whoever closes the pipe has what they wanted.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
            flushed => flushed.map_err(|error| refused(&self.name, &error)),
        }
    }

    /// Ends it.
    pub fn finish(mut self) -> Outcome {
        self.flush()
    }
}
