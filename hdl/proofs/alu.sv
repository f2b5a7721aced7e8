// MOV, logic, ADD, SUB and ROR by 1 with every modifier: result, carry and overflow from the operands' values.
`include "isa.vh"
module prove_alu(
  input wire [3:0] op, flags,
  input wire q, u, v,
  input wire [31:0] b, operand, h);

  wire [31:0] result;
  wire carry, overflow;
  alu uut(.op, .q, .u, .v, .b, .operand, .h, .flags, .result, .carry, .overflow);

  // Values of the operands as integers, unsigned and signed, wide enough for every sum.
  wire [33:0] carry_in = u & flags[1];
  wire [33:0] b_natural = b, n_natural = operand;
  wire signed [33:0] b_integer = $signed(b), n_integer = $signed(operand);
  wire signed [33:0] carry_integer = carry_in;
  wire signed [33:0] sum = b_integer + n_integer + carry_integer;
  wire signed [33:0] difference = b_integer - n_integer - carry_integer;
  function representable(input signed [33:0] value);
    representable = value >= -34'sd2147483648 && value <= 34'sd2147483647;
  endfunction

  always @* begin
    case (op)
      `OP_MOV: begin
        if (!u) mov: assert (result == operand);
        else if (q) mov_high: assert (result == {operand[15:0], 16'h0});
        else if (!v) mov_h: assert (result == h);
        else mov_flags: assert (result == {flags, 20'h0, 8'h53});
      end
      // Other shifts are the shifter's.
      `OP_ROR: if (operand[4:0] == 1) ror: assert (result == {b[0], b[31:1]});
      `OP_AND: land: assert (result == (b & operand));
      `OP_ANN: ann: assert (result == (b & ~operand));
      `OP_IOR: ior: assert (result == (b | operand));
      `OP_XOR: lxor: assert (result == (b ^ operand));
      `OP_ADD: begin
        add: assert (result == sum[31:0]);
        add_carry: assert (carry == (b_natural + n_natural + carry_in > 34'hFFFFFFFF));
        add_overflow: assert (overflow == !representable(sum));
      end
      `OP_SUB: begin
        sub: assert (result == difference[31:0]);
        sub_borrow: assert (carry == (b_natural < n_natural + carry_in));
        sub_overflow: assert (overflow == !representable(difference));
      end
      default: ;
    endcase
  end
endmodule
