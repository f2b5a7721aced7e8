//! The table: live on a terminal, snapshots elsewhere.

use super::flags;
use super::hearing::{Hearing, Known, Show};
use super::screen::Screen;
use crate::failure::Outcome;
use crate::output::Output;
use crate::program::Session;
use crate::talk::draws;
use kube_sniff::decoder::Heard;
use kube_sniff::table;

/// Shows the table.
///
/// # Errors
/// See [`Hearing::run`].
pub fn run(session: &Session, flags: &flags::Top) -> Outcome {
    let hearing = Hearing::new(session, &flags.from, &flags.wanted, &flags.run)?;
    let structured = session.output.structured();
    if draws(&std::io::stdout()) && !structured && flags.run.write.is_none() {
        let mut screen = Screen::begin(&flags.from.place(session).to_string())?;
        return hearing.run(&mut screen);
    }
    let width = flags::width().map(|width| width as u16);
    let output = session.output;
    hearing.run(&mut Snapshots { output, interval_ns: flags.interval, next_ns: None, width })
}

struct Snapshots {
    output: Output,
    interval_ns: Option<u64>,
    next_ns: Option<u64>,
    width: Option<u16>,
}

impl Snapshots {
    fn say(&self, known: &Known) -> Outcome {
        let Known { statistics, cluster, dropped, .. } = known;
        if self.output.structured() {
            self.output.object("air", table::object(statistics, cluster, *dropped))
        } else {
            self.output.line(&table::snapshot(statistics, cluster, *dropped, self.width))
        }
    }
}

impl Show for Snapshots {
    fn frame(&mut self, _heard: &Heard) -> Outcome {
        Ok(())
    }

    fn serial(&mut self, _at_ns: u64, _machine: &str, _text: &str) -> Outcome {
        Ok(())
    }

    fn turn(&mut self, known: &Known) -> Outcome<bool> {
        let Some(interval_ns) = self.interval_ns else { return Ok(true) };
        let now_ns = known.statistics.now_ns;
        let next_ns = *self.next_ns.get_or_insert(now_ns.saturating_add(interval_ns));
        if now_ns >= next_ns {
            self.next_ns = Some(now_ns.saturating_add(interval_ns));
            self.say(known)?;
            if !self.output.structured() {
                self.output.line("")?;
            }
        }
        Ok(true)
    }

    fn end(&mut self, known: &Known) -> Outcome {
        self.say(known)
    }
}
