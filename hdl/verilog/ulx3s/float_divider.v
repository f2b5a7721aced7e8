// float_divider: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module float_divider(clock, run, clear, x, y, done, result);

  // Module arguments
  input wire clock;
  input wire run;
  input wire clear;
  input wire [31:0] x;
  input wire [31:0] y;
  output reg done;
  output reg [31:0] result;

  // Stub signals
  reg [3:0] step$d;
  wire [3:0] step$q;
  reg [25:0] r$d;
  wire [25:0] r$q;
  reg [25:0] q$d;
  wire [25:0] q$q;
  reg [25:0] triple$d;
  wire [25:0] triple$q;
  reg [31:0] outcome$d;
  wire [31:0] outcome$q;

  // Local signals
  reg counting;
  reg [25:0] divisor;
  reg [25:0] first_difference;
  reg [25:0] doubled;
  reg [25:0] less_triple;
  reg [25:0] less_one;
  reg [25:0] second;
  reg [25:0] second_difference;
  reg [25:0] second_rest;
  reg [1:0] misfits;
  reg [1:0] digits;
  reg [9:0] carry;
  reg [23:0] kept;
  reg [24:0] rounded;
  reg [9:0] exponents;
  reg [9:0] e;
  reg [31:0] sign;
  reg [7:0] x_exponent;
  reg [7:0] y_exponent;

  // Sub module instances
  reg4 u_step(
    .clock(clock),
    .d(step$d),
    .q(step$q)
  );
  reg26 u_r(
    .clock(clock),
    .d(r$d),
    .q(r$q)
  );
  reg26 u_q(
    .clock(clock),
    .d(q$d),
    .q(q$q)
  );
  reg26 u_triple(
    .clock(clock),
    .d(triple$d),
    .q(triple$q)
  );
  reg32 u_outcome(
    .clock(clock),
    .d(outcome$d),
    .q(outcome$q)
  );

  // Logic
  always @(*) counting = run & (~clear);
  always @(*) begin
    step$d = 32'h0;
    if (counting & (step$q == 32'hf)) begin
      step$d = 32'hf;
    end
    else if (counting) begin
      step$d = step$q + 32'h1;
    end
  end
  always @(*) done = step$q == 32'hf;
  always @(*) result = outcome$q;
  always @(*) divisor = ((y[22:0]) & 26'h3ffffff) | 32'h800000;
  always @(*) first_difference = r$q - divisor;
  always @(*) triple$d = (divisor << 32'h1) + divisor;
  always @(*) doubled = r$q << 32'h1;
  always @(*) less_triple = doubled - triple$q;
  always @(*) less_one = doubled - divisor;
  always @(*) begin
    second = first_difference << 32'h1;
    second_difference = less_triple;
    if (first_difference[25]) begin
      second = doubled;
      second_difference = less_one;
    end
  end
  always @(*) begin
    second_rest = second_difference;
    if (second_difference[25]) begin
      second_rest = second;
    end
  end
  always @(*) misfits = ((second_difference[25]) & 2'h3) | (((first_difference[25]) & 2'h3) << 32'h1);
  always @(*) digits = ~misfits;
  always @(*) begin
    r$d = second_rest << 32'h1;
    q$d = (q$q << 32'h2) | ((digits) & 26'h3ffffff);
    if (step$q == 32'h0) begin
      r$d = ((x[22:0]) & 26'h3ffffff) | 32'h800000;
      q$d = 32'h0;
    end
    else if ((step$q == 32'he) | (step$q == 32'hf)) begin
      r$d = r$q;
      q$d = q$q;
    end
  end
  always @(*) x_exponent = x[30:23];
  always @(*) y_exponent = y[30:23];
  always @(*) begin
    sign = 32'h0;
    if (x[31] ^ y[31]) begin
      sign = 32'h80000000;
    end
  end
  always @(*) carry = ((q$q[25]) & 10'h3ff);
  always @(*) begin
    kept = q$q[23:0];
    if (q$q[25]) begin
      kept = q$q[24:1];
    end
  end
  always @(*) rounded = ((kept) & 25'h1ffffff) + 32'h1;
  always @(*) exponents = ((x_exponent) & 10'h3ff) + carry + 32'h7e;
  always @(*) e = exponents - ((y_exponent) & 10'h3ff);
  always @(*) begin
    outcome$d = sign | (((e[7:0]) & 32'hffffffff) << 32'h17) | ((rounded[23:1]) & 32'hffffffff);
    if (x_exponent == 32'h0) begin
      outcome$d = 32'h0;
    end
    else if (y_exponent == 32'h0) begin
      outcome$d = sign | (((32'hff) & 32'hffffffff) << 32'h17);
    end
    else if (e[8] & e[7]) begin
      outcome$d = 32'h0;
    end
    else if (e[8]) begin
      outcome$d = sign | (((32'hff) & 32'hffffffff) << 32'h17) | ((kept[23:1]) & 32'hffffffff);
    end
  end
endmodule

`default_nettype wire
