//! `kube-lab lines`: a cluster in real time with its serial lines on pseudo-terminals.

use std::convert::Infallible;
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use kube_boards::fleet::Fleet;
use kube_lab::recovery::Cluster;
use kube_lab::terminal::Terminal;

use super::{CLUSTER, KEY};

/// Machine time and real time meet this often.
const STEP_MS: u64 = 2;

/// Flags of `lines`.
#[derive(clap::Args)]
pub struct Flags {
    /// Seed of the air and of the moments at which machines are switched on.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Nodes beside the plane.
    #[arg(long, default_value_t = 2)]
    nodes: usize,
}

/// Runs until it is ended from outside.
pub fn run(flags: &Flags) -> Result<Infallible> {
    let fleet = Fleet::new(flags.nodes, CLUSTER, KEY)?;
    let system = kube_modules::build().context("the lab needs every module of the project")?;
    let mut cluster = Cluster::new(&system, &fleet, flags.seed)?;
    let mut lines = Vec::new();
    for station in cluster.world().stations() {
        let terminal = Terminal::new().context("a pseudo-terminal cannot be made")?;
        writeln!(std::io::stdout(), "{} {}", station.spec.name, terminal.path().display())?;
        lines.push((terminal, 0));
    }
    std::io::stdout().flush()?;
    let started = Instant::now();
    loop {
        cluster.run_ms(STEP_MS)?;
        for ((terminal, told), station) in lines.iter_mut().zip(cluster.world().stations()) {
            station.type_bytes(&terminal.receive()?);
            let news = station.log().as_bytes().get(*told..).unwrap_or_default();
            *told += news.len();
            terminal.send(news)?;
        }
        let due = Duration::from_nanos(cluster.world().now_ns());
        std::thread::sleep(due.saturating_sub(started.elapsed()));
    }
}
