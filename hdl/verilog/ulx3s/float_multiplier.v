// float_multiplier: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module float_multiplier(clock, ready, x, y, product, x_mantissa, y_mantissa, done, result);

  // Module arguments
  input wire clock;
  input wire ready;
  input wire [31:0] x;
  input wire [31:0] y;
  input wire [47:0] product;
  output reg [31:0] x_mantissa;
  output reg [31:0] y_mantissa;
  output reg done;
  output reg [31:0] result;

  // Stub signals
  reg finished$d;
  wire finished$q;
  reg [31:0] outcome$d;
  wire [31:0] outcome$q;

  // Local signals
  reg [9:0] carry;
  reg [25:0] kept;
  reg [25:0] rounded;
  reg [9:0] e;
  reg [9:0] exponents;
  reg [31:0] sign;
  reg [7:0] x_exponent;
  reg [7:0] y_exponent;

  // Sub module instances
  reg1 u_finished(
    .clock(clock),
    .d(finished$d),
    .q(finished$q)
  );
  reg32 u_outcome(
    .clock(clock),
    .d(outcome$d),
    .q(outcome$q)
  );

  // Logic
  always @(*) x_exponent = x[30:23];
  always @(*) y_exponent = y[30:23];
  always @(*) x_mantissa = ((x[22:0]) & 32'hffffffff) | 32'h800000;
  always @(*) y_mantissa = ((y[22:0]) & 32'hffffffff) | 32'h800000;
  always @(*) begin
    sign = 32'h0;
    if (x[31] ^ y[31]) begin
      sign = 32'h80000000;
    end
  end
  always @(*) carry = ((product[47]) & 10'h3ff);
  always @(*) begin
    kept = product[47:22];
    if (product[47]) begin
      kept = ((product[47:23]) & 26'h3ffffff);
    end
  end
  always @(*) rounded = kept + 32'h1;
  always @(*) exponents = ((x_exponent) & 10'h3ff) + ((y_exponent) & 10'h3ff);
  always @(*) e = exponents + (carry - 32'h7f);
  always @(*) begin
    outcome$d = sign | (((e[7:0]) & 32'hffffffff) << 32'h17) | ((rounded[23:1]) & 32'hffffffff);
    if ((x_exponent == 32'h0) | (y_exponent == 32'h0) | (e[8] & e[7])) begin
      outcome$d = 32'h0;
    end
    else if (e[8]) begin
      outcome$d = sign | (((32'hff) & 32'hffffffff) << 32'h17) | ((rounded[23:1]) & 32'hffffffff);
    end
  end
  always @(*) finished$d = ready;
  always @(*) done = finished$q & ready;
  always @(*) result = outcome$q;
endmodule

`default_nettype wire
