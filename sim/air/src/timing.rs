//! Times of the chip, and the quantum that follows from them.

/// CE rising to the first bit, or to listening: Tstby2a (product specification 1.0, table 16).
pub(crate) const SETTLE_NS: u64 = 130_000;
/// Shortest CE pulse that sends a frame: Thce (table 16).
pub(crate) const CE_PULSE_NS: u64 = 10_000;
/// Shortest time from CE rising to CSN low: Tpece2csn (table 16).
pub(crate) const CE_TO_CSN_NS: u64 = 4_000;
/// Shortest time CSN stays high between commands: Tcwh (SPI timing tables).
pub(crate) const CSN_HIGH_NS: u64 = 50;
/// Longest time in transmit mode without a break (6.1.5, "never more than 4 ms").
pub(crate) const LONGEST_SEND_NS: u64 = 4_000_000;
/// Time a signal must last, and the receiver have listened, before RPD shows it (6.4: 40 us
/// after the 130 us of settling).
pub(crate) const RPD_NS: u64 = 40_000;

/// The same for the carrier detector of the non-plus chip (nRF24L01 specification, 6.4: 128 us).
pub(crate) const CD_NS: u64 = 128_000;

/// Longest time from one [`crate::Air::step`] to the next: a frame is known at least 120 us before
/// its first bit, and 20 us of that are left for machines that run a little past a boundary.
pub const QUANTUM_NS: u64 = 100_000;

/// A retry is decided this long before its first bit.
pub(crate) const RETRY_NOTICE_NS: u64 = 20_000;

/// Times that differ between modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Power applied to registers usable: until then SPI reads 0 and writes are lost.
    pub power_on_reset_ns: u64,
    /// PWR_UP written to standby: 1.5 ms for a good crystal, 4.5 ms for the worst one allowed.
    pub power_up_ns: u64,
    /// End of an acknowledgement to listening again. 130 us as for every other turn; with it a
    /// first retry 250 us after its frame meets a receiver that is still turning. Whether real
    /// chips are faster here is not known.
    pub turn_back_ns: u64,
    /// Last bit to the interrupt line (Tirq: 8.2 us at 1 Mbit/s, 6 us at 2 Mbit/s in the product
    /// specification's timing tables). The flags in STATUS do not wait for it. 0 in the named
    /// sets, so that times are those of the air alone.
    pub interrupt_delay_ns: u64,
}

impl Timing {
    /// A typical module.
    pub const TYPICAL: Timing = Timing {
        power_on_reset_ns: 100_000_000,
        power_up_ns: 1_500_000,
        turn_back_ns: SETTLE_NS,
        interrupt_delay_ns: 0,
    };
    /// The slowest crystal that the product specification allows.
    pub const WORST: Timing = Timing { power_up_ns: 4_500_000, ..Timing::TYPICAL };
}

impl Default for Timing {
    fn default() -> Self {
        Self::TYPICAL
    }
}
