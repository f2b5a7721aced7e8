//! Source lines that the compiler gets through in a second, on one core.

use std::time::Instant;

use obc::{Options, Source, project};

use crate::MeasureError;

/// What was compiled, and how long it took.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// Lines of all sources together.
    pub lines: u64,
    /// Seconds of the fastest run.
    pub seconds: f64,
    /// Lines a second of the fastest run.
    pub lines_per_s: f64,
}

/// Lines of a text; CR, LF and CR LF each end one.
#[must_use]
pub fn lines(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let ends = (0..bytes.len())
        .filter(|&i| bytes[i] == b'\n' || (bytes[i] == b'\r' && bytes.get(i + 1) != Some(&b'\n')));
    ends.count() as u64 + u64::from(!text.ends_with(['\r', '\n']) && !text.is_empty())
}

/// Compiles all sources again and again for `seconds`, at least once, from text to the bytes of
/// symbol and object files; nothing is written.
///
/// # Errors
///
/// [`MeasureError::Compile`].
pub fn measure(sources: &[Source], seconds: f64) -> Result<Speed, MeasureError> {
    let lines = sources.iter().map(|s| lines(&s.text)).sum();
    let begun = Instant::now();
    let mut best = f64::INFINITY;
    while best.is_infinite() || begun.elapsed().as_secs_f64() < seconds {
        let start = Instant::now();
        let built = project::build_with(sources, &obc::NoSymbols, &Options::default())
            .map_err(MeasureError::Compile)?;
        let bytes: usize = built.iter().map(|c| c.object.to_bytes().len()).sum();
        std::hint::black_box(bytes);
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(Speed { lines, seconds: best, lines_per_s: lines as f64 / best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_end_counts_once() {
        assert_eq!(lines(""), 0);
        assert_eq!(lines("a"), 1);
        assert_eq!(lines("a\rb\nc\r\nd"), 4);
        assert_eq!(lines("a\r\r"), 2);
    }
}
