// Every word is an instruction of exactly one form, and the decoder says of it what the table of the
// instruction set says.
`include "isa.vh"
module prove_decoder(input wire [31:0] ir);

  wire operation, load, store, branch, immediate, reads_b, reads_c, mul, div, fad, fml, fdv;
  wire shift, jump_relative, jump_register;
  wire [31:0] operand;
  decoder uut(.ir, .operation, .load, .store, .branch, .immediate, .operand, .reads_b, .reads_c,
    .mul, .div, .fad, .fml, .fdv, .shift, .jump_relative, .jump_register);

  wire [3:0] classes = {operation, load, store, branch};
  wire [4:0] units = {mul, div, fad, fml, fdv};
  reg [4:0] unit;
  always @* begin
    case (ir[19:16])
      `OP_MUL: unit = 5'b10000;
      `OP_DIV: unit = 5'b01000;
      `OP_FAD, `OP_FSB: unit = 5'b00100;
      `OP_FML: unit = 5'b00010;
      `OP_FDV: unit = 5'b00001;
      default: unit = 5'b00000;
    endcase
  end

  always @* begin
    casez (ir[31:28])
      `FORM_REGISTER: begin
        f0: assert (classes == 4'b1000 && units == unit && !immediate);
        f0_reads: assert (reads_b == (ir[19:16] != `OP_MOV) && reads_c);
      end
      `FORM_IMMEDIATE: begin
        f1: assert (classes == 4'b1000 && units == unit && immediate);
        f1_reads: assert (reads_b == (ir[19:16] != `OP_MOV) && !reads_c);
        f1_operand: assert (operand == {{16{ir[28]}}, ir[15:0]});
      end
      `FORM_LOAD: f2_load: assert (classes == 4'b0100 && units == 0 && !immediate && reads_b && !reads_c);
      `FORM_STORE: f2_store: assert (classes == 4'b0010 && units == 0 && !immediate && reads_b && !reads_c);
      `FORM_BRANCH_REGISTER:
        f3_register: assert (classes == 4'b0001 && units == 0 && !immediate && !reads_b && reads_c);
      `FORM_BRANCH_RELATIVE:
        f3_relative: assert (classes == 4'b0001 && units == 0 && !immediate && !reads_b && !reads_c);
    endcase
  end

  // A shift is an operation, but for ROR by an immediate 1, which the ALU does.
  reg shifts;
  always @* begin
    casez (ir[31:28])
      `FORM_REGISTER: shifts = ir[19:16] == `OP_LSL || ir[19:16] == `OP_ASR || ir[19:16] == `OP_ROR;
      `FORM_IMMEDIATE: shifts = ir[19:16] == `OP_LSL || ir[19:16] == `OP_ASR
        || ir[19:16] == `OP_ROR && ir[4:0] != 1;
      default: shifts = 0;
    endcase
    shift_class: assert (shift == shifts);
  end

  // Jumps that need no flags, write no register but the link (relative only) and leave the interrupt
  // state alone (bits 5 and 4 of an unlinked register branch).
  wire always_taken = ir[27:24] == `COND_ALWAYS;
  always @* begin
    casez (ir[31:28])
      `FORM_BRANCH_RELATIVE: relative: assert (jump_relative == always_taken && !jump_register);
      `FORM_BRANCH_REGISTER: register: assert (!jump_relative
        && jump_register == (always_taken && !ir[28] && !ir[5] && !ir[4]));
      default: no_jump: assert (!jump_relative && !jump_register);
    endcase
  end
endmodule
