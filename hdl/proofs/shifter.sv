// LSL, ASR and ROR, bit by bit: where does bit i of the result come from. The operands are those at the
// last rising edge with `en`; LSL and ASR are never asked for at once.
module prove_shifter(
  input wire clock, en,
  input wire [31:0] b,
  input wire [4:0] distance,
  input wire left, arithmetic);

  wire [31:0] result;
  shifter uut(.clock, .en, .b, .distance, .left, .arithmetic, .result);

  reg [31:0] lsl, asr, ror;
  integer i;
  always @* begin
    for (i = 0; i < 32; i = i + 1) begin
      lsl[i] = i >= distance ? b[i - distance] : 1'b0;
      asr[i] = i + distance < 32 ? b[i + distance] : b[31];
      ror[i] = b[(i + distance) % 32];
    end
  end

  reg [31:0] want = 0;
  always @(posedge clock) if (en) want <= left ? lsl : arithmetic ? asr : ror;
  always @* begin
    assume (!(left && arithmetic));
    outcome: assert (result == want);
  end
endmodule
