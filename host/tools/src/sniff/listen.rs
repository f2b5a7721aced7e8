//! One line a frame.

use super::flags;
use super::hearing::{Hearing, Known, Show};
use crate::failure::Outcome;
use crate::output::Output;
use crate::program::Session;
use kube_sniff::decoder::Heard;
use kube_sniff::line::{LineStyle, Printer};
use kube_sniff::{mask, object};
use serde_json::json;

/// Listens.
///
/// # Errors
/// See [`Hearing::run`].
pub fn run(session: &Session, flags: &flags::Listen) -> Outcome {
    let hearing = Hearing::new(session, &flags.from, &flags.wanted, &flags.run)?;
    let style = LineStyle {
        times: flags.time.into(),
        hex: flags.hex,
        colour: flags::coloured(session.flags.color),
        secrets: flags.show_secrets,
        width: flags::width(),
    };
    let to_stdout = flags.run.write.as_ref().is_some_and(|path| path.as_os_str() == "-");
    let mut lines = Lines {
        printer: Printer::new(style),
        output: session.output,
        secrets: flags.show_secrets,
        serial: flags.serial,
        silent: to_stdout,
    };
    hearing.run(&mut lines)
}

struct Lines {
    printer: Printer,
    output: Output,
    secrets: bool,
    serial: bool,
    /// The capture has standard output.
    silent: bool,
}

impl Show for Lines {
    fn frame(&mut self, heard: &Heard) -> Outcome {
        if self.silent {
            return Ok(());
        }
        if self.output.structured() {
            // These keys are published, `kind` among them: the schema has its own name.
            self.output.line(&object::frame(heard, self.secrets).to_string())
        } else {
            self.output.line(&self.printer.frame(heard))
        }
    }

    fn serial(&mut self, at_ns: u64, machine: &str, text: &str) -> Outcome {
        if self.silent || !self.serial {
            return Ok(());
        }
        let text = if self.secrets { text.to_owned() } else { mask::keys(text) };
        if self.output.structured() {
            let fields = json!({"at_ns": at_ns, "machine": machine, "text": text});
            self.output.object("serial", fields)
        } else {
            self.output.line(&self.printer.serial(at_ns, machine, &text))
        }
    }

    fn turn(&mut self, _known: &Known) -> Outcome<bool> {
        Ok(true)
    }

    fn end(&mut self, _known: &Known) -> Outcome {
        Ok(())
    }
}
