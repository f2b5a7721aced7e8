//! The RS-232 line: 8 data bits, no parity, one stop bit, so ten bit times a character.
//!
//! Bytes given to [`Uart::send`] stand in a queue on the line and arrive one after another at the
//! rate that the machine has set. Our machine keeps 256 of them and drops what comes when that is
//! full; the reference keeps one, and a byte that is not fetched in time is overwritten by the next.

use std::collections::VecDeque;

use risc5_isa::io::uart;

use crate::clock::Clock;

const BITS_A_CHARACTER: u64 = 10;

pub(crate) struct Uart {
    clock: Clock,
    fifo_bytes: usize,
    fast: bool,
    /// Bytes still on the line, and the cycle at which the first of them is complete.
    line: VecDeque<u8>,
    arrival: u64,
    received: VecDeque<u8>,
    sending: Option<(u8, u64)>,
    sent: Vec<u8>,
    overruns: u64,
    sent_too_early: u64,
}

impl Uart {
    pub(crate) fn new(clock: Clock, fifo_bytes: usize) -> Self {
        Self {
            clock,
            fifo_bytes,
            fast: false,
            line: VecDeque::new(),
            arrival: 0,
            received: VecDeque::new(),
            sending: None,
            sent: Vec::new(),
            overruns: 0,
            sent_too_early: 0,
        }
    }

    fn character_cycles(&self) -> u64 {
        let baud = if self.fast { uart::FAST_BAUD } else { uart::SLOW_BAUD };
        (self.clock.hz() * BITS_A_CHARACTER).div_ceil(u64::from(baud))
    }

    /// Puts bytes on the line toward the machine, behind those already there.
    pub(crate) fn send(&mut self, bytes: &[u8], now: u64) {
        self.advance(now);
        if self.line.is_empty() && !bytes.is_empty() {
            self.arrival = now + self.character_cycles();
        }
        self.line.extend(bytes);
    }

    /// Takes the bytes that the machine has sent completely.
    pub(crate) fn take_sent(&mut self, now: u64) -> Vec<u8> {
        self.advance(now);
        std::mem::take(&mut self.sent)
    }

    fn advance(&mut self, now: u64) {
        if let Some((byte, done)) = self.sending
            && done <= now
        {
            self.sent.push(byte);
            self.sending = None;
        }
        while self.arrival <= now
            && let Some(byte) = self.line.pop_front()
        {
            if self.received.len() < self.fifo_bytes {
                self.received.push_back(byte);
            } else {
                self.overruns += 1;
                if self.fifo_bytes == 1 {
                    self.received[0] = byte;
                }
            }
            self.arrival += self.character_cycles();
        }
    }

    /// The status word.
    pub(crate) fn status(&mut self, now: u64) -> u32 {
        self.advance(now);
        let receive = if self.received.is_empty() { 0 } else { uart::RX_READY };
        let transmit = if self.sending.is_some() { 0 } else { uart::TX_READY };
        receive | transmit
    }

    /// Whether a received byte waits.
    pub(crate) fn waits(&mut self, now: u64) -> bool {
        self.status(now) & uart::RX_READY != 0
    }

    /// When the next byte will have arrived, if one is on the line.
    pub(crate) fn next_arrival(&self) -> Option<u64> {
        (!self.line.is_empty()).then_some(self.arrival)
    }

    /// When the status word will next change by itself.
    pub(crate) fn next_change(&self, now: u64) -> Option<u64> {
        let sent = self.sending.map(|(_, done)| done);
        let change = [sent, self.next_arrival()].into_iter().flatten().min();
        change.filter(|at| *at > now)
    }

    /// The oldest received byte, which the read consumes; 0 if there is none.
    pub(crate) fn read(&mut self, now: u64) -> u32 {
        self.advance(now);
        self.received.pop_front().unwrap_or(0).into()
    }

    /// Starts sending. A byte written while another is under way is lost.
    pub(crate) fn write(&mut self, byte: u8, now: u64) {
        self.advance(now);
        if self.sending.is_some() {
            self.sent_too_early += 1;
        } else {
            self.sending = Some((byte, now + self.character_cycles()));
        }
    }

    /// Selects the rate for characters that start from now on.
    pub(crate) fn set_control(&mut self, value: u32, now: u64) {
        self.advance(now);
        self.fast = value & uart::FAST != 0;
    }

    /// Received bytes lost because software was late.
    pub(crate) fn overruns(&self) -> u64 {
        self.overruns
    }

    /// Bytes lost because software did not wait for the transmitter.
    pub(crate) fn sent_too_early(&self) -> u64 {
        self.sent_too_early
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HZ: u64 = 50_000_000;

    fn at(fifo_bytes: usize) -> Uart {
        Uart::new(Clock::new(HZ as u32, 0), fifo_bytes)
    }

    #[test]
    fn a_character_takes_ten_bit_times_both_ways() {
        for (control, baud) in [(0, 19_200), (1, 115_200)] {
            let character = (HZ * 10).div_ceil(baud);
            let mut uart = at(256);
            uart.set_control(control, 0);
            uart.send(b"ab", 100);
            uart.write(b'x', 100);
            assert_eq!(uart.status(100 + character - 1), 0);
            assert_eq!(uart.status(100 + character), 3);
            assert_eq!(uart.take_sent(100 + character), b"x");
            assert_eq!(uart.read(100 + character), u32::from(b'a'));
            assert!(!uart.waits(100 + 2 * character - 1));
            assert!(uart.waits(100 + 2 * character));
        }
    }

    #[test]
    fn a_byte_written_too_early_is_lost_and_counted() {
        let mut uart = at(256);
        uart.write(1, 0);
        uart.write(2, 1);
        assert_eq!(uart.take_sent(HZ), [1]);
        assert_eq!(uart.sent_too_early(), 1);
    }

    #[test]
    fn our_fifo_keeps_the_first_256_bytes() {
        let mut uart = at(256);
        let bytes: Vec<u8> = (0..=255).chain([9, 9]).collect();
        uart.send(&bytes, 0);
        for expected in 0..=255 {
            assert_eq!(uart.read(HZ), expected);
        }
        assert_eq!(uart.overruns(), 2);
        assert_eq!(uart.status(HZ), 2);
        assert_eq!(uart.read(HZ), 0);
    }

    #[test]
    fn the_reference_keeps_the_last_byte() {
        let mut uart = at(1);
        uart.send(b"abc", 0);
        assert_eq!(uart.read(HZ), u32::from(b'c'));
        assert_eq!(uart.overruns(), 2);
    }
}
