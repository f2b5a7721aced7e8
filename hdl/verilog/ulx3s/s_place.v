// s_place: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module s_place(value, lanes, placed);

  // Module arguments
  input wire [31:0] value;
  input wire [3:0] lanes;
  output reg [31:0] placed;

  // Local signals
  reg [31:0] low_byte;

  // Logic
  always @(*) low_byte = ((value[7:0]) & 32'hffffffff);
  always @(*) begin
    placed = value;
    if (lanes == 32'h1) begin
      placed = low_byte;
    end
    else if (lanes == 32'h2) begin
      placed = low_byte << 32'h8;
    end
    else if (lanes == 32'h4) begin
      placed = low_byte << 32'h10;
    end
    else if (lanes == 32'h8) begin
      placed = low_byte << 32'h18;
    end
  end
endmodule

`default_nettype wire
