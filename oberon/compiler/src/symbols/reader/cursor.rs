//! The bytes of a symbol file, one after the other.

use crate::object::MAX_NAME;
use crate::symbols::SymbolError;
use crate::syntax::Name;

/// Bytes with a position.
pub(super) struct Cursor<'a> {
    module: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(module: &'a str, bytes: &'a [u8]) -> Self {
        Self { module, bytes, at: 0 }
    }

    pub(super) fn damaged(&self, what: &'static str) -> SymbolError {
        SymbolError::Damaged { module: self.module.into(), offset: self.at, what }
    }

    pub(super) fn byte(&mut self) -> Result<u8, SymbolError> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte.ok_or_else(|| SymbolError::Truncated {
            module: self.module.into(),
            offset: self.at - 1,
        })
    }

    pub(super) fn word(&mut self) -> Result<u32, SymbolError> {
        let bytes = [self.byte()?, self.byte()?, self.byte()?, self.byte()?];
        Ok(u32::from_le_bytes(bytes))
    }

    pub(super) fn number(&mut self) -> Result<i32, SymbolError> {
        let mut value: u32 = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 {
                if shift < 32 && byte & 0x40 != 0 {
                    value |= u32::MAX << shift;
                }
                return Ok(value as i32);
            }
            if shift > 28 {
                return Err(self.damaged("number has more than five bytes"));
            }
        }
    }

    /// An identifier, or nothing.
    pub(super) fn string(&mut self) -> Result<Name, SymbolError> {
        let start = self.at;
        for length in 0.. {
            match self.byte()? {
                0 => break,
                _ if length == MAX_NAME => return Err(self.damaged("name is too long")),
                byte if byte.is_ascii_alphabetic() => {}
                byte if byte.is_ascii_digit() && length > 0 => {}
                _ => return Err(self.damaged("name is not an identifier")),
            }
        }
        let name = std::str::from_utf8(&self.bytes[start..self.at - 1]);
        name.map(Name::new).map_err(|_| self.damaged("name is not an identifier"))
    }
}
