//! Object files (`.rsc`): the form in which a compiled module reaches the loader and the boot
//! linker.
//!
//! The layout is the one of Project Oberon 2013 (compiler of 8.3.2020), so genuine files parse
//! here and files written here load there:
//!
//! | part | form |
//! |---|---|
//! | name, key, version | string, word, byte (1; 0 for a standalone `MODULE*`) |
//! | size | word: bytes the loaded module occupies behind its descriptor |
//! | imports | { string, key word } and a 0 byte |
//! | type descriptors | byte count word, words |
//! | variables | byte count word |
//! | strings | byte count word, bytes |
//! | code | word count, words |
//! | commands | { string, code offset word } and a 0 byte |
//! | entries | count, words; entry 0 is the body |
//! | pointers | { data offset word } and the word -1 |
//! | fix-up chains | three word indexes: calls, data bases, descriptors |
//! | body, marker | code offset word, byte `O` |
//!
//! Words are little-endian, strings end with a 0 byte.

mod reader;

use reader::Reader;

/// Largest module part that is believed, in bytes: module space ends where the heap begins.
pub const MAX_PART_BYTES: u32 = 0x8_0000;

/// Longest name that the loader can hold, in characters.
pub const MAX_NAME: usize = 31;

/// Last byte of every object file.
const END_MARKER: u8 = b'O';

/// A compiled module, field by field as the file holds it.
///
/// # Examples
///
/// ```
/// use obc::object::ObjectFile;
///
/// let module = ObjectFile {
///     name: "Tiny".to_string(),
///     code: vec![0xC700_000F],
///     entries: vec![0],
///     ..ObjectFile::default()
/// };
/// let bytes = module.to_bytes();
/// assert_eq!(ObjectFile::parse(&bytes)?, module);
/// # Ok::<(), obc::object::ObjectError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectFile {
    /// Module name.
    pub name: String,
    /// Key of the symbol file that this module was compiled with.
    pub key: u32,
    /// 1 for a module that is loaded by name, 0 for a standalone one.
    pub version: u8,
    /// Imported modules in the order of their numbers (1, 2, ...), each with the key it was
    /// compiled against. Indirect imports are included, `SYSTEM` is not.
    pub imports: Vec<(String, u32)>,
    /// Type descriptors, in words; they open the module's data.
    pub type_descriptors: Vec<u32>,
    /// Bytes of global variables behind the descriptors, a multiple of 4.
    pub variable_bytes: u32,
    /// String constants behind the variables, a multiple of 4 bytes.
    pub strings: Vec<u8>,
    /// Instructions.
    pub code: Vec<u32>,
    /// Exported commands with their byte offsets in the code.
    pub commands: Vec<(String, u32)>,
    /// Entry table: 0 is the body, then one offset for each exported object (procedure: bytes
    /// into the code; variable and record type: bytes into the data).
    pub entries: Vec<u32>,
    /// Byte offsets of all pointer variables in the data: the roots of garbage collection.
    pub pointers: Vec<u32>,
    /// Word index in the code of the last imported call; 0 if there is none.
    pub fix_p: u32,
    /// Word index in the code of the last load of a data base; 0 if there is none.
    pub fix_d: u32,
    /// Word index in the data of the last descriptor address; 0 if there is none.
    pub fix_t: u32,
    /// Byte offset of the module body in the code.
    pub body: u32,
}

impl Default for ObjectFile {
    /// An empty module of version 1 without name, code or entries.
    fn default() -> Self {
        ObjectFile {
            name: String::new(),
            key: 0,
            version: 1,
            imports: Vec::new(),
            type_descriptors: Vec::new(),
            variable_bytes: 0,
            strings: Vec::new(),
            code: Vec::new(),
            commands: Vec::new(),
            entries: Vec::new(),
            pointers: Vec::new(),
            fix_p: 0,
            fix_d: 0,
            fix_t: 0,
            body: 0,
        }
    }
}

/// What is wrong with an object file. Offsets are bytes from the start of the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The file ends inside a part.
    #[error(
        "object file ends in its {part} at byte {offset}: {needed} more bytes were expected; \
         the copy is incomplete, compile or copy the module again"
    )]
    Truncated {
        /// Part of the file.
        part: &'static str,
        /// Where the reading started that met the end.
        offset: usize,
        /// How many bytes are missing.
        needed: usize,
    },
    /// The version byte is neither 1 nor 0.
    #[error(
        "object file has version {found} (byte {offset}), known are 1 and 0 (standalone): \
         this is no object file of this system, compile the module again"
    )]
    Version {
        /// The byte found.
        found: u8,
        /// Where it stands.
        offset: usize,
    },
    /// The byte `O` is missing at the end.
    #[error(
        "object file has {found:02X}H instead of the end marker 4FH at byte {offset}: \
         the file is damaged, compile the module again"
    )]
    Marker {
        /// The byte found.
        found: u8,
        /// Where it stands.
        offset: usize,
    },
    /// Bytes follow the end marker.
    #[error(
        "object file goes on for {extra} bytes after its end marker (byte {offset}): \
         the file is damaged, compile the module again"
    )]
    Trailing {
        /// First byte after the marker.
        offset: usize,
        /// How many bytes follow.
        extra: usize,
    },
    /// A count or size that cannot be true.
    #[error(
        "object file gives {value} for its {part} (byte {offset}), {rule}: \
         the file is damaged, compile the module again"
    )]
    Count {
        /// Part of the file.
        part: &'static str,
        /// Where the number stands.
        offset: usize,
        /// The number.
        value: i32,
        /// The rule it breaks.
        rule: &'static str,
    },
    /// A name is not an Oberon identifier of at most 31 characters.
    #[error(
        "object file has a bad {part} name at byte {offset}: names are a letter and up to 30 \
         letters and digits; the file is damaged, compile the module again"
    )]
    Name {
        /// Part of the file.
        part: &'static str,
        /// Where the name starts.
        offset: usize,
    },
    /// The stored module size contradicts the parts.
    #[error(
        "object file says the module takes {stored} bytes (byte {offset}), its parts take \
         {computed}: the file is damaged, compile the module again"
    )]
    Size {
        /// The size in the file.
        stored: u32,
        /// The size of the parts.
        computed: u32,
        /// Where the size stands.
        offset: usize,
    },
}

impl ObjectFile {
    /// Reads an object file. Never allocates more than a small multiple of the input's length.
    ///
    /// # Errors
    ///
    /// [`ObjectError`] names the part and the byte at which the file stops making sense.
    pub fn parse(bytes: &[u8]) -> Result<ObjectFile, ObjectError> {
        let mut r = Reader::new(bytes);
        let name = r.name("module")?;
        let key = r.word("key")?;
        let version_at = r.offset();
        let version = r.byte("version")?;
        if version > 1 {
            return Err(ObjectError::Version { found: version, offset: version_at });
        }
        let size_at = r.offset();
        let stored = r.word("size")?;
        let imports = r.pairs("imports")?;
        let descriptor_bytes = r.count("type descriptors", true)?;
        let type_descriptors = r.words("type descriptors", descriptor_bytes / 4)?;
        let variable_bytes = r.count("variables", true)?;
        let string_bytes = r.count("strings", true)?;
        let strings = r.bytes("strings", string_bytes as usize)?.to_vec();
        let code_words = r.count("code", false)?;
        let code = r.words("code", code_words)?;
        let commands = r.pairs("commands")?;
        let entry_count = r.count("entries", false)?;
        let entries = r.words("entries", entry_count)?;
        let pointers = r.pointers()?;
        let fix_p = r.count("call chain", false)?;
        let fix_d = r.count("data chain", false)?;
        let fix_t = r.count("descriptor chain", false)?;
        let body = r.count("body", true)?;
        r.end(END_MARKER)?;
        let object = ObjectFile {
            name,
            key,
            version,
            imports,
            type_descriptors,
            variable_bytes,
            strings,
            code,
            commands,
            entries,
            pointers,
            fix_p,
            fix_d,
            fix_t,
            body,
        };
        let computed = object.size();
        if computed != stored {
            return Err(ObjectError::Size { stored, computed, offset: size_at });
        }
        Ok(object)
    }

    /// Bytes that the loaded module occupies behind its descriptor: data, code and the four
    /// tables.
    pub fn size(&self) -> u32 {
        let commands: usize =
            self.commands.iter().map(|(name, _)| 4 + (name.len() + 1).next_multiple_of(4)).sum();
        let words = self.type_descriptors.len()
            + self.code.len()
            + self.imports.len()
            + self.entries.len()
            + self.pointers.len()
            + 1;
        (4 * words + self.strings.len() + 4 + commands) as u32 + self.variable_bytes
    }

    /// Bytes of data: descriptors, variables and strings. The code follows them.
    pub fn data_bytes(&self) -> u32 {
        (4 * self.type_descriptors.len() + self.strings.len()) as u32 + self.variable_bytes
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.size() as usize - self.variable_bytes as usize + 128);
        put_string(&mut out, &self.name);
        put_word(&mut out, self.key);
        out.push(self.version);
        put_word(&mut out, self.size());
        put_pairs(&mut out, &self.imports);
        put_word(&mut out, 4 * self.type_descriptors.len() as u32);
        put_words(&mut out, &self.type_descriptors);
        put_word(&mut out, self.variable_bytes);
        put_word(&mut out, self.strings.len() as u32);
        out.extend_from_slice(&self.strings);
        put_word(&mut out, self.code.len() as u32);
        put_words(&mut out, &self.code);
        put_pairs(&mut out, &self.commands);
        put_word(&mut out, self.entries.len() as u32);
        put_words(&mut out, &self.entries);
        put_words(&mut out, &self.pointers);
        put_word(&mut out, u32::MAX);
        put_words(&mut out, &[self.fix_p, self.fix_d, self.fix_t, self.body]);
        out.push(END_MARKER);
        out
    }
}

fn put_word(out: &mut Vec<u8>, word: u32) {
    out.extend_from_slice(&word.to_le_bytes());
}

fn put_words(out: &mut Vec<u8>, words: &[u32]) {
    for &word in words {
        put_word(out, word);
    }
}

fn put_string(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

fn put_pairs(out: &mut Vec<u8>, pairs: &[(String, u32)]) {
    for (name, word) in pairs {
        put_string(out, name);
        put_word(out, *word);
    }
    out.push(0);
}

#[cfg(test)]
mod tests;
