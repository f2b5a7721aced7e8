// shifter: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module shifter(clock, en, b, distance, left, arithmetic, result);

  // Module arguments
  input wire clock;
  input wire en;
  input wire [31:0] b;
  input wire [4:0] distance;
  input wire left;
  input wire arithmetic;
  output reg [31:0] result;

  // Stub signals
  reg rotated$en;
  reg [31:0] rotated$d;
  wire [31:0] rotated$q;
  reg half$en;
  reg half$d;
  wire half$q;
  reg replaced$en;
  reg [31:0] replaced$d;
  wire [31:0] replaced$q;
  reg fill$en;
  reg fill$d;
  wire fill$q;

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

  // Sub module instances
  reg_en32 u_rotated(
    .clock(clock),
    .en(rotated$en),
    .d(rotated$d),
    .q(rotated$q)
  );
  reg_en1 u_half(
    .clock(clock),
    .en(half$en),
    .d(half$d),
    .q(half$q)
  );
  reg_en32 u_replaced(
    .clock(clock),
    .en(replaced$en),
    .d(replaced$d),
    .q(replaced$q)
  );
  reg_en1 u_fill(
    .clock(clock),
    .en(fill$en),
    .d(fill$d),
    .q(fill$q)
  );

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
  always @(*) ones = 32'hffffffff;
  always @(*) low_mask = ones << distance;
  always @(*) high_mask = ones >> distance;
  always @(*) rotated$en = en;
  always @(*) rotated$d = by8;
  always @(*) half$en = en;
  always @(*) half$d = right[4];
  always @(*) replaced$en = en;
  always @(*) begin
    replaced$d = 32'h0;
    if (left) begin
      replaced$d = ~low_mask;
    end
    else if (arithmetic) begin
      replaced$d = ~high_mask;
    end
  end
  always @(*) fill$en = en;
  always @(*) fill$d = arithmetic & b[31];
  always @(*) begin
    by16 = rotated$q;
    if (half$q) begin
      by16 = (rotated$q >> 32'h10) | (rotated$q << 32'h10);
    end
  end
  always @(*) begin
    result = by16 & (~replaced$q);
    if (fill$q) begin
      result = by16 | replaced$q;
    end
  end
endmodule

`default_nettype wire
