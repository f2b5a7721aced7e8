//! `kube-flow`: what the tools say of the exported Verilog.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that people run")]

mod board;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use kube_flow::proof::{self, Outcome, Proof, Prover, Verdict};
use serde_json::{Value, json};

/// Proofs of the exported Verilog, and bitstreams from it.
#[derive(Parser)]
#[command(name = "kube-flow", version, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Prove the units, and plant faults that each proof must notice.
    #[command(name = "prove", bin_name = "cargo xtask prove")]
    Prove(Options),
    /// Make the bitstream of a board: synthesis, place and route, timing, report.
    #[command(name = "bitstream", bin_name = "cargo xtask bitstream")]
    Bitstream(board::Options),
}

#[derive(clap::Args)]
struct Options {
    /// Only these proofs, long ones too; without a name the everyday ones.
    #[arg(value_name = "PROOF")]
    names: Vec<String>,
    /// The long proofs too.
    #[arg(long)]
    all: bool,
    /// Prove only, plant nothing.
    #[arg(long)]
    no_faults: bool,
    /// Say what would be proven.
    #[arg(long)]
    list: bool,
    /// One JSON object on stdout, schema `kube-proofs/v1`.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Prove(options) => prove(&options),
        Command::Bitstream(options) => return board::run(&options),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn chosen(options: &Options) -> Result<Vec<Proof>> {
    let proofs = proof::load()?;
    let known = |name: &String| proofs.iter().any(|proof| proof.name == *name);
    if let Some(unknown) = options.names.iter().find(|name| !known(name)) {
        let names: Vec<_> = proofs.iter().map(|proof| proof.name.as_str()).collect();
        bail!("no proof is called {unknown:?}; there are {}", names.join(", "));
    }
    Ok(match (&options.names[..], options.all) {
        ([], true) => proofs,
        ([], false) => proof::everyday(proofs),
        (names, _) => proofs.into_iter().filter(|proof| names.contains(&proof.name)).collect(),
    })
}

fn prove(options: &Options) -> Result<ExitCode> {
    let proofs = chosen(options)?;
    if options.list {
        for proof in &proofs {
            let length = if proof.long { " (long)" } else { "" };
            println!("{}{length}: {}; bound: {}", proof.name, proof.claim, proof.bound);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let prover = Prover::new(|line| eprintln!("{line}"))?;
    let mut outcomes = Vec::new();
    for proof in &proofs {
        let outcome = prover
            .prove(proof, !options.no_faults)
            .with_context(|| format!("proof {:?}", proof.name))?;
        if !options.json {
            print(proof, &outcome);
        }
        outcomes.push(outcome);
    }
    let passed = outcomes.iter().filter(|outcome| outcome.passed()).count();
    if options.json {
        println!("{}", summary(&outcomes));
    } else {
        println!("{passed} of {} proofs passed", outcomes.len());
    }
    Ok(if passed == outcomes.len() { ExitCode::SUCCESS } else { ExitCode::from(5) })
}

/// The verdict in a word, and what there is to say about it.
fn told(verdict: &Verdict) -> (&'static str, String) {
    match verdict {
        Verdict::Holds => ("holds", String::new()),
        Verdict::Refuted(run) => ("refuted", run.to_string()),
        Verdict::NotInductive(assertions) => ("not inductive", assertions.join(", ")),
        Verdict::Unmet(covers) => ("not met", covers.join(", ")),
        Verdict::Undecided(words) => ("undecided", words.clone()),
    }
}

fn print(proof: &Proof, outcome: &Outcome) {
    let word = if outcome.passed() { "PASS" } else { "FAIL" };
    println!("{word} {:<18} {:>6.1} s  {}", outcome.name, outcome.seconds, proof.claim);
    println!("{:30}bound: {}", "", proof.bound);
    if outcome.verdict != Verdict::Holds {
        let (verdict, words) = told(&outcome.verdict);
        println!("{:30}{verdict}: {words}; log and trace in {}", "", outcome.place.display());
    }
    for fault in &outcome.faults {
        let (verdict, words) = told(&fault.verdict);
        let noticed = if matches!(fault.verdict, Verdict::Refuted(_)) {
            format!("noticed, {words}")
        } else {
            format!("NOT NOTICED ({verdict}) {words}")
        };
        println!("     planted {:>16.1} s  {}: {noticed}", fault.seconds, fault.what);
    }
}

fn summary(outcomes: &[Outcome]) -> Value {
    let verdict = |verdict: &Verdict| {
        let (word, words) = told(verdict);
        json!({ "verdict": word, "detail": words })
    };
    let proofs: Vec<Value> = outcomes
        .iter()
        .map(|outcome| {
            let faults: Vec<Value> = outcome
                .faults
                .iter()
                .map(|fault| {
                    json!({ "what": fault.what, "seconds": fault.seconds,
                            "result": verdict(&fault.verdict) })
                })
                .collect();
            json!({ "name": outcome.name, "passed": outcome.passed(), "seconds": outcome.seconds,
                    "result": verdict(&outcome.verdict), "faults": faults })
        })
        .collect();
    json!({
        "schema": "kube-proofs/v1",
        "passed": outcomes.iter().filter(|outcome| outcome.passed()).count(),
        "total": outcomes.len(),
        "proofs": proofs,
    })
}
