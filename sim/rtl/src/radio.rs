//! What can be fitted to the radio's pins.

use kube_air::Chip;
use kube_emu::NoRadio;

/// A chip behind an SPI slave. Times are absolute nanoseconds and never run backwards.
pub trait RadioPins {
    /// The select line changes; `selected` means low.
    fn select(&mut self, now_ns: u64, selected: bool);
    /// Before the first clock of a byte: what will be shifted out. Must not change the chip.
    fn byte_out(&mut self, now_ns: u64) -> u8;
    /// After the last clock of a byte: what was shifted in.
    fn byte_in(&mut self, now_ns: u64, byte: u8);
    /// The CE pin changes.
    fn enable(&mut self, now_ns: u64, level: bool);
    /// Whether the interrupt line is asserted (low).
    fn interrupt(&mut self, now_ns: u64) -> bool;
    /// The earliest time after now at which the interrupt line may change by itself.
    fn next_event_ns(&self) -> Option<u64>;
}

impl RadioPins for NoRadio {
    fn select(&mut self, _now_ns: u64, _selected: bool) {}
    fn byte_out(&mut self, _now_ns: u64) -> u8 {
        if self.level { 0xFF } else { 0 }
    }
    fn byte_in(&mut self, _now_ns: u64, _byte: u8) {}
    fn enable(&mut self, _now_ns: u64, _level: bool) {}
    fn interrupt(&mut self, _now_ns: u64) -> bool {
        false
    }
    fn next_event_ns(&self) -> Option<u64> {
        None
    }
}

/// The chip's model takes and gives a byte at once. What it will give is asked of a copy when the
/// byte begins, what it takes is told when the byte has ended.
impl RadioPins for Chip {
    fn select(&mut self, now_ns: u64, selected: bool) {
        Chip::select(self, now_ns, selected);
    }
    fn byte_out(&mut self, now_ns: u64) -> u8 {
        self.clone().transfer(now_ns, 0xFF)
    }
    fn byte_in(&mut self, now_ns: u64, byte: u8) {
        self.transfer(now_ns, byte);
    }
    fn enable(&mut self, now_ns: u64, level: bool) {
        Chip::enable(self, now_ns, level);
    }
    fn interrupt(&mut self, now_ns: u64) -> bool {
        Chip::interrupt(self, now_ns)
    }
    fn next_event_ns(&self) -> Option<u64> {
        Chip::next_event_ns(self)
    }
}
