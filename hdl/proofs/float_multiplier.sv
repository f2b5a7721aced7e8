// FML around any product of two mantissas: the product divided by a power of two, plus one half,
// floored; the exponents added.
module prove_float_multiplier(
  input wire clock, ready,
  input wire [31:0] x, y,
  input wire [47:0] product);

  wire done;
  wire [31:0] x_mantissa, y_mantissa, result;
  float_multiplier uut(.clock, .ready, .x, .y, .product, .x_mantissa, .y_mantissa, .done, .result);

  // Two mantissas of 1.0 to below 2.0 have a product of 1.0 to below 4.0: 2^46 and more.
  wire big = product[47];
  wire [48:0] half = big ? 49'd1 << 23 : 49'd1 << 22;
  wire [48:0] rounded = (product + half) / (2 * half);
  wire signed [10:0] exponent =
    $signed({3'b0, x[30:23]}) + $signed({3'b0, y[30:23]}) - 127 + $signed({10'b0, big});
  wire sign = x[31] ^ y[31];

  reg [31:0] want;
  always @* begin
    if (x[30:23] == 0 || y[30:23] == 0) want = 0;
    else if (exponent < 0 || exponent >= 384) want = 0;
    else if (exponent >= 256) want = {sign, 8'hFF, rounded[22:0]};
    else want = {sign, exponent[7:0], rounded[22:0]};
  end

  reg was_ready = 0;
  reg [111:0] before;
  always @(posedge clock) begin
    was_ready <= ready;
    before <= {x, y, product};
  end

  always @* begin
    assume (product >= 48'd1 << 46);
    if (was_ready && ready) assume ({x, y, product} == before);
    mantissas: assert (x_mantissa == {8'h0, 1'b1, x[22:0]} && y_mantissa == {8'h0, 1'b1, y[22:0]});
    timing: assert (done == (ready && was_ready));
    if (done) outcome: assert (result == want);
  end
endmodule
