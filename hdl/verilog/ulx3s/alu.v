// alu: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module alu(op, q, u, v, b, operand, h, flags, result, carry, overflow);

  // Module arguments
  input wire [3:0] op;
  input wire q;
  input wire u;
  input wire v;
  input wire [31:0] b;
  input wire [31:0] operand;
  input wire [31:0] h;
  input wire [3:0] flags;
  output reg [31:0] result;
  output reg carry;
  output reg overflow;

  // Local signals
  reg subtract;
  reg carry_in;
  reg [31:0] addend;
  reg [33:0] left;
  reg [33:0] right;
  reg [33:0] sum;
  reg [31:0] sum_word;
  reg [31:0] moved;
  reg [31:0] rotated;
  reg [31:0] bitwise;
  reg [1:0] high;
  reg [1:0] low;

  // Logic
  always @(*) high = op[3:2];
  always @(*) low = op[1:0];
  always @(*) subtract = op[0];
  always @(*) carry_in = subtract ^ (u & flags[1]);
  always @(*) begin
    addend = operand;
    if (subtract) begin
      addend = ~operand;
    end
  end
  always @(*) left = (((b) & 34'h3ffffffff) << 32'h1) | 32'h1;
  always @(*) begin
    right = ((addend) & 34'h3ffffffff) << 32'h1;
    if (carry_in) begin
      right = (((addend) & 34'h3ffffffff) << 32'h1) | 32'h1;
    end
  end
  always @(*) sum = left + right;
  always @(*) sum_word = sum[32:1];
  always @(*) carry = sum[33] ^ subtract;
  always @(*) overflow = (sum[32] ^ b[31]) & (sum[32] ^ addend[31]);
  always @(*) begin
    moved = operand;
    if (u & q) begin
      moved = operand << 32'h10;
    end
    else if (u & v) begin
      moved = (((flags) & 32'hffffffff) << 32'h1c) | 32'h53;
    end
    else if (u) begin
      moved = h;
    end
  end
  always @(*) begin
    bitwise = b ^ operand;
    if (low == 32'h0) begin
      bitwise = b & operand;
    end
    else if (low == 32'h1) begin
      bitwise = b & (~operand);
    end
    else if (low == 32'h2) begin
      bitwise = b | operand;
    end
  end
  always @(*) rotated = (b >> 32'h1) | (b << 32'h1f);
  always @(*) begin
    result = sum_word;
    if ((high == 32'h0) & (low == 32'h0)) begin
      result = moved;
    end
    else if (high == 32'h0) begin
      result = rotated;
    end
    else if (high == 32'h1) begin
      result = bitwise;
    end
  end
endmodule

`default_nettype wire
