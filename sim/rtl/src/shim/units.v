// The core's units by themselves: one instruction word, its operands and flags in; what the unit of
// its operation makes of them out. `start` stays high until `done`, and is low for a cycle after.
`default_nettype none

module units(clock, start, word, b, n, h, flags, done, result, high, carry, overflow, holds,
  operand, classes, uses, jumps, kinds);
  input wire clock;
  input wire start;
  input wire [31:0] word;
  input wire [31:0] b;
  input wire [31:0] n;
  input wire [31:0] h;
  input wire [3:0] flags;
  output wire done;
  output wire [31:0] result;
  // H of MUL and DIV.
  output wire [31:0] high;
  output wire carry;
  output wire overflow;
  // The condition in bits 27..24 holds under the flags.
  output wire holds;
  output wire [31:0] operand;
  // operation, load, store, branch.
  output wire [3:0] classes;
  // immediate, reads_b, reads_c.
  output wire [2:0] uses;
  // relative, register.
  output wire [1:0] jumps;
  // shift, mul, div, fad, fml, fdv.
  output wire [5:0] kinds;

  wire shift, mul, div, fad, fml, fdv;
  assign kinds = {shift, mul, div, fad, fml, fdv};
  decoder u_decoder(.ir(word), .operation(classes[3]), .load(classes[2]), .store(classes[1]),
    .branch(classes[0]), .immediate(uses[2]), .operand(operand), .reads_b(uses[1]),
    .reads_c(uses[0]), .mul(mul), .div(div), .fad(fad), .fml(fml), .fdv(fdv), .shift(shift),
    .jump_relative(jumps[1]), .jump_register(jumps[0]));

  wire [3:0] op = word[19:16];
  wire q = word[30], u = word[29], v = word[28];
  wire [31:0] alu_result, shifted, quotient, remainder, sum, float_product, float_quotient;
  alu u_alu(.op(op), .q(q), .u(u), .v(v), .b(b), .operand(n), .h(h), .flags(flags),
    .result(alu_result), .carry(carry), .overflow(overflow));
  condition u_condition(.code(word[27:24]), .n(flags[3]), .z(flags[2]), .c(flags[1]), .v(flags[0]),
    .holds(holds));
  shifter u_shifter(.clock(clock), .en(start), .b(b), .distance(n[4:0]), .left(op == 4'd1),
    .arithmetic(op == 4'd2), .result(shifted));

  reg has_shifted = 0;
  always @(posedge clock) has_shifted <= start & shift;

  wire mul_done, div_done, fad_done, fml_done, fdv_done;
  wire [31:0] x_mantissa, y_mantissa;
  wire [63:0] product;
  multiplier u_multiplier(.clock(clock), .run(start & (mul | fml)), .clear(1'b0), .u(u & mul),
    .a(fml ? x_mantissa : b), .b(fml ? y_mantissa : n), .done(mul_done), .product(product));
  divider u_divider(.clock(clock), .run(start & div), .clear(1'b0), .u(u), .dividend(b), .divisor(n),
    .done(div_done), .quotient(quotient), .remainder(remainder));
  float_adder u_float_adder(.clock(clock), .run(start & fad), .clear(1'b0), .u(u), .v(v), .x(b),
    .y({n[31] ^ op[0], n[30:0]}), .done(fad_done), .result(sum));
  float_multiplier u_float_multiplier(.clock(clock), .ready(start & fml & mul_done), .x(b), .y(n),
    .product(product[47:0]), .x_mantissa(x_mantissa), .y_mantissa(y_mantissa), .done(fml_done),
    .result(float_product));
  float_divider u_float_divider(.clock(clock), .run(start & fdv), .clear(1'b0), .x(b), .y(n),
    .done(fdv_done), .result(float_quotient));

  assign done = shift ? has_shifted : mul ? mul_done : div ? div_done : fad ? fad_done
    : fml ? fml_done : fdv ? fdv_done : 1'b1;
  assign result = shift ? shifted : mul ? product[31:0] : div ? quotient : fad ? sum
    : fml ? float_product : fdv ? float_quotient : alu_result;
  assign high = div ? remainder : product[63:32];
endmodule

`default_nettype wire
