// reg_en13: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module reg_en13(clock, en, d, q);

  // Module arguments
  input wire clock;
  input wire en;
  input wire [12:0] d;
  output reg [12:0] q;
  initial q = 13'b0;
  always @(posedge clock) if (en) q <= d;
endmodule

`default_nettype wire
