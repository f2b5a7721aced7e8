// dsp_product: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module dsp_product(clock, a, b, p);

  // Module arguments
  input wire clock;
  input wire [17:0] a;
  input wire [17:0] b;
  output reg [35:0] p;
  initial p = 0;
  always @(posedge clock) p <= $signed(a) * $signed(b);
endmodule

`default_nettype wire
