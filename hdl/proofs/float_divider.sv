// FDV: the quotient of the mantissas is exact to its last digit, then rounded and packed.
//
// With X and Y the mantissas, the quotient Q of 26 digits satisfies X * 2^26 = 2 * Q * Y + rest with
// rest < 2 * Y, so Q = floor(X * 2^25 / Y). The product Q * Y is kept beside Q by Horner's rule.
module prove_float_divider(
  input wire clock, run, clear,
  input wire [31:0] x, y);

  wire done;
  wire [31:0] result;
  float_divider uut(.clock, .run, .clear, .x, .y, .done, .result);

  (* hierconn *) wire [3:0] \uut.step$q ;
  (* hierconn *) wire [25:0] \uut.q$q ;
  (* hierconn *) wire [25:0] \uut.r$q ;
  (* hierconn *) wire [25:0] \uut.q$d ;
  (* hierconn *) wire [25:0] \uut.triple$q ;
  wire [25:0] q = \uut.q$q , rest = \uut.r$q , q_next = \uut.q$d ;

  wire [51:0] x_mantissa = {1'b1, x[22:0]}, y_mantissa = {1'b1, y[22:0]};

  // Rounding: plus one half, floored. Only an overflow keeps the unrounded mantissa.
  wire big = q[25];
  wire [25:0] rounded = big ? (q + 26'd2) / 4 : (q + 26'd1) / 2;
  wire [25:0] unrounded = big ? q / 4 : q / 2;
  wire signed [10:0] exponent =
    $signed({3'b0, x[30:23]}) - $signed({3'b0, y[30:23]}) + 126 + $signed({10'b0, big});
  wire sign = x[31] ^ y[31];

  reg [31:0] want;
  always @* begin
    if (x[30:23] == 0) want = 0;
    else if (y[30:23] == 0) want = {sign, 8'hFF, 23'h0};
    else if (exponent < 0) want = 0;
    else if (exponent >= 256) want = {sign, 8'hFF, unrounded[22:0]};
    else want = {sign, exponent[7:0], rounded[22:0]};
  end

  reg was_running = 0;
  reg [63:0] before;
  reg [3:0] age = 0;
  // Digits found, and their product with the divisor.
  reg [25:0] made = 0;
  reg [51:0] product = 0;
  wire [5:0] found = age == 0 ? 0 : age >= 14 ? 26 : 2 * (age - 1);

  always @(posedge clock) begin
    was_running <= run & !clear;
    before <= {x, y};
    age <= !run | clear ? 0 : age == 15 ? 15 : age + 1;
    if (age == 0) product <= 0;
    else if (age < 14) product <= 4 * product + q_next[1:0] * y_mantissa;
    if (age == 0) made <= 0;
    else if (age < 14) made <= {made, q_next[1:0]};
  end

  always @* begin
    if (was_running && run) assume ({x, y} == before);
    timing: assert (done == (age == 15));
    counter: assert (\uut.step$q == age);
    if (run && age > 0) begin
      thrice: assert (\uut.triple$q == 26'd3 * y_mantissa[25:0]);
      small: assert (rest < 2 * y_mantissa);
      digits: assert (x_mantissa << found == 2 * product + rest);
      row: assert (q == made && q >> found == 0);
      if (found == 0) first: assert (product == 0);
      else normal: assert (q >= 26'd1 << found - 2);
    end
    if (run && done) begin
      outcome: assert (result == want);
    end
  end
endmodule
