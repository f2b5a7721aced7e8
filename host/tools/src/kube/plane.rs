//! Commands to the plane and what it says.

use kube_serial::{Event, Job, Outcome as Word};

use kube_sniff::mask::keys;

use super::codes;
use crate::boot::codes as line_codes;
use crate::boot::desk::{Desk, why};
use crate::failure::{Failure, Outcome};

/// What came of a command.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Done, failed, or nobody knows.
    pub word: Word,
    /// What it wrote on the plane's log.
    pub lines: Vec<String>,
    /// Whether the time was over.
    pub timed_out: bool,
}

/// A way by which commands reach the plane and its answers come back. Each command runs at most once,
/// and the word about it is true.
pub trait Way {
    /// The plane, for people.
    fn label(&self) -> &str;
    /// Runs a command.
    ///
    /// # Errors
    /// If it was not asked: the way is not there, busy or silent.
    fn ask(&mut self, command: &str) -> Outcome<Answer>;
    /// Lets others at the way until the next command.
    fn rest(&mut self);
}

/// By serial line.
pub struct Line<'a>(pub Desk<'a>);

impl Way for Line<'_> {
    fn label(&self) -> &str {
        &self.0.place.label
    }

    fn ask(&mut self, command: &str) -> Outcome<Answer> {
        let job = Job::command(command)
            .map_err(|error| Failure::new(&line_codes::COMMAND, error.to_string()))?;
        self.0.begin_anew();
        let talk = self.0.tool.talk.clone();
        let mut ended = self.0.job(job, |event| {
            if let Event::Plain(text) = event {
                talk.detail(text);
            }
        })?;
        let own = format!("boot: {command}");
        ended.lines.retain(|line| *line != own);
        Ok(Answer { word: ended.word, lines: ended.lines, timed_out: ended.timed_out })
    }

    fn rest(&mut self) {
        self.0.free();
    }
}

/// Runs a command that must be done; what it wrote.
///
/// # Errors
/// What kept it from being done, in the plane's words where it has some.
pub fn done(way: &mut dyn Way, command: &str) -> Outcome<Vec<String>> {
    let answer = way.ask(command)?;
    match &answer.word {
        Word::Done => Ok(answer.lines),
        Word::Failed(reason) => Err(refusal(way.label(), command, reason, &answer.lines)),
        Word::Unknown(unknown) => {
            let code = match answer.timed_out {
                true => &line_codes::TIMEOUT,
                false => &line_codes::COMMAND_UNKNOWN,
            };
            let command = keys(command);
            let headline = format!("unknown: whether {command} was done on {}", way.label());
            Err(Failure::new(code, headline)
                .cause(why(unknown))
                .help("kube get shows how things are, before you ask again"))
        }
    }
}

/// The plane's refusal as an error.
fn refusal(label: &str, command: &str, reason: &str, lines: &[String]) -> Failure {
    let command = keys(command);
    let own = lines.iter().find_map(|line| line.strip_prefix("kube: "));
    if let Some(missing) = own.and_then(|text| text.strip_prefix("no ")) {
        let known = ["deployment ", "node ", "pod "];
        if let Some(kind) = known.into_iter().find(|&kind| missing.starts_with(kind)) {
            let headline = format!("there is no {}", missing.replace(", and no pod or node", ""));
            return Failure::new(&codes::OBJECT_MISSING, headline)
                .cause(format!("{label} says: {}", lines.join("; ")))
                .help(format!("kube get {}s shows what there is", kind.trim_end()));
        }
    }
    let unknown = reason.contains("no such command") || reason.contains("cannot be loaded");
    match own {
        Some(text) => Failure::new(&codes::PLANE_REFUSED, format!("{label} refused: {text}"))
            .cause(format!("the command was {command}")),
        None if unknown => {
            Failure::new(&codes::PLANE_VERSION, format!("{label} does not know {command}"))
                .cause(reason)
                .help("kube-flash writes an image of this version")
        }
        None => {
            let failure = Failure::new(&codes::PLANE_REFUSED, format!("{command} failed"));
            let failure = failure.cause(format!("{label} says: {reason}"));
            lines.iter().fold(failure, Failure::cause)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(lines: &[&str], reason: &str) -> String {
        let lines: Vec<_> = lines.iter().map(|&line| line.to_owned()).collect();
        refusal("plane", "Kube.Scale web 3", reason, &lines).text(false)
    }

    #[test]
    fn the_planes_words_become_headlines() {
        for (lines, reason, text) in [
            (
                &["kube: no deployment web"][..],
                "refused, see the log",
                "error[kube::object::missing]: there is no deployment web",
            ),
            (
                &["kube: no deployment x, and no pod or node"],
                "refused, see the log",
                "there is no deployment x\n",
            ),
            (
                &["kube: node node1 is Ready: drain it and switch it off first"],
                "refused, see the log",
                "plane refused: node node1 is Ready: drain it and switch it off first",
            ),
            (
                &[],
                "no such command; the form is Module.Command parameters, as in System.Watch",
                "error[kube::plane::version]: plane does not know Kube.Scale web 3",
            ),
            (&["TRAP 1"], "it trapped or did not return", "  cause: TRAP 1"),
        ] {
            let said = refused(lines, reason);
            assert!(said.contains(text), "no {text:?} in\n{said}");
        }
    }
}
