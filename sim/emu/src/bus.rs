//! The sixteen I/O words and what stands behind them.

use std::collections::VecDeque;

use risc5_isa::ext;
use risc5_isa::io::{self, event};

use crate::clock::Clock;

use crate::machine::{Config, Variant};
use crate::outside::Io;
use crate::sd::SdCard;
use crate::spi::{Spi, SpiDevice};
use crate::uart::Uart;

/// Codes that the PS/2 receiver of the reference board holds.
const KEY_QUEUE: usize = 16;
const KEY_WAITS: u32 = 1 << 28;
const MOUSE_ALIVE: u32 = 1 << 27;

pub(crate) struct Bus<R> {
    pub(crate) clock: Clock,
    pub(crate) uart: Uart,
    pub(crate) card: Option<SdCard>,
    pub(crate) radio: R,
    pub(crate) leds: u8,
    pub(crate) switches: u8,
    pub(crate) gpio_in: u8,
    pub(crate) gpio_out: u8,
    pub(crate) gpio_direction: u8,
    /// Mouse position and buttons as in the mouse word.
    pub(crate) mouse: u32,
    keys: VecDeque<u8>,
    variant: Variant,
    count_polls: bool,
    build_identity: u32,
    spi: Spi,
    milliseconds: u64,
    /// Cycle at which the millisecond counter next changes.
    pub(crate) next_tick: u64,
    tick_event: bool,
    /// Event mask of an idle wait under way.
    pub(crate) waiting: Option<u32>,
    selected_register: u32,
    latched_cycles_high: u32,
    /// Cycle at which the watchdog expires.
    pub(crate) watchdog: Option<u64>,
    pub(crate) watchdog_cause: bool,
    pub(crate) watchdog_pc: u32,
}

impl<R: SpiDevice> Bus<R> {
    pub(crate) fn new(config: &Config, card: Option<SdCard>, radio: R) -> Self {
        let clock = Clock::new(config.clock_hz, config.power_on_ns);
        let fifo_bytes = match config.variant {
            Variant::Ours => io::uart::RX_FIFO_BYTES,
            Variant::Compat => 1,
        };
        Self {
            uart: Uart::new(clock, fifo_bytes),
            spi: Spi::new(&clock, config.variant),
            card,
            radio,
            leds: 0,
            switches: config.switches,
            gpio_in: 0,
            gpio_out: 0,
            gpio_direction: 0,
            mouse: MOUSE_ALIVE,
            keys: VecDeque::new(),
            variant: config.variant,
            count_polls: config.count_polls,
            build_identity: config.build_identity,
            milliseconds: 0,
            next_tick: clock.cycle_of_unit(1, 1_000),
            tick_event: false,
            waiting: None,
            selected_register: 0,
            latched_cycles_high: 0,
            watchdog: None,
            watchdog_cause: false,
            watchdog_pc: 0,
            clock,
        }
    }

    /// Brings the millisecond counter up to date. True if it has changed.
    pub(crate) fn tick(&mut self, now: u64) -> bool {
        if now < self.next_tick {
            return false;
        }
        self.milliseconds = self.clock.units(now, 1_000);
        self.next_tick = self.clock.cycle_of_unit(self.milliseconds + 1, 1_000);
        self.tick_event = true;
        true
    }

    /// What the reset line does to the registers: LEDs, SPI control, UART rate and pins start over.
    /// Counters, queues and the card go on.
    pub(crate) fn reset(&mut self, now: u64) {
        for (word, value) in [(SWITCHES_LEDS, 0), (SPI_STATUS, 0), (UART_STATUS, 0)] {
            self.write(word, value, now);
        }
        (self.gpio_out, self.gpio_direction) = (0, 0);
        self.selected_register = 0;
        self.waiting = None;
        self.watchdog = None;
    }

    /// Queues key codes; all or none, as a key has up to three of them. False if there is no room.
    pub(crate) fn press(&mut self, codes: &[u8]) -> bool {
        let fits = self.keys.len() + codes.len() <= KEY_QUEUE;
        if fits {
            self.keys.extend(codes);
        }
        fits
    }

    /// Events that the idle word knows, as far as they are pending.
    pub(crate) fn pending(&mut self, now: u64) -> u32 {
        let now_ns = self.clock.ns(now);
        let card_ready =
            self.spi.card_selected() && self.card.as_ref().is_some_and(|card| !card.busy(now_ns));
        let bit = |mask, pending| if pending { mask } else { 0 };
        bit(event::TICK, self.tick_event)
            | bit(event::UART, self.uart.waits(now))
            | bit(event::RADIO, self.radio.interrupt(now_ns))
            | bit(event::CARD, card_ready)
            | bit(event::KEY, !self.keys.is_empty())
    }

    /// When the earliest of the masked events can happen by itself, if ever; after now.
    pub(crate) fn next_event(&self, mask: u32, now: u64) -> Option<u64> {
        let at_ns = |ns| self.clock.cycle_at_or_after(ns);
        let wanted = |bit, at: Option<u64>| at.filter(|_| mask & bit != 0);
        let card = self.card.as_ref().filter(|_| self.spi.card_selected());
        [
            wanted(event::TICK, Some(self.next_tick)),
            wanted(event::UART, self.uart.next_arrival()),
            wanted(event::RADIO, self.radio.next_event_ns().map(at_ns)),
            wanted(event::CARD, card.and_then(SdCard::busy_until_ns).map(at_ns)),
        ]
        .into_iter()
        .flatten()
        .min()
        .map(|at| at.max(now + 1))
    }

    fn mouse_word(&self) -> u32 {
        self.mouse | if self.keys.is_empty() { 0 } else { KEY_WAITS }
    }

    fn gpio(&self) -> u8 {
        self.gpio_out & self.gpio_direction | self.gpio_in & !self.gpio_direction
    }

    fn read_register(&mut self, now: u64) -> u32 {
        match self.selected_register {
            ext::IDENTITY => ext::IDENTITY_VALUE,
            ext::FEATURES => ext::feature::ALL,
            ext::CLOCK_HZ => self.clock.hz() as u32,
            ext::MICROSECONDS => self.clock.units(now, 1_000_000) as u32,
            ext::CYCLES_LOW => {
                self.latched_cycles_high = (now >> 32) as u32;
                now as u32
            }
            ext::CYCLES_HIGH => self.latched_cycles_high,
            ext::WATCHDOG => match self.watchdog {
                Some(at) => (at.saturating_sub(now) * 1_000).div_ceil(self.clock.hz()) as u32,
                None => 0,
            },
            ext::WATCHDOG_CAUSE => self.watchdog_cause.into(),
            ext::WATCHDOG_PC => self.watchdog_pc,
            ext::BUILD_IDENTITY => self.build_identity,
            _ => 0,
        }
    }

    fn write_register(&mut self, value: u32, now: u64) {
        match self.selected_register {
            ext::WATCHDOG => {
                let cycles = self.clock.cycle_of_unit(value.into(), 1_000);
                self.watchdog = (value != 0).then(|| now.saturating_add(cycles));
            }
            ext::WATCHDOG_CAUSE => self.watchdog_cause = false,
            _ => {}
        }
    }
}

const MILLISECONDS: usize = io::index(io::MILLISECONDS);
const SWITCHES_LEDS: usize = io::index(io::SWITCHES_LEDS);
const UART_DATA: usize = io::index(io::UART_DATA);
const UART_STATUS: usize = io::index(io::UART_STATUS);
const SPI_DATA: usize = io::index(io::SPI_DATA);
const SPI_STATUS: usize = io::index(io::SPI_STATUS);
const MOUSE: usize = io::index(io::MOUSE);
const KEY: usize = io::index(io::KEY);
const GPIO: usize = io::index(io::GPIO);
const GPIO_DIRECTION: usize = io::index(io::GPIO_DIRECTION);
const EXT_SELECT: usize = io::index(io::EXT_SELECT);
const EXT_DATA: usize = io::index(io::EXT_DATA);
const IDLE: usize = io::index(io::IDLE);

impl<R: SpiDevice> Io for Bus<R> {
    fn read(&mut self, word: usize, now: u64) -> u32 {
        match word {
            MILLISECONDS => self.milliseconds as u32,
            SWITCHES_LEDS => self.switches.into(),
            UART_DATA => self.uart.read(now),
            UART_STATUS => self.uart.status(now),
            SPI_DATA => self.spi.data(),
            SPI_STATUS => self.spi.status(now),
            MOUSE => self.mouse_word(),
            KEY => self.keys.pop_front().unwrap_or(0).into(),
            GPIO => self.gpio().into(),
            GPIO_DIRECTION => self.gpio_direction.into(),
            _ if self.variant == Variant::Compat => 0,
            EXT_SELECT => self.selected_register,
            EXT_DATA => self.read_register(now),
            IDLE => self.pending(now),
            _ => 0,
        }
    }

    fn steady_until(&self, word: usize, now: u64) -> Option<u64> {
        match word {
            _ if !self.count_polls => None,
            SPI_STATUS => self.spi.ready_at(now),
            UART_STATUS => self.uart.next_change(now),
            _ => None,
        }
    }

    fn write(&mut self, word: usize, value: u32, now: u64) -> bool {
        match word {
            SWITCHES_LEDS => self.leds = value as u8,
            UART_DATA => self.uart.write(value as u8, now),
            UART_STATUS => self.uart.set_control(value, now),
            SPI_DATA => {
                let now_ns = self.clock.ns(now);
                let (card, radio) = (self.card.as_mut(), &mut self.radio);
                self.spi.start(value, now, now_ns, card, radio);
            }
            SPI_STATUS => {
                let now_ns = self.clock.ns(now);
                let (card, radio) = (self.card.as_mut(), &mut self.radio);
                self.spi.set_control(value, now_ns, card, radio);
            }
            GPIO => self.gpio_out = value as u8,
            GPIO_DIRECTION => self.gpio_direction = value as u8,
            _ if self.variant == Variant::Compat => {}
            EXT_SELECT => self.selected_register = value,
            EXT_DATA => {
                self.write_register(value, now);
                return self.selected_register == ext::WATCHDOG;
            }
            IDLE => {
                self.tick_event = false;
                self.waiting = (value != 0).then_some(value);
                return true;
            }
            _ => {}
        }
        false
    }
}
