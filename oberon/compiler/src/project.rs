//! Several sources at once: each is compiled after the modules it imports.

mod parallel;

use std::collections::{BTreeMap, HashMap};

use crate::diagnostic::{Diagnostic, Report, Span};
use crate::{Compiled, Options, Source, SymbolSource, compile, parser};

pub use parallel::{Cache, Outcome, Settings, build_project};

/// Compiles modules that import each other and nothing else besides `SYSTEM`, in the order of
/// their imports; modules of equal rank keep the order in which they are given.
///
/// # Errors
///
/// The errors of all files. A file whose imports failed is not compiled: its errors would only
/// follow from theirs.
pub fn build(sources: &[Source]) -> Result<Vec<Compiled>, Vec<Diagnostic>> {
    build_with(sources, &crate::NoSymbols, &Options::default())
}

/// As [`build`]; imports that are not among the sources come from `symbols`.
///
/// # Errors
///
/// As [`build`].
pub fn build_with(
    sources: &[Source],
    symbols: &dyn SymbolSource,
    options: &Options,
) -> Result<Vec<Compiled>, Vec<Diagnostic>> {
    let headings: Vec<(String, Vec<String>)> = sources.iter().map(parser::imports).collect();
    let mut errors = duplicates(sources, &headings);
    let order = match order(sources, &headings) {
        Ok(order) => order,
        Err(cycle) => {
            errors.push(cycle);
            return Err(errors);
        }
    };
    let mut known = Known { built: BTreeMap::new(), others: symbols };
    let mut failed: Vec<&str> = Vec::new();
    let mut out = Vec::new();
    for index in order {
        let (name, imports) = &headings[index];
        if imports.iter().any(|i| failed.contains(&i.as_str())) {
            failed.push(name);
            continue;
        }
        match compile(&sources[index], &known, options) {
            Ok(compiled) => {
                known.built.insert(compiled.module.clone(), compiled.symbol_file.clone());
                out.push(compiled);
            }
            Err(found) => {
                errors.extend(found);
                failed.push(name);
            }
        }
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}

struct Known<'a> {
    built: BTreeMap<String, Vec<u8>>,
    others: &'a dyn SymbolSource,
}

impl SymbolSource for Known<'_> {
    fn symbol_file(&self, module: &str) -> Option<Vec<u8>> {
        self.built.get(module).cloned().or_else(|| self.others.symbol_file(module))
    }
}

fn error_at_start(source: &Source, message: String) -> Vec<Diagnostic> {
    let mut report = Report::new(source);
    report.error(Span::new(0, 6), message);
    report.finish()
}

fn duplicates(sources: &[Source], headings: &[(String, Vec<String>)]) -> Vec<Diagnostic> {
    let mut seen: HashMap<&str, &str> = HashMap::new();
    let mut errors = Vec::new();
    for (source, (name, _)) in sources.iter().zip(headings) {
        if name.is_empty() {
            continue;
        }
        if let Some(other) = seen.insert(name, &source.name) {
            let message = format!("module {name} stands in {other} too");
            errors.extend(error_at_start(source, message));
        }
    }
    errors
}

/// Indexes of the sources, each after those it imports; or the error of a cycle.
fn order(sources: &[Source], headings: &[(String, Vec<String>)]) -> Result<Vec<usize>, Diagnostic> {
    let by_name: HashMap<&str, usize> =
        headings.iter().enumerate().map(|(i, (name, _))| (name.as_str(), i)).collect();
    let waits_for: Vec<Vec<usize>> = headings
        .iter()
        .enumerate()
        .map(|(i, (_, imports))| {
            imports
                .iter()
                .filter_map(|name| by_name.get(name.as_str()).copied())
                // A module that imports itself is reported by its own compilation.
                .filter(|other| *other != i)
                .collect()
        })
        .collect();
    let mut done = vec![false; sources.len()];
    let mut order = Vec::new();
    while order.len() < sources.len() {
        let next = (0..sources.len()).find(|i| !done[*i] && waits_for[*i].iter().all(|o| done[*o]));
        let Some(next) = next else {
            let stuck: Vec<&str> =
                (0..sources.len()).filter(|i| !done[*i]).map(|i| headings[i].0.as_str()).collect();
            let first = (0..sources.len()).find(|i| !done[*i]).unwrap_or(0);
            let message = format!("imports form a cycle among the modules {}", stuck.join(", "));
            let mut found = error_at_start(&sources[first], message);
            return Err(found.remove(0));
        };
        done[next] = true;
        order.push(next);
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(name: &str, text: &str) -> Source {
        Source::new(format!("{name}.Mod"), text)
    }

    #[test]
    fn modules_are_compiled_after_their_imports() {
        let sources = [
            source("C", "MODULE C; IMPORT B, A; BEGIN B.P(A.x) END C."),
            source("B", "MODULE B; IMPORT A; PROCEDURE P*(x: INTEGER); BEGIN A.Q END P; END B."),
            source("A", "MODULE A; VAR x*: INTEGER; PROCEDURE Q*; BEGIN END Q; END A."),
        ];
        let built = build(&sources).unwrap();
        let names: Vec<_> = built.iter().map(|c| c.module.as_str()).collect();
        assert_eq!(names, ["A", "B", "C"]);
        assert_eq!(built[2].imports[1], ("A".to_string(), built[0].key));
    }

    #[test]
    fn errors_of_all_files_are_reported_but_not_their_consequences() {
        let sources = [
            source("A", "MODULE A; BEGIN x := 1 END A."),
            source("B", "MODULE B; IMPORT A; BEGIN A.y := 1 END B."),
            source("D", "MODULE D; BEGIN z := 1; q := 2 END D."),
        ];
        let errors = build(&sources).unwrap_err();
        let places: Vec<_> = errors.iter().map(|e| (e.file.as_str(), e.column)).collect();
        assert_eq!(places, [("A.Mod", 17), ("D.Mod", 17), ("D.Mod", 25)]);
    }

    #[test]
    fn cycles_duplicates_and_missing_modules_are_errors() {
        let cycle =
            [source("A", "MODULE A; IMPORT B; END A."), source("B", "MODULE B; IMPORT A; END B.")];
        let errors = build(&cycle).unwrap_err();
        assert!(errors[0].message.contains("cycle among the modules A, B"));
        let twice = [source("A", "MODULE A; END A."), source("A2", "MODULE A; END A.")];
        assert!(build(&twice).unwrap_err()[0].message.contains("stands in A.Mod too"));
        let missing = [source("A", "MODULE A; IMPORT Nowhere; END A.")];
        assert!(build(&missing).unwrap_err()[0].message.contains("Nowhere"));
        let itself = [source("A", "MODULE A; IMPORT A; END A.")];
        assert!(build(&itself).unwrap_err()[0].message.contains("itself"));
    }
}
