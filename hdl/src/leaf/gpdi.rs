//! Cells of the ECP5 for a picture: a PLL for points and bits, pads that send two bits a cycle, and a
//! memory between two clocks.
//!
//! Source: ECP5 sysCLOCK PLL/DLL Design and Usage Guide FPGA-TN-02200; ECP5 High-Speed I/O Interface
//! FPGA-TN-02035 (no higher gearing than two bits a cycle on the top side, where the connector's pins are).

use rust_hdl::prelude::*;

/// Frequencies of [`VideoPll`] in MHz: board, points, bits in pairs, oscillator.
const INPUT_MHZ: u32 = 25;
const PIXEL_MHZ: u32 = 65;
const BIT_MHZ: u32 = 5 * PIXEL_MHZ;
const OSCILLATOR_MHZ: u32 = 650;

/// PLL with a clock of points and one five times as fast.
///
/// Timing: the two rise together. The native model passes the input to both.
#[derive(LogicBlock, Default)]
pub struct VideoPll {
    /// The board's clock, 25 MHz.
    pub clock_in: Signal<In, Clock>,
    /// 65 MHz.
    pub pixel_clock: Signal<Out, Clock>,
    /// 325 MHz.
    pub bit_clock: Signal<Out, Clock>,
}

impl Logic for VideoPll {
    fn update(&mut self) {
        self.pixel_clock.next = self.clock_in.val();
        self.bit_clock.next = self.clock_in.val();
    }
    fn connect(&mut self) {
        self.pixel_clock.connect();
        self.bit_clock.connect();
    }
    fn hdl(&self) -> Verilog {
        let [bits, points, back] =
            [BIT_MHZ, PIXEL_MHZ, INPUT_MHZ].map(|megahertz| OSCILLATOR_MHZ / megahertz);
        // The third output has the input's frequency and closes the loop.
        Verilog::Custom(format!(
            "// cell: video_pll\n\
             wire w_bit, w_pixel, w_feedback, w_locked;\n\
             assign bit_clock = w_bit;\n\
             assign pixel_clock = w_pixel;\n\
             (* FREQUENCY_PIN_CLKI = \"{INPUT_MHZ}\", FREQUENCY_PIN_CLKOP = \"{BIT_MHZ}\", \
             FREQUENCY_PIN_CLKOS = \"{PIXEL_MHZ}\", FREQUENCY_PIN_CLKOS2 = \"{INPUT_MHZ}\", \
             ICP_CURRENT = \"12\", LPF_RESISTOR = \"8\" *)\n\
             EHXPLLL #(\n  .CLKI_DIV(1), .CLKFB_DIV(1), .FEEDBK_PATH(\"CLKOS2\"),\n  \
             .CLKOP_ENABLE(\"ENABLED\"), .CLKOP_DIV({bits}), .CLKOP_CPHASE({}),\n  \
             .CLKOS_ENABLE(\"ENABLED\"), .CLKOS_DIV({points}), .CLKOS_CPHASE({}), \
             .CLKOS_FPHASE(0),\n  \
             .CLKOS2_ENABLE(\"ENABLED\"), .CLKOS2_DIV({back}), .CLKOS2_CPHASE({}),\n  \
             .OUTDIVIDER_MUXA(\"DIVA\"), .OUTDIVIDER_MUXB(\"DIVB\"), .OUTDIVIDER_MUXC(\"DIVC\"), \
             .OUTDIVIDER_MUXD(\"DIVD\")\n) pll (\n  \
             .CLKI(clock_in), .CLKFB(w_feedback), .CLKOP(w_bit), .CLKOS(w_pixel), \
             .CLKOS2(w_feedback), .LOCK(w_locked),\n  \
             .RST(1'b0), .STDBY(1'b0), .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), \
             .PHASESTEP(1'b1), .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0),\n  \
             .ENCLKOP(1'b0), .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0)\n);\n",
            bits - 1,
            points - 1,
            back - 1
        ))
    }
}

/// Four pads that send two bits a cycle.
///
/// Timing: `first` of a rising edge leaves behind it, `second` behind the falling edge that follows. The
/// native model shows `first`.
#[derive(LogicBlock, Default)]
pub struct GpdiPads {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Bits of the first half.
    pub first: Signal<In, Bits<4>>,
    /// Bits of the second half.
    pub second: Signal<In, Bits<4>>,
    /// Pins; each has a complement that the pad drives by itself.
    pub pins: Signal<Out, Bits<4>>,
}

impl Logic for GpdiPads {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.pins.next = self.first.val();
        }
    }
    fn connect(&mut self) {
        self.pins.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "// cell: gpdi_pads\n\
             wire [3:0] w_pins;\n\
             assign pins = w_pins;\n\
             ODDRX1F lane [3:0] (.SCLK(clock), .RST(1'b0), .D0(first), .D1(second), .Q(w_pins));\n"
                .into(),
        )
    }
}

/// 64 words of 32 bits, written with one clock and read with another.
///
/// Timing: a read shows the word addressed at the last rising edge of `pixel_clock`. What it shows of a
/// word that is being written is not defined: writer and reader keep to halves of their own.
#[derive(LogicBlock, Default)]
pub struct LineBuffer {
    /// Clock of the writer.
    pub clock: Signal<In, Clock>,
    /// Write.
    pub we: Signal<In, Bit>,
    /// Where.
    pub waddr: Signal<In, Bits<6>>,
    /// What.
    pub wdata: Signal<In, Bits<32>>,
    /// Clock of the reader.
    pub pixel_clock: Signal<In, Clock>,
    /// Where to read.
    pub raddr: Signal<In, Bits<6>>,
    /// What was there.
    pub rdata: Signal<Out, Bits<32>>,
    _words: Vec<u32>,
}

impl Logic for LineBuffer {
    fn update(&mut self) {
        if self._words.is_empty() {
            self._words = vec![0; 64];
        }
        if self.pixel_clock.pos_edge() {
            self.rdata.next = self._words[self.raddr.val().index()].to_bits();
        }
        if self.clock.pos_edge() && self.we.val() {
            self._words[self.waddr.val().index()] = self.wdata.val().to_u32();
        }
    }
    fn connect(&mut self) {
        self.rdata.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "// cell: line_buffer\n\
             (* ram_style = \"block\", no_rw_check *) reg [31:0] mem [63:0];\n\
             integer i;\n\
             initial begin rdata = 0; for (i = 0; i < 64; i = i + 1) mem[i] = 0; end\n\
             always @(posedge clock) if (we) mem[waddr] <= wdata;\n\
             always @(posedge pixel_clock) rdata <= mem[raddr];\n"
                .into(),
        )
    }
}
