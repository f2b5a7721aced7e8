// Sixteen conditions, each as the comparison that it stands for.
`include "isa.vh"
module prove_condition(
  input wire [3:0] code,
  input wire n, z, c, v);

  wire holds;
  condition uut(.code, .n, .z, .c, .v, .holds);

  reg want;
  always @* begin
    case (code)
      `COND_MI: want = n;
      `COND_PL: want = !n;
      `COND_EQ: want = z;
      `COND_NE: want = !z;
      `COND_CS: want = c;
      `COND_CC: want = !c;
      `COND_VS: want = v;
      `COND_VC: want = !v;
      `COND_LS: want = c || z;
      `COND_HI: want = !c && !z;
      `COND_LT: want = n != v;
      `COND_GE: want = n == v;
      `COND_LE: want = n != v || z;
      `COND_GT: want = n == v && !z;
      `COND_ALWAYS: want = 1;
      `COND_NEVER: want = 0;
    endcase
    condition: assert (holds == want);
  end
endmodule

// After SUB the conditions compare: LT, LE, GT, GE as integers, CS (below), LS, HI, CC as naturals.
module prove_comparison(input wire [31:0] b, operand, input wire [3:0] code);

  wire [31:0] result;
  wire carry, overflow, holds;
  alu subtract(.op(`OP_SUB), .q(1'b0), .u(1'b0), .v(1'b0), .b, .operand, .h(32'h0), .flags(4'h0),
    .result, .carry, .overflow);
  condition uut(.code, .n(result[31]), .z(result == 0), .c(carry), .v(overflow), .holds);

  always @* begin
    case (code)
      `COND_EQ: eq: assert (holds == (b == operand));
      `COND_NE: ne: assert (holds == (b != operand));
      `COND_LT: lt: assert (holds == ($signed(b) < $signed(operand)));
      `COND_LE: le: assert (holds == ($signed(b) <= $signed(operand)));
      `COND_GT: gt: assert (holds == ($signed(b) > $signed(operand)));
      `COND_GE: ge: assert (holds == ($signed(b) >= $signed(operand)));
      `COND_CS: below: assert (holds == (b < operand));
      `COND_LS: not_above: assert (holds == (b <= operand));
      `COND_HI: above: assert (holds == (b > operand));
      `COND_CC: not_below: assert (holds == (b >= operand));
      default: ;
    endcase
  end
endmodule
