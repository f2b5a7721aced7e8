//! Reads symbol files into the table of types. Files come from outside: nothing in them is
//! believed.

mod cursor;

use crate::syntax::Name;
use crate::types::{Field, Form, Param, Record, Type, TypeId, Types};
use crate::{NoSymbols, SymbolSource};

use super::{
    CLASS_CONST, CLASS_FIELD, CLASS_REFERENCE, CLASS_TYPE, CLASS_VAR, FORM_ARRAY, FORM_POINTER,
    FORM_PROCEDURE, FORM_RECORD, MAX_EXPORTS, MAX_MODULES, SymbolError, VERSION,
    VERSION_WITH_TEXTS,
};

use cursor::Cursor;

/// Largest size that is believed: the whole memory.
const MAX_SIZE: i32 = 0x10_0000;
/// Bytes of a string constant: hexadecimal ones hold tables.
const MAX_TEXT: i32 = 4096;
/// Types nested in types.
const MAX_DEPTH: u32 = 60;
/// Types of one file, so that a small file cannot ask for much.
const MAX_TYPES: usize = 20_000;

/// A module in sight of the one being compiled.
#[derive(Clone, Debug)]
pub struct ImportedModule {
    /// Its own name.
    pub name: String,
    /// Key of its symbol file.
    pub key: u32,
    /// Named in the import list of the text; otherwise only some of its types are known.
    pub direct: bool,
    /// What it exports, as far as known.
    pub objects: Vec<Imported>,
    /// Export numbers of its types, from its own file, once another file has asked for one.
    entries: Option<Vec<(Name, u32)>>,
}

/// An object of an imported module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: TypeId,
    /// What it is.
    pub kind: ImportedKind,
    /// Text of a string constant, if the file holds it.
    pub text: Option<Text>,
}

/// The text of a string constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Its bytes, with the closing 0.
    pub bytes: Vec<u8>,
    /// How many bytes the language counts, the closing 0 included if it is implied.
    pub length: u32,
}

/// What an imported object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportedKind {
    /// A constant: bits of a scalar. For a string the file holds no text.
    Constant(i32),
    /// A type.
    Type,
    /// A variable with its export number.
    Variable(u8),
    /// A procedure with its export number.
    Procedure(u8),
}

struct Reader<'a> {
    module: &'a str,
    cursor: Cursor<'a>,
    number: u8,
    table: Vec<Option<TypeId>>,
    types: &'a mut Types,
    modules: &'a mut Vec<ImportedModule>,
    symbols: &'a dyn SymbolSource,
    depth: u32,
    first_type: usize,
    /// The file holds the texts of string constants.
    with_texts: bool,
}

/// Reads the symbol file `bytes` of `module` for a direct import, and adds it, and whatever
/// other modules it refers to, to `modules`. The result is the index in `modules`.
///
/// # Errors
///
/// [`SymbolError`] if the file makes no sense, disagrees with what is known of the modules it
/// refers to, or is one too many.
pub fn read(
    module: &str,
    bytes: &[u8],
    types: &mut Types,
    modules: &mut Vec<ImportedModule>,
    symbols: &dyn SymbolSource,
) -> Result<usize, SymbolError> {
    let mut header = Cursor::new(module, bytes);
    header.word()?;
    let key = header.word()?;
    if header.string()? != module {
        return Err(header.damaged("it holds the name of another module"));
    }
    let version = header.byte()?;
    if version != VERSION && version != VERSION_WITH_TEXTS {
        return Err(header.damaged("unknown version"));
    }
    let index = enter(module, key, module, modules)?;
    let known: Vec<Imported> = std::mem::take(&mut modules[index].objects);
    let first_type = types.types.len();
    let mut reader = Reader {
        module,
        cursor: header,
        number: index as u8 + 1,
        table: vec![None; 256],
        types,
        modules,
        symbols,
        depth: 0,
        first_type,
        with_texts: version == VERSION_WITH_TEXTS,
    };
    let objects = reader.objects()?;
    // Types of this module that were met before through others are the same types.
    for old in &known {
        if let Some(new) =
            objects.iter().find(|o| o.name == old.name && o.kind == ImportedKind::Type)
        {
            replace(types, modules, old.ty, new.ty);
        }
    }
    modules[index].objects = objects;
    modules[index].direct = true;
    Ok(index)
}

/// Finds or adds a module, on behalf of the file of `reader`.
fn enter(
    name: &str,
    key: u32,
    reader: &str,
    modules: &mut Vec<ImportedModule>,
) -> Result<usize, SymbolError> {
    if let Some(index) = modules.iter().position(|m| m.name == name) {
        let found = modules[index].key;
        if found != key {
            return Err(SymbolError::Key {
                module: reader.into(),
                origin: name.into(),
                expected: key,
                found,
            });
        }
        return Ok(index);
    }
    if modules.len() >= MAX_MODULES {
        return Err(SymbolError::TooManyModules { module: name.into() });
    }
    modules.push(ImportedModule {
        name: name.into(),
        key,
        direct: false,
        objects: Vec::new(),
        entries: None,
    });
    Ok(modules.len() - 1)
}

fn replace(types: &mut Types, modules: &mut [ImportedModule], old: TypeId, new: TypeId) {
    let swap = |id: &mut TypeId| {
        if *id == old {
            *id = new;
        }
    };
    for ty in &mut types.types {
        match &mut ty.form {
            Form::Pointer(base) => swap(base),
            Form::Array { element, .. } => swap(element),
            Form::Procedure { params, result } => {
                swap(result);
                params.iter_mut().for_each(|p| swap(&mut p.ty));
            }
            Form::Record(record) => {
                record.base.iter_mut().for_each(swap);
                record.fields.iter_mut().for_each(|f| swap(&mut f.ty));
            }
            _ => {}
        }
    }
    for module in modules {
        module.objects.iter_mut().for_each(|o| swap(&mut o.ty));
    }
}

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8, SymbolError> {
        self.cursor.byte()
    }

    fn string(&mut self) -> Result<Name, SymbolError> {
        self.cursor.string()
    }

    /// A number in a range.
    fn bounded(&mut self, low: i32, high: i32, what: &'static str) -> Result<i32, SymbolError> {
        let value = self.cursor.number()?;
        if (low..=high).contains(&value) { Ok(value) } else { Err(self.damaged(what)) }
    }

    fn entry(&mut self) -> Result<u8, SymbolError> {
        let entry = self.bounded(0, MAX_EXPORTS as i32, "export number out of range")?;
        Ok(entry as u8)
    }

    fn damaged(&self, what: &'static str) -> SymbolError {
        self.cursor.damaged(what)
    }

    fn objects(&mut self) -> Result<Vec<Imported>, SymbolError> {
        let mut out = Vec::new();
        loop {
            let class = self.byte()?;
            if class == 0 {
                return Ok(out);
            }
            let name = self.string()?;
            let ty = self.ty()?;
            let kind = match class {
                CLASS_TYPE => {
                    self.name_type(ty, &name)?;
                    ImportedKind::Type
                }
                CLASS_CONST => match self.types.form(ty) {
                    Form::Procedure { .. } => ImportedKind::Procedure(self.entry()?),
                    Form::Real => ImportedKind::Constant(self.cursor.word()? as i32),
                    _ => ImportedKind::Constant(self.cursor.number()?),
                },
                CLASS_VAR => ImportedKind::Variable(self.entry()?),
                _ => return Err(self.damaged("unknown class of object")),
            };
            let constant = matches!(kind, ImportedKind::Constant(_));
            let text = if constant && ty == TypeId::STRING && self.with_texts {
                Some(self.text()?)
            } else {
                None
            };
            out.push(Imported { name, ty, kind, text });
        }
    }

    fn text(&mut self) -> Result<Text, SymbolError> {
        let length = self.bounded(1, MAX_TEXT, "length of a string out of range")? as u32;
        let count = self.bounded(1, MAX_TEXT, "length of a string out of range")?;
        // The bytes are what is counted, with or without a closing 0.
        if (count as u32) < length || count as u32 > length + 1 {
            return Err(self.damaged("length of a string does not fit its bytes"));
        }
        let bytes = (0..count).map(|_| self.byte()).collect::<Result<Vec<u8>, _>>()?;
        Ok(Text { bytes, length })
    }

    /// Ties a type to its name, and to the pointer types met before that point to it.
    fn name_type(&mut self, ty: TypeId, name: &str) -> Result<(), SymbolError> {
        let number = self.number;
        if ty.0 as usize >= self.first_type && self.types.get(ty).module == number {
            let ty = self.types.get_mut(ty);
            ty.name.get_or_insert_with(|| name.into());
        }
        loop {
            let reference = self.byte()?;
            if reference == 0 {
                return Ok(());
            }
            let pointer = self.table[usize::from(reference)]
                .filter(|id| id.0 as usize >= self.first_type)
                .ok_or_else(|| self.damaged("reference to a type that was not described"))?;
            match &mut self.types.get_mut(pointer).form {
                Form::Pointer(base) => *base = ty,
                _ => return Err(self.damaged("a pointer type was expected")),
            }
        }
    }

    fn ty(&mut self) -> Result<TypeId, SymbolError> {
        let reference = self.byte()? as i8;
        if reference < 0 {
            let number = usize::from(reference.unsigned_abs());
            return match number {
                1..=6 | 8 | 9 | 11 => Ok(TypeId(number as u32)),
                _ => self.table[number]
                    .ok_or_else(|| self.damaged("reference to a type that was not described")),
            };
        }
        if self.depth >= MAX_DEPTH || self.types.types.len() - self.first_type >= MAX_TYPES {
            return Err(self.damaged("types are nested too deep or too many"));
        }
        self.depth += 1;
        let result = self.described(reference as usize);
        self.depth -= 1;
        result
    }

    /// A type that others may contain: its size is known already.
    fn complete(&mut self) -> Result<TypeId, SymbolError> {
        let ty = self.ty()?;
        if *self.types.form(ty) == Form::Error {
            return Err(self.damaged("a type contains itself"));
        }
        Ok(ty)
    }

    fn described(&mut self, reference: usize) -> Result<TypeId, SymbolError> {
        let id = self.types.add(Form::Error, 4);
        self.types.get_mut(id).module = self.number;
        // Anonymous types all have number 0 and are never referred to.
        if reference > 0 {
            self.table[reference] = Some(id);
        }
        match self.byte()? {
            FORM_POINTER => {
                // May be referred to by what it points to.
                self.types.set_form(id, Form::Pointer(TypeId::ERROR), 4);
                let base = self.ty()?;
                // The base may have been named meanwhile by its own entry; keep the last word.
                self.types.set_form(id, Form::Pointer(base), 4);
            }
            FORM_ARRAY => {
                let element = self.complete()?;
                let length = self.bounded(-1, MAX_SIZE, "array length out of range")?;
                let size = self.bounded(0, MAX_SIZE, "array size out of range")?;
                let length = u32::try_from(length).ok();
                let bytes = length.map(|n| u64::from(n) * u64::from(self.types.size(element)));
                if bytes.is_some_and(|bytes| bytes.next_multiple_of(4) != size as u64) {
                    return Err(self.damaged("an array's size is not that of its elements"));
                }
                self.types.set_form(id, Form::Array { element, length }, size as u32);
            }
            FORM_RECORD => self.record(id)?,
            FORM_PROCEDURE => {
                let empty = Form::Procedure { params: Vec::new(), result: TypeId::NONE };
                self.types.set_form(id, empty, 4);
                let result = self.ty()?;
                let params = self.params()?;
                self.types.set_form(id, Form::Procedure { params, result }, 4);
            }
            _ => return Err(self.damaged("unknown form of type")),
        }
        let origin = self.string()?;
        if origin.is_empty() {
            return Ok(id);
        }
        let known = self.foreign(id, &origin)?;
        if reference > 0 {
            self.table[reference] = Some(known);
        }
        Ok(known)
    }

    fn record(&mut self, id: TypeId) -> Result<(), SymbolError> {
        let base = match self.complete()? {
            TypeId::NONE => None,
            base => Some(base),
        };
        let entry = self.entry()?;
        let level = self.bounded(0, 3, "extension level out of range")? as u32;
        let expected = match base.map(|b| self.types.record(b)) {
            None => 0,
            Some(Some(record)) => record.level + 1,
            Some(None) => return Err(self.damaged("a record extends something else")),
        };
        if level != expected {
            return Err(self.damaged("extension level does not fit the extended type"));
        }
        let size = self.bounded(0, MAX_SIZE, "record size out of range")? as u32;
        if !size.is_multiple_of(4) {
            return Err(self.damaged("a record's size is no multiple of 4"));
        }
        let mut fields = Vec::new();
        loop {
            match self.byte()? {
                0 => break,
                CLASS_FIELD => {}
                _ => return Err(self.damaged("a field was expected")),
            }
            let name = self.string()?;
            let exported = !name.is_empty();
            let ty = if exported { self.complete()? } else { TypeId::NIL };
            let offset = self.bounded(0, MAX_SIZE, "field offset out of range")? as u32;
            let field_size = self.types.size(ty);
            if field_size > 1 && !offset.is_multiple_of(4) {
                return Err(self.damaged("a field does not begin at a multiple of 4"));
            }
            if u64::from(offset) + u64::from(field_size) > u64::from(size) {
                return Err(self.damaged("a field lies outside of its record"));
            }
            fields.push(Field { name, exported, ty, offset });
        }
        // Files list fields from the last to the first.
        fields.reverse();
        let record = Record { base, level, fields, descriptor: None };
        self.types.set_form(id, Form::Record(record), size);
        self.types.get_mut(id).entry = u32::from(entry);
        Ok(())
    }

    fn params(&mut self) -> Result<Vec<Param>, SymbolError> {
        let mut params = Vec::new();
        loop {
            let class = self.byte()?;
            if class == 0 {
                break;
            }
            if class != CLASS_VAR && class != CLASS_REFERENCE {
                return Err(self.damaged("a parameter was expected"));
            }
            let read_only = self.byte()? != 0;
            let ty = self.ty()?;
            params.push(Param { ty, by_reference: class == CLASS_REFERENCE, read_only });
            if params.len() > 64 {
                return Err(self.damaged("a procedure has more than 64 parameters"));
            }
        }
        params.reverse();
        Ok(params)
    }

    /// A type of a third module, shown by this one.
    fn foreign(&mut self, id: TypeId, origin: &str) -> Result<TypeId, SymbolError> {
        let key = self.cursor.word()?;
        let name = self.string()?;
        if name.is_empty() {
            return Err(self.damaged("type of another module without name"));
        }
        let index = enter(origin, key, self.module, self.modules)?;
        if index + 1 == usize::from(self.number) {
            return Err(self.damaged("a module imports itself"));
        }
        let known = self.modules[index]
            .objects
            .iter()
            .find(|o| o.name == name && o.kind == ImportedKind::Type);
        if let Some(known) = known {
            return Ok(known.ty);
        }
        if self.modules[index].entries.is_none() {
            self.modules[index].entries = Some(self.foreign_entries(origin, key));
        }
        let mut entries = self.modules[index].entries.iter().flatten();
        let entry = entries.find(|(n, _)| *n == name).map_or(0, |(_, entry)| *entry);
        let ty: &mut Type = self.types.get_mut(id);
        ty.module = index as u8 + 1;
        ty.entry = entry;
        ty.name = Some(name.clone());
        let object = Imported { name, ty: id, kind: ImportedKind::Type, text: None };
        self.modules[index].objects.push(object);
        Ok(id)
    }

    /// The export numbers that types have in their own module. Files that show a type of a third
    /// module do not hold them; the third module's file does.
    fn foreign_entries(&self, origin: &str, key: u32) -> Vec<(Name, u32)> {
        let Some(bytes) = self.symbols.symbol_file(origin) else {
            return Vec::new();
        };
        let mut types = Types::default();
        let mut modules = Vec::new();
        let Ok(index) = read(origin, &bytes, &mut types, &mut modules, &NoSymbols) else {
            return Vec::new();
        };
        if modules[index].key != key {
            return Vec::new();
        }
        let objects = std::mem::take(&mut modules[index].objects).into_iter();
        let named = objects.filter(|o| o.kind == ImportedKind::Type);
        named.map(|o| (o.name, types.get(o.ty).entry)).collect()
    }
}
