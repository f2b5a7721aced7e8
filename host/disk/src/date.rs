//! The date word of a file header.

use std::fmt;

/// Date and time of a file in one word: year since 2000 in bits 26 to 31, month from bit 22, day
/// from 17, hour from 12, minute from 6, second from 0. Machines without a clock leave it 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Date(pub u32);

impl Date {
    /// No date.
    pub const NONE: Date = Date(0);

    /// Packs a date and time; `None` if a part is out of its range (years 2000 to 2063).
    ///
    /// ```
    /// use kube_disk::Date;
    /// let date = Date::new(2020, 8, 18, 12, 30, 5).ok_or("not a date")?;
    /// assert_eq!(date.to_string(), "2020-08-18 12:30:05");
    /// # Ok::<(), &str>(())
    /// ```
    pub fn new(
        year: u32,
        month: u32,
        day: u32,
        hour: u32,
        minute: u32,
        second: u32,
    ) -> Option<Date> {
        let valid = (2000..=2063).contains(&year)
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60;
        let time = hour << 12 | minute << 6 | second;
        valid.then(|| Date((year - 2000) << 26 | month << 22 | day << 17 | time))
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = |at: u32, bits: u32| self.0 >> at & ((1 << bits) - 1);
        let (year, month, day) = (2000 + field(26, 6), field(22, 4), field(17, 5));
        let (hour, minute, second) = (field(12, 5), field(6, 6), field(0, 6));
        write!(f, "{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    #[test]
    fn parts_outside_of_their_range() {
        assert_eq!(Date::new(2064, 1, 1, 0, 0, 0), None);
        assert_eq!(Date::new(1999, 1, 1, 0, 0, 0), None);
        assert_eq!(Date::new(2000, 0, 1, 0, 0, 0), None);
        assert_eq!(Date::new(2000, 1, 32, 0, 0, 0), None);
        assert_eq!(Date::new(2000, 1, 1, 24, 0, 0), None);
        assert_eq!(Date::new(2000, 1, 1, 0, 0, 60), None);
        assert_eq!(Date::new(2063, 12, 31, 23, 59, 59).map(|d| d.0), Some(0xFF3F_7EFB));
    }
}
