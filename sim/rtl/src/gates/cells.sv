// The ECP5's cells as synthesis leaves them, for a simulation without delays: what each does, not how
// long it takes. Sources: Lattice FPGA-TN-02200 (memory), -02205 (DSP), -02199 (clocks), the ECP5 data
// sheet (slices), and the cell ports of yosys' synth_ecp5.
`default_nettype none

module LUT4 #(parameter [15:0] INIT = 0) (input wire A, B, C, D, output wire Z);
  assign Z = INIT[{D, C, B, A}];
endmodule

module PFUMX (input wire ALUT, BLUT, C0, output wire Z);
  assign Z = C0 ? ALUT : BLUT;
endmodule

module L6MUX21 (input wire D0, D1, SD, output wire Z);
  assign Z = SD ? D1 : D0;
endmodule

// Two table bits with a carry through them. The half of a table with C = D = 0 decides whether a
// carry is passed on.
module CCU2C #(
    parameter [15:0] INIT0 = 0, INIT1 = 0,
    parameter INJECT1_0 = "YES", INJECT1_1 = "YES"
) (
    input wire CIN, A0, B0, C0, D0, A1, B1, C1, D1,
    output wire S0, S1, COUT
);
  wire t0 = INIT0[{D0, C0, B0, A0}], t1 = INIT1[{D1, C1, B1, A1}];
  wire h0 = (INJECT1_0 == "YES") ? 1'b0 : INIT0[{2'b00, B0, A0}];
  wire h1 = (INJECT1_1 == "YES") ? 1'b0 : INIT1[{2'b00, B1, A1}];
  wire c0 = t0 ? CIN : h0;
  assign S0 = t0 ^ ((INJECT1_0 == "YES") ? 1'b0 : CIN);
  assign S1 = t1 ^ ((INJECT1_1 == "YES") ? 1'b0 : c0);
  assign COUT = t1 ? c0 : h1;
endmodule

module TRELLIS_FF #(
    parameter GSR = "ENABLED", CEMUX = "1", CLKMUX = "CLK", LSRMUX = "LSR", LSRONMUX = "LSRMUX",
    parameter SRMODE = "LSR_OVER_CE", REGSET = "RESET", SD = "0"
) (input wire CLK, LSR, CE, DI, M, output reg Q);
  localparam VALUE = (REGSET == "SET");
  wire clock = (CLKMUX == "INV") ? ~CLK : CLK;
  wire reset = (LSRMUX == "INV") ? ~LSR : LSR;
  wire on = (CEMUX == "CE") ? CE : (CEMUX == "INV") ? ~CE : 1'b1;
  initial Q = VALUE;
  generate
    if (SRMODE == "ASYNC") begin : g_async
      always @(posedge clock or posedge reset) if (reset) Q <= VALUE; else if (on) Q <= DI;
    end else begin : g_sync
      always @(posedge clock) if (reset) Q <= VALUE; else if (on) Q <= DI;
    end
  endgenerate
endmodule

module TRELLIS_DPR16X4 #(
    parameter WCKMUX = "WCK", WREMUX = "WRE", parameter [63:0] INITVAL = 0
) (input wire [3:0] DI, WAD, RAD, input wire WRE, WCK, output wire [3:0] DO);
  reg [3:0] mem [0:15];
  integer i;
  initial for (i = 0; i < 16; i = i + 1) mem[i] = INITVAL[4 * i +: 4];
  wire clock = (WCKMUX == "INV") ? ~WCK : WCK;
  wire write = (WREMUX == "INV") ? ~WRE : WRE;
  always @(posedge clock) if (write) mem[WAD] <= DI;
  assign DO = mem[RAD];
endmodule

// Only the combinational product: synthesis leaves its registers open.
module MULT18X18D #(
    parameter REG_INPUTA_CLK = "NONE", REG_INPUTB_CLK = "NONE", REG_OUTPUT_CLK = "NONE"
) (
    input wire A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17,
    input wire B0, B1, B2, B3, B4, B5, B6, B7, B8, B9, B10, B11, B12, B13, B14, B15, B16, B17,
    input wire SIGNEDA, SIGNEDB, SOURCEA, SOURCEB,
    input wire C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13, C14, C15, C16, C17,
    input wire CLK0, CLK1, CLK2, CLK3, CE0, CE1, CE2, CE3, RST0, RST1, RST2, RST3,
    output wire P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15, P16, P17,
    output wire P18, P19, P20, P21, P22, P23, P24, P25, P26, P27, P28, P29, P30, P31, P32, P33,
    output wire P34, P35
);
  wire [17:0] a = {A17, A16, A15, A14, A13, A12, A11, A10, A9, A8, A7, A6, A5, A4, A3, A2, A1, A0};
  wire [17:0] b = {B17, B16, B15, B14, B13, B12, B11, B10, B9, B8, B7, B6, B5, B4, B3, B2, B1, B0};
  wire signed [18:0] sa = {SIGNEDA & a[17], a}, sb = {SIGNEDB & b[17], b};
  wire signed [37:0] p = sa * sb;
  assign {P35, P34, P33, P32, P31, P30, P29, P28, P27, P26, P25, P24, P23, P22, P21, P20, P19, P18,
          P17, P16, P15, P14, P13, P12, P11, P10, P9, P8, P7, P6, P5, P4, P3, P2, P1, P0} = p[35:0];
  initial if (REG_INPUTA_CLK != "NONE" || REG_INPUTB_CLK != "NONE" || REG_OUTPUT_CLK != "NONE")
    $fatal(1, "a multiplier with registers is not modelled");
endmodule

// 1024 words of 18 bits. Narrower ports see parts of them: 9 bits with the ninth, 4 and fewer without.
// Bits 1..0 of an 18-bit port's address say which bytes are written.
module DP16KD #(
    parameter DATA_WIDTH_A = 18, DATA_WIDTH_B = 18,
    parameter REGMODE_A = "NOREG", REGMODE_B = "NOREG",
    parameter RESETMODE = "SYNC", ASYNC_RESET_RELEASE = "SYNC",
    parameter CSDECODE_A = "0b000", CSDECODE_B = "0b000",
    parameter WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL",
    parameter CLKAMUX = "CLKA", CLKBMUX = "CLKB", GSR = "ENABLED",
    parameter [319:0]
      INITVAL_00 = 0, INITVAL_01 = 0, INITVAL_02 = 0, INITVAL_03 = 0, INITVAL_04 = 0,
      INITVAL_05 = 0, INITVAL_06 = 0, INITVAL_07 = 0, INITVAL_08 = 0, INITVAL_09 = 0,
      INITVAL_0A = 0, INITVAL_0B = 0, INITVAL_0C = 0, INITVAL_0D = 0, INITVAL_0E = 0,
      INITVAL_0F = 0, INITVAL_10 = 0, INITVAL_11 = 0, INITVAL_12 = 0, INITVAL_13 = 0,
      INITVAL_14 = 0, INITVAL_15 = 0, INITVAL_16 = 0, INITVAL_17 = 0, INITVAL_18 = 0,
      INITVAL_19 = 0, INITVAL_1A = 0, INITVAL_1B = 0, INITVAL_1C = 0, INITVAL_1D = 0,
      INITVAL_1E = 0, INITVAL_1F = 0, INITVAL_20 = 0, INITVAL_21 = 0, INITVAL_22 = 0,
      INITVAL_23 = 0, INITVAL_24 = 0, INITVAL_25 = 0, INITVAL_26 = 0, INITVAL_27 = 0,
      INITVAL_28 = 0, INITVAL_29 = 0, INITVAL_2A = 0, INITVAL_2B = 0, INITVAL_2C = 0,
      INITVAL_2D = 0, INITVAL_2E = 0, INITVAL_2F = 0, INITVAL_30 = 0, INITVAL_31 = 0,
      INITVAL_32 = 0, INITVAL_33 = 0, INITVAL_34 = 0, INITVAL_35 = 0, INITVAL_36 = 0,
      INITVAL_37 = 0, INITVAL_38 = 0, INITVAL_39 = 0, INITVAL_3A = 0, INITVAL_3B = 0,
      INITVAL_3C = 0, INITVAL_3D = 0, INITVAL_3E = 0, INITVAL_3F = 0
) (
    input wire DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8, DIA9, DIA10, DIA11, DIA12,
    input wire DIA13, DIA14, DIA15, DIA16, DIA17,
    input wire ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9, ADA10, ADA11, ADA12, ADA13,
    input wire CEA, OCEA, CLKA, WEA, RSTA, CSA0, CSA1, CSA2,
    output wire DOA0, DOA1, DOA2, DOA3, DOA4, DOA5, DOA6, DOA7, DOA8, DOA9, DOA10, DOA11, DOA12,
    output wire DOA13, DOA14, DOA15, DOA16, DOA17,
    input wire DIB0, DIB1, DIB2, DIB3, DIB4, DIB5, DIB6, DIB7, DIB8, DIB9, DIB10, DIB11, DIB12,
    input wire DIB13, DIB14, DIB15, DIB16, DIB17,
    input wire ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9, ADB10, ADB11, ADB12, ADB13,
    input wire CEB, OCEB, CLKB, WEB, RSTB, CSB0, CSB1, CSB2,
    output wire DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8, DOB9, DOB10, DOB11, DOB12,
    output wire DOB13, DOB14, DOB15, DOB16, DOB17
);
  localparam [64*320-1:0] INIT = {
      INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
      INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
      INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
      INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
      INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
      INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
      INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
      INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00};
  reg [17:0] mem [0:1023];
  reg [17:0] qa, qb;
  integer i;
  initial begin
    qa = 0;
    qb = 0;
    for (i = 0; i < 1024; i = i + 1) mem[i] = INIT[20 * i +: 18];
  end

  wire [17:0] da = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6,
                    DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  wire [17:0] db = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6,
                    DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
  wire [13:0] aa = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2,
                    ADA1, ADA0};
  wire [13:0] ab = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2,
                    ADB1, ADB0};
  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4,
          DOA3, DOA2, DOA1, DOA0} = qa;
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4,
          DOB3, DOB2, DOB1, DOB0} = qb;

  // Where in its word a port's part begins: bytes are nine bits apart.
  function [4:0] place(input integer width, input [3:0] low);
    case (width)
      18: place = 0;
      9: place = low[3] ? 9 : 0;
      4: place = (low[3] ? 9 : 0) + {low[2], 2'b00};
      2: place = (low[3] ? 9 : 0) + {low[2:1], 1'b0};
      default: place = (low[3] ? 9 : 0) + low[2:0];
    endcase
  endfunction

  function [17:0] lanes(input integer width, input [3:0] low);
    case (width)
      18: lanes = {{9{low[1]}}, {9{low[0]}}};
      9: lanes = 18'h1ff << place(width, low);
      4: lanes = 18'hf << place(width, low);
      2: lanes = 18'h3 << place(width, low);
      default: lanes = 18'h1 << place(width, low);
    endcase
  endfunction

  function [17:0] part(input integer width, input [17:0] word, input [3:0] low);
    case (width)
      18: part = word;
      9: part = (word >> place(width, low)) & 18'h1ff;
      4: part = (word >> place(width, low)) & 18'hf;
      2: part = (word >> place(width, low)) & 18'h3;
      default: part = (word >> place(width, low)) & 18'h1;
    endcase
  endfunction

  wire on_a = CEA & ({CSA2, CSA1, CSA0} == 3'b000), on_b = CEB & ({CSB2, CSB1, CSB0} == 3'b000);
  wire [17:0] ma = lanes(DATA_WIDTH_A, aa[3:0]), mb = lanes(DATA_WIDTH_B, ab[3:0]);
  wire [17:0] wa = da << place(DATA_WIDTH_A, aa[3:0]), wb = db << place(DATA_WIDTH_B, ab[3:0]);

  always @(posedge CLKA) begin
    if (RSTA) qa <= 0;
    else if (on_a) begin
      if (!WEA || WRITEMODE_A == "READBEFOREWRITE") qa <= part(DATA_WIDTH_A, mem[aa[13:4]], aa[3:0]);
      else if (WRITEMODE_A == "WRITETHROUGH") qa <= da;
    end
    if (on_a && WEA) mem[aa[13:4]] <= (mem[aa[13:4]] & ~ma) | (wa & ma);
  end

  always @(posedge CLKB) begin
    if (RSTB) qb <= 0;
    else if (on_b) begin
      if (!WEB || WRITEMODE_B == "READBEFOREWRITE") qb <= part(DATA_WIDTH_B, mem[ab[13:4]], ab[3:0]);
      else if (WRITEMODE_B == "WRITETHROUGH") qb <= db;
    end
    if (on_b && WEB) mem[ab[13:4]] <= (mem[ab[13:4]] & ~mb) | (wb & mb);
  end

  initial if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG" || CSDECODE_A != "0b000" || CSDECODE_B != "0b000")
    $fatal(1, "block RAM with output registers or select codes is not modelled");
endmodule

// The simulation counts cycles of the PLL's outputs: they are its input here, and lock comes after 16.
module EHXPLLL #(
    parameter CLKI_DIV = 1, CLKFB_DIV = 1, CLKOP_DIV = 8, CLKOS_DIV = 8, CLKOS2_DIV = 8, CLKOS3_DIV = 8,
    parameter CLKOP_ENABLE = "ENABLED", CLKOS_ENABLE = "DISABLED", CLKOS2_ENABLE = "DISABLED",
    parameter CLKOS3_ENABLE = "DISABLED",
    parameter CLKOP_CPHASE = 0, CLKOS_CPHASE = 0, CLKOS2_CPHASE = 0, CLKOS3_CPHASE = 0,
    parameter CLKOP_FPHASE = 0, CLKOS_FPHASE = 0, CLKOS2_FPHASE = 0, CLKOS3_FPHASE = 0,
    parameter FEEDBK_PATH = "CLKOP", OUTDIVIDER_MUXA = "DIVA", OUTDIVIDER_MUXB = "DIVB",
    parameter OUTDIVIDER_MUXC = "DIVC", OUTDIVIDER_MUXD = "DIVD"
) (
    input wire CLKI, CLKFB, RST, STDBY, PHASESEL1, PHASESEL0, PHASEDIR, PHASESTEP, PHASELOADREG,
    input wire PLLWAKESYNC, ENCLKOP, ENCLKOS, ENCLKOS2, ENCLKOS3,
    output wire CLKOP, CLKOS, CLKOS2, CLKOS3, LOCK, INTLOCK, REFCLK, CLKINTFB
);
  reg [4:0] count;
  initial count = 0;
  always @(posedge CLKI) if (!count[4]) count <= count + 1;
  assign {CLKOP, CLKOS, CLKOS2, CLKOS3} = {4{CLKI}};
  assign {LOCK, INTLOCK} = {2{count[4]}};
  assign {REFCLK, CLKINTFB} = {CLKI, CLKI};
endmodule

module ODDRX1F (input wire D0, D1, SCLK, RST, output wire Q);
  assign Q = SCLK ? D0 : D1;
endmodule

// Registers at the pads, as the sources name them: synthesis makes TRELLIS_FF of them.
module OFS1P3DX (input wire D, SP, SCLK, CD, output reg Q);
  initial Q = 0;
  always @(posedge SCLK or posedge CD) if (CD) Q <= 0; else if (SP) Q <= D;
endmodule

module IFS1P3DX (input wire D, SP, SCLK, CD, output reg Q);
  initial Q = 0;
  always @(posedge SCLK or posedge CD) if (CD) Q <= 0; else if (SP) Q <= D;
endmodule

module BB (input wire I, T, output wire O, inout wire B);
  assign B = T ? 1'bz : I;
  assign O = B;
endmodule

module TRELLIS_IO #(parameter DIR = "INPUT") (input wire I, T, output wire O, inout wire B);
  assign B = (DIR == "INPUT" || T) ? 1'bz : I;
  assign O = B;
endmodule

`default_nettype wire
