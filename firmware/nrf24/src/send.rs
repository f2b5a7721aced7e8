//! Sending: one payload, or up to three in one go.

use crate::driver::{CE_US, Mode, Nrf24, Outcome};
use crate::error::Error;
use crate::register::{FifoStatus, Register, Status, command, config};
use crate::settings::{FIFO_DEPTH, Length, MAX_PAYLOAD, Rate};
use crate::statistics::count;
use embedded_hal::delay::DelayNs;
use embedded_hal::digital::OutputPin;
use embedded_hal::spi::SpiDevice;

/// Between two looks at a transmission.
const PEEK_US: u32 = 20;

/// What became of several payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// Payloads sent, and acknowledged where that was asked for: the first so many.
    pub sent: usize,
    /// The one that was given up; those behind it were not tried.
    pub given_up: Option<usize>,
}

/// How a transmission ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Sent,
    GaveUp,
    Late,
}

impl<S: SpiDevice, C: OutputPin, D: DelayNs> Nrf24<S, C, D> {
    /// Sends a payload; where the static length is longer, zeros follow. True if it was sent, and
    /// acknowledged where the settings ask for that; false if all retries failed. A listening
    /// chip listens again afterwards.
    ///
    /// # Errors
    /// [`Error::Payload`] if it is too long or empty, [`Error::Timeout`], [`Error::Restarted`],
    /// [`Error::Absent`].
    pub fn send(&mut self, payload: &[u8]) -> Outcome<bool, S, C> {
        Ok(self.send_burst(&[payload])?.sent == 1)
    }

    /// Sends up to three payloads. Without acknowledgement they follow each other without a gap;
    /// with it each is waited for, so that one given up is known by its number.
    ///
    /// # Errors
    /// As [`Nrf24::send`], and [`Error::TooMany`].
    pub fn send_burst(&mut self, payloads: &[&[u8]]) -> Outcome<Burst, S, C> {
        self.check(payloads)?;
        self.ready()?;
        let again = self.mode;
        self.begin_sending()?;
        let outcome = if self.settings.acknowledged.is_some() {
            self.one_by_one(payloads)
        } else {
            self.in_one_go(payloads)
        };
        let late = matches!(outcome, Err(Error::Timeout));
        self.end_sending(again)?;
        if late {
            count(&mut self.statistics.timeouts);
            self.suspect()?;
        }
        outcome
    }

    fn check(&self, payloads: &[&[u8]]) -> Outcome<(), S, C> {
        // 4 ms without a break are the limit of the chip's transmitter.
        let at_once = if self.settings.rate == Rate::K250 { 2 } else { FIFO_DEPTH };
        if payloads.len() > at_once {
            return Err(Error::TooMany { given: payloads.len(), allowed: at_once });
        }
        let allowed = match self.settings.length {
            Length::Static(bytes) => usize::from(bytes),
            Length::Dynamic => MAX_PAYLOAD,
        };
        match payloads.iter().map(|payload| payload.len()).find(|len| !(1..=allowed).contains(len))
        {
            Some(given) => Err(Error::Payload { given, allowed }),
            None => Ok(()),
        }
    }

    /// Pipe 0 hears the acknowledgement, so while sending it has the target's address.
    fn begin_sending(&mut self) -> Outcome<(), S, C> {
        self.ce.set_low().map_err(Error::Pin)?;
        self.bus.write(Register::Config, self.settings.config()).map_err(Error::Spi)?;
        self.put_pipe_0(self.settings.target)?;
        self.bus.clear(Status::TX_DS | Status::MAX_RT).map_err(Error::Spi)
    }

    fn end_sending(&mut self, again: Mode) -> Outcome<(), S, C> {
        self.ce.set_low().map_err(Error::Pin)?;
        self.bus.clear(Status::TX_DS | Status::MAX_RT).map_err(Error::Spi)?;
        self.put_pipe_0(self.settings.own)?;
        let config = self.settings.config() | config::PRIM_RX;
        self.bus.write(Register::Config, config).map_err(Error::Spi)?;
        if again == Mode::Listening {
            self.enter_listening()?;
        }
        Ok(())
    }

    fn put_pipe_0(&mut self, address: [u8; 5]) -> Outcome<(), S, C> {
        if self.settings.acknowledged.is_none() || self.settings.own == self.settings.target {
            return Ok(());
        }
        let row = crate::settings::Row { register: Register::RxAddrP0, value: address };
        self.bus.write_row(&row).map_err(Error::Spi)
    }

    fn load(&mut self, payload: &[u8]) -> Outcome<(), S, C> {
        let Length::Static(len) = self.settings.length else {
            return self.bus.load(payload).map_err(Error::Spi);
        };
        let mut padded = [0; MAX_PAYLOAD];
        padded[..payload.len()].copy_from_slice(payload);
        self.bus.load(&padded[..usize::from(len)]).map_err(Error::Spi)
    }

    /// A pulse on CE sends one.
    fn one_by_one(&mut self, payloads: &[&[u8]]) -> Outcome<Burst, S, C> {
        for (at, payload) in payloads.iter().enumerate() {
            self.load(payload)?;
            self.ce.set_high().map_err(Error::Pin)?;
            self.delay.delay_us(CE_US);
            self.ce.set_low().map_err(Error::Pin)?;
            let end = self.await_end(self.settings.exchange_us(payload.len()))?;
            if end != End::Sent {
                // The chip keeps what it could not send, and would send it before the next.
                self.bus.command(command::FLUSH_TX).map_err(Error::Spi)?;
            }
            match end {
                End::Sent => count(&mut self.statistics.sent),
                End::GaveUp => {
                    count(&mut self.statistics.unacknowledged);
                    return Ok(Burst { sent: at, given_up: Some(at) });
                }
                End::Late => return Err(Error::Timeout),
            }
            self.bus.clear(Status::TX_DS).map_err(Error::Spi)?;
        }
        Ok(Burst { sent: payloads.len(), given_up: None })
    }

    /// CE stays high until the FIFO is empty.
    fn in_one_go(&mut self, payloads: &[&[u8]]) -> Outcome<Burst, S, C> {
        for payload in payloads {
            self.load(payload)?;
        }
        self.ce.set_high().map_err(Error::Pin)?;
        self.delay.delay_us(CE_US);
        let limit_us =
            payloads.iter().map(|payload| self.settings.exchange_us(payload.len())).sum();
        let done = self.await_empty(limit_us)?;
        self.ce.set_low().map_err(Error::Pin)?;
        if !done {
            self.bus.command(command::FLUSH_TX).map_err(Error::Spi)?;
            return Err(Error::Timeout);
        }
        payloads.iter().for_each(|_| count(&mut self.statistics.sent));
        Ok(Burst { sent: payloads.len(), given_up: None })
    }

    fn await_end(&mut self, limit_us: u32) -> Outcome<End, S, C> {
        let mut waited_us = 0;
        while waited_us <= limit_us {
            let status = self.bus.status().map_err(Error::Spi)?;
            match (status.sent(), status.gave_up()) {
                (true, false) => return Ok(End::Sent),
                (false, true) => return Ok(End::GaveUp),
                // Both at once: a line that is high all the time.
                _ => {}
            }
            self.delay.delay_us(PEEK_US);
            waited_us += PEEK_US;
        }
        Ok(End::Late)
    }

    fn await_empty(&mut self, limit_us: u32) -> Outcome<bool, S, C> {
        let mut waited_us = 0;
        while waited_us <= limit_us {
            let fifo = FifoStatus(self.bus.read(Register::FifoStatus).map_err(Error::Spi)?);
            if fifo.possible() && fifo.tx_empty() {
                return Ok(true);
            }
            self.delay.delay_us(PEEK_US);
            waited_us += PEEK_US;
        }
        Ok(false)
    }
}
