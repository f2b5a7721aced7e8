//! `obc build` and `obc check`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use obc::ir::passes::Passes;
use obc::project::{Outcome, Settings, build_project};
use obc::{Compiled, Extensions, Options, Source, standalone_words};

use super::cache::Stamps;
use super::messages::Messages;
use super::places::Places;
use super::{read_object, read_source, write};
use crate::{Common, Extension};

impl Common {
    fn sources(&self) -> Result<Vec<Source>> {
        self.files.iter().map(|file| read_source(file)).collect()
    }

    fn options(&self) -> Options {
        let all = if self.level == 0 { Passes::none() } else { Passes::all() };
        let passes = self.no_pass.iter().fold(all, |passes, pass| passes.without(*pass));
        let has = |extension| self.ext.contains(&extension);
        Options {
            checks: !self.no_checks,
            passes,
            extensions: Extensions { case: has(Extension::Case), strings: has(Extension::Strings) },
        }
    }

    fn threads(&self) -> usize {
        match self.jobs {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            jobs => jobs,
        }
    }
}

/// Compiles and writes nothing.
pub fn check(common: &Common) -> Result<ExitCode> {
    let messages = Messages::new(common.message_format, common.quiet);
    let sources = common.sources()?;
    let settings = Settings {
        symbols: &Places::open(&common.symbols)?,
        options: &common.options(),
        threads: common.threads(),
        cache: None,
    };
    match build_project(&sources, &settings) {
        Ok(done) => {
            messages.finished("checked", 0, done.len(), 0)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(found) => {
            messages.diagnostics(&found)?;
            messages.finished("checked", found.len(), 0, 0)?;
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Compiles what has changed and writes the results.
pub fn build(common: &Common, output: &Path, force: bool) -> Result<ExitCode> {
    let messages = Messages::new(common.message_format, common.quiet);
    let sources = common.sources()?;
    let options = common.options();
    let mut stamps = Stamps::read(output, &options);
    let settings = Settings {
        symbols: &Places::open(&common.symbols)?.and_folder(output),
        options: &options,
        threads: common.threads(),
        cache: if force { None } else { Some(&stamps) },
    };
    let done = match build_project(&sources, &settings) {
        Ok(done) => done,
        Err(found) => {
            messages.diagnostics(&found)?;
            messages.finished("built", found.len(), 0, 0)?;
            return Ok(ExitCode::FAILURE);
        }
    };
    std::fs::create_dir_all(output)
        .with_context(|| format!("cannot create the folder {}", output.display()))?;
    let (mut compiled, mut reused) = (0, 0);
    for outcome in &done {
        match outcome {
            Outcome::Reused(module) => {
                reused += 1;
                messages.module(&read_object(&output.join(format!("{module}.rsc")))?, false)?;
            }
            Outcome::Compiled(module, table) => {
                compiled += 1;
                let files = files(module, table.to_string());
                for (name, bytes) in &files {
                    write(&output.join(name), bytes)?;
                }
                if let Some(source) = sources.iter().find(|s| s.name == table.source) {
                    stamps.note(source, module, &files);
                }
                messages.module(&module.object, true)?;
            }
        }
    }
    stamps.write()?;
    messages.finished("built", 0, compiled, reused)?;
    Ok(ExitCode::SUCCESS)
}

/// The files of a module.
fn files(module: &Compiled, table: String) -> Vec<(String, Vec<u8>)> {
    let name = |suffix: &str| format!("{}.{suffix}", module.module);
    let mut out = vec![(name("rsc"), module.object.to_bytes()), (name("pos"), table.into_bytes())];
    if module.standalone {
        let words = standalone_words(module);
        out.push((name("bin"), words.iter().flat_map(|w| w.to_le_bytes()).collect()));
    } else {
        out.push((name("smb"), module.symbol_file.clone()));
    }
    out
}
