// reg18: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module reg18(clock, d, q);

  // Module arguments
  input wire clock;
  input wire [17:0] d;
  output reg [17:0] q;
  initial q = 18'b0;
  always @(posedge clock) q <= d;
endmodule

`default_nettype wire
