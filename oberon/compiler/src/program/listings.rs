//! `obc dis`, `obc sym` and `obc size`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use obc::SymbolSource as _;
use obc::interface;
use obc::listing::{Annotated, Listing};
use obc::object::ObjectFile;
use obc::positions::{Table, text_sum};
use obc::sizes::{self, Sizes};
use serde_json::json;

use super::places::Places;
use super::{put, read, read_object, say};

/// The position table beside an object file, if there is one and it belongs to it.
fn table_of(file: &Path, object: &ObjectFile) -> Result<Option<Table>> {
    let path = file.with_extension("pos");
    if !path.exists() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&read(&path)?).into_owned();
    let table = Table::parse(&text).with_context(|| path.display().to_string())?;
    if table.module == object.name
        && table.key == object.key
        && table.words as usize == object.code.len()
    {
        return Ok(Some(table));
    }
    say(&format!("warning: {} belongs to another object file", path.display()));
    Ok(None)
}

/// Shows an object file.
pub fn disassemble(file: &Path, with_source: bool) -> Result<ExitCode> {
    let object = read_object(file)?;
    let table = if with_source { table_of(file, &object)? } else { None };
    let Some(table) = table else {
        put(&Listing(&object).to_string())?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut source = String::new();
    match std::fs::read(&table.source) {
        Ok(bytes) => {
            source = String::from_utf8_lossy(&bytes).into_owned();
            if text_sum(&source) != table.source_sum {
                say(&format!(
                    "warning: {} has changed since {} was compiled",
                    table.source,
                    file.display()
                ));
            }
        }
        Err(error) => say(&format!("warning: cannot read the source {}: {error}", table.source)),
    }
    put(&Annotated { object: &object, table: &table, source: &source }.to_string())?;
    Ok(ExitCode::SUCCESS)
}

/// Shows interfaces.
pub fn interfaces(modules: &[PathBuf], symbols: &[PathBuf]) -> Result<ExitCode> {
    let places = Places::open(symbols)?;
    for module in modules {
        let name = module.file_stem().map(|s| s.to_string_lossy().into_owned());
        let name = name.with_context(|| format!("{} names no module", module.display()))?;
        let is_file = module.extension().is_some_and(|e| e == "smb");
        let bytes = if is_file {
            read(module)?
        } else if symbols.is_empty() {
            bail!(
                "{} is no .smb file: name one, or say with --symbols where {name}.smb is",
                module.display()
            );
        } else {
            let found = places.symbol_file(&name);
            found.with_context(|| format!("there is no {name}.smb where --symbols looks"))?
        };
        put(&interface::text(&name, &bytes)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows bytes per procedure.
pub fn sizes(files: &[PathBuf], as_json: bool) -> Result<ExitCode> {
    for file in files {
        let object = read_object(file)?;
        let table = table_of(file, &object)?;
        let symbols = std::fs::read(file.with_extension("smb")).ok();
        let sizes = sizes::measure(&object, table.as_ref(), symbols.as_deref());
        if as_json {
            put(&format!("{}\n", json_of(&sizes)))?;
        } else {
            put(&sizes.to_string())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn json_of(sizes: &Sizes) -> serde_json::Value {
    let procedures: Vec<_> = sizes
        .procedures
        .iter()
        .map(|(name, bytes)| json!({ "name": name, "bytes": bytes }))
        .collect();
    json!({
        "schema": "obc-size/v1",
        "module": sizes.module,
        "total_bytes": sizes.total,
        "code_bytes": sizes.code,
        "variable_bytes": sizes.variables,
        "string_bytes": sizes.strings,
        "descriptor_bytes": sizes.descriptors,
        "table_bytes": sizes.tables,
        "procedures": procedures,
    })
}
