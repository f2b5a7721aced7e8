//! The chip's side: what it hears, when, and how it is.

use core::convert::Infallible;
use embedded_hal::digital::{ErrorType, OutputPin};
use embedded_hal_bus::spi::{ExclusiveDevice, NoDelay};
use heapless::spsc::{Consumer, Producer};
use kube_proto::dongle::{Frame, Identity, PAYLOAD_BYTES, PROTOCOL, Settings, State, Statistics};
use kube_proto::frame::Rate;
use nrf24::settings::Rate as ChipRate;
use nrf24::{Error, Health, Listener};
use rp2040_hal::Timer;
use rp2040_hal::gpio::bank0::{Gpio16, Gpio17, Gpio18, Gpio19, Gpio20};
use rp2040_hal::gpio::{FunctionSioOutput, FunctionSpi, Pin, PullDown};
use rp2040_hal::pac::SPI0;
use rp2040_hal::spi::Enabled;

/// Clock of the SPI: the chip takes 10 MHz, breadboards do not. The divider makes 7.8 MHz of it.
pub const SPI_HZ: u32 = 8_000_000;

type Line<I> = Pin<I, FunctionSpi, PullDown>;
type Lines = (Line<Gpio19>, Line<Gpio16>, Line<Gpio18>);
type Bus = rp2040_hal::Spi<Enabled, SPI0, Lines, 8>;
type Output<I> = Pin<I, FunctionSioOutput, PullDown>;
/// The chip as it is wired.
pub type Radio = Listener<ExclusiveDevice<Bus, Csn, NoDelay>, Output<Gpio20>, Timer>;

/// Cycles of the processor that are more than the 50 ns for which CSN must be high between two commands.
const CSN_HIGH_CYCLES: u32 = 10;

/// The chip's select pin: high for long enough.
pub struct Csn(pub Output<Gpio17>);

impl ErrorType for Csn {
    type Error = Infallible;
}

impl OutputPin for Csn {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.0.set_low()
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        self.0.set_high()?;
        cortex_m::asm::delay(CSN_HIGH_CYCLES);
        Ok(())
    }
}

/// When frames have arrived, by the chip's IRQ pin.
pub struct Arrivals(Consumer<'static, u64>);

impl Arrivals {
    /// Times as they come.
    pub fn new(times: Consumer<'static, u64>) -> Self {
        Self(times)
    }

    /// Times from before a moment at which the chip was empty belong to frames that were read, or lost
    /// with a chip that was set up again.
    fn forget(&mut self, before_us: u64) {
        while self.0.peek().is_some_and(|&at_us| at_us < before_us) {
            self.0.dequeue();
        }
    }
}

/// The chip, and what is known of it.
pub struct Hearing {
    radio: Radio,
    timer: Timer,
    arrivals: Arrivals,
    state: State,
    settings: Settings,
    received: u32,
    dropped: u32,
    /// The driver's counts when it was tuned last.
    before: nrf24::Statistics,
}

impl Hearing {
    /// Nothing is done with the chip yet.
    pub fn new(radio: Radio, arrivals: Arrivals, timer: Timer) -> Self {
        Self {
            radio,
            timer,
            arrivals,
            state: State::Idle,
            settings: Settings { channel: 5, rate: Rate::M1, wirth: false, address: [0xe7; 5] },
            received: 0,
            dropped: 0,
            before: nrf24::Statistics::default(),
        }
    }

    fn now_us(&self) -> u64 {
        self.timer.get_counter().ticks()
    }

    /// Listens like that, with counts of 0; false if no chip can.
    pub fn tune(&mut self, settings: &Settings) -> bool {
        let chip = chip_settings(settings);
        if chip.check().is_err() {
            return false;
        }
        self.settings = *settings;
        (self.received, self.dropped) = (0, 0);
        self.state = match self.radio.tune(&chip) {
            Ok(()) => State::Listens,
            Err(Error::Differs { .. }) => State::Differs,
            Err(_) => State::Absent,
        };
        self.before = *self.radio.statistics();
        let now_us = self.now_us();
        self.arrivals.forget(now_us);
        true
    }

    /// Takes all frames out of the chip into the queue; true if there was one.
    pub fn read(&mut self, queue: &mut Producer<'static, Frame>) -> bool {
        let mut any = false;
        while self.state == State::Listens {
            let begun_us = self.now_us();
            let payload = match self.radio.receive() {
                Ok(Some(payload)) => payload,
                Ok(None) => {
                    self.arrivals.forget(begun_us);
                    break;
                }
                // The next look after it sets it up again, and says if it cannot.
                Err(_) => break,
            };
            any = true;
            self.received = self.received.saturating_add(1);
            let (time_us, late) = match self.arrivals.0.dequeue() {
                Some(at_us) => (at_us, 0),
                None => (self.now_us(), Frame::LATE),
            };
            let Settings { channel, rate, wirth, .. } = self.settings;
            let checked = if wirth { Frame::CUT } else { Frame::CRC_GOOD };
            let mut bytes = [0; PAYLOAD_BYTES];
            let len = payload.as_slice().len().min(PAYLOAD_BYTES);
            bytes[..len].copy_from_slice(&payload.as_slice()[..len]);
            let frame = Frame {
                number: 0,
                time_us,
                channel,
                rate,
                flags: checked | late,
                dropped: self.dropped,
                payload: bytes,
                len: len as u8,
            };
            if queue.enqueue(frame).is_err() {
                self.dropped = self.dropped.saturating_add(1);
            }
        }
        any
    }

    /// Compares the chip's registers and sets it up again where it has lost them, also a chip that was
    /// not there before.
    pub fn look_after(&mut self) {
        if self.state == State::Idle {
            return;
        }
        match self.radio.maintain() {
            Ok(Health::Good) => {}
            Ok(Health::Restarted) if self.state == State::Listens => {}
            Ok(Health::Restarted) => {
                let settings = self.settings;
                self.tune(&settings);
            }
            Err(Error::Differs { .. }) => self.state = State::Differs,
            Err(_) => self.state = State::Absent,
        }
    }

    /// What it is and does.
    pub fn identity(&self) -> Identity {
        let part = |text: &str| text.parse().unwrap_or(u8::MAX);
        Identity {
            protocol: PROTOCOL,
            firmware: [
                part(env!("CARGO_PKG_VERSION_MAJOR")),
                part(env!("CARGO_PKG_VERSION_MINOR")),
                part(env!("CARGO_PKG_VERSION_PATCH")),
            ],
            time_us: self.now_us(),
            state: self.state,
            settings: self.settings,
        }
    }

    /// What it has counted; `damaged` lines came from the host.
    pub fn statistics(&self, damaged: u32) -> Statistics {
        let now = self.radio.statistics();
        Statistics {
            time_us: self.now_us(),
            received: self.received,
            dropped: self.dropped,
            chip_full: now.rx_full - self.before.rx_full,
            restarts: now.found - self.before.found,
            damaged,
        }
    }
}

fn chip_settings(settings: &Settings) -> nrf24::Settings {
    let base = if settings.wirth {
        nrf24::Settings::wirth_cut_short(settings.channel)
    } else {
        nrf24::Settings::kube(settings.channel)
    };
    let rate = match settings.rate {
        Rate::K250 => ChipRate::K250,
        Rate::M1 => ChipRate::M1,
        Rate::M2 => ChipRate::M2,
    };
    nrf24::Settings { rate, own: settings.address, interrupt: true, ..base }
}
