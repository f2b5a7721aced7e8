// MUL: the four products of half words are summed with their weights, exactly.
//
// With a = 2^16 * a1 + a0 and b = 2^16 * b1 + b0, lemmas.smt2 has the rest:
// a * b = 2^32 * a1 * b1 + 2^16 * (a1 * b0 + a0 * b1) + a0 * b0.
module prove_multiplier(
  input wire clock, run, clear, u,
  input wire [31:0] a, b);

  wire done;
  wire [63:0] product;
  multiplier uut(.clock, .run, .clear, .u, .a, .b, .done, .product);

  (* hierconn *) wire [1:0] \uut.step$q ;
  (* hierconn *) wire [35:0] \uut.low$p , \uut.mid_a$p , \uut.mid_b$p , \uut.high$p ;

  // Half words as integers: the low ones natural, the high ones signed but for the first operand
  // under u. The second operand is signed always (D3).
  wire signed [17:0] a0 = {2'b00, a[15:0]}, a1 = {{2{a[31] & !u}}, a[31:16]};
  wire signed [17:0] b0 = {2'b00, b[15:0]}, b1 = {{2{b[31]}}, b[31:16]};

  reg signed [35:0] low = 0, mid_a = 0, mid_b = 0, high = 0;
  wire signed [63:0] low_value = low, mid_a_value = mid_a, mid_b_value = mid_b, high_value = high;
  reg [63:0] want;
  reg was_running = 0;
  reg [64:0] before;
  reg [1:0] age = 0;
  always @(posedge clock) begin
    low <= a0 * b0;
    mid_a <= a1 * b0;
    mid_b <= a0 * b1;
    high <= a1 * b1;
    if (age == 1)
      want <= 64'sd4294967296 * high_value + 64'sd65536 * (mid_a_value + mid_b_value) + low_value;
    was_running <= run & !clear;
    before <= {u, a, b};
    age <= !run | clear ? 0 : age == 2 ? 2 : age + 1;
  end

  always @* begin
    if (was_running && run) assume ({u, a, b} == before);
    timing: assert (done == (age == 2));
    counter: assert (\uut.step$q == age);
    halves: assert (\uut.low$p == low && \uut.mid_a$p == mid_a && \uut.mid_b$p == mid_b
      && \uut.high$p == high);
    // Products of half words do not reach the ends of their registers.
    range: assert (low >= 0 && low < 36'sh1_0000_0000 && high >= -36'sh8000_0000 && high < 36'sh1_0000_0000
      && mid_a >= -36'sh8000_0000 && mid_a < 36'sh1_0000_0000
      && mid_b >= -36'sh8000_0000 && mid_b < 36'sh1_0000_0000);
    if (run && done) outcome: assert (product == want);
  end
endmodule
