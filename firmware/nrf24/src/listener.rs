//! A chip that only receives.

use crate::driver::{Health, Nrf24, Outcome};
use crate::error::Error;
use crate::receive::Payload;
use crate::settings::Settings;
use crate::statistics::Statistics;
use embedded_hal::delay::DelayNs;
use embedded_hal::digital::OutputPin;
use embedded_hal::spi::SpiDevice;

/// A receiver that never transmits: it offers no sending, and refuses settings with which the chip
/// would acknowledge by itself.
pub struct Listener<S, C, D>(Nrf24<S, C, D>);

impl<S: SpiDevice, C: OutputPin, D: DelayNs> Listener<S, C, D> {
    /// Takes the parts; hears nothing before it was tuned. For a chip that may not be there yet:
    /// [`Listener::tune`] may be tried again.
    pub fn new(spi: S, ce: C, delay: D) -> Self {
        Self(Nrf24::new(spi, ce, delay))
    }

    /// Sets the chip up and listens.
    ///
    /// # Errors
    /// [`Error::WouldAcknowledge`] for settings with acknowledgement, and those of
    /// [`Nrf24::start`].
    pub fn start(mut radio: Nrf24<S, C, D>, settings: &Settings) -> Outcome<Self, S, C> {
        Self::tune_to(&mut radio, settings)?;
        Ok(Self(radio))
    }

    /// Goes on with other settings.
    ///
    /// # Errors
    /// As [`Listener::start`].
    pub fn tune(&mut self, settings: &Settings) -> Outcome<(), S, C> {
        Self::tune_to(&mut self.0, settings)
    }

    fn tune_to(radio: &mut Nrf24<S, C, D>, settings: &Settings) -> Outcome<(), S, C> {
        if settings.acknowledged.is_some() {
            return Err(Error::WouldAcknowledge);
        }
        radio.start(settings)?;
        radio.listen()
    }

    /// As [`Nrf24::receive`].
    ///
    /// # Errors
    /// As there.
    pub fn receive(&mut self) -> Outcome<Option<Payload>, S, C> {
        self.0.receive()
    }

    /// As [`Nrf24::signal`].
    ///
    /// # Errors
    /// As there.
    pub fn signal(&mut self) -> Outcome<bool, S, C> {
        self.0.signal()
    }

    /// As [`Nrf24::maintain`].
    ///
    /// # Errors
    /// As there.
    pub fn maintain(&mut self) -> Outcome<Health, S, C> {
        self.0.maintain()
    }

    /// The counts so far.
    pub fn statistics(&self) -> &Statistics {
        self.0.statistics()
    }

    /// Stops listening and gives the driver back, which can send.
    ///
    /// # Errors
    /// Those of SPI and pin.
    pub fn into_station(mut self) -> Outcome<Nrf24<S, C, D>, S, C> {
        self.0.standby()?;
        Ok(self.0)
    }
}
