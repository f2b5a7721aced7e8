//! A project on several threads: modules of one rank import none of each other and are compiled at
//! the same time. A module whose sources and imported keys are unchanged need not be compiled.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{duplicates, order};
use crate::diagnostic::Diagnostic;
use crate::positions::Table;
use crate::{Compiled, Options, Source, SymbolSource, compile_with_table, parser};

/// Results of an earlier build.
pub trait Cache: Sync {
    /// The symbol file of `module` if the results that exist are what compiling `source` would
    /// give. `key_of` is the key that another module has now, `None` if it cannot be found.
    fn reusable(
        &self,
        source: &Source,
        module: &str,
        key_of: &dyn Fn(&str) -> Option<u32>,
    ) -> Option<Vec<u8>>;
}

/// What became of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "one a module")]
pub enum Outcome {
    /// It was compiled.
    Compiled(Compiled, Table),
    /// The results of an earlier build hold.
    Reused(String),
}

/// How a project is built.
pub struct Settings<'a> {
    /// Symbol files of modules that are not among the sources.
    pub symbols: &'a (dyn SymbolSource + Sync),
    /// Options of the compiler.
    pub options: &'a Options,
    /// Threads, at least 1.
    pub threads: usize,
    /// Results of an earlier build.
    pub cache: Option<&'a dyn Cache>,
}

/// Symbol files known so far.
struct Known<'a> {
    built: BTreeMap<String, Vec<u8>>,
    others: &'a (dyn SymbolSource + Sync),
}

impl SymbolSource for Known<'_> {
    fn symbol_file(&self, module: &str) -> Option<Vec<u8>> {
        self.built.get(module).cloned().or_else(|| self.others.symbol_file(module))
    }
}

type Done = Result<(Outcome, Vec<u8>), Vec<Diagnostic>>;

/// Builds a project; the result is in the order of imports and does not depend on the number of
/// threads.
///
/// # Errors
///
/// As [`super::build`].
pub fn build_project(
    sources: &[Source],
    settings: &Settings<'_>,
) -> Result<Vec<Outcome>, Vec<Diagnostic>> {
    let headings: Vec<(String, Vec<String>)> = sources.iter().map(parser::imports).collect();
    let mut errors = duplicates(sources, &headings);
    let order = match order(sources, &headings) {
        Ok(order) => order,
        Err(cycle) => {
            errors.push(cycle);
            return Err(errors);
        }
    };
    let mut known = Known { built: BTreeMap::new(), others: settings.symbols };
    let mut results: BTreeMap<usize, Done> = BTreeMap::new();
    let mut failed: Vec<&str> = Vec::new();
    for rank in ranks(&order, &headings) {
        let (ready, stuck): (Vec<usize>, Vec<usize>) = rank
            .into_iter()
            .partition(|i| !headings[*i].1.iter().any(|name| failed.contains(&name.as_str())));
        failed.extend(stuck.iter().map(|i| headings[*i].0.as_str()));
        for (index, done) in run(&ready, sources, &headings, &known, settings) {
            match &done {
                Ok((_, symbols)) => {
                    known.built.insert(headings[index].0.clone(), symbols.clone());
                }
                Err(_) => failed.push(&headings[index].0),
            }
            results.insert(index, done);
        }
    }
    let mut out = Vec::new();
    for index in order {
        match results.remove(&index) {
            Some(Ok((outcome, _))) => out.push(outcome),
            Some(Err(found)) => errors.extend(found),
            None => {}
        }
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}

/// Modules by rank: each imports only those of lower ranks.
fn ranks(order: &[usize], headings: &[(String, Vec<String>)]) -> Vec<Vec<usize>> {
    let mut rank_of: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out: Vec<Vec<usize>> = Vec::new();
    for &index in order {
        let (name, imports) = &headings[index];
        let below = imports.iter().filter_map(|i| rank_of.get(i.as_str()));
        let rank = below.max().map_or(0, |r| r + 1);
        rank_of.insert(name, rank);
        out.resize_with(out.len().max(rank + 1), Vec::new);
        out[rank].push(index);
    }
    out
}

fn run(
    ready: &[usize],
    sources: &[Source],
    headings: &[(String, Vec<String>)],
    known: &Known<'_>,
    settings: &Settings<'_>,
) -> Vec<(usize, Done)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(&index) = ready.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((index, one(&sources[index], &headings[index].0, known, settings)));
        }
        done
    };
    let threads = settings.threads.min(ready.len());
    if threads <= 1 {
        return work();
    }
    let mut all: Vec<(usize, Done)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|w| w.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    all.sort_by_key(|(index, _)| *index);
    all
}

fn one(source: &Source, module: &str, known: &Known<'_>, settings: &Settings<'_>) -> Done {
    let key_of = |name: &str| {
        let file = known.symbol_file(name)?;
        Some(u32::from_le_bytes(file.get(4..8)?.try_into().ok()?))
    };
    let cached = settings.cache.and_then(|c| c.reusable(source, module, &key_of));
    if let Some(symbols) = cached {
        return Ok((Outcome::Reused(module.to_string()), symbols));
    }
    let (compiled, table) = compile_with_table(source, known, settings.options)?;
    let symbols = compiled.symbol_file.clone();
    Ok((Outcome::Compiled(compiled, table), symbols))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoSymbols;

    fn sources(count: usize) -> Vec<Source> {
        let module = |n: usize| {
            let imports: Vec<String> = (n.saturating_sub(3)..n).map(|i| format!("M{i}")).collect();
            let import =
                if n == 0 { String::new() } else { format!("IMPORT {};", imports.join(", ")) };
            let text =
                format!("MODULE M{n}; {import} VAR x*: ARRAY {} OF INTEGER; END M{n}.", n + 1);
            Source::new(format!("M{n}.Mod"), text)
        };
        (0..count).rev().map(module).collect()
    }

    fn build(sources: &[Source], threads: usize) -> Result<Vec<Outcome>, Vec<Diagnostic>> {
        let options = &Options::default();
        build_project(sources, &Settings { symbols: &NoSymbols, options, threads, cache: None })
    }

    #[test]
    fn threads_change_nothing() {
        let mut sources = sources(12);
        sources.extend((0..20).map(|n| {
            Source::new(format!("L{n}.Mod"), format!("MODULE L{n}; IMPORT M3; END L{n}."))
        }));
        let one = build(&sources, 1).unwrap();
        assert_eq!(one.len(), 32);
        assert_eq!(build(&sources, 4).unwrap(), one);
        let sequential = crate::project::build(&sources).unwrap();
        for (outcome, compiled) in one.iter().zip(&sequential) {
            assert!(matches!(outcome, Outcome::Compiled(c, _) if c == compiled));
        }
    }

    #[test]
    fn errors_do_not_depend_on_threads_either() {
        let mut sources = sources(6);
        for n in [0, 3] {
            let text = format!("MODULE E{n}; BEGIN x := 1 END E{n}.");
            sources.push(Source::new(format!("E{n}.Mod"), text));
        }
        sources.push(Source::new("F.Mod", "MODULE F; IMPORT E0; BEGIN y := 1 END F."));
        let one = build(&sources, 1).unwrap_err();
        assert_eq!(one.len(), 2);
        assert_eq!(build(&sources, 4).unwrap_err(), one);
    }
}
