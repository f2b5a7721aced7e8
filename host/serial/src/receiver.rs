//! Bytes from the line, cut into lines.

/// A longer line is noise: what does not fit is dropped.
const LINE_MAX: usize = 1024;

/// Collects a line.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    line: Vec<u8>,
}

impl Receiver {
    /// Takes bytes and calls `on_line` for each line that ends among them, without its end; empty
    /// ones are passed over.
    pub fn take(&mut self, bytes: &[u8], mut on_line: impl FnMut(&[u8])) {
        for &byte in bytes {
            if byte == b'\n' || byte == b'\r' {
                if !self.line.is_empty() {
                    on_line(&self.line);
                }
                self.line.clear();
            } else if self.line.len() < LINE_MAX {
                self.line.push(byte);
            }
        }
    }

    /// The line that has begun to come.
    #[must_use]
    pub fn begun(&self) -> &[u8] {
        &self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_out_whole_however_the_bytes_come_in() {
        let text = b"one\r\n\ntwo\rthree\nfo";
        for step in 1..text.len() {
            let (mut receiver, mut lines) = (Receiver::default(), Vec::new());
            for bytes in text.chunks(step) {
                receiver.take(bytes, |line| lines.push(line.to_vec()));
            }
            assert_eq!(lines, [b"one".to_vec(), b"two".to_vec(), b"three".to_vec()]);
            assert_eq!(receiver.begun(), b"fo");
        }
    }

    #[test]
    fn a_line_without_end_does_not_grow_without_bound() {
        let mut receiver = Receiver::default();
        receiver.take(&[b'x'; 100_000], |_| panic!("no line ended"));
        assert_eq!(receiver.begun().len(), LINE_MAX);
    }
}
