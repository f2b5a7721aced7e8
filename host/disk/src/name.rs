//! File names.

use crate::error::DiskError;
use std::fmt;

/// Longest file name, in characters. A 0 byte must follow it.
pub const MAX_NAME: usize = 31;

/// A valid file name: a letter, then letters, digits and dots, at most 31 in all. Names are
/// ordered byte by byte, capital letters first, as the directory is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name([u8; MAX_NAME + 1]);

impl Name {
    /// Checks a name.
    ///
    /// # Errors
    ///
    /// [`DiskError::Name`] with the rule that the name breaks.
    pub fn new(name: &str) -> Result<Name, DiskError> {
        let fault = |rule| Err(DiskError::Name { name: name.to_string(), rule });
        let bytes = name.as_bytes();
        if bytes.is_empty() {
            return fault("it must not be empty");
        }
        if bytes.len() > MAX_NAME {
            return fault("it must not be longer than 31 characters");
        }
        if !bytes[0].is_ascii_alphabetic() {
            return fault("it must begin with a letter");
        }
        if !bytes.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'.') {
            return fault("after the first letter only letters, digits and dots may follow");
        }
        let mut padded = [0; MAX_NAME + 1];
        padded[..bytes.len()].copy_from_slice(bytes);
        Ok(Name(padded))
    }

    /// The name in 32 bytes of a directory page or file header, padded with zeros; `None` if it
    /// is none.
    pub(crate) fn from_disk(bytes: &[u8]) -> Option<Name> {
        let length = bytes.iter().position(|&b| b == 0)?;
        if bytes[length..].iter().any(|&b| b != 0) {
            return None;
        }
        Name::new(str::from_utf8(&bytes[..length]).ok()?).ok()
    }

    /// The 32 bytes that stand on the disk.
    pub(crate) fn on_disk(&self) -> &[u8; MAX_NAME + 1] {
        &self.0
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        let length = self.0.iter().position(|&b| b == 0).unwrap_or(0);
        str::from_utf8(&self.0[..length]).unwrap_or("")
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Name({})", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn valid_names() {
        for name in ["A", "Boot.Cmd", "Oberon10.Scn.Fnt", "N234567890123456789012345678901"] {
            assert_eq!(Name::new(name).unwrap().as_str(), name);
        }
    }

    #[test]
    fn invalid_names_say_which_rule() {
        for (name, rule) in [
            ("", "empty"),
            ("N2345678901234567890123456789012", "longer than 31"),
            ("1A", "begin with a letter"),
            (".A", "begin with a letter"),
            ("A-B", "only letters, digits and dots"),
            ("AÄ", "only letters, digits and dots"),
        ] {
            let text = Name::new(name).unwrap_err().to_string();
            assert!(text.contains(rule), "{text}");
        }
    }

    #[test]
    fn order_is_by_bytes() {
        let name = |n| Name::new(n).unwrap();
        assert!(name("Z.Mod") < name("a.Mod"));
        assert!(name("Files") < name("Files.Mod"));
    }
}
