// gpdi_pads: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module gpdi_pads(clock, first, second, pins);

  // Module arguments
  input wire clock;
  input wire [3:0] first;
  input wire [3:0] second;
  output wire [3:0] pins;
  wire [3:0] w_pins;
  assign pins = w_pins;
  ODDRX1F lane [3:0] (.SCLK(clock), .RST(1'b0), .D0(first), .D1(second), .Q(w_pins));
endmodule

`default_nettype wire
