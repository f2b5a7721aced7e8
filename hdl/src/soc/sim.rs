//! The machine for the simulator: core, peripherals, PROM, and 1 MB of RAM in the model.
//!
//! Purpose: what runs under Verilator. Every peripheral ends in pins; the harness outside holds
//! card, radio and serial line, sees the core's trace, and can make either memory port wait.
//!
//! | address | what |
//! |---|---|
//! | 000000H.. | RAM, repeated every megabyte |
//! | FFC000H.. | PROM, instruction fetch only, repeated over the window |
//! | FFFFC0H.. | I/O words, loads and stores only |
//!
//! Timing: RAM and PROM answer in the next cycle unless `i_wait` or `d_wait` is high; while it is, the
//! port shows inverted data, so that nobody can use them. An I/O word takes one wait state: it is
//! accessed in the cycle after its request, and its value is registered.
//!
//! Source: Project Oberon, RISC5Top.v; [`risc5_isa::map`].

use risc5_isa::map;
use rust_hdl::prelude::*;

use crate::core::Core;
use crate::io::{Bus, Parameters};
use crate::leaf::{MainMemory, Prom, Reg, RegEn};

/// Words of RAM as a power of two.
const RAM_BITS: usize = 18;

/// The simulated machine; its PROM has `2^P` words.
#[derive(LogicBlock)]
pub struct Sim<const P: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Reset button; registers, memory and time go on.
    pub reset: Signal<In, Bit>,
    /// The instruction port has to wait.
    pub i_wait: Signal<In, Bit>,
    /// The data port has to wait.
    pub d_wait: Signal<In, Bit>,
    /// A further interrupt edge, for tests.
    pub irq: Signal<In, Bit>,

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
    /// The machine waits in the idle word.
    pub idle: Signal<Out, Bit>,

    /// See [`Core::trace_valid`].
    pub trace_valid: Signal<Out, Bit>,
    /// See [`Core::trace_pc`].
    pub trace_pc: Signal<Out, Bits<22>>,
    /// See [`Core::trace_write`].
    pub trace_write: Signal<Out, Bit>,
    /// See [`Core::trace_number`].
    pub trace_number: Signal<Out, Bits<4>>,
    /// See [`Core::trace_value`].
    pub trace_value: Signal<Out, Bits<32>>,
    /// See [`Core::trace_flags`].
    pub trace_flags: Signal<Out, Bits<4>>,
    /// See [`Core::trace_h`].
    pub trace_h: Signal<Out, Bits<32>>,
    /// See [`Core::trace_memory`].
    pub trace_memory: Signal<Out, Bits<2>>,
    /// See [`Core::trace_addr`].
    pub trace_addr: Signal<Out, Bits<24>>,
    /// See [`Core::trace_event`].
    pub trace_event: Signal<Out, Bits<2>>,
    /// See [`Core::trace_stall`].
    pub trace_stall: Signal<Out, Bits<7>>,
    /// A store is made in this cycle.
    pub trace_store: Signal<Out, Bit>,
    /// Byte address of that store.
    pub trace_store_addr: Signal<Out, Bits<24>>,
    /// Lanes of that store.
    pub trace_store_lanes: Signal<Out, Bits<4>>,
    /// Word of that store.
    pub trace_store_value: Signal<Out, Bits<32>>,

    core: Core,
    bus: Bus,
    prom: Prom<P>,
    ram: MainMemory<RAM_BITS>,
    fetch_prom: RegEn<Bit>,
    io_selected: RegEn<Bit>,
    io_access: Reg<Bit>,
    io_write: RegEn<Bit>,
    io_word: RegEn<Bits<4>>,
    io_wdata: RegEn<Bits<32>>,
    io_rdata: RegEn<Bits<32>>,
    is_io: Signal<Local, Bit>,
    io_request: Signal<Local, Bit>,
    fetched: Signal<Local, Bits<32>>,
    loaded: Signal<Local, Bits<32>>,
    reset_pc: Constant<Bits<22>>,
}

impl<const P: usize> Sim<P> {
    /// A machine with the given PROM, cut to its size.
    pub fn new(parameters: &Parameters, prom: &[u32]) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            i_wait: Default::default(),
            d_wait: Default::default(),
            irq: Default::default(),
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
            idle: Default::default(),
            trace_valid: Default::default(),
            trace_pc: Default::default(),
            trace_write: Default::default(),
            trace_number: Default::default(),
            trace_value: Default::default(),
            trace_flags: Default::default(),
            trace_h: Default::default(),
            trace_memory: Default::default(),
            trace_addr: Default::default(),
            trace_event: Default::default(),
            trace_stall: Default::default(),
            trace_store: Default::default(),
            trace_store_addr: Default::default(),
            trace_store_lanes: Default::default(),
            trace_store_value: Default::default(),
            core: Default::default(),
            bus: Bus::new(parameters),
            prom: Prom::new(prom),
            ram: Default::default(),
            fetch_prom: Default::default(),
            io_selected: Default::default(),
            io_access: Default::default(),
            io_write: Default::default(),
            io_word: Default::default(),
            io_wdata: Default::default(),
            io_rdata: Default::default(),
            is_io: Default::default(),
            io_request: Default::default(),
            fetched: Default::default(),
            loaded: Default::default(),
            reset_pc: Constant::new((map::RESET_PC / 4).to_bits()),
        }
    }
}

impl<const P: usize> Logic for Sim<P> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, core, bus, prom, ram, fetch_prom, io_selected, io_access);
        clock!(self, clock, io_write, io_word, io_wdata, io_rdata);

        self.core.reset.next = self.reset.val();
        self.core.reset_pc.next = self.reset_pc.val();
        self.core.irq.next = self.bus.tick.val() | self.irq.val();
        self.core.abort.next = self.bus.abort.val();

        // Instruction port.
        self.prom.en.next = self.core.i_valid.val();
        self.prom.addr.next = self.core.i_addr.val().get_bits::<P>(0);
        self.ram.i_en.next = self.core.i_valid.val();
        self.ram.i_addr.next = self.core.i_addr.val().get_bits::<RAM_BITS>(0);
        self.fetch_prom.en.next = self.core.i_valid.val();
        self.fetch_prom.d.next = self.core.i_addr.val().get_bits::<10>(12).all();
        self.fetched.next = self.ram.i_data.val();
        if self.fetch_prom.q.val() {
            self.fetched.next = self.prom.data.val();
        }
        self.core.i_data.next = self.fetched.val();
        if self.i_wait.val() {
            self.core.i_data.next = !self.fetched.val();
        }
        self.core.i_ready.next = !self.i_wait.val();

        // Data port.
        self.is_io.next = self.core.d_addr.val().get_bits::<18>(6).all();
        self.io_request.next = self.core.d_valid.val() & self.is_io.val();
        self.ram.d_en.next = self.core.d_valid.val() & (!self.is_io.val());
        self.ram.d_write.next = self.core.d_write.val();
        self.ram.d_lanes.next = self.core.d_lanes.val();
        self.ram.d_addr.next = self.core.d_addr.val().get_bits::<RAM_BITS>(2);
        self.ram.d_wdata.next = self.core.d_wdata.val();
        self.io_selected.en.next = self.core.d_valid.val();
        self.io_selected.d.next = self.is_io.val();
        self.io_access.d.next = self.io_request.val();
        self.io_write.en.next = self.io_request.val();
        self.io_write.d.next = self.core.d_write.val();
        self.io_word.en.next = self.io_request.val();
        self.io_word.d.next = self.core.d_addr.val().get_bits::<4>(2);
        self.io_wdata.en.next = self.io_request.val();
        self.io_wdata.d.next = self.core.d_wdata.val();
        self.io_rdata.en.next = self.io_access.q.val();
        self.io_rdata.d.next = self.bus.rdata.val();
        self.loaded.next = self.ram.d_rdata.val();
        if self.io_selected.q.val() {
            self.loaded.next = self.io_rdata.q.val();
        }
        self.core.d_rdata.next = self.loaded.val();
        if self.d_wait.val() {
            self.core.d_rdata.next = !self.loaded.val();
        }
        self.core.d_ready.next =
            (!self.io_access.q.val()) & (!self.bus.waiting.val()) & (!self.d_wait.val());

        // Peripherals and pins.
        self.bus.access.next = self.io_access.q.val();
        self.bus.write.next = self.io_write.q.val();
        self.bus.word.next = self.io_word.q.val();
        self.bus.wdata.next = self.io_wdata.q.val();
        self.bus.wakes.next = self.core.wakes.val();
        self.bus.aborted.next = self.core.aborted.val();
        self.bus.pc.next = self.core.pc.val();
        self.leds.next = self.bus.leds.val();
        self.bus.switches.next = self.switches.val();
        self.bus.uart_rx.next = self.uart_rx.val();
        self.uart_tx.next = self.bus.uart_tx.val();
        self.spi_sck.next = self.bus.spi_sck.val();
        self.spi_mosi.next = self.bus.spi_mosi.val();
        self.bus.card_miso.next = self.card_miso.val();
        self.card_select_n.next = self.bus.card_select_n.val();
        self.bus.radio_miso.next = self.radio_miso.val();
        self.radio_select_n.next = self.bus.radio_select_n.val();
        self.radio_enable.next = self.bus.radio_enable.val();
        self.bus.radio_irq_n.next = self.radio_irq_n.val();
        self.bus.gpio_in.next = self.gpio_in.val();
        self.gpio_out.next = self.bus.gpio_out.val();
        self.gpio_drive.next = self.bus.gpio_drive.val();
        self.idle.next = self.bus.waiting.val();

        // Trace.
        self.trace_valid.next = self.core.trace_valid.val();
        self.trace_pc.next = self.core.trace_pc.val();
        self.trace_write.next = self.core.trace_write.val();
        self.trace_number.next = self.core.trace_number.val();
        self.trace_value.next = self.core.trace_value.val();
        self.trace_flags.next = self.core.trace_flags.val();
        self.trace_h.next = self.core.trace_h.val();
        self.trace_memory.next = self.core.trace_memory.val();
        self.trace_addr.next = self.core.trace_addr.val();
        self.trace_event.next = self.core.trace_event.val();
        self.trace_stall.next = self.core.trace_stall.val();
        self.trace_store.next = self.core.d_valid.val() & self.core.d_write.val();
        self.trace_store_addr.next = self.core.d_addr.val();
        self.trace_store_lanes.next = self.core.d_lanes.val();
        self.trace_store_value.next = self.core.d_wdata.val();
    }
}
