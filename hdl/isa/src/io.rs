//! The sixteen I/O words, named by the negative addresses that Oberon programs use.

/// One row of [`WORDS`].
pub struct WordRow {
    /// Signed address, -64..=-4.
    pub address: i32,
    /// Name.
    pub name: &'static str,
    /// What a read gives.
    pub read: &'static str,
    /// What a write does.
    pub write: &'static str,
    /// Whether the reference machine has it.
    pub in_reference: bool,
}

const fn word(
    address: i32,
    name: &'static str,
    read: &'static str,
    write: &'static str,
    in_reference: bool,
) -> WordRow {
    WordRow { address, name, read, write, in_reference }
}

/// Milliseconds since power-on, modulo 2^32.
pub const MILLISECONDS: i32 = -64;
/// Read: buttons (11..8) and switches (7..0). Write: LEDs (7..0).
pub const SWITCHES_LEDS: i32 = -60;
/// UART data.
pub const UART_DATA: i32 = -56;
/// UART status and rate.
pub const UART_STATUS: i32 = -52;
/// SPI data: a write starts an exchange, a read gives what the last one shifted in.
pub const SPI_DATA: i32 = -48;
/// SPI status and control.
pub const SPI_STATUS: i32 = -44;
/// Mouse word; bit 28 says that a key waits.
pub const MOUSE: i32 = -40;
/// PS/2 key code; the read removes it.
pub const KEY: i32 = -36;
/// General-purpose pins.
pub const GPIO: i32 = -32;
/// Direction of the general-purpose pins, 1 = output.
pub const GPIO_DIRECTION: i32 = -28;
/// Number of the selected extension register.
pub const EXT_SELECT: i32 = -16;
/// The selected extension register.
pub const EXT_DATA: i32 = -12;
/// Idle word: a write stops the machine until an event of the mask, a read gives pending events.
pub const IDLE: i32 = -8;

/// The words in use. -24, -20 and -4 stay free: other emulators use them.
pub const WORDS: [WordRow; 13] = [
    word(MILLISECONDS, "milliseconds", "milliseconds since power-on", "-", true),
    word(SWITCHES_LEDS, "switches/LEDs", "buttons 11..8, switches 7..0", "LEDs 7..0", true),
    word(UART_DATA, "UART data", "received byte, removed by the read", "byte to transmit", true),
    word(
        UART_STATUS,
        "UART status",
        "bit 0 byte waits, bit 1 transmitter ready",
        "bit 0: 0 = 19200, 1 = 115200 baud",
        true,
    ),
    word(SPI_DATA, "SPI data", "what the last exchange shifted in", "starts an exchange", true),
    word(
        SPI_STATUS,
        "SPI status",
        "bit 0 exchange finished",
        "bit 0 card select, 1 radio select, 2 fast words, 3 radio CE",
        true,
    ),
    word(MOUSE, "mouse", "x 9..0, y 21..12, buttons 26..24, bit 28 key waits", "-", true),
    word(KEY, "key", "PS/2 code, removed by the read", "-", true),
    word(GPIO, "GPIO", "pins", "outputs", true),
    word(GPIO_DIRECTION, "GPIO direction", "directions", "directions, 1 = output", true),
    word(EXT_SELECT, "extension select", "selected number", "number to select", false),
    word(EXT_DATA, "extension data", "the selected register", "the selected register", false),
    word(IDLE, "idle", "pending events", "event mask: stop until one is pending", false),
];

/// Index 0..=15 of the word at a signed or 24-bit byte address.
#[must_use]
pub const fn index(address: i32) -> usize {
    (address as u32 >> 2 & 15) as usize
}

/// Bits of the UART status word.
pub mod uart {
    /// Read: a received byte waits.
    pub const RX_READY: u32 = 1;
    /// Read: the transmitter takes a byte.
    pub const TX_READY: u32 = 2;
    /// Write: fast rate.
    pub const FAST: u32 = 1;
    /// Bits a second with [`FAST`] clear (state after reset).
    pub const SLOW_BAUD: u32 = 19_200;
    /// Bits a second with [`FAST`] set.
    pub const FAST_BAUD: u32 = 115_200;
    /// Depth of the receive FIFO of our machine, in bytes.
    pub const RX_FIFO_BYTES: usize = 256;
}

/// Bits of the SPI control word and the limits of its rates.
pub mod spi {
    /// Select the SD card (chip select low).
    pub const CARD: u32 = 1;
    /// Select the radio (CSN low).
    pub const RADIO: u32 = 2;
    /// Exchange a 32-bit word at the fast rate instead of a byte at the slow one; least
    /// significant byte first, each byte most significant bit first.
    pub const FAST: u32 = 4;
    /// The radio's CE pin.
    pub const RADIO_ENABLE: u32 = 8;
    /// Read: the exchange is finished.
    pub const READY: u32 = 1;
    /// Highest slow rate: card identification.
    pub const SLOW_MAX_HZ: u32 = 400_000;
    /// Highest fast rate: card and radio.
    pub const FAST_MAX_HZ: u32 = 10_000_000;
    /// Clock divider of the reference machine, slow.
    pub const REFERENCE_SLOW_DIVIDER: u32 = 64;
    /// Clock divider of the reference machine, fast.
    pub const REFERENCE_FAST_DIVIDER: u32 = 3;
}

/// Event bits of the idle word.
pub mod event {
    /// A millisecond boundary since the last write of the idle word (edge).
    pub const TICK: u32 = 1;
    /// A received UART byte waits (level).
    pub const UART: u32 = 2;
    /// The radio's interrupt line is low (level).
    pub const RADIO: u32 = 4;
    /// The card is selected and not busy (level).
    pub const CARD: u32 = 8;
    /// A key waits (level).
    pub const KEY: u32 = 16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_distinct_words_of_the_io_page() {
        let mut seen = [false; 16];
        for row in &WORDS {
            assert!((-64..=-4).contains(&row.address) && row.address % 4 == 0, "{}", row.name);
            assert!(!core::mem::replace(&mut seen[index(row.address)], true), "{}", row.name);
            let absolute = row.address as u32 & crate::map::ADDRESS_MASK;
            assert_eq!(crate::map::IO_BASE + 4 * index(row.address) as u32, absolute);
        }
        for free in [-24, -20, -4] {
            assert!(!seen[index(free)], "{free} belongs to other emulators");
        }
    }
}
