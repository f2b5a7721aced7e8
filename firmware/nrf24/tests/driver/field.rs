//! Chips on an air, each behind the embedded-hal traits.
//!
//! Time is shared and advances by SPI clocks and delays: while one driver works the other chips live
//! on. A [`Wire`] can disturb what its driver reads.

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{self, OutputPin};
use embedded_hal::spi::{self, Operation, SpiDevice};
use kube_air::{Air, AirConfig, Chip, ChipConfig, HeardFrame, ListenerId, StationId, Timing};
use kube_proto::frame::{Address, Rate};
use nrf24::Nrf24;
use std::cell::{RefCell, RefMut};
use std::convert::Infallible;
use std::rc::Rc;

pub const MS: u64 = 1_000_000;
/// Command byte of R_RX_PL_WID.
const R_RX_PL_WID: u8 = 0x60;
/// From CSN low to the first clock, and from the last clock to CSN high.
const HOLD_NS: u64 = 50;

/// What lies between a driver and its chip.
#[derive(Default)]
pub struct Wire {
    /// MISO has this level whatever the chip says.
    pub stuck: Option<bool>,
    /// Answer to the next R_RX_PL_WID.
    pub width: Option<u8>,
    /// Reads lose their bit 3 while the clock is above this, in Hz.
    pub slow_only_hz: Option<u64>,
    /// Bits that every STATUS shows in addition.
    pub status: u8,
    /// RF_SETUP reads with its bit 0 turned over.
    pub lna_inverted: bool,
    /// All commands so far, as sent.
    pub commands: Vec<Vec<u8>>,
    /// CE does not reach the chip.
    pub ce_broken: bool,
}

struct Place {
    station: StationId,
    chip: Option<Chip>,
    wire: Wire,
    clock_hz: u64,
}

pub struct Inner {
    pub air: Air,
    pub now_ns: u64,
    places: Vec<Place>,
    tap: ListenerId,
}

impl Inner {
    /// Lets time pass for everybody.
    pub fn pass(&mut self, ns: u64) {
        let until_ns = self.now_ns + ns;
        while self.air.horizon_ns() <= until_ns {
            let horizon_ns = self.air.horizon_ns();
            let mut chips: Vec<_> = self.places.iter_mut().map(|p| p.chip.as_mut()).collect();
            self.air.step(horizon_ns, &mut chips).expect("steps are short enough");
        }
        self.now_ns = until_ns;
    }
}

/// The shared world.
#[derive(Clone)]
pub struct Field(Rc<RefCell<Inner>>);

pub type Radio = Nrf24<Spi, Ce, Clock>;

impl Field {
    /// That many chips with power since long.
    pub fn new(stations: usize) -> Self {
        let field = Self::cold(stations, 0, Timing::WORST);
        field.pass(200 * MS);
        field
    }

    /// Chips of these kinds, with power since long.
    pub fn of(kinds: &[ChipConfig]) -> Self {
        let field = Self::new(kinds.len());
        for (place, &kind) in field.inner().places.iter_mut().zip(kinds) {
            place.chip = Some(Chip::with(0, kind));
        }
        field.pass(200 * MS);
        field
    }

    /// That many chips that get power at some time.
    pub fn cold(stations: usize, power_on_ns: u64, timing: Timing) -> Self {
        let mut air = Air::new(AirConfig::default());
        let tap = air.add_listener(5, Rate::M1, Address::OBERON);
        let place = |_| {
            let station = air.add_station();
            let chip = Some(Chip::new(power_on_ns, timing));
            Place { station, chip, wire: Wire::default(), clock_hz: 8_000_000 }
        };
        let places = (0..stations).map(place).collect();
        Self(Rc::new(RefCell::new(Inner { air, now_ns: 0, places, tap })))
    }

    pub fn inner(&self) -> RefMut<'_, Inner> {
        self.0.borrow_mut()
    }

    pub fn pass(&self, ns: u64) {
        self.inner().pass(ns);
    }

    pub fn now_ns(&self) -> u64 {
        self.0.borrow().now_ns
    }

    /// The driver of a station.
    pub fn radio(&self, at: usize) -> Radio {
        let part = Part { field: self.clone(), at };
        Nrf24::new(Spi(part.clone()), Ce(part.clone()), Clock(part))
    }

    pub fn wire(&self, at: usize) -> RefMut<'_, Wire> {
        RefMut::map(self.0.borrow_mut(), |inner| &mut inner.places[at].wire)
    }

    /// Does something to a chip at this moment.
    pub fn touch<T>(&self, at: usize, what: impl FnOnce(&mut Chip, u64) -> T) -> T {
        let inner = &mut *self.inner();
        what(inner.places[at].chip.as_mut().expect("a chip"), inner.now_ns)
    }

    /// A register as it is, without a driver.
    pub fn register(&self, at: usize, address: u8) -> u8 {
        self.touch(at, |chip, now_ns| {
            chip.select(now_ns, true);
            chip.transfer(now_ns, address);
            let value = chip.transfer(now_ns, 0xff);
            chip.select(now_ns, false);
            value
        })
    }

    /// Writes a register behind the driver's back.
    pub fn poke(&self, at: usize, address: u8, value: u8) {
        self.touch(at, |chip, now_ns| {
            chip.select(now_ns, true);
            chip.transfer(now_ns, 0x20 | address);
            chip.transfer(now_ns, value);
            chip.select(now_ns, false);
        });
    }

    /// Frames on channel 5 at 1 Mbit/s since the last call.
    pub fn heard(&self) -> Vec<HeardFrame> {
        self.pass(2 * MS);
        let inner = &mut *self.inner();
        inner.air.take_heard(inner.tap)
    }

    /// The frames of one station since the last call.
    pub fn heard_from(&self, at: usize) -> Vec<HeardFrame> {
        let mut heard = self.heard();
        let station = self.0.borrow().places[at].station;
        heard.retain(|frame| frame.sender == station);
        heard
    }

    /// No chip was used against its specification.
    pub fn assert_no_lints(&self) {
        let inner = self.0.borrow();
        for chip in inner.places.iter().filter_map(|place| place.chip.as_ref()) {
            assert_eq!(chip.lints().broken().collect::<Vec<_>>(), []);
        }
    }
}

#[derive(Clone)]
struct Part {
    field: Field,
    at: usize,
}

/// The SPI of one chip.
pub struct Spi(Part);

impl Spi {
    /// Sets the clock.
    pub fn set_clock_hz(&mut self, hz: u64) {
        self.0.field.inner().places[self.0.at].clock_hz = hz;
    }

    fn byte(&self, at: usize, out: u8) -> u8 {
        let inner = &mut *self.0.field.inner();
        let byte_ns = 8_000_000_000 / inner.places[self.0.at].clock_hz;
        inner.pass(byte_ns);
        let now_ns = inner.now_ns;
        let place = &mut inner.places[self.0.at];
        let mut back = place.chip.as_mut().map_or(0xff, |chip| chip.transfer(now_ns, out));
        let wire = &mut place.wire;
        let command = wire.commands.last_mut().expect("begun in `transaction`");
        command.push(out);
        let (opcode, data) = (command[0], at > 0);
        if opcode == R_RX_PL_WID && data {
            back = wire.width.take().unwrap_or(back);
        }
        if opcode == 0x06 && data && wire.lna_inverted {
            back ^= 1;
        }
        if !data {
            back |= wire.status;
        }
        if wire.slow_only_hz.is_some_and(|limit| place.clock_hz > limit) {
            back &= !8;
        }
        match wire.stuck {
            Some(true) => 0xff,
            Some(false) => 0,
            None => back,
        }
    }

    fn select(&self, selected: bool) {
        let inner = &mut *self.0.field.inner();
        inner.pass(HOLD_NS);
        let now_ns = inner.now_ns;
        let place = &mut inner.places[self.0.at];
        if selected {
            place.wire.commands.push(Vec::new());
        }
        if let Some(chip) = place.chip.as_mut() {
            chip.select(now_ns, selected);
        }
        inner.pass(HOLD_NS);
    }
}

impl spi::ErrorType for Spi {
    type Error = Infallible;
}

impl SpiDevice for Spi {
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), Infallible> {
        self.select(true);
        let mut at = 0;
        let mut exchange = |out| {
            at += 1;
            self.byte(at - 1, out)
        };
        for operation in operations {
            match operation {
                Operation::Read(words) => words.iter_mut().for_each(|word| *word = exchange(0xff)),
                Operation::Write(words) => {
                    words.iter().for_each(|&word| {
                        exchange(word);
                    });
                }
                Operation::Transfer(read, write) => {
                    for i in 0..read.len().max(write.len()) {
                        let back = exchange(write.get(i).copied().unwrap_or(0xff));
                        if let Some(word) = read.get_mut(i) {
                            *word = back;
                        }
                    }
                }
                Operation::TransferInPlace(words) => {
                    words.iter_mut().for_each(|word| *word = exchange(*word));
                }
                Operation::DelayNs(ns) => self.0.field.pass(u64::from(*ns)),
            }
        }
        self.select(false);
        Ok(())
    }
}

/// The CE pin of one chip.
pub struct Ce(Part);

impl digital::ErrorType for Ce {
    type Error = Infallible;
}

impl OutputPin for Ce {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.0.field.touch(self.0.at, |chip, now_ns| chip.enable(now_ns, false));
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        let broken = self.0.field.wire(self.0.at).ce_broken;
        self.0.field.touch(self.0.at, |chip, now_ns| chip.enable(now_ns, !broken));
        Ok(())
    }
}

/// The clock that a driver waits by.
pub struct Clock(Part);

impl DelayNs for Clock {
    fn delay_ns(&mut self, ns: u32) {
        self.0.field.pass(u64::from(ns));
    }
}
