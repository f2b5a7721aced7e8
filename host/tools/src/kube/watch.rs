//! A table that is shown once, or with `--watch` again whenever something changes.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::air::Air;
use super::reach::Reach;
use crate::failure::Outcome;
use crate::interrupt::Hold;
use crate::output::Column;
use crate::program::Session;

/// Between two looks.
const LOOK: Duration = Duration::from_secs(1);

/// Flags of a verb that shows a table.
#[derive(clap::Args, Clone, Debug)]
pub struct Watching {
    /// Again whenever something changes, until Ctrl-C.
    #[arg(long, short)]
    watch: bool,
    /// With --watch: end after so many seconds.
    #[arg(long, value_name = "SECONDS", requires = "watch")]
    duration: Option<u64>,
}

/// A table: its name, its columns and its rows.
pub struct Table {
    /// Its name, also that of its object.
    pub kind: &'static str,
    /// Columns.
    pub columns: Vec<Column>,
    /// A value for each column.
    pub rows: Vec<Vec<Value>>,
    /// Columns that differ each time, and are no change.
    pub ages: &'static [&'static str],
}

impl Table {
    /// The rows without ages.
    fn still(&self) -> Vec<Vec<Value>> {
        let kept: Vec<_> =
            self.columns.iter().map(|column| !self.ages.contains(&column.name)).collect();
        let row = |row: &Vec<Value>| {
            row.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(v, _)| v.clone()).collect()
        };
        self.rows.iter().map(row).collect()
    }
}

/// Shows what `look` sees, by the air where there is one; `none` is called if that is nothing at first.
///
/// # Errors
/// Those of the source and of `look`, `kube::interrupted`.
pub fn run(
    session: &Session,
    reach: &Reach,
    flags: &Watching,
    air: &mut Option<Air>,
    mut look: impl FnMut(Option<&Air>) -> Outcome<Table>,
    none: impl FnOnce(&str),
) -> Outcome {
    let mut listened = |air: &mut Option<Air>, listen_ns| {
        if let Some(air) = air {
            air.listen(listen_ns)?;
        }
        look(air.as_ref())
    };
    let first = listened(air, reach.listen)?;
    session.output.rows(first.kind, &first.columns, &first.rows)?;
    if first.rows.is_empty() {
        none(first.kind);
    }
    if !flags.watch {
        return Ok(());
    }
    let (hold, begun) = (Hold::new(), Instant::now());
    let mut shown = first.still();
    loop {
        hold.check()?;
        let over = |limit: u64| begun.elapsed() >= Duration::from_secs(limit);
        if flags.duration.is_some_and(over) || air.as_ref().is_some_and(Air::over) {
            return Ok(());
        }
        if air.is_none() {
            std::thread::sleep(LOOK);
        }
        let table = listened(air, LOOK.as_nanos() as u64)?;
        let now = table.still();
        if now != shown {
            shown = now;
            session.output.rows(table.kind, &table.columns, &table.rows)?;
        }
    }
}
