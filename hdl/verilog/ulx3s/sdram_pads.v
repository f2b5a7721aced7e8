// sdram_pads: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module sdram_pads(clock, shifted, command, address, bank, mask, write_data, drive, read_data, clk, cke, csn, rasn, casn, wen, a, ba, dqm, d);

  // Module arguments
  input wire clock;
  input wire shifted;
  input wire [2:0] command;
  input wire [12:0] address;
  input wire [1:0] bank;
  input wire [1:0] mask;
  input wire [15:0] write_data;
  input wire drive;
  output wire [15:0] read_data;
  output wire clk;
  output wire cke;
  output wire csn;
  output wire rasn;
  output wire casn;
  output wire wen;
  output wire [12:0] a;
  output wire [1:0] ba;
  output wire [1:0] dqm;
  inout wire  [15:0] d;
  wire w_clk;
  wire [2:0] w_command;
  wire [12:0] w_a;
  wire [1:0] w_ba, w_dqm;
  wire [15:0] w_out, w_in, w_read;
  reg [15:0] released;
  initial released = 16'hffff;
  always @(posedge clock) released <= {16{!drive}};
  assign cke = 1'b1;
  assign csn = 1'b0;
  assign clk = w_clk;
  assign rasn = w_command[2];
  assign casn = w_command[1];
  assign wen = w_command[0];
  assign a = w_a;
  assign ba = w_ba;
  assign dqm = w_dqm;
  assign read_data = w_read;
  ODDRX1F clk_out (.SCLK(shifted), .RST(1'b0), .D0(1'b1), .D1(1'b0), .Q(w_clk));
  OFS1P3DX command_out [2:0] (.D(command), .SP(1'b1), .SCLK(clock), .CD(1'b0), .Q(w_command));
  OFS1P3DX a_out [12:0] (.D(address), .SP(1'b1), .SCLK(clock), .CD(1'b0), .Q(w_a));
  OFS1P3DX ba_out [1:0] (.D(bank), .SP(1'b1), .SCLK(clock), .CD(1'b0), .Q(w_ba));
  OFS1P3DX dqm_out [1:0] (.D(mask), .SP(1'b1), .SCLK(clock), .CD(1'b0), .Q(w_dqm));
  OFS1P3DX d_out [15:0] (.D(write_data), .SP(1'b1), .SCLK(clock), .CD(1'b0), .Q(w_out));
  IFS1P3DX d_in [15:0] (.D(w_in), .SP(1'b1), .SCLK(clock), .CD(1'b0), .Q(w_read));
  BB d_pad [15:0] (.I(w_out), .T(released), .O(w_in), .B(d));
endmodule

`default_nettype wire
