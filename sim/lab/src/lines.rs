//! `kube-lab lines`: a cluster in real time with its serial lines on pseudo-terminals, and all of it
//! at a socket.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use kube_lab::attach::Attach;
use kube_lab::lab::{Lab, Setup};
use kube_lab::terminal::Terminal;

use kube_proto::attach::default_socket;
use serde_json::json;

use super::{Machines, talk};

/// Machine time and real time meet this often.
const STEP_MS: u64 = 2;

/// Frames that are remembered, about.
const FRAMES: usize = 2_000;

/// Flags of `lines`.
#[derive(clap::Args)]
pub struct Flags {
    /// Seed of the air and of the moments at which machines are switched on.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    machines: Machines,
    /// Where other programs attach to the lab, such as kube-boot --board sim:node1; without it a file
    /// that they find by themselves.
    #[arg(long, value_name = "SOCKET")]
    attach: Option<PathBuf>,
    /// Print an object (kube-lab-lines/v1) for each machine: its name, its line, the lab's socket.
    #[arg(long)]
    json: bool,
}

/// Runs until it is ended from outside.
pub fn run(flags: &Flags) -> Result<ExitCode> {
    let fleet = flags.machines.fleet()?;
    let system = kube_modules::build().context("the lab needs every module of the project")?;
    let mut cluster = Lab::new(&system, &Setup::new(&fleet, flags.seed))?;
    let socket = flags.attach.clone().unwrap_or_else(default_socket);
    let mut attach = Attach::new(&socket)?;
    let mut lines = Vec::new();
    for station in cluster.world().stations() {
        let terminal = Terminal::new().context("a pseudo-terminal cannot be made")?;
        let (name, line) = (&station.spec.name, terminal.path().display());
        let text = match flags.json {
            true => {
                let (line, socket) = (line.to_string(), socket.display().to_string());
                let schema = "kube-lab-lines/v1";
                json!({"schema": schema, "machine": name, "line": line, "socket": socket})
                    .to_string()
            }
            false => format!("{name} {line}"),
        };
        talk::data(text);
        lines.push((terminal, 0));
    }
    // What is at the socket's other end hears that it is over.
    talk::hold();
    let started = Instant::now();
    while !talk::stop() {
        attach.serve(cluster.world());
        cluster.run_ms(STEP_MS)?;
        cluster.forget(FRAMES);
        for ((terminal, told), station) in lines.iter_mut().zip(cluster.world().stations()) {
            station.type_bytes(&terminal.receive()?);
            let news = station.log().as_bytes().get(*told..).unwrap_or_default();
            *told += news.len();
            terminal.send(news)?;
        }
        let due = Duration::from_nanos(cluster.world().now_ns());
        std::thread::sleep(due.saturating_sub(started.elapsed()));
    }
    attach.end();
    Ok(ExitCode::from(talk::INTERRUPTED))
}
