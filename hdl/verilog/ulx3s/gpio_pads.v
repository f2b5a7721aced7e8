// gpio_pads: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module gpio_pads(out, drive, level, pins);

  // Module arguments
  input wire [7:0] out;
  input wire [7:0] drive;
  output wire [7:0] level;
  inout wire  [7:0] pins;
  wire [7:0] w_level;
  assign level = w_level;
  BB pad [7:0] (.I(out), .T(~drive), .O(w_level), .B(pins));
endmodule

`default_nettype wire
