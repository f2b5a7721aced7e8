// d_zeros: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module d_zeros(value, groups);

  // Module arguments
  input wire [31:0] value;
  output reg [7:0] groups;

  // Local signals
  reg zero0;
  reg zero1;
  reg zero2;
  reg zero3;
  reg zero4;
  reg zero5;
  reg zero6;
  reg zero7;
  reg [3:0] low;
  reg [3:0] high;

  // Logic
  always @(*) zero0 = value[3:0] == 32'h0;
  always @(*) zero1 = value[7:4] == 32'h0;
  always @(*) zero2 = value[11:8] == 32'h0;
  always @(*) zero3 = value[15:12] == 32'h0;
  always @(*) zero4 = value[19:16] == 32'h0;
  always @(*) zero5 = value[23:20] == 32'h0;
  always @(*) zero6 = value[27:24] == 32'h0;
  always @(*) zero7 = value[31:28] == 32'h0;
  always @(*) low = (((zero3) & 4'hf) << 32'h3) | (((zero2) & 4'hf) << 32'h2) | (((zero1) & 4'hf) << 32'h1) | ((zero0) & 4'hf);
  always @(*) high = (((zero7) & 4'hf) << 32'h3) | (((zero6) & 4'hf) << 32'h2) | (((zero5) & 4'hf) << 32'h1) | ((zero4) & 4'hf);
  always @(*) groups = (((high) & 8'hff) << 32'h4) | ((low) & 8'hff);
endmodule

`default_nettype wire
