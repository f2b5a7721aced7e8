//! What a build says, to people or, one JSON object a line, to programs.
//!
//! Schema `obc-message/v1`; `kind` says which fields an object has. Positions count bytes: `line` and
//! `column` from 1, `start` and `end` from 0.
//!
//! | kind | fields |
//! |---|---|
//! | diagnostic | level, file, line, column, start, end, message, help (or null), text (the line) |
//! | module | name, key, compiled (false if an earlier result holds), code_bytes, data_bytes |
//! | finished | ok, errors, compiled, reused |

use anyhow::Result;
use obc::Diagnostic;
use obc::object::ObjectFile;
use serde_json::{Value, json};

use crate::MessageFormat;

/// Name of the schema.
const SCHEMA: &str = "obc-message/v1";

/// Says what happens.
pub struct Messages {
    format: MessageFormat,
    quiet: bool,
}

impl Messages {
    pub fn new(format: MessageFormat, quiet: bool) -> Self {
        Self { format, quiet }
    }

    fn json(&self, kind: &str, mut fields: Value) -> Result<()> {
        fields["schema"] = SCHEMA.into();
        fields["kind"] = kind.into();
        super::put(&format!("{fields}\n"))
    }

    pub fn diagnostics(&self, found: &[Diagnostic]) -> Result<()> {
        for d in found {
            match self.format {
                MessageFormat::Human => super::say(&format!("{d}\n")),
                MessageFormat::Json => self.json(
                    "diagnostic",
                    json!({
                        "level": "error",
                        "file": d.file,
                        "line": d.line,
                        "column": d.column,
                        "start": d.span.start,
                        "end": d.span.end,
                        "message": d.message,
                        "help": d.help,
                        "text": d.source_line,
                    }),
                )?,
            }
        }
        Ok(())
    }

    pub fn module(&self, object: &ObjectFile, compiled: bool) -> Result<()> {
        let (code, data) = (4 * object.code.len(), object.data_bytes());
        match self.format {
            MessageFormat::Json => self.json(
                "module",
                json!({
                    "name": object.name,
                    "key": format!("{:08X}", object.key),
                    "compiled": compiled,
                    "code_bytes": code,
                    "data_bytes": data,
                }),
            ),
            MessageFormat::Human => {
                if !self.quiet && compiled {
                    super::say(&format!(
                        "compiled {}: {code} code bytes, {data} data bytes, key {:08X}",
                        object.name, object.key
                    ));
                }
                Ok(())
            }
        }
    }

    /// The closing word.
    pub fn finished(
        &self,
        verb: &str,
        errors: usize,
        compiled: usize,
        reused: usize,
    ) -> Result<()> {
        match self.format {
            MessageFormat::Json => self.json(
                "finished",
                json!({
                    "ok": errors == 0,
                    "errors": errors,
                    "compiled": compiled,
                    "reused": reused,
                }),
            )?,
            MessageFormat::Human if errors > 0 => {
                let s = if errors == 1 { "" } else { "s" };
                super::say(&format!("error: {errors} error{s}, nothing was written"));
            }
            MessageFormat::Human if !self.quiet => {
                let unchanged =
                    if reused > 0 { format!(", {reused} unchanged") } else { String::new() };
                super::say(&format!("{verb} {compiled} modules{unchanged}"));
            }
            MessageFormat::Human => {}
        }
        Ok(())
    }
}
