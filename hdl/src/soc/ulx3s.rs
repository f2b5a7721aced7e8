//! The top of a ULX3S: PLL, reset, pads, and the machine behind them.
//!
//! Purpose: what is synthesised for the board, of any of its parts. Ports have the names of the board's
//! constraint files; what is no port stays at its pull-up or pull-down.
//!
//! | pins | use |
//! |---|---|
//! | `clk_25mhz` | 25 MHz; the PLL makes the machine's clock, and the SDRAM's, later by a shift |
//! | `ftdi_rxd`, `ftdi_txd` | serial line out, and in |
//! | `led` | the LED word |
//! | `btn[0]` (active low) | reset |
//! | `sw`, `btn[6:1]` | switches 3..0; buttons 11..8 are `btn[4:1]`, switches 5, 4 are `btn[6:5]` |
//! | `sdram_*` | 32 MB chip, of which the machine sees 1 MB |
//! | `sd_clk`, `sd_cmd`, `sd_d0` ... `sd_d3` | the card by SPI: clock, data out, data in; `sd_d3` selects, 1 and 2 are high |
//! | `wifi_en`, `wifi_gpio0` | 0 and 1: the ESP32 is off and lets the card's bus go |
//! | `radio_*` | nRF24L01+ on J1 |
//! | `gpio` | eight pins of the GPIO words |
//! | `user_programn` | 1: the configuration stays |
//! | `gpdi_dp` | [`Ulx3sHdmi`] only: the picture, see [`crate::video`] |
//!
//! The sizes of the caches are those of [`Memory`](crate::memory::Memory); [`Caches`](super::Caches) chooses them.
//!
//! Timing: after the PLL's lock 255 cycles of reset.
//!
//! What it does not do: no second radio.
//!
//! Source: ULX3S constraint files v2.0 and v3.1.6 (<https://github.com/emard/ulx3s>); not yet run on hardware.

use rust_hdl::prelude::*;

use super::{Board, Starter};
use crate::io::Parameters;
use crate::leaf::{GpioPads, InputPad, Pll, PllSettings, Reg, SdramPads};
use crate::video::Video;

/// The clock that is used unless another is asked for, in Hz.
pub const CLOCK_HZ: u32 = 75_000_000;
/// The board's oscillator in MHz.
const OSCILLATOR_MHZ: u32 = 25;
/// Words of PROM as a power of two.
const PROM_BITS: usize = 11;

/// How late the SDRAM's clock is, in degrees.
///
/// Pads delay clock, commands and data out alike, so a command has this part of a period to get to the
/// chip. Data come back an access time (6 ns, CAS latency 2) after the chip's edge and stay until 2.5 ns
/// after the next; with 4 to 5 ns through the pads, 225 degrees put the FPGA's edge into the middle of that.
const SDRAM_DEGREES: u32 = 225;

/// A top with a picture or without one; `$video` and `$blind` are the fields that differ.
macro_rules! top {
    (
        $(#[$doc:meta])* $name:ident,
        $(picture: $video:ident)? $(no picture: $blind:ident)?
    ) => {
$(#[$doc])*
#[derive(LogicBlock)]
pub struct $name<
    const IN: usize,
    const IK: usize,
    const IT: usize,
    const DN: usize,
    const DK: usize,
    const DT: usize,
> {
    /// 25 MHz.
    pub clk_25mhz: Signal<In, Clock>,
    /// Serial line to the FT231X.
    pub ftdi_rxd: Signal<Out, Bit>,
    /// Serial line from the FT231X.
    pub ftdi_txd: Signal<In, Bit>,
    /// LEDs.
    pub led: Signal<Out, Bits<8>>,
    /// Buttons; number 0 is low when pressed, the others high.
    pub btn: Signal<In, Bits<7>>,
    /// Switches.
    pub sw: Signal<In, Bits<4>>,

    /// SDRAM: clock.
    pub sdram_clk: Signal<Out, Bit>,
    /// SDRAM: clock enable.
    pub sdram_cke: Signal<Out, Bit>,
    /// SDRAM: select.
    pub sdram_csn: Signal<Out, Bit>,
    /// SDRAM: command.
    pub sdram_wen: Signal<Out, Bit>,
    /// SDRAM: command.
    pub sdram_rasn: Signal<Out, Bit>,
    /// SDRAM: command.
    pub sdram_casn: Signal<Out, Bit>,
    /// SDRAM: address.
    pub sdram_a: Signal<Out, Bits<13>>,
    /// SDRAM: bank.
    pub sdram_ba: Signal<Out, Bits<2>>,
    /// SDRAM: byte masks.
    pub sdram_dqm: Signal<Out, Bits<2>>,
    /// SDRAM: data.
    pub sdram_d: Signal<InOut, Bits<16>>,

    /// Card: clock.
    pub sd_clk: Signal<Out, Bit>,
    /// Card: data in.
    pub sd_cmd: Signal<Out, Bit>,
    /// Card: data out.
    pub sd_d0: Signal<In, Bit>,
    /// Card: high.
    pub sd_d1: Signal<Out, Bit>,
    /// Card: high.
    pub sd_d2: Signal<Out, Bit>,
    /// Card: select, active low.
    pub sd_d3: Signal<Out, Bit>,
    /// ESP32: enable.
    pub wifi_en: Signal<Out, Bit>,
    /// ESP32: boot select.
    pub wifi_gpio0: Signal<Out, Bit>,

    /// Radio: CE.
    pub radio_ce: Signal<Out, Bit>,
    /// Radio: select, active low.
    pub radio_csn: Signal<Out, Bit>,
    /// Radio: clock.
    pub radio_sck: Signal<Out, Bit>,
    /// Radio: data in.
    pub radio_mosi: Signal<Out, Bit>,
    /// Radio: data out.
    pub radio_miso: Signal<In, Bit>,
    /// Radio: interrupt, active low.
    pub radio_irq: Signal<In, Bit>,

    /// General-purpose pins.
    pub gpio: Signal<InOut, Bits<8>>,
    /// High: the configuration stays.
    pub user_programn: Signal<Out, Bit>,

    $(
    /// Picture: blue, green, red, clock.
    pub gpdi_dp: Signal<Out, Bits<4>>,
    $video: Video,
    )?

    pll: Pll,
    starter: Starter,
    machine: Board<PROM_BITS, IN, IK, IT, DN, DK, DT>,
    sdram: SdramPads,
    pads: GpioPads,
    card_pad: InputPad,
    radio_pad: InputPad,
    card_level: Reg<Bit>,
    radio_level: Reg<Bit>,
    pressed: Signal<Local, Bit>,
}

impl<
    const IN: usize,
    const IK: usize,
    const IT: usize,
    const DN: usize,
    const DK: usize,
    const DT: usize,
> $name<IN, IK, IT, DN, DK, DT> {
    /// A top with the given PROM, cut to its size; none if the PLL cannot make the clock.
    pub fn new(parameters: &Parameters, prom: &[u32]) -> Option<Self> {
        let megahertz = parameters.clock_hz / 1_000_000;
        let settings = PllSettings::find(OSCILLATOR_MHZ, megahertz, SDRAM_DEGREES)?;
        Some(Self {
            pll: Pll::new(settings),
            machine: Board::new(parameters, prom),
            $(
            gpdi_dp: Default::default(),
            $video: Default::default(),
            )?
            clk_25mhz: Default::default(),
            ftdi_rxd: Default::default(),
            ftdi_txd: Default::default(),
            led: Default::default(),
            btn: Default::default(),
            sw: Default::default(),
            sdram_clk: Default::default(),
            sdram_cke: Default::default(),
            sdram_csn: Default::default(),
            sdram_wen: Default::default(),
            sdram_rasn: Default::default(),
            sdram_casn: Default::default(),
            sdram_a: Default::default(),
            sdram_ba: Default::default(),
            sdram_dqm: Default::default(),
            sdram_d: Default::default(),
            sd_clk: Default::default(),
            sd_cmd: Default::default(),
            sd_d0: Default::default(),
            sd_d1: Default::default(),
            sd_d2: Default::default(),
            sd_d3: Default::default(),
            wifi_en: Default::default(),
            wifi_gpio0: Default::default(),
            radio_ce: Default::default(),
            radio_csn: Default::default(),
            radio_sck: Default::default(),
            radio_mosi: Default::default(),
            radio_miso: Default::default(),
            radio_irq: Default::default(),
            gpio: Default::default(),
            user_programn: Default::default(),
            starter: Default::default(),
            sdram: Default::default(),
            pads: Default::default(),
            card_pad: Default::default(),
            radio_pad: Default::default(),
            card_level: Default::default(),
            radio_level: Default::default(),
            pressed: Default::default(),
        })
    }
}

impl<
    const IN: usize,
    const IK: usize,
    const IT: usize,
    const DN: usize,
    const DK: usize,
    const DT: usize,
> Logic for $name<IN, IK, IT, DN, DK, DT> {
    #[hdl_gen]
    fn update(&mut self) {
        self.pll.clock_in.next = self.clk_25mhz.val();
        self.starter.clock.next = self.pll.clock.val();
        self.machine.clock.next = self.pll.clock.val();
        self.sdram.clock.next = self.pll.clock.val();
        self.sdram.shifted.next = self.pll.shifted.val();

        self.starter.locked.next = self.pll.locked.val();
        self.pressed.next = !self.btn.val().get_bit(0);
        self.starter.pressed.next = self.pressed.val();
        self.starter.inputs.next = (bit_cast::<12, 4>(self.btn.val().get_bits::<4>(1)) << 8)
            | (bit_cast::<12, 2>(self.btn.val().get_bits::<2>(5)) << 4)
            | bit_cast::<12, 4>(self.sw.val());
        self.machine.enable.next = self.starter.enable.val();
        self.machine.reset.next = self.starter.reset.val();
        self.machine.switches.next = self.starter.switches.val();

        self.led.next = self.machine.leds.val();
        self.ftdi_rxd.next = self.machine.uart_tx.val();
        self.machine.uart_rx.next = self.ftdi_txd.val();

        self.sd_clk.next = self.machine.spi_sck.val();
        self.sd_cmd.next = self.machine.spi_mosi.val();
        // A second register near what reads them: pads are far from the machine.
        self.card_pad.clock.next = self.pll.clock.val();
        self.card_pad.pin.next = self.sd_d0.val();
        self.card_level.clock.next = self.pll.clock.val();
        self.card_level.d.next = self.card_pad.level.val();
        self.machine.card_miso.next = self.card_level.q.val();
        self.sd_d1.next = true;
        self.sd_d2.next = true;
        self.sd_d3.next = self.machine.card_select_n.val();
        self.wifi_en.next = false;
        self.wifi_gpio0.next = true;
        self.user_programn.next = true;
        self.radio_ce.next = self.machine.radio_enable.val();
        self.radio_csn.next = self.machine.radio_select_n.val();
        self.radio_sck.next = self.machine.spi_sck.val();
        self.radio_mosi.next = self.machine.spi_mosi.val();
        self.radio_pad.clock.next = self.pll.clock.val();
        self.radio_pad.pin.next = self.radio_miso.val();
        self.radio_level.clock.next = self.pll.clock.val();
        self.radio_level.d.next = self.radio_pad.level.val();
        self.machine.radio_miso.next = self.radio_level.q.val();
        self.machine.radio_irq_n.next = self.radio_irq.val();

        self.pads.out.next = self.machine.gpio_out.val();
        self.pads.drive.next = self.machine.gpio_drive.val();
        self.machine.gpio_in.next = self.pads.level.val();
        Signal::<InOut, Bits<8>>::link(&mut self.gpio, &mut self.pads.pins);

        self.sdram.command.next = self.machine.command.val();
        self.sdram.address.next = self.machine.address.val();
        self.sdram.bank.next = self.machine.bank.val();
        self.sdram.mask.next = self.machine.mask.val();
        self.sdram.write_data.next = self.machine.write_data.val();
        self.sdram.drive.next = self.machine.drive.val();
        self.machine.read_data.next = self.sdram.read_data.val();
        self.sdram_clk.next = self.sdram.clk.val();
        self.sdram_cke.next = self.sdram.cke.val();
        self.sdram_csn.next = self.sdram.csn.val();
        self.sdram_rasn.next = self.sdram.rasn.val();
        self.sdram_casn.next = self.sdram.casn.val();
        self.sdram_wen.next = self.sdram.wen.val();
        self.sdram_a.next = self.sdram.a.val();
        self.sdram_ba.next = self.sdram.ba.val();
        self.sdram_dqm.next = self.sdram.dqm.val();
        Signal::<InOut, Bits<16>>::link(&mut self.sdram_d, &mut self.sdram.d);

        $(
        self.$video.clock.next = self.pll.clock.val();
        self.$video.clock_in.next = self.clk_25mhz.val();
        self.machine.video_valid.next = self.$video.valid.val();
        self.machine.video_addr.next = self.$video.addr.val();
        self.$video.taken.next = self.machine.video_taken.val();
        self.$video.word_valid.next = self.machine.video_word_valid.val();
        self.$video.word.next = self.machine.video_word.val();
        self.gpdi_dp.next = self.$video.lanes.val();
        )?
        $(
        self.$blind.video_valid.next = false;
        self.$blind.video_addr.next = 0.into();
        )?
    }
}
};
}

top! {
    /// The whole FPGA, without a picture.
    Ulx3s, no picture: machine
}

top! {
    /// The whole FPGA, with the framebuffer on the GPDI connector.
    Ulx3sHdmi, picture: video
}
