//! The machine of a board with an SDRAM: core, caches, peripherals, PROM. No pads, no PLL.
//!
//! Purpose: what a board's top wraps. Its ports are those of the simulated machine, with the way to the
//! SDRAM's pads in place of a memory in the model, and without the harness's means to disturb.
//!
//! Timing: see [`Memory`] and [`crate::core::Core`].
//!
//! Source: Project Oberon, RISC5Top.v; [`risc5_isa::map`].

use risc5_isa::map;
use rust_hdl::prelude::*;

use crate::core::Core;
use crate::io::{Bus, Parameters};
use crate::memory::{Memory, SdramTiming};

/// Core, memory and peripherals; the sizes are those of [`Memory`].
#[derive(LogicBlock)]
pub struct Board<
    const P: usize,
    const IN: usize,
    const IK: usize,
    const IT: usize,
    const DN: usize,
    const DK: usize,
    const DT: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The clock is stable: the SDRAM may be initialised.
    pub enable: Signal<In, Bit>,
    /// Reset; registers, memory and time go on.
    pub reset: Signal<In, Bit>,

    /// See [`crate::memory::Sdram::video_valid`].
    pub video_valid: Signal<In, Bit>,
    /// See [`crate::memory::Sdram::video_addr`].
    pub video_addr: Signal<In, Bits<18>>,
    /// See [`crate::memory::Sdram::video_taken`].
    pub video_taken: Signal<Out, Bit>,
    /// See [`crate::memory::Sdram::video_word_valid`].
    pub video_word_valid: Signal<Out, Bit>,
    /// A word of the video's line.
    pub video_word: Signal<Out, Bits<32>>,

    /// See [`crate::memory::Sdram::command`].
    pub command: Signal<Out, Bits<3>>,
    /// See [`crate::memory::Sdram::address`].
    pub address: Signal<Out, Bits<13>>,
    /// See [`crate::memory::Sdram::bank`].
    pub bank: Signal<Out, Bits<2>>,
    /// See [`crate::memory::Sdram::mask`].
    pub mask: Signal<Out, Bits<2>>,
    /// See [`crate::memory::Sdram::write_data`].
    pub write_data: Signal<Out, Bits<16>>,
    /// See [`crate::memory::Sdram::drive`].
    pub drive: Signal<Out, Bit>,
    /// See [`crate::memory::Sdram::read_data`].
    pub read_data: Signal<In, Bits<16>>,

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
    memory: Memory<P, IN, IK, IT, DN, DK, DT>,
    reset_pc: Constant<Bits<22>>,
}

impl<
    const P: usize,
    const IN: usize,
    const IK: usize,
    const IT: usize,
    const DN: usize,
    const DK: usize,
    const DT: usize,
> Board<P, IN, IK, IT, DN, DK, DT>
{
    /// A machine with the given PROM, cut to its size.
    pub fn new(parameters: &Parameters, prom: &[u32]) -> Self {
        Self {
            clock: Default::default(),
            enable: Default::default(),
            reset: Default::default(),
            video_valid: Default::default(),
            video_addr: Default::default(),
            video_taken: Default::default(),
            video_word_valid: Default::default(),
            video_word: Default::default(),
            command: Default::default(),
            address: Default::default(),
            bank: Default::default(),
            mask: Default::default(),
            write_data: Default::default(),
            drive: Default::default(),
            read_data: Default::default(),
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
            memory: Memory::new(&SdramTiming::new(parameters.clock_hz), prom),
            reset_pc: Constant::new((map::RESET_PC / 4).to_bits()),
        }
    }
}

impl<
    const P: usize,
    const IN: usize,
    const IK: usize,
    const IT: usize,
    const DN: usize,
    const DK: usize,
    const DT: usize,
> Logic for Board<P, IN, IK, IT, DN, DK, DT>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, core, bus, memory);

        self.core.reset.next = self.reset.val();
        self.core.reset_pc.next = self.reset_pc.val();
        self.core.irq.next = self.bus.tick.val();
        self.core.abort.next = self.bus.abort.val();

        self.memory.enable.next = self.enable.val();
        self.memory.i_valid.next = self.core.i_valid.val();
        self.memory.i_turn.next = self.core.i_turn.val();
        self.memory.i_target.next = self.core.i_target.val();
        self.core.i_ready.next = self.memory.i_ready.val();
        self.core.i_data.next = self.memory.i_data.val();
        self.memory.d_valid.next = self.core.d_valid.val();
        self.memory.d_addr.next = self.core.d_addr.val();
        self.memory.s_addr.next = self.core.s_addr.val();
        self.memory.d_write.next = self.core.d_write.val();
        self.memory.d_lanes.next = self.core.d_lanes.val();
        self.memory.s_value.next = self.core.s_value.val();
        self.core.d_ready.next = self.memory.d_ready.val();
        self.core.d_rdata.next = self.memory.d_rdata.val();
        self.memory.io_rdata.next = self.bus.rdata.val();
        self.memory.io_wait.next = self.bus.waiting.val();
        self.command.next = self.memory.command.val();
        self.address.next = self.memory.address.val();
        self.bank.next = self.memory.bank.val();
        self.mask.next = self.memory.mask.val();
        self.write_data.next = self.memory.write_data.val();
        self.drive.next = self.memory.drive.val();
        self.memory.read_data.next = self.read_data.val();
        self.memory.video_valid.next = self.video_valid.val();
        self.memory.video_addr.next = self.video_addr.val();
        self.video_taken.next = self.memory.video_taken.val();
        self.video_word_valid.next = self.memory.video_word_valid.val();
        self.video_word.next = self.memory.video_word.val();

        // Peripherals and pins.
        self.bus.access.next = self.memory.io_access.val();
        self.bus.write.next = self.memory.io_write.val();
        self.bus.word.next = self.memory.io_word.val();
        self.bus.wdata.next = self.memory.io_wdata.val();
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
