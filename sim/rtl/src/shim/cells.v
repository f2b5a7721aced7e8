// The ECP5's cells at the edge of a board's top, as far as a simulation of whole cycles sees them.
`default_nettype none

// Both outputs are the input: what the PLL makes of it is the harness's clock already.
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
  assign CLKOP = CLKI;
  assign CLKOS = CLKI;
  assign CLKOS2 = CLKI;
  assign LOCK = 1'b1;
endmodule

// The SDRAM's clock is the harness's business.
module ODDRX1F (input wire SCLK, RST, D0, D1, output wire Q);
  assign Q = D0 & ~D1;
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
