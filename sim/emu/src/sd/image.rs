//! The blocks of a card, and where an Oberon image lies among them.

use risc5_isa::map;

/// Bytes of a block.
pub const BLOCK_BYTES: usize = map::CARD_BLOCK_BYTES as usize;

/// First word of a directory page, with which a shortened image begins.
const DIRECTORY_MARK: u32 = 0x9B1E_A38D;
/// A shortened image begins with sector 1 of the file system.
const SHORTENED_AT: u32 = map::CARD_OBERON_BLOCK + 2;
/// Last block of the file system: 65,536 sectors of two blocks.
const OBERON_END: u32 = map::CARD_OBERON_BLOCK + 2 * 65_536;
/// Blocks that the card says it has: 8 GB.
const CARD_BLOCKS: u32 = 1 << 24;

/// Why bytes are not an image for a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardImageError {
    /// No bytes at all.
    #[error(
        "the card image is empty\ncause: the file has no bytes\nremedy: give an Oberon disk image (.dsk)"
    )]
    Empty,
    /// Cut within a block.
    #[error(
        "the card image is cut off\ncause: {bytes} bytes are not a whole number of 512-byte blocks\n\
         remedy: copy the image again"
    )]
    Cut {
        /// Length of the image.
        bytes: usize,
    },
    /// Neither layout.
    #[error(
        "the card image holds no Oberon file system\ncause: it begins with {first:08X}H, not with the \
         directory mark 9B1EA38DH of a shortened image, and {bytes} bytes are too short for a full one, \
         whose directory is at block 80002H\nremedy: give an Oberon disk image (.dsk)"
    )]
    NoFileSystem {
        /// First word.
        first: u32,
        /// Length of the image.
        bytes: usize,
    },
}

/// Blocks by number. Blocks never written are zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockImage {
    bytes: Vec<u8>,
    /// Card block of the first byte.
    first: u32,
    /// Block after the last that may be written.
    end: u32,
}

impl BlockImage {
    /// Takes an Oberon image in either layout.
    ///
    /// # Errors
    /// If the bytes are neither.
    pub fn new(bytes: Vec<u8>) -> Result<Self, CardImageError> {
        let length = bytes.len();
        if length == 0 {
            return Err(CardImageError::Empty);
        }
        if !length.is_multiple_of(BLOCK_BYTES) {
            return Err(CardImageError::Cut { bytes: length });
        }
        if word_at(&bytes, 0) == DIRECTORY_MARK {
            return Ok(Self { bytes, first: SHORTENED_AT, end: OBERON_END });
        }
        let directory = SHORTENED_AT as usize * BLOCK_BYTES;
        if word_at(&bytes, directory) != DIRECTORY_MARK {
            let first = word_at(&bytes, 0);
            return Err(CardImageError::NoFileSystem { first, bytes: length });
        }
        Ok(Self { bytes, first: 0, end: CARD_BLOCKS.min(OBERON_END) })
    }

    /// A card whose Oberon area was never written: grows from block 80002H on.
    #[must_use]
    pub fn empty() -> Self {
        Self { bytes: Vec::new(), first: SHORTENED_AT, end: OBERON_END }
    }

    /// The bytes in the layout that the image came in.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes the bytes.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The block behind the last one that the image holds.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.first + (self.bytes.len() / BLOCK_BYTES) as u32
    }

    /// Whether the card has such a block.
    #[must_use]
    pub fn holds(&self, block: u32) -> bool {
        block < CARD_BLOCKS
    }

    fn offset(&self, block: u32) -> Option<usize> {
        Some(block.checked_sub(self.first)? as usize * BLOCK_BYTES)
    }

    /// One block; zeros where nothing was written.
    #[must_use]
    pub fn read(&self, block: u32) -> [u8; BLOCK_BYTES] {
        let mut data = [0; BLOCK_BYTES];
        let stored = self.offset(block).and_then(|at| self.bytes.get(at..at + BLOCK_BYTES));
        if let Some(stored) = stored {
            data.copy_from_slice(stored);
        }
        data
    }

    /// Writes one block and grows the image if need be. False if the block is outside what the image
    /// can represent (below a shortened image, or behind the file system's largest size), or `data`
    /// is not one block long.
    pub fn write(&mut self, block: u32, data: &[u8]) -> bool {
        let Some(at) = self.offset(block).filter(|_| block < self.end) else {
            return false;
        };
        if data.len() != BLOCK_BYTES {
            return false;
        }
        let end = at + BLOCK_BYTES;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[at..end].copy_from_slice(data);
        true
    }
}

fn word_at(bytes: &[u8], at: usize) -> u32 {
    match bytes.get(at..at + 4) {
        Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened(blocks: usize) -> Vec<u8> {
        let mut bytes = vec![0; blocks * BLOCK_BYTES];
        bytes[..4].copy_from_slice(&DIRECTORY_MARK.to_le_bytes());
        bytes
    }

    #[test]
    fn a_shortened_image_begins_at_the_directory() -> Result<(), CardImageError> {
        let image = BlockImage::new(shortened(3))?;
        assert_eq!(image.read(0x8_0002)[..4], DIRECTORY_MARK.to_le_bytes());
        assert_eq!(image.read(0), [0; BLOCK_BYTES]);
        assert_eq!(image.read(0x9_0000), [0; BLOCK_BYTES]);
        Ok(())
    }

    #[test]
    fn writes_grow_it_up_to_the_file_systems_end() -> Result<(), CardImageError> {
        let mut image = BlockImage::new(shortened(2))?;
        assert!(image.write(0x8_0010, &[7; BLOCK_BYTES]));
        assert_eq!(image.bytes().len(), 0xF * BLOCK_BYTES);
        assert_eq!(image.end(), 0x8_0011);
        assert_eq!(image.read(0x8_0010), [7; BLOCK_BYTES]);
        assert!(!image.write(0x8_0001, &[7; BLOCK_BYTES]), "below");
        assert!(!image.write(OBERON_END, &[7; BLOCK_BYTES]), "behind");
        assert!(!image.write(0x8_0010, &[7; 3]), "not a block");
        Ok(())
    }

    #[test]
    fn a_full_image_begins_at_block_0() -> Result<(), CardImageError> {
        let mut bytes = vec![0; 0x8_0004 * BLOCK_BYTES];
        let at = 0x8_0002 * BLOCK_BYTES;
        bytes[at..at + 4].copy_from_slice(&DIRECTORY_MARK.to_le_bytes());
        let mut image = BlockImage::new(bytes)?;
        assert_eq!(image.read(0x8_0002)[..4], DIRECTORY_MARK.to_le_bytes());
        assert!(image.write(0, &[1; BLOCK_BYTES]));
        Ok(())
    }

    #[test]
    fn what_is_no_image_says_why() {
        assert_eq!(BlockImage::new(Vec::new()), Err(CardImageError::Empty));
        let cut = BlockImage::new(vec![0; 513]);
        assert_eq!(cut, Err(CardImageError::Cut { bytes: 513 }));
        let other = BlockImage::new(vec![0x41; 1024]);
        let (first, bytes) = (0x4141_4141, 1024);
        assert_eq!(other, Err(CardImageError::NoFileSystem { first, bytes }));
    }
}
