//! Extension registers: selected by writing their number to [`crate::io::EXT_SELECT`], then read
//! or written through [`crate::io::EXT_DATA`]. A machine without them reads 0 there, so software
//! looks at [`IDENTITY`] first.

/// One row of [`REGISTERS`].
pub struct RegisterRow {
    /// Number to select.
    pub number: u32,
    /// Name.
    pub name: &'static str,
    /// Value after power-on, where it is fixed.
    pub reset: Option<u32>,
    /// Meaning of reads and writes.
    pub meaning: &'static str,
}

const fn register(
    number: u32,
    name: &'static str,
    reset: Option<u32>,
    meaning: &'static str,
) -> RegisterRow {
    RegisterRow { number, name, reset, meaning }
}

/// [`IDENTITY_VALUE`].
pub const IDENTITY: u32 = 0;
/// Bits of [`feature`].
pub const FEATURES: u32 = 1;
/// Clock of the core in Hz.
pub const CLOCK_HZ: u32 = 2;
/// Free-running microseconds since power-on, modulo 2^32.
pub const MICROSECONDS: u32 = 3;
/// Low word of the cycle counter; reading it latches the high word.
pub const CYCLES_LOW: u32 = 4;
/// High word of the cycle counter as latched.
pub const CYCLES_HIGH: u32 = 5;
/// Watchdog: milliseconds until expiry, 0 = disarmed.
pub const WATCHDOG: u32 = 6;
/// 1 after an expiry; a write clears it.
pub const WATCHDOG_CAUSE: u32 = 7;
/// Byte address of the instruction that the last expiry kept from executing.
pub const WATCHDOG_PC: u32 = 8;
/// Build identity of the machine, 32 bits.
pub const BUILD_IDENTITY: u32 = 9;

/// "KS" in the upper half, the version of this register file in the lower.
pub const IDENTITY_VALUE: u32 = 0x4B53_0001;

/// The registers in the order of their numbers.
pub const REGISTERS: [RegisterRow; 10] = [
    register(IDENTITY, "identity", Some(IDENTITY_VALUE), "\"KS\" and version"),
    register(FEATURES, "features", Some(feature::ALL), "what this machine has"),
    register(CLOCK_HZ, "clock", None, "clock of the core in Hz"),
    register(MICROSECONDS, "microseconds", Some(0), "microseconds since power-on"),
    register(CYCLES_LOW, "cycles low", Some(0), "cycle counter; a read latches the high word"),
    register(CYCLES_HIGH, "cycles high", Some(0), "high word as latched"),
    register(WATCHDOG, "watchdog", Some(0), "write: ms until expiry, 0 disarms; read: ms left"),
    register(WATCHDOG_CAUSE, "watchdog cause", Some(0), "1 after an expiry; a write clears"),
    register(WATCHDOG_PC, "watchdog pc", Some(0), "byte address at the last expiry"),
    register(BUILD_IDENTITY, "build identity", None, "32 bits naming the build"),
];

/// Bits of [`FEATURES`].
pub mod feature {
    /// The idle word.
    pub const IDLE: u32 = 1;
    /// The watchdog.
    pub const WATCHDOG: u32 = 2;
    /// The cycle counter.
    pub const CYCLES: u32 = 4;
    /// The radio's interrupt pin is wired.
    pub const RADIO_INTERRUPT: u32 = 8;
    /// The UART has a receive FIFO.
    pub const UART_FIFO: u32 = 16;
    /// All of them.
    pub const ALL: u32 = IDLE | WATCHDOG | CYCLES | RADIO_INTERRUPT | UART_FIFO;

    /// What each bit is called.
    pub const NAMES: [(u32, &str); 5] = [
        (IDLE, "idle word"),
        (WATCHDOG, "watchdog"),
        (CYCLES, "cycle counter"),
        (RADIO_INTERRUPT, "radio interrupt"),
        (UART_FIFO, "receive FIFO"),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_row_indexes() {
        for (index, row) in REGISTERS.iter().enumerate() {
            assert_eq!(row.number as usize, index, "{}", row.name);
        }
    }

    #[test]
    fn every_feature_has_a_name() {
        assert_eq!(feature::NAMES.iter().fold(0, |bits, (bit, _)| bits | bit), feature::ALL);
    }
}
