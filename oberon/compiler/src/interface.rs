//! A module's interface as text, from its symbol file.
//!
//! Symbol files hold no names of parameters, so a heading lists their types only. A hidden pointer
//! field of a record, which a collector must know, is shown as a comment.

use std::fmt::Write as _;

use crate::symbols::{self, Imported, ImportedKind, ImportedModule, SymbolError};
use crate::types::{Form, Param, TypeId, Types};
use crate::{NoSymbols, SymbolSource};

/// The interface of the module whose symbol file is given.
///
/// # Errors
///
/// [`SymbolError`] if the file is damaged.
pub fn text(module: &str, file: &[u8]) -> Result<String, SymbolError> {
    text_with(module, file, &NoSymbols)
}

fn text_with(module: &str, file: &[u8], symbols: &dyn SymbolSource) -> Result<String, SymbolError> {
    let mut types = Types::default();
    let mut modules = Vec::new();
    let index = symbols::read(module, file, &mut types, &mut modules, symbols)?;
    let view = View { types: &types, modules: &modules, own: index as u8 + 1 };
    let this = &modules[index];
    let mut out = format!("DEFINITION {module};  (*key {:08X}*)\n", this.key);
    let others: Vec<String> = modules
        .iter()
        .enumerate()
        .filter(|(i, _)| *i != index)
        .map(|(_, m)| format!("{} (*{:08X}*)", m.name, m.key))
        .collect();
    if !others.is_empty() {
        let _ = write!(out, "\n  IMPORT {};\n", others.join(", "));
    }
    let constants = |o: &&Imported| matches!(o.kind, ImportedKind::Constant(_));
    let variables = |o: &&Imported| matches!(o.kind, ImportedKind::Variable(_));
    let types_of = |o: &&Imported| o.kind == ImportedKind::Type;
    section(&mut out, "CONST", this.objects.iter().filter(constants), |o| view.constant(o));
    section(&mut out, "TYPE", this.objects.iter().filter(types_of), |o| {
        format!("{} = {}", o.name, view.described(o))
    });
    section(&mut out, "VAR", this.objects.iter().filter(variables), |o| {
        format!("{}: {}", o.name, view.named(o.ty))
    });
    for object in &this.objects {
        if let (ImportedKind::Procedure(_), Form::Procedure { params, result }) =
            (object.kind, types.form(object.ty))
        {
            let heading = view.signature(params, *result);
            let _ = write!(out, "\n  PROCEDURE {}{heading};", object.name);
        }
    }
    let ends = if out.ends_with('\n') { "" } else { "\n" };
    let _ = write!(out, "{ends}\nEND {module}.\n");
    Ok(out)
}

fn section<'a>(
    out: &mut String,
    title: &str,
    objects: impl Iterator<Item = &'a Imported>,
    show: impl Fn(&Imported) -> String,
) {
    let lines: Vec<String> = objects.map(|o| format!("    {};\n", show(o))).collect();
    if !lines.is_empty() {
        let _ = write!(out, "\n  {title}\n{}", lines.concat());
    }
}

struct View<'a> {
    types: &'a Types,
    modules: &'a [ImportedModule],
    own: u8,
}

impl View<'_> {
    fn constant(&self, object: &Imported) -> String {
        let ImportedKind::Constant(bits) = object.kind else {
            return String::new();
        };
        let value = match self.types.form(object.ty) {
            Form::Real => format!("{:?}", f32::from_bits(bits as u32)),
            Form::Boolean => if bits == 0 { "FALSE" } else { "TRUE" }.to_string(),
            Form::Char => match u8::try_from(bits) {
                Ok(code @ b' '..=b'~') if code != b'"' => format!("\"{}\"", char::from(code)),
                _ => format!("0{bits:02X}X"),
            },
            Form::Set => set(bits as u32),
            Form::String => object.text.as_ref().map_or_else(
                || "a string (*its text is not in the file*)".to_string(),
                |text| string(&text.bytes, text.length),
            ),
            _ => bits.to_string(),
        };
        format!("{} = {value}", object.name)
    }

    /// A type by its name, or described where it has none.
    fn named(&self, ty: TypeId) -> String {
        let entry = self.types.get(ty);
        match &entry.name {
            Some(name) if entry.module == 0 || entry.module == self.own => name.to_string(),
            Some(name) => {
                let module = self.modules.get(usize::from(entry.module) - 1);
                format!("{}.{name}", module.map_or("?", |m| m.name.as_str()))
            }
            None => self.form(ty),
        }
    }

    /// What a declared type stands for.
    fn described(&self, object: &Imported) -> String {
        let ty = self.types.get(object.ty);
        let own = ty.module == self.own && ty.name.as_ref() == Some(&object.name);
        if own { self.form(object.ty) } else { self.named(object.ty) }
    }

    fn form(&self, ty: TypeId) -> String {
        match self.types.form(ty) {
            Form::Pointer(base) => format!("POINTER TO {}", self.named(*base)),
            Form::Array { element, length: None } => format!("ARRAY OF {}", self.named(*element)),
            Form::Array { element, length: Some(n) } => {
                format!("ARRAY {n} OF {}", self.named(*element))
            }
            Form::Procedure { params, result } => {
                format!("PROCEDURE {}", self.signature(params, *result))
            }
            Form::Record(record) => {
                let base = record.base.map(|b| format!(" ({})", self.named(b))).unwrap_or_default();
                let fields: Vec<String> = record
                    .fields
                    .iter()
                    .map(|f| match f.name.as_str() {
                        "" => format!("(*hidden pointer at {}*)", f.offset),
                        name => format!("{name}: {}", self.named(f.ty)),
                    })
                    .collect();
                format!("RECORD{base} {} END  (*{} bytes*)", fields.join("; "), self.types.size(ty))
            }
            _ => self.types.describe(ty),
        }
    }

    fn signature(&self, params: &[Param], result: TypeId) -> String {
        let list: Vec<String> = params
            .iter()
            .map(|p| {
                let var = if p.by_reference && !p.read_only { "VAR " } else { "" };
                format!("{var}{}", self.named(p.ty))
            })
            .collect();
        let list = list.join("; ");
        match result {
            TypeId::NONE if params.is_empty() => String::new(),
            TypeId::NONE => format!("({list})"),
            result => format!("({list}): {}", self.named(result)),
        }
    }
}

fn string(bytes: &[u8], length: u32) -> String {
    let counted = &bytes[..bytes.len().min(length as usize)];
    match counted.split_last() {
        Some((0, text)) if text.iter().all(|b| matches!(b, b' '..=b'~') && *b != b'"') => {
            format!("\"{}\"", String::from_utf8_lossy(text))
        }
        _ => {
            let digits: Vec<String> = counted.iter().map(|b| format!("{b:02X}")).collect();
            format!("${}$", digits.join(" "))
        }
    }
}

fn set(bits: u32) -> String {
    let elements: Vec<String> =
        (0..32).filter(|n| bits >> n & 1 == 1).map(|n| n.to_string()).collect();
    format!("{{{}}}", elements.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, project};

    #[test]
    fn an_interface_reads_like_a_definition() {
        let sources = [
            Source::new(
                "A.Mod",
                "MODULE A; CONST n* = 3; r* = 1.5; c* = \"q\"; s* = {1, 4}; \
                 TYPE P* = POINTER TO R; R* = RECORD x*: INTEGER; h: P END; \
                 VAR v*: ARRAY 4 OF CHAR; PROCEDURE F*(VAR r: R; a: ARRAY OF CHAR): INTEGER; \
                 RETURN 1 END F; PROCEDURE Q*; END Q; END A.",
            ),
            Source::new("B.Mod", "MODULE B; IMPORT A; TYPE E* = RECORD (A.R) y*: A.P END; END B."),
        ];
        let built = project::build(&sources).unwrap();
        let a = text("A", &built[0].symbol_file).unwrap();
        for part in [
            "DEFINITION A;  (*key ",
            "n = 3;",
            "r = 1.5;",
            "c = \"q\";",
            "s = {1, 4};",
            "P = POINTER TO R;",
            "R = RECORD x: INTEGER; (*hidden pointer at 4*) END  (*8 bytes*);",
            "v: ARRAY 4 OF CHAR;",
            "PROCEDURE F(VAR R; ARRAY OF CHAR): INTEGER;",
            "PROCEDURE Q;",
            "\nEND A.\n",
        ] {
            assert!(a.contains(part), "{part} in\n{a}");
        }
        let b = text("B", &built[1].symbol_file).unwrap();
        assert!(b.contains("E = RECORD (A.R) y: A.P END"), "{b}");
    }

    #[test]
    fn a_damaged_file_is_refused() {
        assert!(text("A", b"").is_err());
        assert!(text("A", &[0; 40]).is_err());
    }
}
