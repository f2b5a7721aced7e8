//! From bytes as they come to messages.

use super::{CHECK_BYTES, LINE_MAX};
use crate::serial::sum;
use crate::stuffing::{END, stuff, unstuff};

/// A line that was no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// No end within the length of the longest message.
    #[error("more than {LINE_MAX} bytes without an end: something else talks there")]
    Long,
    /// Not as it was sent.
    #[error("{bytes} bytes whose check does not fit: bytes were lost or changed on the way")]
    Check {
        /// Bytes of the line.
        bytes: usize,
    },
}

/// Takes bytes and gives messages.
#[derive(Clone, Debug)]
pub struct Collector {
    line: [u8; LINE_MAX],
    len: usize,
    /// The line has become too long: the rest of it is passed over.
    over: bool,
    plain: [u8; LINE_MAX],
}

impl Default for Collector {
    fn default() -> Self {
        Self::new()
    }
}

impl Collector {
    /// At the beginning of a line.
    #[must_use]
    pub const fn new() -> Self {
        Self { line: [0; LINE_MAX], len: 0, over: false, plain: [0; LINE_MAX] }
    }

    /// One more byte; a message's kind and fields if it was its last.
    ///
    /// # Errors
    /// [`Damage`], once for each line that is no message.
    pub fn push(&mut self, byte: u8) -> Result<Option<&[u8]>, Damage> {
        if byte != END {
            if self.over {
                return Ok(None);
            }
            if let Some(place) = self.line.get_mut(self.len) {
                *place = byte;
                self.len += 1;
                return Ok(None);
            }
            self.over = true;
            return Err(Damage::Long);
        }
        let bytes = core::mem::take(&mut self.len);
        if core::mem::take(&mut self.over) || bytes == 0 {
            return Ok(None);
        }
        let damage = Damage::Check { bytes };
        let plain = unstuff(&self.line[..bytes], &mut self.plain).ok_or(damage)?;
        let body = plain.checked_sub(CHECK_BYTES).filter(|&body| body > 0).ok_or(damage)?;
        let (body, check) = self.plain[..plain].split_at(body);
        if check == sum(body).to_le_bytes() { Ok(Some(body)) } else { Err(damage) }
    }
}

/// A message as it goes over the line, and how many bytes of it count.
pub(super) fn line(body: &[u8]) -> ([u8; LINE_MAX], usize) {
    let mut plain = [0; LINE_MAX];
    let len = body.len() + CHECK_BYTES;
    plain[..body.len()].copy_from_slice(body);
    plain[body.len()..len].copy_from_slice(&sum(body).to_le_bytes());
    let mut out = [0; LINE_MAX];
    let stuffed = stuff(&plain[..len], &mut out);
    out[stuffed] = END;
    (out, stuffed + 1)
}
