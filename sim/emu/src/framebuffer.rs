//! The picture: its hash, which names a known screen, and its form as a PNG file.

use std::io::{Error, Write};

use risc5_isa::map;

const ROW_WORDS: usize = map::FRAMEBUFFER_WIDTH as usize / 32;

/// `h = h * 31 + word` from 0 over all words, modulo 2^32. The desktop of Project Oberon 2013 gives
/// B5DFC933H (images of 2016-08-02 and 2020-08-18).
#[must_use]
pub fn hash(words: &[u32]) -> u32 {
    words.iter().fold(0, |h: u32, word| h.wrapping_mul(31).wrapping_add(*word))
}

/// Writes framebuffer words (32 a row, bottom row first, bit 0 leftmost, 1 = black) as a PNG of one
/// bit a pixel, 1024 pixels wide.
///
/// # Errors
/// Those of the writer.
pub fn write_png(words: &[u32], out: impl Write) -> Result<(), Error> {
    let rows = (words.len() / ROW_WORDS) as u32;
    let mut encoder = png::Encoder::new(out, map::FRAMEBUFFER_WIDTH, rows);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    let picture: Vec<u8> = words
        .chunks_exact(ROW_WORDS)
        .rev()
        .flatten()
        .flat_map(|word| word.to_le_bytes())
        // PNG: the leftmost pixel in the top bit, 1 = white.
        .map(|pixels| !pixels.reverse_bits())
        .collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture)?;
    writer.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_by_hand() {
        assert_eq!(hash(&[]), 0);
        assert_eq!(hash(&[1, 2, 3]), (31 + 2) * 31 + 3);
    }

    #[test]
    fn the_bottom_left_pixel_is_bit_0_of_the_first_word() -> Result<(), Box<dyn std::error::Error>>
    {
        let mut words = vec![0; ROW_WORDS * 768];
        words[0] = 1;
        let mut file = Vec::new();
        write_png(&words, &mut file)?;
        let decoder = png::Decoder::new(std::io::Cursor::new(file));
        let mut reader = decoder.read_info()?;
        let mut pixels = vec![0; reader.output_buffer_size().ok_or("size")?];
        let info = reader.next_frame(&mut pixels)?;
        assert_eq!((info.width, info.height), (1024, 768));
        assert_eq!(pixels[..128], [0xFF; 128]);
        assert_eq!(pixels[767 * 128..][..2], [0x7F, 0xFF]);
        Ok(())
    }
}
