//! How many bytes the parts of a module take when it is loaded.

use std::fmt::{self, Display};

use crate::NoSymbols;
use crate::link::DESCRIPTOR_BYTES;
use crate::object::ObjectFile;
use crate::positions::Table;
use crate::symbols::{self, ImportedKind};
use crate::types::Types;

/// Bytes of a module's parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Module name.
    pub module: String,
    /// Everything, the module descriptor included.
    pub total: u32,
    /// Code.
    pub code: u32,
    /// Global variables.
    pub variables: u32,
    /// String constants.
    pub strings: u32,
    /// Type descriptors.
    pub descriptors: u32,
    /// Module descriptor and tables of imports, commands, entries and pointers.
    pub tables: u32,
    /// Procedures with the bytes of their code, the largest first.
    pub procedures: Vec<(String, u32)>,
}

/// Measures a module. Procedures are known by its position table; without one, only exported ones
/// are, by its symbol file or else by their numbers, and what follows one counts with it.
#[must_use]
pub fn measure(object: &ObjectFile, table: Option<&Table>, symbol_file: Option<&[u8]>) -> Sizes {
    let mut procedures: Vec<(String, u32)> = match table {
        Some(table) => table.procedures.iter().map(|p| (p.name.clone(), 4 * p.words)).collect(),
        None => by_entries(object, symbol_file),
    };
    procedures.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let code = 4 * object.code.len() as u32;
    let descriptors = 4 * object.type_descriptors.len() as u32;
    let strings = object.strings.len() as u32;
    let total = DESCRIPTOR_BYTES + object.size();
    Sizes {
        module: object.name.clone(),
        total,
        code,
        variables: object.variable_bytes,
        strings,
        descriptors,
        tables: total - code - descriptors - strings - object.variable_bytes,
        procedures,
    }
}

fn by_entries(object: &ObjectFile, symbol_file: Option<&[u8]>) -> Vec<(String, u32)> {
    let mut starts: Vec<(u32, String)> = vec![(object.body, object.name.clone())];
    starts.extend(object.commands.iter().map(|(name, at)| (*at, name.clone())));
    let mut types = Types::default();
    let mut modules = Vec::new();
    let read = symbol_file
        .and_then(|f| symbols::read(&object.name, f, &mut types, &mut modules, &NoSymbols).ok());
    if let Some(index) = read {
        for exported in &modules[index].objects {
            if let ImportedKind::Procedure(entry) = exported.kind
                && let Some(at) = object.entries.get(usize::from(entry))
            {
                starts.push((*at, exported.name.to_string()));
            }
        }
    }
    starts.sort();
    starts.dedup_by_key(|(at, _)| *at);
    let end = 4 * object.code.len() as u32;
    let first = starts.first().map_or(end, |s| s.0);
    let mut out = Vec::new();
    if first > 0 {
        out.push(("(before the first exported one)".to_string(), first.min(end)));
    }
    for (index, (at, name)) in starts.iter().enumerate() {
        let next = starts.get(index + 1).map_or(end, |s| s.0).min(end);
        out.push((name.clone(), next.saturating_sub(*at)));
    }
    out
}

impl Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} bytes: code {}, variables {}, strings {}, type descriptors {}, tables {}",
            self.module,
            self.total,
            self.code,
            self.variables,
            self.strings,
            self.descriptors,
            self.tables
        )?;
        for (name, bytes) in &self.procedures {
            let share = 100.0 * f64::from(*bytes) / f64::from(self.code.max(1));
            writeln!(f, "{bytes:>8} {share:>5.1}%  {name}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoSymbols, Options, Source, compile_with_table};

    #[test]
    fn procedures_and_parts_add_up() {
        let text = "MODULE T; VAR v: ARRAY 10 OF INTEGER; PROCEDURE A; BEGIN v[1] := 2 END A; \
                    PROCEDURE B*; BEGIN A END B; PROCEDURE C; BEGIN B END C; BEGIN C END T.";
        let source = Source::new("T.Mod", text);
        let (compiled, table) =
            compile_with_table(&source, &NoSymbols, &Options::default()).unwrap();
        let object = &compiled.object;
        let known = measure(object, Some(&table), None);
        assert_eq!(known.procedures.len(), 4);
        assert_eq!(known.variables, 40);
        let parts = known.code + known.variables + known.strings + known.descriptors + known.tables;
        assert_eq!(parts, known.total);
        let entries = measure(object, None, Some(&compiled.symbol_file));
        for sizes in [&known, &entries, &measure(object, None, None)] {
            assert_eq!(sizes.procedures.iter().map(|p| p.1).sum::<u32>(), sizes.code);
        }
        assert!(entries.procedures.iter().any(|(name, _)| name == "B"));
    }

    #[test]
    fn entries_behind_the_code_are_no_trouble() {
        let object = ObjectFile {
            code: vec![0; 4],
            body: 4000,
            commands: vec![("X".into(), 8)],
            ..ObjectFile::default()
        };
        assert_eq!(measure(&object, None, None).code, 16);
    }
}
