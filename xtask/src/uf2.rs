//! A UF2 file from the program for an RP2040: blocks of 512 bytes, each with 256 bytes and their
//! address, which its bootloader's drive takes. Source: Microsoft's description of the format.

use std::collections::BTreeMap;

use anyhow::{Result, bail, ensure};

const PAGE: usize = 256;
const BLOCK: usize = 512;
const MAGIC: [u32; 2] = [0x0A32_4655, 0x9E5D_5157];
const MAGIC_END: u32 = 0x0AB1_6F30;
/// The word behind the sizes is the family.
const FLAG_FAMILY: u32 = 0x2000;
const FAMILY_RP2040: u32 = 0xE48B_FF56;
/// Segments of an ELF file that are loaded.
const PT_LOAD: u32 = 1;
const FLASH: std::ops::Range<u32> = 0x1000_0000..0x1100_0000;

/// The pages of flash that a program fills, by their addresses.
///
/// # Errors
/// Says what is wrong with the ELF file.
fn pages(elf: &[u8]) -> Result<BTreeMap<u32, [u8; PAGE]>> {
    let bytes = |at: usize, len: usize| {
        elf.get(at..at + len).ok_or_else(|| anyhow::anyhow!("the ELF file ends at {at}"))
    };
    let word = |at: usize| -> Result<u32> {
        Ok(bytes(at, 4)?.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)))
    };
    let half = |at: usize| -> Result<usize> {
        Ok(bytes(at, 2)?.iter().rev().fold(0, |half, &byte| half << 8 | usize::from(byte)))
    };
    ensure!(elf.starts_with(b"\x7fELF\x01\x01"), "no ELF file of 32 bits, low byte first");
    let (table, size, count) = (word(28)? as usize, half(42)?, half(44)?);
    let mut pages = BTreeMap::new();
    for at in (0..count).map(|number| table + number * size) {
        let (offset, address, len) = (word(at + 4)?, word(at + 12)?, word(at + 16)?);
        if word(at)? != PT_LOAD || len == 0 {
            continue;
        }
        if !FLASH.contains(&address) {
            bail!("a segment of {len} bytes is loaded at {address:#x}, which is not flash");
        }
        for (&byte, address) in bytes(offset as usize, len as usize)?.iter().zip(address..) {
            let page = address & !(PAGE as u32 - 1);
            pages.entry(page).or_insert([0; PAGE])[(address - page) as usize] = byte;
        }
    }
    ensure!(!pages.is_empty(), "the program is empty");
    Ok(pages)
}

/// The UF2 file of a program.
///
/// # Errors
/// Says what is wrong with the ELF file.
pub fn from_elf(elf: &[u8]) -> Result<Vec<u8>> {
    let pages = pages(elf)?;
    let count = pages.len() as u32;
    let mut file = Vec::with_capacity(pages.len() * BLOCK);
    for (number, (address, page)) in (0..).zip(pages) {
        let head =
            [MAGIC[0], MAGIC[1], FLAG_FAMILY, address, PAGE as u32, number, count, FAMILY_RP2040];
        let end = file.len() + BLOCK;
        file.extend(head.iter().flat_map(|word| word.to_le_bytes()));
        file.extend_from_slice(&page);
        file.resize(end - 4, 0);
        file.extend_from_slice(&MAGIC_END.to_le_bytes());
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file with segments: address and bytes.
    fn elf(segments: &[(u32, &[u8])]) -> Vec<u8> {
        let mut file = b"\x7fELF\x01\x01".to_vec();
        file.resize(52, 0);
        file[28] = 52;
        file[42] = 32;
        file[44] = segments.len() as u8;
        let mut offset = 52 + 32 * segments.len() as u32;
        for (address, bytes) in segments {
            let len = bytes.len() as u32;
            for word in [PT_LOAD, offset, 0, *address, len, len, 5, 4] {
                file.extend_from_slice(&word.to_le_bytes());
            }
            offset += len;
        }
        segments.iter().for_each(|(_, bytes)| file.extend_from_slice(bytes));
        file
    }

    #[test]
    fn segments_become_whole_pages_in_order() {
        let program = elf(&[(0x1000_01f0, &[7; 32]), (0x1000_0000, &[1, 2, 3])]);
        let file = from_elf(&program).expect("a program");
        assert_eq!(file.len(), 3 * BLOCK);
        let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("4 bytes"));
        for block in 0..3 {
            let at = block * BLOCK;
            assert_eq!((word(at), word(at + 4), word(at + 508)), (MAGIC[0], MAGIC[1], MAGIC_END));
            assert_eq!(word(at + 12), 0x1000_0000 + 0x100 * block as u32);
            assert_eq!((word(at + 20), word(at + 24)), (block as u32, 3));
        }
        assert_eq!(file[32..36], [1, 2, 3, 0]);
        assert_eq!(
            file[BLOCK + 32 + 0xef..BLOCK + 32 + 0x100],
            [[0].as_slice(), &[7; 16]].concat()
        );
        assert_eq!(file[2 * BLOCK + 32..2 * BLOCK + 32 + 17], [[7; 16].as_slice(), &[0]].concat());
    }

    #[test]
    fn what_is_no_program_for_flash_is_refused() {
        let said = |file: &[u8]| from_elf(file).expect_err("no program").to_string();
        assert!(said(b"hello").contains("no ELF file"));
        assert!(said(&elf(&[])).contains("empty"));
        assert!(said(&elf(&[(0x2000_0000, &[1])])).contains("not flash"));
        let whole = elf(&[(0x1000_0000, &[1; 8])]);
        for cut in 6..whole.len() {
            assert!(from_elf(&whole[..cut]).is_err(), "{cut}");
        }
    }
}
