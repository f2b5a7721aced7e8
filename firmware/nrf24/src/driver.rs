//! The chip from absent to listening: probe, set up, verify, bring up again.

use crate::bus::Bus;
use crate::clones::SecondBankRow;
use crate::error::Error;
use crate::register::{Register, Status, command, config};
use crate::settings::{Row, Settings};
use crate::statistics::{Statistics, count};
use embedded_hal::delay::DelayNs;
use embedded_hal::digital::OutputPin;
use embedded_hal::spi::SpiDevice;

/// Time from supply to usable registers, waited at most.
const POWER_ON_MS: u32 = 110;
/// Between two looks for a chip during that time.
const PROBE_MS: u32 = 10;
/// From PWR_UP to standby: 4.5 ms for the slowest crystal allowed.
const POWER_UP_MS: u32 = 5;
/// CE high before anything else may happen: 10 us make a pulse, 4 us must pass before CSN falls.
pub(crate) const CE_US: u32 = 12;

/// What the chip does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Not started, or stopped.
    Off,
    /// Powered, CE low.
    Standby,
    /// Receiving.
    Listening,
    /// Was started and does not answer as it should.
    Lost,
}

/// What [`Nrf24::maintain`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// All registers as written.
    Good,
    /// Registers were lost; the chip is set up again, and what was in its FIFOs is gone.
    Restarted,
}

/// A chip behind an SPI, a CE pin and a clock to wait by.
pub struct Nrf24<S, C, D> {
    pub(crate) bus: Bus<S>,
    pub(crate) ce: C,
    pub(crate) delay: D,
    pub(crate) settings: Settings,
    pub(crate) mode: Mode,
    pub(crate) second_bank: &'static [SecondBankRow],
    /// Mode to return to when the chip answers again.
    wanted: Mode,
    pub(crate) statistics: Statistics,
}

/// Result of an operation of a driver over `S` and `C`.
pub(crate) type Outcome<T, S, C> = Result<
    T,
    Error<
        <S as embedded_hal::spi::ErrorType>::Error,
        <C as embedded_hal::digital::ErrorType>::Error,
    >,
>;

impl<S: SpiDevice, C: OutputPin, D: DelayNs> Nrf24<S, C, D> {
    /// Takes the parts. Nothing happens on them yet.
    pub fn new(spi: S, ce: C, delay: D) -> Self {
        Self {
            bus: Bus { spi },
            ce,
            delay,
            settings: Settings::kube(5),
            mode: Mode::Off,
            second_bank: &[],
            wanted: Mode::Off,
            statistics: Statistics::default(),
        }
    }

    /// Gives the parts back. The chip stays as it is: [`Nrf24::stop`] it first.
    pub fn release(self) -> (S, C, D) {
        (self.bus.spi, self.ce, self.delay)
    }

    /// The counts so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The settings of the last start.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether a chip answers: SETUP_AW must read 1 to 3. Nothing else is asked of it, for clones
    /// differ, and a warm chip may hold anything.
    ///
    /// # Errors
    /// [`Error::Absent`] with what was read.
    pub fn probe(&mut self) -> Outcome<(), S, C> {
        let read = self.bus.read(Register::SetupAw).map_err(Error::Spi)?;
        if matches!(read, 1..=3) { Ok(()) } else { Err(Error::Absent { read }) }
    }

    /// Sets the chip up, whatever state it is in, and leaves it in standby. Waits up to 110 ms for
    /// a chip that has just got its supply, and 5 ms for its crystal.
    ///
    /// # Errors
    /// [`Error::Settings`], [`Error::Absent`], or [`Error::Differs`] with the first register that
    /// does not hold what was written.
    pub fn start(&mut self, settings: &Settings) -> Outcome<(), S, C> {
        settings.check()?;
        self.settings = *settings;
        self.mode = Mode::Lost;
        self.wanted = Mode::Standby;
        self.await_chip()?;
        self.bring_up()
    }

    /// As [`Nrf24::start`], and where registers do not hold what was written, or nothing plausible
    /// is read, once more at each slower clock that `slower` sets; it returns false when there is
    /// none left. Some modules and long wires do not stand the clock that the chip allows.
    ///
    /// # Errors
    /// Those of [`Nrf24::start`], of the last try.
    pub fn start_or_slower(
        &mut self,
        settings: &Settings,
        mut slower: impl FnMut(&mut S) -> bool,
    ) -> Outcome<(), S, C> {
        loop {
            let outcome = self.start(settings);
            let disturbed = match &outcome {
                Err(Error::Differs { .. }) => true,
                Err(Error::Absent { read }) => !matches!(read, 0x00 | 0xff),
                _ => false,
            };
            if !disturbed || !slower(&mut self.bus.spi) {
                return outcome;
            }
        }
    }

    /// Receives from now on. The receiver hears after 130 us.
    ///
    /// # Errors
    /// [`Error::NotStarted`], and those of [`Nrf24::maintain`] if the chip was lost.
    pub fn listen(&mut self) -> Outcome<(), S, C> {
        if self.mode == Mode::Listening {
            return Ok(());
        }
        self.ready()?;
        self.wanted = Mode::Listening;
        self.enter_listening()
    }

    /// Stops receiving; the chip stays powered.
    ///
    /// # Errors
    /// That of the pin.
    pub fn standby(&mut self) -> Outcome<(), S, C> {
        self.wanted = Mode::Standby;
        self.ce.set_low().map_err(Error::Pin)?;
        if self.mode == Mode::Listening {
            self.mode = Mode::Standby;
        }
        Ok(())
    }

    /// Powers the chip down.
    ///
    /// # Errors
    /// Those of SPI and pin.
    pub fn stop(&mut self) -> Outcome<(), S, C> {
        self.standby()?;
        self.mode = Mode::Off;
        self.wanted = Mode::Off;
        self.power_down()
    }

    /// Compares every register with what was written, and sets the chip up again if one differs,
    /// as after a dip of its supply, or after it was gone. To be called about once a second.
    ///
    /// # Errors
    /// [`Error::Absent`], [`Error::Differs`] while the chip cannot be brought up.
    pub fn maintain(&mut self) -> Outcome<Health, S, C> {
        if self.wanted == Mode::Off {
            return Ok(Health::Good);
        }
        if self.mode != Mode::Lost && self.verify().is_ok() {
            return Ok(Health::Good);
        }
        if self.mode != Mode::Lost {
            self.mode = Mode::Lost;
            count(&mut self.statistics.lost);
        }
        self.ce.set_low().map_err(Error::Pin)?;
        self.leave_second_bank()?;
        self.probe()?;
        self.bring_up()?;
        count(&mut self.statistics.found);
        if self.wanted == Mode::Listening {
            self.enter_listening()?;
        }
        Ok(Health::Restarted)
    }

    /// Started, and not known to be lost.
    pub(crate) fn ready(&mut self) -> Outcome<(), S, C> {
        match self.mode {
            Mode::Off => Err(Error::NotStarted),
            Mode::Lost => self.suspect(),
            Mode::Standby | Mode::Listening => Ok(()),
        }
    }

    /// Something was read that cannot be: all is well after all, or an error that says what.
    pub(crate) fn suspect(&mut self) -> Outcome<(), S, C> {
        match self.maintain()? {
            Health::Good => Ok(()),
            Health::Restarted => Err(Error::Restarted),
        }
    }

    pub(crate) fn enter_listening(&mut self) -> Outcome<(), S, C> {
        self.ce.set_high().map_err(Error::Pin)?;
        self.delay.delay_us(CE_US);
        self.mode = Mode::Listening;
        Ok(())
    }

    fn await_chip(&mut self) -> Outcome<(), S, C> {
        self.ce.set_low().map_err(Error::Pin)?;
        let mut waited_ms = 0;
        loop {
            self.leave_second_bank()?;
            match self.probe() {
                Err(Error::Absent { .. }) if waited_ms < POWER_ON_MS => {
                    self.delay.delay_ms(PROBE_MS);
                    waited_ms += PROBE_MS;
                }
                other => return other,
            }
        }
    }

    fn power_down(&mut self) -> Outcome<(), S, C> {
        let off = self.settings.config() & !config::PWR_UP;
        self.bus.write(Register::Config, off).map_err(Error::Spi)
    }

    /// Writes and verifies everything. Power goes off first: that ends whatever a warm chip does.
    fn bring_up(&mut self) -> Outcome<(), S, C> {
        self.power_down()?;
        self.write_second_bank()?;
        self.write_all()?;
        if self.verify().is_err() && self.settings.rows().iter().any(locked) {
            // Older chips and some clones keep the last two registers locked.
            self.bus.activate(command::ACTIVATE_FEATURES).map_err(Error::Spi)?;
            self.write_all()?;
        }
        self.delay.delay_ms(POWER_UP_MS);
        self.verify()?;
        self.mode = Mode::Standby;
        Ok(())
    }

    /// CONFIG last, because it switches the power on.
    fn write_all(&mut self) -> Outcome<(), S, C> {
        let rows = self.settings.rows();
        for row in rows.iter().filter(|row| row.register != Register::Config) {
            self.bus.write_row(row).map_err(Error::Spi)?;
        }
        self.bus.command(command::FLUSH_TX).map_err(Error::Spi)?;
        self.bus.command(command::FLUSH_RX).map_err(Error::Spi)?;
        self.bus.clear(Status::FLAGS).map_err(Error::Spi)?;
        for row in rows.iter().filter(|row| row.register == Register::Config) {
            self.bus.write_row(row).map_err(Error::Spi)?;
        }
        Ok(())
    }

    /// Reads everything back.
    fn verify(&mut self) -> Outcome<(), S, C> {
        self.probe()?;
        for row in &self.settings.rows() {
            if let Some((written, read)) = self.bus.compare(row).map_err(Error::Spi)? {
                return Err(Error::Differs { register: row.register, written, read });
            }
        }
        Ok(())
    }
}

/// A row of a register that some chips keep locked, with a value that needs it open.
fn locked(row: &Row) -> bool {
    matches!(row.register, Register::Dynpd | Register::Feature) && row.value[0] != 0
}
