//! Position tables and the sources they name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use obc::positions::{Table, TableError, text_sum};

/// Why tables could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// A folder or file cannot be read.
    #[error("cannot read {path}: {cause}; name a folder that obc build wrote to")]
    Read {
        /// Its path.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// A table is damaged.
    #[error("{path}: {cause}")]
    Table {
        /// Its path.
        path: PathBuf,
        /// Why.
        cause: TableError,
    },
}

/// Tables by module, with source lines where the source could be found and is the one compiled.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    tables: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    table: Table,
    lines: Vec<String>,
}

impl Tables {
    /// Adds a table; `source` is the text that it was made from.
    pub fn add(&mut self, table: Table, source: Option<&str>) {
        let text = source.filter(|text| text_sum(text) == table.source_sum).unwrap_or_default();
        let lines = text.replace("\r\n", "\n").replace('\r', "\n");
        let lines = lines.split('\n').map(str::to_string).collect();
        self.tables.insert(table.module.clone(), Entry { table, lines });
    }

    /// Adds every `.pos` file of a folder, with the sources that they name.
    ///
    /// # Errors
    ///
    /// [`TablesError`].
    pub fn add_folder(&mut self, folder: &Path) -> Result<(), TablesError> {
        let read = |cause| TablesError::Read { path: folder.to_path_buf(), cause };
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
            .map_err(read)?
            .filter_map(|entry| entry.ok().map(|e| e.path()))
            .filter(|path| path.extension().is_some_and(|e| e == "pos"))
            .collect();
        paths.sort();
        for path in paths {
            let bytes = std::fs::read(&path)
                .map_err(|cause| TablesError::Read { path: path.clone(), cause })?;
            let table = Table::parse(&String::from_utf8_lossy(&bytes))
                .map_err(|cause| TablesError::Table { path, cause })?;
            let source = std::fs::read(&table.source).ok();
            let source = source.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            self.add(table, source.as_deref());
        }
        Ok(())
    }

    /// The table of a module.
    #[must_use]
    pub fn get(&self, module: &str) -> Option<&Table> {
        self.tables.get(module).map(|e| &e.table)
    }

    /// All tables, by name of their modules.
    pub fn iter(&self) -> impl Iterator<Item = &Table> {
        self.tables.values().map(|e| &e.table)
    }

    /// A source line, counted from 1, if the source is at hand.
    #[must_use]
    pub fn line(&self, module: &str, line: u32) -> Option<&str> {
        let lines = &self.tables.get(module)?.lines;
        lines.get((line as usize).checked_sub(1)?).map(|l| l.trim_end())
    }

    /// The table whose source file has this name, with or without its folders.
    #[must_use]
    pub fn of_file(&self, file: &str) -> Option<&Table> {
        let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_string();
        self.iter()
            .find(|t| t.source == file)
            .or_else(|| self.iter().find(|t| name(&t.source) == file || t.module == file))
    }
}
