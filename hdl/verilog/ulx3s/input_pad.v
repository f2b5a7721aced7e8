// input_pad: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module input_pad(clock, pin, level);

  // Module arguments
  input wire clock;
  input wire pin;
  output wire level;
  wire w_level;
  assign level = w_level;
  IFS1P3DX pad (.D(pin), .SP(1'b1), .SCLK(clock), .CD(1'b0), .Q(w_level));
endmodule

`default_nettype wire
