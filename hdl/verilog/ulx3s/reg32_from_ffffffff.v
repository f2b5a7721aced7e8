// reg32_from_ffffffff: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module reg32_from_ffffffff(clock, d, q);

  // Module arguments
  input wire clock;
  input wire [31:0] d;
  output reg [31:0] q;
  initial q = 32'hffffffff;
  always @(posedge clock) q <= d;
endmodule

`default_nettype wire
