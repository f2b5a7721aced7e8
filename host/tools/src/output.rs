//! What goes to stdout: tables for people, JSON and YAML for programs, names for shells.

use std::io::{ErrorKind, Write};

use serde_json::{Map, Value, json};

use crate::code;
use crate::failure::{Failure, Outcome};
use crate::flags::Format;

/// Name and version of the form of everything that is printed as JSON.
pub const SCHEMA: &str = "kube/v1";

/// Prints results in the format asked for.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    format: Format,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Name: the head of the column, and in small letters the field of an object.
    pub name: &'static str,
    /// Whether only `-o wide` shows it.
    pub wide: bool,
}

impl Column {
    /// A column that is always shown.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, wide: false }
    }

    /// A column for wide screens.
    #[must_use]
    pub const fn wide(name: &'static str) -> Self {
        Self { name, wide: true }
    }

    fn field(&self) -> String {
        self.name.to_lowercase().replace([' ', '-'], "_")
    }
}

impl Output {
    /// In this format.
    #[must_use]
    pub const fn new(format: Format) -> Self {
        Self { format }
    }

    /// The format asked for.
    #[must_use]
    pub const fn format(self) -> Format {
        self.format
    }

    /// Whether a program reads along: JSON or YAML.
    #[must_use]
    pub const fn structured(self) -> bool {
        matches!(self.format, Format::Json | Format::Yaml)
    }

    /// Prints a line.
    ///
    /// # Errors
    /// `kube::io`; a reader that has gone is no error.
    pub fn line(self, line: &str) -> Outcome {
        self.bytes(format!("{line}\n").as_bytes())
    }

    /// Prints bytes as they are.
    ///
    /// # Errors
    /// `kube::io`; a reader that has gone is no error.
    pub fn bytes(self, bytes: &[u8]) -> Outcome {
        let mut stdout = std::io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            // Whoever closes the pipe has what they wanted.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
            Err(error) => {
                Err(Failure::new(&code::IO, "standard output cannot be written").cause(error))
            }
            Ok(()) => Ok(()),
        }
    }

    /// Prints an object, with `schema` and `kind` in front; in a format for people nothing.
    ///
    /// # Errors
    /// `kube::io`.
    pub fn object(self, kind: &str, fields: Value) -> Outcome {
        let mut object = Map::new();
        object.insert("schema".into(), json!(SCHEMA));
        object.insert("kind".into(), json!(kind));
        if let Value::Object(fields) = fields {
            object.extend(fields);
        }
        match self.format {
            Format::Json => self.line(&Value::Object(object).to_string()),
            Format::Yaml => self.bytes(yaml(&Value::Object(object), 0).as_bytes()),
            _ => Ok(()),
        }
    }

    /// Prints rows: a table, an object with `items`, or the first column.
    ///
    /// # Errors
    /// `kube::io`.
    pub fn rows(self, kind: &str, columns: &[Column], rows: &[Vec<Value>]) -> Outcome {
        match self.format {
            Format::Name => rows.iter().try_for_each(|row| self.line(&plain(&row[0]))),
            Format::Json | Format::Yaml => {
                let item = |row: &Vec<Value>| -> Value {
                    let fields = columns.iter().zip(row);
                    Value::Object(fields.map(|(c, value)| (c.field(), value.clone())).collect())
                };
                let items: Vec<_> = rows.iter().map(item).collect();
                self.object(kind, json!({ "items": items }))
            }
            Format::Text | Format::Wide => {
                let shown = |column: &Column| self.format == Format::Wide || !column.wide;
                let mut table = comfy_table::Table::new();
                table.load_style(comfy_table::presets::NOTHING);
                let heads = columns.iter().filter(|c| shown(c)).map(|c| c.name.to_uppercase());
                table.set_header(heads);
                for row in rows {
                    let cells = columns.iter().zip(row).filter(|(column, _)| shown(column));
                    table.add_row(cells.map(|(_, value)| plain(value)));
                }
                let text = table.to_string();
                text.lines().try_for_each(|line| self.line(&fitting(line.trim())))
            }
        }
    }
}

/// A line as it fits the terminal; elsewhere whole. A table that wraps is no table any more.
fn fitting(line: &str) -> std::borrow::Cow<'_, str> {
    let terminal = console::Term::stdout();
    if !terminal.is_term() {
        return line.into();
    }
    console::truncate_str(line, usize::from(terminal.size().1).max(20), "…")
}

/// A value in a cell of a table.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A value as YAML; texts are quoted as in JSON, which YAML allows.
fn yaml(value: &Value, depth: usize) -> String {
    let pad = "  ".repeat(depth);
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let field = |(name, value): (&String, &Value)| match value {
                Value::Object(inner) if !inner.is_empty() => {
                    format!("{pad}{name}:\n{}", yaml(value, depth + 1))
                }
                Value::Array(items) if !items.is_empty() => {
                    format!("{pad}{name}:\n{}", yaml(value, depth + 1))
                }
                _ => format!("{pad}{name}: {value}\n"),
            };
            fields.iter().map(field).collect()
        }
        Value::Array(items) if !items.is_empty() => {
            let item = |value: &Value| match value {
                Value::Object(_) | Value::Array(_) => {
                    let inner = yaml(value, depth + 1);
                    format!("{pad}- {}", inner.trim_start())
                }
                _ => format!("{pad}- {value}\n"),
            };
            items.iter().map(item).collect()
        }
        _ => format!("{pad}{value}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_nests() {
        let value = json!({ "a": 1, "b": [{ "c": "x: y", "d": null }], "e": [] });
        let text = "a: 1\nb:\n  - c: \"x: y\"\n    d: null\ne: []\n";
        assert_eq!(yaml(&value, 0), text);
    }
}
