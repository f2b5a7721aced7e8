//! The machine's clock: cycles since power-on against nanoseconds on the axis shared with the air.

/// Converts between cycles and time, exactly and without drift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    hz: u64,
    power_on_ns: u64,
    /// Nanoseconds a cycle where that is a whole number, else 0.
    cycle_ns: u64,
}

const NS_PER_S: u64 = 1_000_000_000;

impl Clock {
    /// `hz` of 0 counts as 1.
    pub(crate) fn new(hz: u32, power_on_ns: u64) -> Self {
        let hz = u64::from(hz.max(1));
        let cycle_ns = if NS_PER_S.is_multiple_of(hz) { NS_PER_S / hz } else { 0 };
        Self { hz, power_on_ns, cycle_ns }
    }

    pub(crate) fn hz(&self) -> u64 {
        self.hz
    }

    /// Time at the start of a cycle.
    pub(crate) fn ns(&self, cycle: u64) -> u64 {
        let since = match self.cycle_ns {
            0 => scale(cycle, NS_PER_S, self.hz),
            ns => cycle.saturating_mul(ns),
        };
        self.power_on_ns.saturating_add(since)
    }

    /// The first cycle that starts at or after a time.
    pub(crate) fn cycle_at_or_after(&self, ns: u64) -> u64 {
        let since = ns.saturating_sub(self.power_on_ns);
        let cycle = u128::from(since) * u128::from(self.hz);
        u64::try_from(cycle.div_ceil(u128::from(NS_PER_S))).unwrap_or(u64::MAX)
    }

    /// Whole units of 1/`per_second` s since power-on.
    pub(crate) fn units(&self, cycle: u64, per_second: u64) -> u64 {
        scale(cycle, per_second, self.hz)
    }

    /// The first cycle at which [`Clock::units`] has reached `count`.
    pub(crate) fn cycle_of_unit(&self, count: u64, per_second: u64) -> u64 {
        let cycle = u128::from(count) * u128::from(self.hz);
        u64::try_from(cycle.div_ceil(u128::from(per_second))).unwrap_or(u64::MAX)
    }
}

fn scale(value: u64, numerator: u64, denominator: u64) -> u64 {
    let scaled = u128::from(value) * u128::from(numerator) / u128::from(denominator);
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifty_megahertz() {
        let clock = Clock::new(50_000_000, 1_000);
        assert_eq!(clock.ns(3), 1_060);
        assert_eq!(clock.cycle_at_or_after(1_060), 3);
        assert_eq!(clock.cycle_at_or_after(1_061), 4);
        assert_eq!(clock.cycle_at_or_after(0), 0);
        assert_eq!(clock.units(50_000, 1_000), 1);
        assert_eq!(clock.cycle_of_unit(2, 1_000), 100_000);
    }

    #[test]
    fn an_odd_clock_does_not_drift() {
        let clock = Clock::new(33_333_333, 0);
        let hour = 3_600 * 33_333_333;
        assert_eq!(clock.ns(hour), 3_600 * NS_PER_S);
        for cycle in [0, 1, 2, 7, 1_000_003] {
            assert_eq!(clock.cycle_at_or_after(clock.ns(cycle)), cycle);
        }
        let third = clock.cycle_of_unit(3, 1_000);
        assert_eq!((clock.units(third - 1, 1_000), clock.units(third, 1_000)), (2, 3));
    }
}
