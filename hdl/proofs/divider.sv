// DIV: quotient and remainder satisfy dividend = quotient * divisor + remainder with
// 0 <= remainder < divisor, for every dividend and every positive divisor.
//
// The product quotient * divisor is kept beside the quotient as it grows, by Horner's rule: a
// quotient that takes two digits more has four times the product and the digits' multiple of the divisor.
module prove_divider(
  input wire clock, run, clear, u,
  input wire [31:0] dividend, divisor);

  wire done;
  wire [31:0] quotient, remainder;
  divider uut(.clock, .run, .clear, .u, .dividend, .divisor, .done, .quotient, .remainder);

  (* hierconn *) wire [4:0] \uut.step$q ;
  (* hierconn *) wire [31:0] \uut.q$q , \uut.r$q , \uut.q$d , \uut.triple$q ;
  wire [31:0] q = \uut.q$q , r = \uut.r$q , q_next = \uut.q$d ;

  wire negative = !u & dividend[31];
  wire [31:0] magnitude = negative ? -dividend : dividend;
  wire signed [65:0] value = u ? $signed({34'h0, dividend}) : $signed({{34{dividend[31]}}, dividend});
  wire signed [65:0] divisor_value = $signed({34'h0, divisor});

  reg started = 0, was_running = 0;
  reg [64:0] before;
  reg [4:0] age = 0;
  // Digits found, and their product with the divisor.
  reg [31:0] made = 0;
  reg signed [65:0] product = 0;
  // The last cycle may turn the quotient's sign, and count one down; else it is no quotient.
  wire signed [33:0] quotient_value = {{2{q_next[31] & negative}}, q_next};
  wire signed [33:0] turned = -$signed({2'b0, q});
  reg known = 1;
  wire [5:0] found = age == 0 ? 0 : age >= 17 ? 32 : 2 * (age - 1);
  wire [63:0] moved = {32'h0, magnitude} << found;

  always @(posedge clock) begin
    was_running <= run & !clear;
    before <= {u, dividend, divisor};
    age <= !run | clear ? 0 : age == 18 ? 18 : age + 1;
    if (age == 0) product <= 0;
    else if (age < 17) product <= 4 * product + q_next[1:0] * divisor_value;
    else if (age == 17 && run) begin
      if (quotient_value == -turned) product <= product;
      else if (quotient_value == turned) product <= -product;
      else if (quotient_value == turned - 1) product <= -product - divisor_value;
      else known <= 0;
    end
    if (age == 0) made <= 0;
    else if (age < 17) made <= {made, q_next[1:0]};
    if (age == 0) known <= 1;
  end

  always @* begin
    assume (divisor != 0 && !divisor[31]);
    if (was_running && run) assume ({u, dividend, divisor} == before);
    timing: assert (done == (age == 18));
    counter: assert (\uut.step$q == age);
    if (run && age > 0 && age < 18) begin
      thrice: assert (\uut.triple$q == 32'd3 * divisor);
      rest: assert (r < divisor);
      digits: assert (product + r == moved[63:32]);
      // What a product by a divisor from 1 upward has of its other factor.
      factor: assert (product >= $signed({34'h0, made}) && (made != 0 || product == 0));
      row: assert (q == (moved[31:0] | made) && made >> found == 0);
    end
    turn: assert (known);
    if (run && done) begin
      outcome: assert (product + $signed({34'h0, remainder}) == value);
      range: assert (remainder < divisor);
    end
  end
endmodule
