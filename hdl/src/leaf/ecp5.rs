//! Cells of the ECP5 at the edge of a board's top: PLL, pads of the SDRAM, pads that can be driven.
//!
//! Source: ECP5 and ECP5-5G Family Data Sheet FPGA-DS-02012 (PLL ranges); ECP5 sysCLOCK PLL/DLL Design and
//! Usage Guide FPGA-TN-02200; ECP5 sysIO Usage Guide FPGA-TN-02032.

use rust_hdl::prelude::*;

/// Dividers of a PLL that makes one frequency and a shifted copy of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PllSettings {
    /// Frequency of the input in MHz.
    pub input_mhz: u32,
    /// Frequency of the oscillator over that of the input.
    pub oscillator: u32,
    /// Divider from the oscillator to the outputs.
    pub divider: u32,
    /// Shift of the second output in eighths of an oscillator period.
    pub shift_eighths: u32,
}

impl PllSettings {
    /// The oscillator's range, 400 to 800 MHz.
    const OSCILLATOR_MHZ: std::ops::RangeInclusive<u32> = 400..=800;

    /// Settings that make exactly `output_mhz`, the second output late by `degrees`; none if no dividers
    /// do. Of several the one with the fastest oscillator, which shifts in the finest steps.
    pub fn find(input_mhz: u32, output_mhz: u32, degrees: u32) -> Option<Self> {
        let oscillators = (1..=Self::OSCILLATOR_MHZ.end() / input_mhz).rev();
        let fits = |factor: &u32| {
            let mhz = factor * input_mhz;
            Self::OSCILLATOR_MHZ.contains(&mhz) && mhz.is_multiple_of(output_mhz)
        };
        let oscillator = oscillators.into_iter().find(fits)?;
        let divider = oscillator * input_mhz / output_mhz;
        let shift_eighths = (degrees % 360 * divider * 8 + 180) / 360;
        Some(Self { input_mhz, oscillator, divider, shift_eighths })
    }
}

/// PLL with two outputs of one frequency.
///
/// Timing: `clock` follows `clock_in` when `locked` is high; `shifted` is `clock`, later by the settings'
/// shift. The native model passes the input to both outputs and is locked at once.
#[derive(LogicBlock, Default)]
pub struct Pll {
    /// The board's clock.
    pub clock_in: Signal<In, Clock>,
    /// The machine's clock.
    pub clock: Signal<Out, Clock>,
    /// The same clock, later.
    pub shifted: Signal<Out, Clock>,
    /// The outputs have their frequency.
    pub locked: Signal<Out, Bit>,
    _settings: PllSettings,
}

impl Pll {
    /// A PLL with these dividers.
    pub fn new(settings: PllSettings) -> Self {
        Self { _settings: settings, ..Self::default() }
    }
}

impl Logic for Pll {
    fn update(&mut self) {
        self.clock.next = self.clock_in.val();
        self.shifted.next = self.clock_in.val();
        self.locked.next = true;
    }
    fn connect(&mut self) {
        self.clock.connect();
        self.shifted.connect();
        self.locked.connect();
    }
    fn hdl(&self) -> Verilog {
        let PllSettings { input_mhz, oscillator, divider, shift_eighths } = self._settings;
        let output_mhz = f64::from(oscillator * input_mhz) / f64::from(divider.max(1));
        let phase = divider.max(1) - 1;
        let (coarse, fine) = (phase + shift_eighths / 8, shift_eighths % 8);
        // The third output has the input's frequency and closes the loop.
        Verilog::Custom(format!(
            "// cell: pll_{output_mhz}\n\
             wire w_clock, w_shifted, w_feedback, w_locked;\n\
             assign clock = w_clock;\n\
             assign shifted = w_shifted;\n\
             assign locked = w_locked;\n\
             (* FREQUENCY_PIN_CLKI = \"{input_mhz}\", FREQUENCY_PIN_CLKOP = \"{output_mhz}\", \
             FREQUENCY_PIN_CLKOS = \"{output_mhz}\", FREQUENCY_PIN_CLKOS2 = \"{input_mhz}\", \
             ICP_CURRENT = \"12\", LPF_RESISTOR = \"8\" *)\n\
             EHXPLLL #(\n  .CLKI_DIV(1), .CLKFB_DIV(1), .FEEDBK_PATH(\"CLKOS2\"),\n  \
             .CLKOP_ENABLE(\"ENABLED\"), .CLKOP_DIV({divider}), .CLKOP_CPHASE({phase}),\n  \
             .CLKOS_ENABLE(\"ENABLED\"), .CLKOS_DIV({divider}), .CLKOS_CPHASE({coarse}), \
             .CLKOS_FPHASE({fine}),\n  \
             .CLKOS2_ENABLE(\"ENABLED\"), .CLKOS2_DIV({oscillator}), .CLKOS2_CPHASE({}),\n  \
             .OUTDIVIDER_MUXA(\"DIVA\"), .OUTDIVIDER_MUXB(\"DIVB\"), .OUTDIVIDER_MUXC(\"DIVC\"), \
             .OUTDIVIDER_MUXD(\"DIVD\")\n) pll (\n  \
             .CLKI(clock_in), .CLKFB(w_feedback), .CLKOP(w_clock), .CLKOS(w_shifted), \
             .CLKOS2(w_feedback), .LOCK(w_locked),\n  \
             .RST(1'b0), .STDBY(1'b0), .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), \
             .PHASESTEP(1'b1), .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0),\n  \
             .ENCLKOP(1'b0), .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0)\n);\n",
            oscillator - 1
        ))
    }
}

/// Registers in the pads of an SDRAM of 16 bits.
///
/// Timing: everything but the clock leaves at the rising edge of `clock` that follows it. `read_data` is
/// what the data pins had at the last rising edge. The SDRAM's own clock is `shifted`, through a pad
/// register of the same kind, so that the delays of pads cancel.
#[derive(LogicBlock, Default)]
pub struct SdramPads {
    /// Clock of the registers.
    pub clock: Signal<In, Clock>,
    /// Clock of the SDRAM.
    pub shifted: Signal<In, Clock>,
    /// Command: RAS, CAS, WE from bit 2 down, active low.
    pub command: Signal<In, Bits<3>>,
    /// Address.
    pub address: Signal<In, Bits<13>>,
    /// Bank.
    pub bank: Signal<In, Bits<2>>,
    /// Byte masks: high keeps a byte from being written.
    pub mask: Signal<In, Bits<2>>,
    /// Data to write.
    pub write_data: Signal<In, Bits<16>>,
    /// Drive the data pins.
    pub drive: Signal<In, Bit>,
    /// Data that was read.
    pub read_data: Signal<Out, Bits<16>>,

    /// Pin.
    pub clk: Signal<Out, Bit>,
    /// Pin.
    pub cke: Signal<Out, Bit>,
    /// Pin, active low.
    pub csn: Signal<Out, Bit>,
    /// Pin, active low.
    pub rasn: Signal<Out, Bit>,
    /// Pin, active low.
    pub casn: Signal<Out, Bit>,
    /// Pin, active low.
    pub wen: Signal<Out, Bit>,
    /// Pins.
    pub a: Signal<Out, Bits<13>>,
    /// Pins.
    pub ba: Signal<Out, Bits<2>>,
    /// Pins.
    pub dqm: Signal<Out, Bits<2>>,
    /// Pins.
    pub d: Signal<InOut, Bits<16>>,
    _driven: Option<Bits<16>>,
}

impl Logic for SdramPads {
    fn update(&mut self) {
        self.cke.next = true;
        self.csn.next = false;
        self.clk.next = self.shifted.val().clk;
        if self.clock.pos_edge() {
            self.read_data.next = self.d.val();
            self.rasn.next = self.command.val().get_bit(2);
            self.casn.next = self.command.val().get_bit(1);
            self.wen.next = self.command.val().get_bit(0);
            self.a.next = self.address.val();
            self.ba.next = self.bank.val();
            self.dqm.next = self.mask.val();
            self._driven = self.drive.val().then(|| self.write_data.val());
        }
        if let Some(data) = self._driven {
            self.d.next = data;
        }
        self.d.set_tristate_is_output(self._driven.is_some());
    }
    fn connect(&mut self) {
        self.read_data.connect();
        self.clk.connect();
        self.cke.connect();
        self.csn.connect();
        self.rasn.connect();
        self.casn.connect();
        self.wen.connect();
        self.a.connect();
        self.ba.connect();
        self.dqm.connect();
        self.d.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "// cell: sdram_pads\n\
             wire w_clk;\n\
             wire [2:0] w_command;\n\
             wire [12:0] w_a;\n\
             wire [1:0] w_ba, w_dqm;\n\
             wire [15:0] w_out, w_in, w_read;\n\
             reg [15:0] released;\n\
             initial released = 16'hffff;\n\
             always @(posedge clock) released <= {16{!drive}};\n\
             assign cke = 1'b1;\n\
             assign csn = 1'b0;\n\
             assign clk = w_clk;\n\
             assign rasn = w_command[2];\n\
             assign casn = w_command[1];\n\
             assign wen = w_command[0];\n\
             assign a = w_a;\n\
             assign ba = w_ba;\n\
             assign dqm = w_dqm;\n\
             assign read_data = w_read;\n\
             ODDRX1F clk_out (.SCLK(shifted), .RST(1'b0), .D0(1'b1), .D1(1'b0), .Q(w_clk));\n\
             OFS1P3DX command_out [2:0] (.D(command), .SP(1'b1), .SCLK(clock), .CD(1'b0), \
             .Q(w_command));\n\
             OFS1P3DX a_out [12:0] (.D(address), .SP(1'b1), .SCLK(clock), .CD(1'b0), .Q(w_a));\n\
             OFS1P3DX ba_out [1:0] (.D(bank), .SP(1'b1), .SCLK(clock), .CD(1'b0), .Q(w_ba));\n\
             OFS1P3DX dqm_out [1:0] (.D(mask), .SP(1'b1), .SCLK(clock), .CD(1'b0), .Q(w_dqm));\n\
             OFS1P3DX d_out [15:0] (.D(write_data), .SP(1'b1), .SCLK(clock), .CD(1'b0), \
             .Q(w_out));\n\
             IFS1P3DX d_in [15:0] (.D(w_in), .SP(1'b1), .SCLK(clock), .CD(1'b0), .Q(w_read));\n\
             BB d_pad [15:0] (.I(w_out), .T(released), .O(w_in), .B(d));\n"
                .into(),
        )
    }
}

/// A register in an input's pad.
///
/// Timing: `level` is what the pin had at the last rising edge.
#[derive(LogicBlock, Default)]
pub struct InputPad {
    /// Clock of the register.
    pub clock: Signal<In, Clock>,
    /// Pin.
    pub pin: Signal<In, Bit>,
    /// Its level.
    pub level: Signal<Out, Bit>,
}

impl Logic for InputPad {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.level.next = self.pin.val();
        }
    }
    fn connect(&mut self) {
        self.level.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "// cell: input_pad\n\
             wire w_level;\n\
             assign level = w_level;\n\
             IFS1P3DX pad (.D(pin), .SP(1'b1), .SCLK(clock), .CD(1'b0), .Q(w_level));\n"
                .into(),
        )
    }
}

/// Eight pins that can be driven one by one.
///
/// Timing: none, wires.
#[derive(LogicBlock, Default)]
pub struct GpioPads {
    /// Levels to drive.
    pub out: Signal<In, Bits<8>>,
    /// Pins to drive.
    pub drive: Signal<In, Bits<8>>,
    /// Levels of the pins.
    pub level: Signal<Out, Bits<8>>,
    /// Pins.
    pub pins: Signal<InOut, Bits<8>>,
}

impl Logic for GpioPads {
    fn update(&mut self) {
        // The native model knows all or none.
        if self.drive.val().any() {
            self.pins.next = self.out.val();
        }
        self.pins.set_tristate_is_output(self.drive.val().any());
        self.level.next = self.pins.val();
    }
    fn connect(&mut self) {
        self.level.connect();
        self.pins.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "// cell: gpio_pads\n\
             wire [7:0] w_level;\n\
             assign level = w_level;\n\
             BB pad [7:0] (.I(out), .T(~drive), .O(w_level), .B(pins));\n"
                .into(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividers_make_the_frequency_or_there_are_none() {
        let at = |mhz, degrees| PllSettings::find(25, mhz, degrees);
        let want = |oscillator, divider, shift_eighths| {
            Some(PllSettings { input_mhz: 25, oscillator, divider, shift_eighths })
        };
        assert_eq!(at(75, 180), want(30, 10, 40));
        assert_eq!(at(80, 270), want(32, 10, 60));
        assert_eq!(at(90, 0), want(18, 5, 0));
        assert_eq!(at(77, 180), None);
    }
}
