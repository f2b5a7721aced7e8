//! The sixteen I/O words.
//!
//! Purpose: decodes the word number and holds the peripherals: timer, LEDs and switches, serial
//! line, SPI with its control word, GPIO; in our variant extension registers, watchdog and idle word.
//!
//! Timing: an access takes one cycle, in which `access` is high with `word`, `write` and `wdata`. What is read
//! (`rdata`) is valid in that cycle only; the machine around registers it.
//!
//! Corner cases: the words -24, -20 and -4 read 0. There is no keyboard and no mouse: the mouse word says
//! that a mouse lives at the origin, the key word reads 0. In the `compat` variant the additions read 0.
//! Both data lines of the SPI meet in one wire (AND), as on the reference board.
//!
//! Source: [`risc5_isa::io`]; Project Oberon, RISC5Top.v.

use risc5_isa::io::{spi, uart};
use rust_hdl::prelude::*;

use super::{Extension, Idle, SpiMaster, Timer, UartReceiver, UartTransmitter};
use crate::leaf::{Reg, RegEn};

/// What distinguishes one machine from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Clock in Hz, a whole number of megahertz up to 1023.
    pub clock_hz: u32,
    /// The reference machine: none of the additions, PROM of 512 words, its SPI dividers.
    pub compat: bool,
    /// Value of the extension register of that name.
    pub build_identity: u32,
}

impl Default for Parameters {
    /// Our machine at 50 MHz.
    fn default() -> Self {
        Self { clock_hz: 50_000_000, compat: false, build_identity: 0 }
    }
}

impl Parameters {
    /// The reference machine at 25 MHz.
    pub fn compat() -> Self {
        Self { clock_hz: 25_000_000, compat: true, build_identity: 0 }
    }

    fn spi_dividers(&self) -> [u32; 2] {
        if self.compat {
            [spi::REFERENCE_SLOW_DIVIDER, spi::REFERENCE_FAST_DIVIDER]
        } else {
            [spi::SLOW_MAX_HZ, spi::FAST_MAX_HZ].map(|hz| self.clock_hz.div_ceil(hz).max(2))
        }
    }

    /// Cycles a bit, rounded to the nearest.
    fn uart_dividers(&self) -> [u32; 2] {
        [uart::SLOW_BAUD, uart::FAST_BAUD].map(|baud| (self.clock_hz + baud / 2) / baud)
    }
}

/// Peripherals and their word decoder.
#[derive(LogicBlock)]
pub struct Bus {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A word is read or written in this cycle.
    pub access: Signal<In, Bit>,
    /// It is written.
    pub write: Signal<In, Bit>,
    /// Number of the word, bits 5..2 of its address.
    pub word: Signal<In, Bits<4>>,
    /// What is written.
    pub wdata: Signal<In, Bits<32>>,
    /// What is read.
    pub rdata: Signal<Out, Bits<32>>,

    /// A millisecond ends: the interrupt's edge.
    pub tick: Signal<Out, Bit>,
    /// An enabled interrupt waits in the core.
    pub wakes: Signal<In, Bit>,
    /// The core has to wait for an event.
    pub waiting: Signal<Out, Bit>,
    /// The watchdog has expired.
    pub abort: Signal<Out, Bit>,
    /// The core takes the abort.
    pub aborted: Signal<In, Bit>,
    /// Word address of the instruction in execute.
    pub pc: Signal<In, Bits<22>>,

    /// LEDs.
    pub leds: Signal<Out, Bits<8>>,
    /// Switches in bits 7..0, buttons in 11..8.
    pub switches: Signal<In, Bits<12>>,
    /// Serial line in.
    pub uart_rx: Signal<In, Bit>,
    /// Serial line out.
    pub uart_tx: Signal<Out, Bit>,
    /// SPI clock.
    pub spi_sck: Signal<Out, Bit>,
    /// SPI data out.
    pub spi_mosi: Signal<Out, Bit>,
    /// Data from the card.
    pub card_miso: Signal<In, Bit>,
    /// Select line of the card, active low.
    pub card_select_n: Signal<Out, Bit>,
    /// Data from the radio.
    pub radio_miso: Signal<In, Bit>,
    /// Select line of the radio, active low.
    pub radio_select_n: Signal<Out, Bit>,
    /// The radio's CE pin.
    pub radio_enable: Signal<Out, Bit>,
    /// The radio's interrupt line, active low.
    pub radio_irq_n: Signal<In, Bit>,
    /// Levels of the general-purpose pins.
    pub gpio_in: Signal<In, Bits<8>>,
    /// Levels to drive.
    pub gpio_out: Signal<Out, Bits<8>>,
    /// Pins to drive.
    pub gpio_drive: Signal<Out, Bits<8>>,

    timer: Timer,
    transmitter: UartTransmitter,
    receiver: UartReceiver,
    spi: SpiMaster,
    idle: Idle,
    extension: Extension,
    led: RegEn<Bits<8>>,
    baud: RegEn<Bit>,
    spi_control: RegEn<Bits<4>>,
    out: RegEn<Bits<8>>,
    drive: RegEn<Bits<8>>,
    irq_sync: Reg<Bits<2>>,

    writes: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    radio_asks: Signal<Local, Bit>,
    card_ready: Signal<Local, Bit>,
    card_free: Signal<Local, Bit>,
    pins: Signal<Local, Bits<8>>,

    clock_hz: Constant<Bits<32>>,
    build: Constant<Bits<32>>,
    millisecond: Constant<Bits<20>>,
    microsecond: Constant<Bits<10>>,
    spi_slow: Constant<Bits<16>>,
    spi_fast: Constant<Bits<16>>,
    baud_slow: Constant<Bits<16>>,
    baud_fast: Constant<Bits<16>>,
    fifo_bytes: Constant<Bits<9>>,
    compat: Constant<Bit>,
}

impl Bus {
    /// The peripherals of a machine.
    pub fn new(parameters: &Parameters) -> Self {
        let [spi_slow, spi_fast] = parameters.spi_dividers();
        let [baud_slow, baud_fast] = parameters.uart_dividers();
        let fifo_bytes = if parameters.compat { 1 } else { uart::RX_FIFO_BYTES as u32 };
        Self {
            clock: Default::default(),
            access: Default::default(),
            write: Default::default(),
            word: Default::default(),
            wdata: Default::default(),
            rdata: Default::default(),
            tick: Default::default(),
            wakes: Default::default(),
            waiting: Default::default(),
            abort: Default::default(),
            aborted: Default::default(),
            pc: Default::default(),
            leds: Default::default(),
            switches: Default::default(),
            uart_rx: Default::default(),
            uart_tx: Default::default(),
            spi_sck: Default::default(),
            spi_mosi: Default::default(),
            card_miso: Default::default(),
            card_select_n: Default::default(),
            radio_miso: Default::default(),
            radio_select_n: Default::default(),
            radio_enable: Default::default(),
            radio_irq_n: Default::default(),
            gpio_in: Default::default(),
            gpio_out: Default::default(),
            gpio_drive: Default::default(),
            timer: Default::default(),
            transmitter: Default::default(),
            receiver: Default::default(),
            spi: Default::default(),
            idle: Default::default(),
            extension: Default::default(),
            led: Default::default(),
            baud: Default::default(),
            spi_control: Default::default(),
            out: Default::default(),
            drive: Default::default(),
            irq_sync: Default::default(),
            writes: Default::default(),
            reads: Default::default(),
            radio_asks: Default::default(),
            card_ready: Default::default(),
            card_free: Default::default(),
            pins: Default::default(),
            clock_hz: Constant::new(parameters.clock_hz.to_bits()),
            build: Constant::new(parameters.build_identity.to_bits()),
            millisecond: Constant::new((parameters.clock_hz / 1_000).to_bits()),
            microsecond: Constant::new((parameters.clock_hz / 1_000_000).to_bits()),
            spi_slow: Constant::new(spi_slow.to_bits()),
            spi_fast: Constant::new(spi_fast.to_bits()),
            baud_slow: Constant::new(baud_slow.to_bits()),
            baud_fast: Constant::new(baud_fast.to_bits()),
            fifo_bytes: Constant::new(fifo_bytes.to_bits()),
            compat: Constant::new(parameters.compat),
        }
    }
}

impl Logic for Bus {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, timer, transmitter, receiver, spi, idle, extension);
        clock!(self, clock, led, baud, spi_control, out, drive, irq_sync);
        self.writes.next = self.access.val() & self.write.val();
        self.reads.next = self.access.val() & (!self.write.val());

        self.timer.millisecond.next = self.millisecond.val();
        self.timer.microsecond.next = self.microsecond.val();
        self.tick.next = self.timer.tick.val();

        self.led.en.next = self.writes.val() & (self.word.val() == 1);
        self.led.d.next = self.wdata.val().get_bits::<8>(0);
        self.leds.next = self.led.q.val();

        self.transmitter.divider.next = self.baud_slow.val();
        self.receiver.divider.next = self.baud_slow.val();
        if self.baud.q.val() {
            self.transmitter.divider.next = self.baud_fast.val();
            self.receiver.divider.next = self.baud_fast.val();
        }
        self.transmitter.start.next = self.writes.val() & (self.word.val() == 2);
        self.transmitter.data.next = self.wdata.val().get_bits::<8>(0);
        self.uart_tx.next = self.transmitter.tx.val();
        self.receiver.rx.next = self.uart_rx.val();
        self.receiver.take.next = self.reads.val() & (self.word.val() == 2);
        self.receiver.limit.next = self.fifo_bytes.val();
        self.receiver.overwrite.next = self.compat.val();
        self.baud.en.next = self.writes.val() & (self.word.val() == 3);
        self.baud.d.next = self.wdata.val().get_bit(0);

        self.spi.divider.next = self.spi_slow.val();
        if self.spi_control.q.val().get_bit(2) {
            self.spi.divider.next = self.spi_fast.val();
        }
        self.spi.fast.next = self.spi_control.q.val().get_bit(2);
        self.spi.start.next = self.writes.val() & (self.word.val() == 4);
        self.spi.data_out.next = self.wdata.val();
        self.spi.miso.next = self.card_miso.val() & self.radio_miso.val();
        self.spi_sck.next = self.spi.sck.val();
        self.spi_mosi.next = self.spi.mosi.val();
        self.spi_control.en.next = self.writes.val() & (self.word.val() == 5);
        self.spi_control.d.next = self.wdata.val().get_bits::<4>(0);
        self.card_select_n.next = !self.spi_control.q.val().get_bit(0);
        self.radio_select_n.next = !self.spi_control.q.val().get_bit(1);
        self.radio_enable.next = self.spi_control.q.val().get_bit(3);

        self.out.en.next = self.writes.val() & (self.word.val() == 8);
        self.out.d.next = self.wdata.val().get_bits::<8>(0);
        self.drive.en.next = self.writes.val() & (self.word.val() == 9);
        self.drive.d.next = self.wdata.val().get_bits::<8>(0);
        self.gpio_out.next = self.out.q.val();
        self.gpio_drive.next = self.drive.q.val();
        self.pins.next =
            (self.out.q.val() & self.drive.q.val()) | (self.gpio_in.val() & (!self.drive.q.val()));

        self.extension.select.next =
            self.writes.val() & (self.word.val() == 12) & (!self.compat.val());
        self.extension.write.next =
            self.writes.val() & (self.word.val() == 13) & (!self.compat.val());
        self.extension.read.next = self.reads.val() & (self.word.val() == 13);
        self.extension.wdata.next = self.wdata.val();
        self.extension.cycles.next = self.timer.cycles.val();
        self.extension.microseconds.next = self.timer.microseconds.val();
        self.extension.clock_hz.next = self.clock_hz.val();
        self.extension.build.next = self.build.val();
        self.extension.millisecond.next = self.millisecond.val();
        self.extension.pc.next = self.pc.val();
        self.extension.aborted.next = self.aborted.val();
        self.abort.next = self.extension.abort.val();

        // Kept inverted, so that the power-on value is a line at rest.
        self.radio_asks.next = !self.radio_irq_n.val();
        self.irq_sync.d.next =
            (self.irq_sync.q.val() << 1) | bit_cast::<2, 1>(self.radio_asks.val().into());
        self.card_free.next = self.spi.ready.val() & self.card_miso.val();
        self.card_ready.next = self.spi_control.q.val().get_bit(0) & self.card_free.val();
        self.idle.write.next = self.writes.val() & (self.word.val() == 14) & (!self.compat.val());
        self.idle.mask.next = self.wdata.val().get_bits::<5>(0);
        self.idle.tick.next = self.timer.tick.val();
        self.idle.levels.next = bit_cast::<4, 1>(self.receiver.waits.val().into())
            | (bit_cast::<4, 1>(self.irq_sync.q.val().get_bits::<1>(1)) << 1)
            | (bit_cast::<4, 1>(self.card_ready.val().into()) << 2);
        self.idle.wake.next = self.wakes.val() | self.extension.abort.val();
        self.waiting.next = self.idle.waiting.val();

        self.rdata.next = 0.into();
        if self.word.val() == 0 {
            self.rdata.next = self.timer.milliseconds.val();
        } else if self.word.val() == 1 {
            self.rdata.next = bit_cast::<32, 12>(self.switches.val());
        } else if self.word.val() == 2 {
            self.rdata.next = bit_cast::<32, 8>(self.receiver.data.val());
        } else if self.word.val() == 3 {
            self.rdata.next = bit_cast::<32, 1>(self.receiver.waits.val().into())
                | (bit_cast::<32, 1>(self.transmitter.ready.val().into()) << 1);
        } else if self.word.val() == 4 {
            self.rdata.next = self.spi.data.val();
        } else if self.word.val() == 5 {
            self.rdata.next = bit_cast::<32, 1>(self.spi.ready.val().into());
        } else if self.word.val() == 6 {
            self.rdata.next = 0x0800_0000.into();
        } else if self.word.val() == 8 {
            self.rdata.next = bit_cast::<32, 8>(self.pins.val());
        } else if self.word.val() == 9 {
            self.rdata.next = bit_cast::<32, 8>(self.drive.q.val());
        } else if (self.word.val() == 12) & (!self.compat.val()) {
            self.rdata.next = self.extension.selected.val();
        } else if (self.word.val() == 13) & (!self.compat.val()) {
            self.rdata.next = self.extension.value.val();
        } else if (self.word.val() == 14) & (!self.compat.val()) {
            self.rdata.next = bit_cast::<32, 5>(self.idle.pending.val());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use risc5_isa::io;

    fn machine(parameters: &Parameters) -> Bus {
        let mut uut = Bus::new(parameters);
        uut.connect_all();
        uut.radio_irq_n.next = true;
        (uut.card_miso.next, uut.radio_miso.next, uut.uart_rx.next) = (true, true, true);
        crate::testing::settle(&mut uut);
        uut
    }

    fn access(uut: &mut Bus, address: i32, value: Option<u32>) -> u32 {
        uut.access.next = true;
        uut.write.next = value.is_some();
        uut.word.next = (io::index(address) as u32).to_bits();
        uut.wdata.next = value.unwrap_or(0).to_bits();
        crate::testing::settle(uut);
        let read = uut.rdata.val().to_u32();
        crate::testing::cycle(uut, |uut, level| uut.clock.next.clk = level);
        uut.access.next = false;
        crate::testing::settle(uut);
        read
    }

    #[test]
    fn words_and_pins() {
        let mut uut = machine(&Parameters::default());
        uut.switches.next = 0x123.into();
        uut.gpio_in.next = 0xF0.into();
        access(&mut uut, io::SWITCHES_LEDS, Some(0x81));
        assert_eq!(uut.leds.val().to_u8(), 0x81);
        assert_eq!(access(&mut uut, io::SWITCHES_LEDS, None), 0x123);
        access(&mut uut, io::GPIO, Some(0x55));
        access(&mut uut, io::GPIO_DIRECTION, Some(0x0F));
        assert_eq!(access(&mut uut, io::GPIO, None), 0xF5);
        access(&mut uut, io::SPI_STATUS, Some(io::spi::RADIO | io::spi::RADIO_ENABLE));
        assert!(uut.card_select_n.val() && !uut.radio_select_n.val() && uut.radio_enable.val());
        assert_eq!(access(&mut uut, io::SPI_STATUS, None), io::spi::READY);
        assert_eq!(access(&mut uut, io::UART_STATUS, None), io::uart::TX_READY);
        for free in [-24, -20, -4] {
            assert_eq!(access(&mut uut, free, None), 0);
        }
    }

    #[test]
    fn compat_has_none_of_the_additions() {
        let mut uut = machine(&Parameters::compat());
        for address in [io::EXT_SELECT, io::EXT_DATA, io::IDLE] {
            access(&mut uut, address, Some(1));
            assert_eq!(access(&mut uut, address, None), 0, "{address}");
        }
        assert!(!uut.waiting.val());
    }

    #[test]
    fn rates_follow_the_clock_and_stay_under_their_limits() {
        let at = |clock_hz| Parameters { clock_hz, ..Parameters::default() };
        assert_eq!(at(50_000_000).spi_dividers(), [125, 5]);
        assert_eq!(at(90_000_000).spi_dividers(), [225, 9]);
        assert_eq!(Parameters::compat().spi_dividers(), [64, 3]);
        assert_eq!(at(50_000_000).uart_dividers(), [2604, 434]);
    }
}
