//! How fast machine time goes beside that of the wall, and when it stands.

use std::time::Duration;

/// Machine seconds a second, from slow to as fast as it goes, with the words for them, long and short.
const SPEEDS: [(Option<f64>, &str, &str); 6] = [
    (Some(0.1), "a tenth of real time", "x0.1"),
    (Some(0.5), "half of real time", "x0.5"),
    (Some(1.0), "real time", "x1"),
    (Some(3.0), "3 x real time", "x3"),
    (Some(10.0), "10 x real time", "x10"),
    (None, "as fast as possible", "max"),
];
/// Where it begins.
const REAL_TIME: usize = 2;
/// Machines that are so far behind do not hurry to make up for it.
const LAG: Duration = Duration::from_millis(250);

/// Two clocks, and a point at which they met.
#[derive(Clone, Debug)]
pub struct Pace {
    speed: usize,
    paused: bool,
    /// The clocks met here; `None` if they are to meet anew.
    met: Option<(Duration, u64)>,
}

impl Default for Pace {
    /// Real time, from nothing on.
    fn default() -> Self {
        Self { speed: REAL_TIME, paused: false, met: None }
    }
}

impl Pace {
    /// Up to which moment machines may run at this moment of the wall; `None` as far as they can.
    /// They stand at `now_ns`.
    pub fn due_ns(&mut self, wall: Duration, now_ns: u64) -> Option<u64> {
        if self.paused {
            return Some(now_ns);
        }
        let factor = SPEEDS[self.speed].0?;
        let (met, met_ns) = *self.met.get_or_insert((wall, now_ns));
        let machine_ns = |wall: Duration| (wall.as_nanos() as f64 * factor) as u64;
        let due_ns = met_ns.saturating_add(machine_ns(wall.saturating_sub(met)));
        let latest_ns = now_ns.saturating_add(machine_ns(LAG));
        if due_ns > latest_ns {
            self.met = Some((wall, latest_ns));
        }
        Some(due_ns.min(latest_ns))
    }

    /// Stands, or goes on.
    pub const fn pause(&mut self) {
        self.paused = !self.paused;
        self.met = None;
    }

    /// One step faster or slower; at the end of the scale nothing changes.
    pub const fn change(&mut self, faster: bool) {
        self.speed = match faster {
            true if self.speed + 1 < SPEEDS.len() => self.speed + 1,
            false if self.speed > 0 => self.speed - 1,
            _ => self.speed,
        };
        self.met = None;
    }

    /// Whether machine time stands.
    #[must_use]
    pub const fn paused(&self) -> bool {
        self.paused
    }

    /// Whether machines run as fast as they can.
    #[must_use]
    pub const fn unbounded(&self) -> bool {
        !self.paused && SPEEDS[self.speed].0.is_none()
    }

    /// In words.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        if self.paused { "paused" } else { SPEEDS[self.speed].1 }
    }

    /// As short as it can be said.
    #[must_use]
    pub const fn short(&self) -> &'static str {
        if self.paused { "paused" } else { SPEEDS[self.speed].2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn wall(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_clocks_go_together_and_stand_together() {
        let mut pace = Pace::default();
        assert_eq!(pace.due_ns(wall(1_000), 0), Some(0));
        assert_eq!(pace.due_ns(wall(1_040), 0), Some(40 * MS));
        pace.pause();
        assert_eq!((pace.due_ns(wall(1_090), 40 * MS), pace.word()), (Some(40 * MS), "paused"));
        pace.pause();
        assert_eq!(pace.due_ns(wall(2_000), 40 * MS), Some(40 * MS));
        assert_eq!(pace.due_ns(wall(2_010), 40 * MS), Some(50 * MS));
        for _ in 0..9 {
            pace.change(false);
        }
        assert_eq!(pace.due_ns(wall(2_100), 50 * MS), Some(50 * MS));
        assert_eq!((pace.due_ns(wall(2_200), 50 * MS), pace.word()), (Some(60 * MS), SPEEDS[0].1));
        for _ in 0..9 {
            pace.change(true);
        }
        assert_eq!((pace.due_ns(wall(2_300), 60 * MS), pace.unbounded()), (None, true));
    }

    #[test]
    fn who_is_late_does_not_hurry() {
        let mut pace = Pace::default();
        assert_eq!(pace.due_ns(wall(0), 0), Some(0));
        assert_eq!(pace.due_ns(wall(9_000), 5 * MS), Some(255 * MS));
        assert_eq!(pace.due_ns(wall(9_010), 20 * MS), Some(265 * MS), "from there on");
    }
}
