//! `kube-lab run`, `list`, `record` and `replay`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use kube_boards::file::nearest;
use kube_lab::attach::Attach;
use kube_lab::dongle::{DongleError, Listening};
use kube_lab::engine::EngineKind;
use kube_lab::lab::{Omission, Setup};
use kube_lab::scenario::batch::{self, Job};
use kube_lab::scenario::file;
use kube_lab::scenario::outcome::{Outcome, SCHEMA};
use kube_lab::scenario::play::{Run, Watcher, play};
use kube_lab::scenario::record::{self, CAPTURE_FILE, RecordError};
use kube_lab::scenario::report;
use kube_lab::scenario::suite::{self, Origin};
use kube_lab::scenario::{Plan, Scenario};
use kube_lab::world::World;
use kube_modules::System;
use kube_proto::attach::default_socket;
use kube_sniff::decoder::Heard;
use kube_sniff::observer::Observer;
use serde_json::json;

use crate::display::Display;
use crate::talk::{self, USAGE, Usage, failed, said};

/// What is played where no scenario is named.
const DEFAULT: &str = "lab2-rollout";

/// What can be chosen of a run.
#[derive(clap::Args)]
struct Choice {
    /// Seeds instead of those of the scenario, such as 7 or 1..20. The seed decides all that is left to
    /// chance; the same one gives the same frames, byte for byte.
    #[arg(long, value_name = "SEEDS", value_parser = seeds)]
    seed: Option<Seeds>,
    /// Only the case of that name.
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// What runs the machines: emu, rtl for the exported circuit under Verilator, lockstep for the
    /// circuit with each instruction compared with the emulator, or ulx3s for a board's own top.
    #[arg(long, value_name = "ENGINE")]
    engine: Option<EngineKind>,
    /// Probability that a receiver loses a frame, 0 to 1.
    #[arg(long, value_parser = probability)]
    loss: Option<f64>,
    /// File to leave off the image of one machine or of all, such as node1:KubeNet.rsc; may be
    /// repeated.
    #[arg(long, value_name = "[MACHINE:]FILE", value_parser = omission)]
    without: Vec<Omission>,
    /// Threads: runs at a time, or the machines of one run; the result does not depend on it.
    #[arg(long, default_value_t = default_threads(), value_parser = threads)]
    threads: usize,
    /// Print objects (kube-scenario/v1), a line for each run.
    #[arg(long)]
    json: bool,
    /// No progress, only the result and errors.
    #[arg(long, short)]
    quiet: bool,
}

/// Flags of `run`.
#[derive(clap::Args)]
pub struct RunFlags {
    /// Files, or names of scenarios of the project as `list` shows them; half a name will do.
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<String>,
    #[command(flatten)]
    choice: Choice,
    /// Write the air of the run to a pcapng file: an interface for each machine, one for all that can be
    /// heard, one for what is sent and nobody can hear.
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,
    /// Write the run as one page for a browser; it needs no network and no script.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Let other programs listen and send by a socket: kube-sniff sim:. The machines start when the first
    /// is there. Without FILE it is where kube-sniff looks for it.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    attach: Option<PathBuf>,
    /// A USB dongle listens as well: its firmware, a file of `cargo xtask dongle`, runs in an emulator
    /// (Node.js), and its serial port is a pseudo-terminal that kube-sniff serial:PORT opens. The
    /// machines start when it does, and time stands while it does not read.
    #[arg(long, value_name = "FILE.uf2")]
    dongle: Option<PathBuf>,
    /// Machine seconds a second, to watch; without it 6 on a terminal, as fast as it goes elsewhere.
    #[arg(long, value_parser = pace)]
    pace: Option<f64>,
}

/// Flags of `list`.
#[derive(clap::Args)]
pub struct ListFlags {
    /// Files to check instead of the project's scenarios.
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<String>,
    /// Print an object (kube-scenario-list/v1) for each.
    #[arg(long)]
    json: bool,
}

/// Flags of `record`.
#[derive(clap::Args)]
pub struct RecordFlags {
    /// A file, or the name of a scenario of the project.
    #[arg(value_name = "SCENARIO")]
    scenario: String,
    /// Folder to write; it is made, and files of an earlier recording are replaced.
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
    #[command(flatten)]
    choice: Choice,
}

/// Flags of `replay`.
#[derive(clap::Args)]
pub struct ReplayFlags {
    /// The recording.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Judge by this scenario instead of the recorded one; it must have the same steps.
    #[arg(long, value_name = "FILE")]
    by: Option<PathBuf>,
    /// Write the run as one page for a browser; it needs no network and no script.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Print an object (kube-scenario/v1).
    #[arg(long)]
    json: bool,
    /// Only the result and errors.
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Debug)]
struct Seeds(Vec<u64>);

fn seeds(word: &str) -> Result<Seeds, String> {
    let found = file::seeds(word).map(Seeds);
    found.ok_or_else(|| "expected a seed or a range of seeds, such as 7 or 1..20".to_owned())
}

/// As many as there are cores.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// A number of threads.
///
/// # Errors
/// A text that is none.
pub fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=256) => Ok(threads),
        _ => Err("expected a number of threads, 1 to 256".to_owned()),
    }
}

/// A probability.
///
/// # Errors
/// A text that is none.
pub fn probability(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(loss) if (0.0..=1.0).contains(&loss) => Ok(loss),
        _ => Err("expected a probability, 0 to 1".to_owned()),
    }
}

fn pace(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(pace) if (0.01..=1e6).contains(&pace) => Ok(pace),
        _ => Err("expected machine seconds a second, 0.01 to 1000000".to_owned()),
    }
}

fn omission(text: &str) -> Result<Omission, String> {
    let (machine, file) = match text.split_once(':') {
        Some((machine, file)) => (Some(machine.to_owned()), file),
        None => (None, text),
    };
    Ok(Omission { machine, file: file.to_owned() })
}

/// Scenarios as they are to be played, with their texts.
fn chosen(names: &[String], choice: &Choice) -> Result<Vec<(Origin, Scenario)>> {
    let mut all = Vec::new();
    for name in names {
        let (origin, mut scenario) = suite::load(name)?;
        if let Some(case) = &choice.case {
            let known: Vec<_> = scenario.plans.iter().map(|plan| plan.case.clone()).collect();
            scenario.plans.retain(|plan| plan.case == *case);
            if scenario.plans.is_empty() {
                let (cause, help) = match known.as_slice() {
                    [only] if only.is_empty() => {
                        ("it is one run without a name".to_owned(), "leave --case out".to_owned())
                    }
                    known => (
                        format!("there are {}", known.join(", ")),
                        meant("--case ", case, known.iter().map(String::as_str)),
                    ),
                };
                let headline = format!("{name} has no case {case:?}");
                return Err(Usage { headline, cause, help }.into());
            }
        }
        for plan in &mut scenario.plans {
            plan.engine = choice.engine.unwrap_or(plan.engine);
            plan.loss = choice.loss.unwrap_or(plan.loss);
            if let Some(Seeds(seeds)) = &choice.seed {
                plan.seeds.clone_from(seeds);
            }
        }
        all.push((origin, scenario));
    }
    Ok(all)
}

/// Refuses omissions that would leave nothing off.
fn check_omissions(system: &System, plan: &Plan, without: &[Omission]) -> Result<()> {
    for Omission { machine, file } in without {
        if !system.objects.iter().any(|(name, _)| name == file) {
            let known: Vec<_> = system.objects.iter().map(|(name, _)| name.as_str()).collect();
            let headline = format!("--without {file}: no image has such a file");
            let cause = format!("there are {}", known.join(", "));
            let help = meant("--without ", file, known);
            return Err(Usage { headline, cause, help }.into());
        }
        if let Some(wanted) = machine
            && plan.fleet.board(wanted).is_none()
        {
            let known: Vec<_> = plan.fleet.boards.iter().map(|board| &*board.name).collect();
            let headline = format!("--without {wanted}:{file}: no machine is called {wanted}");
            let cause = format!("there are {}", known.join(", "));
            let help = meant("--without MACHINE:FILE, MACHINE ", wanted, known);
            return Err(Usage { headline, cause, help }.into());
        }
    }
    Ok(())
}

/// What somebody who wrote `word` may have meant.
fn meant<'a>(flag: &str, word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(word, known) {
        Some(near) => format!("did you mean {flag}{near}?"),
        None => "name one of those".to_owned(),
    }
}

fn code(held: bool) -> ExitCode {
    if held { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Plays scenarios.
pub fn run(flags: &RunFlags) -> ExitCode {
    ended(flags.choice.json, run_all(flags))
}

/// What came of a verb: an exit code, and an error as an object as well if objects are wanted.
fn ended(json: bool, result: Result<bool>) -> ExitCode {
    tell_error(json, SCHEMA, &result);
    match result {
        Ok(held) => code(held),
        Err(error) => failed(&error),
    }
}

/// An error as an object, if objects are wanted: whoever reads them waits for one.
pub fn tell_error<T>(json: bool, schema: &str, result: &Result<T>) {
    if let (true, Err(error)) = (json, result) {
        talk::data(json!({"schema": schema, "error": said(error)}));
    }
}

fn run_all(flags: &RunFlags) -> Result<bool> {
    let choice = &flags.choice;
    check_report(flags.report.as_deref())?;
    let default = [DEFAULT.to_owned()];
    let names = if flags.scenarios.is_empty() { &default[..] } else { &flags.scenarios };
    let mut scenarios = chosen(names, choice)?;
    if flags.scenarios.is_empty() {
        // To see it work, one run is enough.
        for (_, scenario) in &mut scenarios {
            scenario.plans.truncate(1);
            scenario.plans[0].seeds.truncate(1);
        }
    }
    let jobs: Vec<Job<'_>> =
        scenarios.iter().flat_map(|(_, scenario)| batch::jobs(scenario)).collect();
    if let [job] = jobs.as_slice() {
        let setup = setup(job, choice, flags.capture.clone());
        let beside = Beside {
            attach: flags.attach.as_deref(),
            dongle: flags.dongle.as_deref(),
            pace: flags.pace,
        };
        let run = watched(job, &setup, choice, &beside)?;
        let outcome = outcome(job, &run);
        tell(&outcome, choice.json, choice.quiet);
        write_report(flags.report.as_deref(), &outcome)?;
        return Ok(held(usize::from(outcome.held()), 1));
    }
    let single = [
        ("--capture", flags.capture.is_some()),
        ("--attach", flags.attach.is_some()),
        ("--dongle", flags.dongle.is_some()),
        ("--report", flags.report.is_some()),
        ("--without", !choice.without.is_empty()),
    ];
    if let Some((flag, _)) = single.iter().find(|(_, given)| *given) {
        let count = jobs.len();
        return Err(single_run(flag, count).into());
    }
    let system = kube_modules::build().context("the lab needs every module of the project")?;
    let (start, mut count, mut error) = (Instant::now(), 0, None);
    batch::run(&system, &jobs, choice.threads, |job, result| match result {
        Ok(run) => {
            let outcome = outcome(job, &run);
            tell(&outcome, choice.json, choice.quiet);
            count += usize::from(outcome.held());
        }
        Err(failed) => error = error.take().or(Some(failed)),
    });
    if let Some(error) = error {
        return Err(error.into());
    }
    let seconds = start.elapsed().as_secs_f64();
    talk::say(format!("{count} of {} runs held in {seconds:.1} s", jobs.len()));
    Ok(held(count, jobs.len()))
}

/// Something is for one run only.
fn single_run(what: &str, count: usize) -> Usage {
    Usage {
        headline: format!("{what} is for one run"),
        cause: format!("these are {count} runs"),
        help: "choose one with --seed and --case".to_owned(),
    }
}

/// Whether all runs held; says so if not.
fn held(count: usize, of: usize) -> bool {
    if count < of {
        talk::say(format!("error: {} of {of} runs did not hold", of - count));
    }
    count == of
}

fn setup(job: &Job<'_>, choice: &Choice, capture: Option<PathBuf>) -> Setup {
    let without = choice.without.clone();
    Setup { threads: choice.threads, without, capture, ..job.setup() }
}

fn outcome<'a>(job: &Job<'a>, run: &'a Run) -> Outcome<'a> {
    let (scenario, plan, seed) = (job.scenario, job.plan, job.seed);
    Outcome { scenario, plan, seed, engine: plan.engine, run }
}

/// Whether a report can be written there: better said before a run than after it.
fn check_report(path: Option<&Path>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let is_new = !path.exists();
    let opened = std::fs::File::options().write(true).create(true).truncate(false).open(path);
    opened.with_context(|| format!("the report {} cannot be written", path.display()))?;
    if is_new {
        // It comes when there is something to report.
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

fn write_report(path: Option<&Path>, outcome: &Outcome<'_>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let written = std::fs::write(path, report::page(outcome));
    written.with_context(|| format!("the report {} cannot be written", path.display()))
}

/// What came of a run: objects to stdout, the rest to stderr.
fn tell(outcome: &Outcome<'_>, json: bool, quiet: bool) {
    if json {
        talk::data(outcome.object());
    }
    if !quiet || !outcome.held() {
        talk::say(outcome.text());
    }
}

/// Who is there beside the machines, and how fast it goes for them.
#[derive(Default)]
struct Beside<'a> {
    attach: Option<&'a Path>,
    dongle: Option<&'a Path>,
    pace: Option<f64>,
}

/// One run that people can watch.
fn watched(job: &Job<'_>, setup: &Setup, choice: &Choice, beside: &Beside<'_>) -> Result<Run> {
    let display = Display::new(choice.quiet, beside.pace);
    let start = Instant::now();
    display.say("Compile the modules");
    let system = kube_modules::build().context("the lab needs every module of the project")?;
    check_omissions(&system, job.plan, &choice.without)?;
    display.say(&format!("Make {} images", job.plan.fleet.boards.len()));
    // From here on there are a socket, a capture and a terminal to leave in order.
    talk::hold();
    let attach = beside.attach.map(|path| attached(path, &display)).transpose()?;
    if let Some(file) = beside.dongle {
        check_firmware(file)?;
    }
    let dongle = beside.dongle.map(|file| Plugged::Wanted(file.to_owned()));
    let mut shown = Shown { display, attach, dongle };
    let result = play(&system, job.plan, setup, &mut shown);
    let Shown { display, attach, dongle } = shown;
    if let Some(mut attach) = attach {
        attach.end();
    }
    display.end();
    let run = result?;
    match dongle {
        Some(Plugged::Failed(error)) => return Err(error).context("the dongle heard only a part"),
        Some(Plugged::In(dongle)) if !choice.quiet => {
            let account = dongle.account();
            talk::say(format!(
                "Dongle: {} frames in its reach, {} spoilt on the air, {} sent by it",
                account.good, account.spoilt, account.transmissions
            ));
        }
        _ => {}
    }
    if !choice.quiet {
        let machine_s = run.machine_ns / 1_000_000_000;
        let seconds = start.elapsed().as_secs_f64();
        let trace = &run.trace;
        talk::say(format!("{machine_s} s of machine time in {seconds:.1} s, trace {trace}"));
    }
    Ok(run)
}

/// A file of firmware begins as all UF2 files do.
fn check_firmware(file: &Path) -> Result<()> {
    let bytes = std::fs::read(file).with_context(|| {
        format!("the firmware {} cannot be read; cargo xtask dongle makes it", file.display())
    })?;
    if bytes.starts_with(b"UF2\n") {
        return Ok(());
    }
    Err(Usage {
        headline: format!("--dongle {}: that is no firmware", file.display()),
        cause: "it does not begin as a UF2 file does".to_owned(),
        help: "cargo xtask dongle makes kube-dongle.uf2".to_owned(),
    }
    .into())
}

/// Opens the socket and waits for somebody.
fn attached(path: &Path, display: &Display) -> Result<Attach> {
    let path = if path.as_os_str().is_empty() { default_socket() } else { path.to_owned() };
    let mut attach = Attach::new(&path)?;
    display.say(&format!("Wait for a listener: kube-sniff sim:{}", path.display()));
    attach.wait(&talk::stop)?;
    Ok(attach)
}

/// A dongle and how far it is.
enum Plugged {
    /// Not there before the machines are.
    Wanted(PathBuf),
    In(Box<Listening>),
    Failed(DongleError),
}

impl Plugged {
    /// Plugs it in, or passes on what it has heard.
    fn serve(self, world: &mut World, display: &Display) -> Self {
        let served = match self {
            Self::Wanted(firmware) => Listening::new(world, &firmware).and_then(|mut dongle| {
                let port = dongle.path().display();
                display.ask(&format!("Wait for a listener: kube-sniff serial:{port}"));
                dongle.await_program(world, &talk::stop).map(|()| dongle.into())
            }),
            Self::In(mut dongle) => dongle.serve(world).map(|()| dongle),
            failed @ Self::Failed(_) => return failed,
        };
        served.map_or_else(Self::Failed, Self::In)
    }
}

/// Shows a run, and serves it to other programs if it should be.
struct Shown {
    display: Display,
    attach: Option<Attach>,
    dongle: Option<Plugged>,
}

impl Watcher for Shown {
    fn heard(&mut self, heard: &Heard, observer: &Observer) {
        self.display.heard(heard, observer);
    }

    fn step(&mut self, at_ns: u64, name: &str, world: &mut World) {
        self.display.step(at_ns, name, world);
    }

    fn time(&mut self, now_ns: u64, observer: &Observer) {
        self.display.time(now_ns, observer);
    }

    fn stop(&self) -> bool {
        talk::stop()
    }

    fn world(&mut self, world: &mut World) {
        self.dongle = self.dongle.take().map(|dongle| dongle.serve(world, &self.display));
        if let Some(attach) = &mut self.attach {
            attach.serve(world);
        }
    }
}

/// The form of the objects of `list`.
const LIST_SCHEMA: &str = "kube-scenario-list/v1";

/// Lists scenarios.
pub fn list(flags: &ListFlags) -> ExitCode {
    let known = suite::names().into_iter().map(str::to_owned);
    let names: Vec<String> =
        if flags.scenarios.is_empty() { known.collect() } else { flags.scenarios.clone() };
    let mut good = true;
    for name in names {
        match suite::load(&name) {
            Ok((_, scenario)) => show(&scenario, flags.json),
            Err(error) => {
                good = false;
                let result: Result<()> = Err(error.into());
                tell_error(flags.json, LIST_SCHEMA, &result);
                if let Err(error) = result {
                    failed(&error);
                }
            }
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::from(USAGE) }
}

fn show(scenario: &Scenario, json: bool) {
    let runs = batch::jobs(scenario).count();
    let cases: Vec<_> = scenario.plans.iter().map(|plan| plan.case.as_str()).collect();
    if json {
        talk::data(json!({
            "schema": LIST_SCHEMA,
            "scenario": scenario.name,
            "title": scenario.title,
            "about": scenario.about,
            "cases": cases,
            "runs": runs,
        }));
    } else {
        talk::data(format!("{:<22} {:>3} runs  {}", scenario.name, runs, scenario.title));
    }
}

/// Plays a scenario and keeps it.
pub fn record(flags: &RecordFlags) -> ExitCode {
    ended(flags.choice.json, record_one(flags))
}

fn record_one(flags: &RecordFlags) -> Result<bool> {
    let choice = &flags.choice;
    let scenarios = chosen(std::slice::from_ref(&flags.scenario), choice)?;
    let [(origin, scenario)] = scenarios.as_slice() else { bail!("one scenario is needed") };
    let mut jobs = batch::jobs(scenario);
    let Some(job) = jobs.next() else { bail!("one run is needed") };
    let others = jobs.count();
    if others > 0 {
        return Err(single_run("a recording", others + 1).into());
    }
    let folder = &flags.to;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    let setup = setup(&job, choice, Some(folder.join(CAPTURE_FILE)));
    let run = watched(&job, &setup, choice, &Beside::default())?;
    let outcome = outcome(&job, &run);
    record::write(folder, origin, &outcome)?;
    tell(&outcome, choice.json, choice.quiet);
    Ok(held(usize::from(outcome.held()), 1))
}

/// Judges a recording.
pub fn replay(flags: &ReplayFlags) -> ExitCode {
    ended(flags.json, replay_one(flags))
}

fn replay_one(flags: &ReplayFlags) -> Result<bool> {
    check_report(flags.report.as_deref())?;
    let replayed =
        record::replay(&flags.folder, flags.by.as_deref()).map_err(|error| match error {
            RecordError::Scenario(error) => anyhow::Error::from(error),
            error => error.into(),
        })?;
    let outcome = replayed.outcome();
    tell(&outcome, flags.json, flags.quiet);
    write_report(flags.report.as_deref(), &outcome)?;
    Ok(held(usize::from(outcome.held()), 1))
}
