// shifter: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top sim-compat
// Do not edit.
`default_nettype none

module shifter(b, distance, left, arithmetic, result);

  // Module arguments
  input wire [31:0] b;
  input wire [4:0] distance;
  input wire left;
  input wire arithmetic;
  output reg [31:0] result;

  // Local signals
  reg [4:0] right;
  reg [31:0] by0;
  reg [31:0] by1;
  reg [31:0] by2;
  reg [31:0] by4;
  reg [31:0] by8;
  reg [31:0] by16;
  reg [31:0] ones;
  reg [31:0] low_mask;
  reg [31:0] high_mask;
  reg [31:0] fill;

  // Logic
  always @(*) begin
    right = distance;
    by0 = b;
    if (left) begin
      right = ~distance;
      by0 = (b >> 32'h1) | (b << 32'h1f);
    end
  end
  always @(*) begin
    by1 = by0;
    if (right[0]) begin
      by1 = (by0 >> 32'h1) | (by0 << 32'h1f);
    end
  end
  always @(*) begin
    by2 = by1;
    if (right[1]) begin
      by2 = (by1 >> 32'h2) | (by1 << 32'h1e);
    end
  end
  always @(*) begin
    by4 = by2;
    if (right[2]) begin
      by4 = (by2 >> 32'h4) | (by2 << 32'h1c);
    end
  end
  always @(*) begin
    by8 = by4;
    if (right[3]) begin
      by8 = (by4 >> 32'h8) | (by4 << 32'h18);
    end
  end
  always @(*) begin
    by16 = by8;
    if (right[4]) begin
      by16 = (by8 >> 32'h10) | (by8 << 32'h10);
    end
  end
  always @(*) ones = 32'hffffffff;
  always @(*) low_mask = ones << distance;
  always @(*) high_mask = ones >> distance;
  always @(*) begin
    fill = 32'h0;
    if (b[31]) begin
      fill = ~high_mask;
    end
  end
  always @(*) begin
    result = by16;
    if (left) begin
      result = by16 & low_mask;
    end
    else if (arithmetic) begin
      result = (by16 & high_mask) | fill;
    end
  end
endmodule

`default_nettype wire
