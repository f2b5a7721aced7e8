//! The mark of a write that has not come to its end. It stands in place of the first block of the
//! directory root from before the first block is changed until all others are on the card and
//! verified: a machine does not start from such a card, and `check` says why.

/// Bytes of a block.
pub const BLOCK_BYTES: usize = 512;

const HEAD: &str = "KUBE-FLASH: A WRITE WAS NOT FINISHED\n";

/// A write under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What is written: the board, or the file.
    pub label: String,
    /// SHA-256 of the whole content, in hexadecimal.
    pub sha256: String,
}

impl Mark {
    /// The block. Behind the text it is filled with ones, so that the directory's first block never
    /// shows through.
    #[must_use]
    pub fn block(&self) -> [u8; BLOCK_BYTES] {
        let mut block = [0xFF; BLOCK_BYTES];
        let label: String = self.label.chars().filter(|ch| !ch.is_control()).take(64).collect();
        let text = format!("{HEAD}of: {label}\nsha256: {}\n", self.sha256);
        let length = text.len().min(BLOCK_BYTES);
        block[..length].copy_from_slice(&text.as_bytes()[..length]);
        block
    }

    /// The mark in a block, if it is one.
    #[must_use]
    pub fn find(block: &[u8]) -> Option<Self> {
        let block = block.get(..BLOCK_BYTES)?;
        let end = block.iter().position(|&byte| byte == 0xFF).unwrap_or(block.len());
        let rest = str::from_utf8(&block[..end]).ok()?.strip_prefix(HEAD)?;
        let mut lines = rest.lines();
        let label = lines.next()?.strip_prefix("of: ")?.to_owned();
        let sha256 = lines.next()?.strip_prefix("sha256: ")?.to_owned();
        Some(Self { label, sha256 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_again() {
        let mark = Mark { label: "node1\n".into(), sha256: "ab".repeat(32) };
        let found = Mark::find(&mark.block()).unwrap();
        assert_eq!((found.label.as_str(), &found.sha256), ("node1", &mark.sha256));
        assert_eq!(Mark::find(&[0; BLOCK_BYTES]), None);
        assert_eq!(Mark::find(&mark.block()[..100]), None);
    }
}
