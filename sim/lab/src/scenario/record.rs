//! A run on disk, and judging it again without machines.
//!
//! A recording is a folder: `scenario.toml` as it was played, `air.pcapng` with the frames,
//! `events.jsonl` with what was done when, a line each, and `result.json`. Frames are judged in the
//! order and in the looks in which the lab heard them, so that the verdicts are the same.

use std::io::Write;
use std::path::{Path, PathBuf};

use kube_proto::capture::Captured;
use kube_proto::pcapng::{CaptureStream, FileError};
use kube_sniff::decoder::Heard;
use kube_sniff::keyring::Keyring;
use kube_sniff::observer::Observer;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::file::{self, ScenarioError};
use super::judge::{Mark, Referee};
use super::outcome::Outcome;
use super::play::Run;
use super::suite::Origin;
use super::{Plan, Scenario};
use crate::engine::EngineKind;
use crate::lab::LOOK_MS;
use crate::world::{AIR, UNHEARD};

/// The scenario as it was played.
pub const SCENARIO_FILE: &str = "scenario.toml";
/// The frames.
pub const CAPTURE_FILE: &str = "air.pcapng";
/// What was done when.
pub const EVENTS_FILE: &str = "events.jsonl";
/// What came of it.
pub const RESULT_FILE: &str = "result.json";
/// The form of the events.
pub const EVENTS_SCHEMA: &str = "kube-lab-events/v1";
/// Bits before the address, which captures leave out.
const PREAMBLE_BITS: usize = 8;

/// Why a recording cannot be written or judged.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file cannot be read or written.
    #[error("{path}: {source}", path = .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: std::io::Error,
    },
    /// A line of the events is not one.
    #[error("{path}:{line}: {reason}", path = .path.display())]
    Event {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Why.
        reason: String,
    },
    /// The capture is damaged.
    #[error("{path}: {source}", path = .path.display())]
    Capture {
        /// The file.
        path: PathBuf,
        /// Why.
        source: FileError,
    },
    /// The capture is not the one that was made in the run.
    #[error("{path} is not the capture of this run, or was changed since; record it again",
            path = .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The scenario cannot be read.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The scenario has no such case, or other steps.
    #[error("the recording is of {recorded}, and the scenario has {there}")]
    Other {
        /// What was recorded.
        recorded: String,
        /// What there is.
        there: String,
    },
}

/// What stands before the steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// [`EVENTS_SCHEMA`].
    pub schema: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the case.
    pub case: String,
    /// The seed.
    pub seed: u64,
    /// What ran the machines.
    pub engine: String,
}

/// One line of the events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// What it is a recording of.
    Run(Head),
    /// A step, and what was done in it.
    Step {
        /// Its name.
        name: String,
        /// What was done.
        action: Option<String>,
        /// When.
        #[serde(flatten)]
        mark: Mark,
    },
    /// The end.
    End {
        /// Machine time, in nanoseconds.
        machine_ns: u64,
        /// Instructions executed.
        instructions: u64,
        /// The digest of all frames.
        trace_sha256: String,
        /// The digest of the capture's bytes; older recordings have none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        capture_sha256: Option<String>,
    },
}

/// Writes all of a recording but the capture, which was written during the run.
///
/// # Errors
/// [`RecordError::File`].
pub fn write(folder: &Path, origin: &Origin, outcome: &Outcome<'_>) -> Result<(), RecordError> {
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        let written = std::fs::File::create(&path).and_then(|mut file| file.write_all(bytes));
        written.map_err(|source| RecordError::File { path, source })
    };
    put(SCENARIO_FILE, origin.source.as_bytes())?;
    let mut lines = String::new();
    let capture = folder.join(CAPTURE_FILE);
    let capture_sha256 = match std::fs::read(&capture) {
        Ok(bytes) => digest(&bytes),
        Err(source) => return Err(RecordError::File { path: capture, source }),
    };
    for event in events(outcome, capture_sha256) {
        lines.push_str(&serde_json::to_string(&event).unwrap_or_default());
        lines.push('\n');
    }
    put(EVENTS_FILE, lines.as_bytes())?;
    put(RESULT_FILE, format!("{:#}\n", outcome.object()).as_bytes())
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn events(outcome: &Outcome<'_>, capture_sha256: String) -> Vec<Event> {
    let Outcome { scenario, plan, seed, engine, run } = *outcome;
    let mut events = vec![Event::Run(Head {
        schema: EVENTS_SCHEMA.to_owned(),
        scenario: scenario.name.clone(),
        case: plan.case.clone(),
        seed,
        engine: engine.name().to_owned(),
    })];
    events.extend(run.marks.iter().map(|mark| {
        let step = &plan.steps[mark.step];
        let action = step.action.as_ref().map(super::Action::words);
        Event::Step { name: step.name.clone(), action, mark: mark.clone() }
    }));
    let (machine_ns, instructions) = (run.machine_ns, run.instructions);
    let (trace_sha256, capture_sha256) = (run.trace.clone(), Some(capture_sha256));
    events.push(Event::End { machine_ns, instructions, trace_sha256, capture_sha256 });
    events
}

/// A recording that was read, and judged by a scenario.
#[derive(Debug)]
pub struct Replayed {
    /// The scenario.
    pub scenario: Scenario,
    /// Which of its cases.
    pub case: usize,
    /// What it is a recording of.
    pub head: Head,
    /// How it came out.
    pub run: Run,
}

impl Replayed {
    /// The same with what it was a run of.
    #[must_use]
    pub fn outcome(&self) -> Outcome<'_> {
        let engine = self.head.engine.parse().unwrap_or(EngineKind::Emu);
        let plan = &self.scenario.plans[self.case];
        let (scenario, seed, run) = (&self.scenario, self.head.seed, &self.run);
        Outcome { scenario, plan, seed, engine, run }
    }
}

/// Judges a recording by its own scenario, or by another one with as many steps.
///
/// # Errors
/// [`RecordError`].
pub fn replay(folder: &Path, by: Option<&Path>) -> Result<Replayed, RecordError> {
    let own = folder.join(SCENARIO_FILE);
    let mut scenario = file::read(by.unwrap_or(&own))?;
    let (head, marks, end) = read_events(&folder.join(EVENTS_FILE))?;
    if by.is_none() {
        scenario.name.clone_from(&head.scenario);
    }
    let case = scenario.plans.iter().position(|plan| plan.case == head.case);
    let fits = case.filter(|&case| scenario.plans[case].steps.len() >= marks.len());
    let case = fits.ok_or_else(|| RecordError::Other {
        recorded: format!("case {:?} with {} steps", head.case, marks.len()),
        there: scenario
            .plans
            .iter()
            .map(|plan| format!("case {:?} with {} steps", plan.case, plan.steps.len()))
            .collect::<Vec<_>>()
            .join(", "),
    })?;
    let frames = read_frames(&folder.join(CAPTURE_FILE), end.capture_sha256.as_deref())?;
    let mut run = judge(&scenario.plans[case], marks, &frames);
    (run.machine_ns, run.instructions, run.trace) = (end.machine_ns, end.instructions, end.trace);
    Ok(Replayed { scenario, case, head, run })
}

/// How a run ended.
struct End {
    machine_ns: u64,
    instructions: u64,
    trace: String,
    capture_sha256: Option<String>,
}

fn read_events(path: &Path) -> Result<(Head, Vec<Mark>, End), RecordError> {
    let failed = |source| RecordError::File { path: path.to_owned(), source };
    let text = std::fs::read_to_string(path).map_err(failed)?;
    let wrong = |line, reason: &str| RecordError::Event {
        path: path.to_owned(),
        line,
        reason: reason.to_owned(),
    };
    let (mut head, mut marks, mut end) = (None, Vec::<Mark>::new(), None);
    for (at, line) in (1..).zip(text.lines()) {
        match serde_json::from_str(line).map_err(|error| wrong(at, &error.to_string()))? {
            Event::Run(read) if read.schema == EVENTS_SCHEMA => head = Some(read),
            Event::Run(_) => return Err(wrong(at, "another form of events than this lab reads")),
            Event::Step { mark, .. } => {
                let last_ns = marks.last().map_or(0, |mark| mark.end_ns);
                if mark.step != marks.len() || mark.begin_ns != last_ns || mark.end_ns < last_ns {
                    return Err(wrong(at, "the steps do not follow one another"));
                }
                marks.push(mark);
            }
            Event::End { machine_ns, instructions, trace_sha256: trace, capture_sha256 } => {
                end = Some(End { machine_ns, instructions, trace, capture_sha256 });
            }
        }
    }
    match (head, end) {
        (Some(head), Some(end)) => Ok((head, marks, end)),
        _ => Err(wrong(text.lines().count(), "the beginning or the end is missing")),
    }
}

/// When a frame was over, where it could be heard, and the frame.
type Frame = (u64, u64, &'static str, Captured);

fn read_frames(path: &Path, sha256: Option<&str>) -> Result<Vec<Frame>, RecordError> {
    let failed = |source| RecordError::File { path: path.to_owned(), source };
    let wrong = |source| RecordError::Capture { path: path.to_owned(), source };
    let bytes = std::fs::read(path).map_err(failed)?;
    if sha256.is_some_and(|sha256| sha256 != digest(&bytes)) {
        return Err(RecordError::Foreign { path: path.to_owned() });
    }
    let mut frames = Vec::new();
    for record in CaptureStream::new(&bytes).map_err(wrong)? {
        let record = record.map_err(wrong)?;
        let place = match &*record.name {
            AIR => AIR,
            UNHEARD => UNHEARD,
            _ => continue,
        };
        let bits = record.frame.bits.len() + PREAMBLE_BITS;
        let end_ns = record.at_ns + record.frame.rate.air_time_ns(bits);
        frames.push((end_ns, record.at_ns, place, record.frame));
    }
    Ok(frames)
}

/// The frames in the looks in which they were heard.
fn judge(plan: &Plan, marks: Vec<Mark>, frames: &[Frame]) -> Run {
    let keyring = Keyring::new(Some(plan.fleet.tag()), Some(plan.fleet.key()), plan.fleet.keys);
    let (mut air, mut sent) = (Observer::new(keyring.clone()), Observer::new(keyring));
    let (mut referee, mut heard, mut unheard) = (Referee::new(plan), Vec::<Heard>::new(), 0);
    let mut rest = frames;
    for mark in &marks {
        referee.begin(mark.begin_ns);
        let mut now_ns = mark.begin_ns;
        while now_ns < mark.end_ns {
            now_ns = mark.end_ns.min(now_ns + LOOK_MS * 1_000_000);
            while let [(end_ns, at_ns, place, frame), behind @ ..] = rest
                && *end_ns <= now_ns
            {
                rest = behind;
                let all = sent.hear(*at_ns, place, frame);
                let next = if *place == AIR {
                    air.hear(*at_ns, place, frame)
                } else {
                    unheard += 1;
                    Heard { number: unheard, ..all }
                };
                referee.hear(&next);
                heard.push(next);
            }
            referee.pass(now_ns);
        }
        referee.end(mark.end_ns, mark.trouble.clone());
    }
    let (steps, rules) = referee.finish();
    let (trace, machine_ns, instructions, cycles_at_work, logs) = Default::default();
    Run { steps, rules, marks, heard, trace, machine_ns, instructions, cycles_at_work, logs }
}
