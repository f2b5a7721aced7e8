//! What an earlier build left behind, so that unchanged modules are not compiled again.
//!
//! The file `obc-build.json` beside the results holds, for each module, sums (SHA-256) of its source
//! and results, the keys of what it imports, and what it was compiled with. A result holds if all
//! of them are the same now: an importer is compiled again when an interface changes, and not when
//! only a body does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use obc::project::Cache;
use obc::{Compiled, Options, Source};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Name of the file.
const FILE: &str = "obc-build.json";
const SCHEMA: &str = "obc-build/v1";

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    schema: String,
    modules: BTreeMap<String, Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    /// Sum of the source text, with its name.
    source: String,
    /// Compiler and options.
    with: String,
    imports: BTreeMap<String, u32>,
    /// Files with their sums.
    files: BTreeMap<String, String>,
}

/// Results of an earlier build in a folder.
pub struct Stamps {
    folder: PathBuf,
    with: String,
    stored: Stored,
}

fn sum(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn source_sum(source: &Source) -> String {
    sum(&[source.name.as_bytes(), source.text.as_bytes()])
}

/// Which compiler this is: another build of it may give other code under the same version.
fn compiler() -> String {
    let file = std::env::current_exe().and_then(std::fs::metadata).ok();
    let built = file.as_ref().and_then(|f| f.modified().ok());
    let built = built.and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
    format!(
        "{} {} {}",
        env!("CARGO_PKG_VERSION"),
        file.map_or(0, |f| f.len()),
        built.map_or(0, |t| t.as_nanos())
    )
}

impl Stamps {
    /// Reads what there is; a file that is missing, damaged or of another version is an empty one.
    pub fn read(folder: &Path, options: &Options) -> Self {
        let stored = std::fs::read(folder.join(FILE))
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Stored>(&bytes).ok())
            .filter(|stored| stored.schema == SCHEMA)
            .unwrap_or(Stored { schema: SCHEMA.into(), modules: BTreeMap::new() });
        let with = format!("{} {options:?}", compiler());
        Self { folder: folder.to_path_buf(), with, stored }
    }

    /// Notes the results of a module: file names and contents.
    pub fn note(&mut self, source: &Source, compiled: &Compiled, files: &[(String, Vec<u8>)]) {
        let entry = Entry {
            source: source_sum(source),
            with: self.with.clone(),
            imports: compiled.imports.iter().cloned().collect(),
            files: files.iter().map(|(name, bytes)| (name.clone(), sum(&[bytes]))).collect(),
        };
        self.stored.modules.insert(compiled.module.clone(), entry);
    }

    /// Writes the file.
    pub fn write(&self) -> anyhow::Result<()> {
        let bytes = serde_json::to_vec_pretty(&self.stored)?;
        super::write(&self.folder.join(FILE), &bytes)
    }
}

impl Cache for Stamps {
    fn reusable(
        &self,
        source: &Source,
        module: &str,
        key_of: &dyn Fn(&str) -> Option<u32>,
    ) -> Option<Vec<u8>> {
        let entry = self.stored.modules.get(module)?;
        let same = entry.with == self.with
            && entry.source == source_sum(source)
            && entry.imports.iter().all(|(name, key)| key_of(name) == Some(*key));
        if !same {
            return None;
        }
        let mut symbols = Vec::new();
        for (name, expected) in &entry.files {
            let bytes = std::fs::read(self.folder.join(name)).ok()?;
            if sum(&[&bytes]) != *expected {
                return None;
            }
            if name.ends_with(".smb") {
                symbols = bytes;
            }
        }
        Some(symbols)
    }
}
