//! The SPI master and what can be fitted to its second select line.
//!
//! An exchange is computed when it starts and can be read when its bits are out. While a chip is
//! selected its bytes go there; with both selects low the two answers meet on one wire (AND).

use risc5_isa::io::spi;

use crate::clock::Clock;
use crate::machine::Variant;
use crate::sd::SdCard;

/// A chip on the radio's select line: SPI plus the two pins of an nRF24L01+.
///
/// Times are absolute nanoseconds and never run backwards.
pub trait SpiDevice {
    /// The select line changes; `selected` means low (CSN = 0).
    fn select(&mut self, now_ns: u64, selected: bool);
    /// One byte goes to the chip and one comes back. Called only while selected.
    fn transfer(&mut self, now_ns: u64, byte: u8) -> u8;
    /// The CE pin changes.
    fn enable(&mut self, now_ns: u64, level: bool);
    /// Whether the interrupt line is asserted (low).
    fn interrupt(&mut self, now_ns: u64) -> bool;
    /// The earliest time after now at which [`SpiDevice::interrupt`] may change by itself.
    fn next_event_ns(&self) -> Option<u64>;
}

/// No chip fitted: the data line floats to one level.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRadio {
    /// What is read: true for FFH, false for 00H.
    pub level: bool,
}

impl SpiDevice for NoRadio {
    fn select(&mut self, _now_ns: u64, _selected: bool) {}

    fn transfer(&mut self, _now_ns: u64, _byte: u8) -> u8 {
        if self.level { 0xFF } else { 0 }
    }

    fn enable(&mut self, _now_ns: u64, _level: bool) {}

    fn interrupt(&mut self, _now_ns: u64) -> bool {
        false
    }

    fn next_event_ns(&self) -> Option<u64> {
        None
    }
}

pub(crate) struct Spi {
    control: u32,
    ready_at: u64,
    shifted_in: u32,
    /// Clock cycles a bit.
    slow_divider: u64,
    fast_divider: u64,
}

impl Spi {
    pub(crate) fn new(clock: &Clock, variant: Variant) -> Self {
        let (slow_divider, fast_divider) = match variant {
            Variant::Ours => (
                clock.hz().div_ceil(spi::SLOW_MAX_HZ.into()),
                clock.hz().div_ceil(spi::FAST_MAX_HZ.into()),
            ),
            Variant::Compat => {
                (spi::REFERENCE_SLOW_DIVIDER.into(), spi::REFERENCE_FAST_DIVIDER.into())
            }
        };
        Self { control: 0, ready_at: 0, shifted_in: u32::MAX, slow_divider, fast_divider }
    }

    fn fast(&self) -> bool {
        self.control & spi::FAST != 0
    }

    pub(crate) fn card_selected(&self) -> bool {
        self.control & spi::CARD != 0
    }

    /// Status word: bit 0 once the exchange is finished.
    pub(crate) fn status(&self, now: u64) -> u32 {
        if now >= self.ready_at { spi::READY } else { 0 }
    }

    /// When the exchange under way will be finished.
    pub(crate) fn ready_at(&self, now: u64) -> Option<u64> {
        (now < self.ready_at).then_some(self.ready_at)
    }

    /// What the last exchange shifted in.
    pub(crate) fn data(&self) -> u32 {
        if self.fast() { self.shifted_in } else { self.shifted_in & 0xFF }
    }

    /// Control word: select lines, mode and the radio's CE pin.
    pub(crate) fn set_control(
        &mut self,
        value: u32,
        now_ns: u64,
        card: Option<&mut SdCard>,
        radio: &mut impl SpiDevice,
    ) {
        let changed = self.control ^ value;
        self.control = value & 15;
        if changed & spi::CARD != 0
            && let Some(card) = card
        {
            card.select(value & spi::CARD != 0);
        }
        if changed & spi::RADIO != 0 {
            radio.select(now_ns, value & spi::RADIO != 0);
        }
        if changed & spi::RADIO_ENABLE != 0 {
            radio.enable(now_ns, value & spi::RADIO_ENABLE != 0);
        }
    }

    /// Starts an exchange of a byte (slow) or a word, least significant byte first (fast).
    pub(crate) fn start(
        &mut self,
        value: u32,
        now: u64,
        now_ns: u64,
        mut card: Option<&mut SdCard>,
        radio: &mut impl SpiDevice,
    ) {
        let (bytes, divider) =
            if self.fast() { (4, self.fast_divider) } else { (1, self.slow_divider) };
        let mut shifted_in = value.to_le_bytes();
        for byte in &mut shifted_in[..bytes] {
            let mut answer = 0xFF;
            if let Some(card) = card.as_deref_mut() {
                answer &= card.transfer(now_ns, *byte);
            }
            if self.control & spi::RADIO != 0 {
                answer &= radio.transfer(now_ns, *byte);
            }
            *byte = answer;
        }
        self.shifted_in = u32::from_le_bytes(shifted_in);
        self.ready_at = now + bytes as u64 * 8 * divider;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Echoes the byte before and remembers its pins.
    #[derive(Default)]
    struct Echo {
        last: u8,
        calls: Vec<(&'static str, u64, bool)>,
    }

    impl SpiDevice for Echo {
        fn select(&mut self, now_ns: u64, selected: bool) {
            self.calls.push(("select", now_ns, selected));
        }
        fn transfer(&mut self, _now_ns: u64, byte: u8) -> u8 {
            std::mem::replace(&mut self.last, byte)
        }
        fn enable(&mut self, now_ns: u64, level: bool) {
            self.calls.push(("enable", now_ns, level));
        }
        fn interrupt(&mut self, _now_ns: u64) -> bool {
            false
        }
        fn next_event_ns(&self) -> Option<u64> {
            None
        }
    }

    #[test]
    fn rates_follow_the_clock_and_stay_under_their_limits() {
        let cases = [
            (50_000_000, Variant::Ours, 125, 5),
            (25_000_000, Variant::Ours, 63, 3),
            (66_666_667, Variant::Ours, 167, 7),
            (25_000_000, Variant::Compat, 64, 3),
        ];
        for (hz, variant, slow, fast) in cases {
            let mut bus = Spi::new(&Clock::new(hz, 0), variant);
            let radio = &mut NoRadio::default();
            bus.start(0xFF, 1_000, 0, None, radio);
            assert_eq!(bus.status(1_000 + 8 * slow - 1), 0, "{hz}");
            assert_eq!(bus.status(1_000 + 8 * slow), 1, "{hz}");
            bus.set_control(spi::FAST, 0, None, radio);
            bus.start(0xFF, 9_000, 0, None, radio);
            assert_eq!(bus.status(9_000 + 32 * fast - 1), 0, "{hz}");
            assert_eq!(bus.status(9_000 + 32 * fast), 1, "{hz}");
        }
    }

    #[test]
    fn words_go_out_least_significant_byte_first() {
        let mut bus = Spi::new(&Clock::new(50_000_000, 0), Variant::Ours);
        let mut chip = Echo::default();
        bus.set_control(spi::RADIO | spi::FAST, 7, None, &mut chip);
        bus.start(0x4433_2211, 0, 7, None, &mut chip);
        assert_eq!(bus.data(), 0x3322_1100);
        bus.set_control(spi::RADIO | spi::RADIO_ENABLE, 9, None, &mut chip);
        bus.start(0xAA, 0, 9, None, &mut chip);
        assert_eq!(bus.data(), 0x44);
        bus.set_control(0, 11, None, &mut chip);
        bus.start(0xAA, 0, 11, None, &mut chip);
        assert_eq!(bus.data(), 0xFF, "nothing selected");
        let calls = [
            ("select", 7, true),
            ("enable", 9, true),
            ("select", 11, false),
            ("enable", 11, false),
        ];
        assert_eq!(chip.calls, calls);
    }
}
