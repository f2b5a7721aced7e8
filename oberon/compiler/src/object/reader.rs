//! Reads the parts of an object file and says where the file stops making sense.

use super::{MAX_NAME, MAX_PART_BYTES, ObjectError};

/// A position in the bytes of an object file.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0 }
    }

    pub(super) fn offset(&self) -> usize {
        self.at
    }

    pub(super) fn bytes(&mut self, part: &'static str, n: usize) -> Result<&'a [u8], ObjectError> {
        let left = self.bytes.len() - self.at;
        if n > left {
            return Err(ObjectError::Truncated { part, offset: self.at, needed: n - left });
        }
        let taken = &self.bytes[self.at..self.at + n];
        self.at += n;
        Ok(taken)
    }

    pub(super) fn byte(&mut self, part: &'static str) -> Result<u8, ObjectError> {
        Ok(self.bytes(part, 1)?[0])
    }

    pub(super) fn word(&mut self, part: &'static str) -> Result<u32, ObjectError> {
        let b = self.bytes(part, 4)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    /// A number from 0 to [`MAX_PART_BYTES`], a multiple of 4 if `aligned`.
    pub(super) fn count(&mut self, part: &'static str, aligned: bool) -> Result<u32, ObjectError> {
        let offset = self.at;
        let value = self.word(part)?;
        let rule = if value > MAX_PART_BYTES {
            "possible is 0 to 524288"
        } else if aligned && !value.is_multiple_of(4) {
            "possible are multiples of 4"
        } else {
            return Ok(value);
        };
        Err(ObjectError::Count { part, offset, value: value as i32, rule })
    }

    pub(super) fn words(&mut self, part: &'static str, n: u32) -> Result<Vec<u32>, ObjectError> {
        let bytes = self.bytes(part, n as usize * 4)?;
        let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        Ok(bytes.chunks_exact(4).map(word).collect())
    }

    /// A non-empty identifier.
    pub(super) fn name(&mut self, part: &'static str) -> Result<String, ObjectError> {
        let offset = self.at;
        let name = self.string(part)?;
        if name.is_empty() { Err(ObjectError::Name { part, offset }) } else { Ok(name) }
    }

    /// Pairs of an identifier and a word, ended by an empty string.
    pub(super) fn pairs(&mut self, part: &'static str) -> Result<Vec<(String, u32)>, ObjectError> {
        let mut pairs = Vec::new();
        loop {
            let name = self.string(part)?;
            if name.is_empty() {
                return Ok(pairs);
            }
            pairs.push((name, self.word(part)?));
        }
    }

    /// Offsets of pointer variables, ended by the word -1.
    pub(super) fn pointers(&mut self) -> Result<Vec<u32>, ObjectError> {
        let mut offsets = Vec::new();
        loop {
            let offset = self.at;
            let word = self.word("pointers")?;
            if word == u32::MAX {
                return Ok(offsets);
            }
            if word > MAX_PART_BYTES || !word.is_multiple_of(4) {
                return Err(ObjectError::Count {
                    part: "pointers",
                    offset,
                    value: word as i32,
                    rule: "possible are multiples of 4 from 0 to 524288",
                });
            }
            offsets.push(word);
        }
    }

    /// The marker, and nothing after it.
    pub(super) fn end(&mut self, marker: u8) -> Result<(), ObjectError> {
        let offset = self.at;
        let found = self.byte("end marker")?;
        if found != marker {
            return Err(ObjectError::Marker { found, offset });
        }
        match self.bytes.len() - self.at {
            0 => Ok(()),
            extra => Err(ObjectError::Trailing { offset: self.at, extra }),
        }
    }

    fn string(&mut self, part: &'static str) -> Result<String, ObjectError> {
        let offset = self.at;
        let rest = &self.bytes[self.at..];
        let window = &rest[..rest.len().min(MAX_NAME + 1)];
        let Some(length) = window.iter().position(|&b| b == 0) else {
            return Err(if rest.len() <= MAX_NAME {
                ObjectError::Truncated { part, offset, needed: 1 }
            } else {
                ObjectError::Name { part, offset }
            });
        };
        let name = &rest[..length];
        let letter_first = name.first().is_none_or(u8::is_ascii_alphabetic);
        if !letter_first || !name.iter().all(u8::is_ascii_alphanumeric) {
            return Err(ObjectError::Name { part, offset });
        }
        self.at += length + 1;
        Ok(name.iter().map(|&b| char::from(b)).collect())
    }
}
