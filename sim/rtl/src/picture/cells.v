// Cells of a top with a picture, with the clocks that the bench gives.
`default_nettype none

// The PLL whose outputs differ makes the clocks of the picture, the other one the machine's.
module EHXPLLL #(
    parameter CLKI_DIV = 1, parameter CLKFB_DIV = 1, parameter FEEDBK_PATH = "CLKOP",
    parameter CLKOP_ENABLE = "ENABLED", parameter CLKOP_DIV = 8, parameter CLKOP_CPHASE = 0,
    parameter CLKOS_ENABLE = "DISABLED", parameter CLKOS_DIV = 8, parameter CLKOS_CPHASE = 0,
    parameter CLKOS_FPHASE = 0,
    parameter CLKOS2_ENABLE = "DISABLED", parameter CLKOS2_DIV = 8, parameter CLKOS2_CPHASE = 0,
    parameter OUTDIVIDER_MUXA = "DIVA", parameter OUTDIVIDER_MUXB = "DIVB",
    parameter OUTDIVIDER_MUXC = "DIVC", parameter OUTDIVIDER_MUXD = "DIVD"
) (
    input wire CLKI, CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG,
    input wire PLLWAKESYNC, ENCLKOP, ENCLKOS, ENCLKOS2, ENCLKOS3,
    output wire CLKOP, CLKOS, CLKOS2, LOCK
);
  generate
    if (CLKOS_DIV == CLKOP_DIV) begin : machine
      assign CLKOP = CLKI;
      assign CLKOS = CLKI;
    end else begin : picture
      assign CLKOP = bench.bit_clock;
      assign CLKOS = bench.pixel_clock;
    end
  endgenerate
  assign CLKOS2 = CLKI;
  assign LOCK = 1'b1;
endmodule

module ODDRX1F (input wire SCLK, RST, D0, D1, output wire Q);
  reg first = 0, second = 0;
  always @(posedge SCLK) {first, second} <= {D0, D1};
  assign Q = SCLK ? first : second;
endmodule

module OFS1P3DX (input wire D, SP, SCLK, CD, output reg Q);
  initial Q = 0;
  always @(posedge SCLK) if (SP) Q <= D & ~CD;
endmodule

module IFS1P3DX (input wire D, SP, SCLK, CD, output reg Q);
  initial Q = 0;
  always @(posedge SCLK) if (SP) Q <= D & ~CD;
endmodule

module BB (input wire I, T, output wire O, inout wire B);
  assign B = T ? 1'bz : I;
  assign O = B;
endmodule

`default_nettype wire
