//! Many runs: each on one thread, as many at a time as there are threads.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use kube_modules::System;

use super::play::{Run, play};
use super::{Plan, Scenario};
use crate::lab::{LabError, Setup};

/// One run: a case of a scenario with a seed.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The case.
    pub plan: &'a Plan,
    /// The seed.
    pub seed: u64,
}

impl Job<'_> {
    /// What the lab of the run is made of.
    #[must_use]
    pub fn setup(&self) -> Setup {
        let Plan { fleet, engine, loss, .. } = self.plan;
        Setup { engine: *engine, loss: *loss, ..Setup::new(fleet, self.seed) }
    }
}

/// All runs of a scenario.
pub fn jobs(scenario: &Scenario) -> impl Iterator<Item = Job<'_>> {
    let of = move |plan| {
        let seeds: &Plan = plan;
        seeds.seeds.iter().map(move |&seed| Job { scenario, plan, seed })
    };
    scenario.plans.iter().flat_map(of)
}

/// Plays all jobs and tells of each in their order, as soon as those before it are done.
pub fn run<'a>(
    system: &System,
    jobs: &[Job<'a>],
    threads: usize,
    mut done: impl FnMut(&Job<'a>, Result<Run, LabError>),
) {
    let (next, (sender, receiver)) = (AtomicUsize::new(0), mpsc::channel());
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let (next, sender) = (&next, sender.clone());
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(at) else { return };
                    let result = play(system, job.plan, &job.setup(), &mut ());
                    if sender.send((at, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let (mut early, mut due) = (BTreeMap::new(), 0);
        for (at, result) in receiver {
            early.insert(at, result);
            while let Some(result) = early.remove(&due) {
                done(&jobs[due], result);
                due += 1;
            }
        }
    });
}
