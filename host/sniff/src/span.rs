//! Times as people write them: `250ms`, `1.5s`, `2m`, `1h`.

/// Why a text is no time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no time: write a number and ns, us, ms, s, m or h, such as 250ms or 1.5s")]
pub struct SpanError {
    /// What was given.
    pub text: String,
}

/// Units with their length in nanoseconds; longer names first where one begins like another.
const UNITS: [(&str, f64); 6] =
    [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 6e10), ("h", 3.6e12)];
/// Longest time that is accepted: ten years.
const LONGEST_NS: f64 = 3.2e17;

/// Reads a time, in nanoseconds. A number alone is in seconds.
///
/// # Errors
/// [`SpanError`].
///
/// ```
/// use kube_sniff::span::parse;
/// assert_eq!(parse("250ms"), Ok(250_000_000));
/// assert_eq!(parse("2"), Ok(2_000_000_000));
/// ```
pub fn parse(text: &str) -> Result<u64, SpanError> {
    let wrong = || SpanError { text: text.to_owned() };
    let unit = UNITS.iter().find(|(unit, _)| text.ends_with(unit));
    let (number, scale) = match unit {
        Some((unit, scale)) => (&text[..text.len() - unit.len()], *scale),
        None => (text, 1e9),
    };
    let plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value: f64 = number.parse().ok().filter(|_| plain).ok_or_else(wrong)?;
    let ns = value * scale;
    if (0.0..=LONGEST_NS).contains(&ns) { Ok(ns.round() as u64) } else { Err(wrong()) }
}

/// Seconds with as many places as there are.
#[must_use]
pub fn show(ns: u64) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    format!("{} s", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_shown() {
        for (text, ns) in [
            ("1s", 1_000_000_000),
            ("1.5s", 1_500_000_000),
            ("3m", 180_000_000_000),
            ("5us", 5_000),
            ("7ns", 7),
            ("0", 0),
        ] {
            assert_eq!(parse(text), Ok(ns), "{text}");
        }
        for text in ["", "s", "-1s", "1e3s", "inf", "NaN", "1 s", "1d", "9999999999h"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(show(1_250_000_000), "1.25 s");
        assert_eq!(show(2_000_000_000), "2 s");
    }
}
