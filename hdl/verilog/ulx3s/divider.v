// divider: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module divider(clock, run, clear, u, dividend, divisor, done, quotient, remainder);

  // Module arguments
  input wire clock;
  input wire run;
  input wire clear;
  input wire u;
  input wire [31:0] dividend;
  input wire [31:0] divisor;
  output reg done;
  output reg [31:0] quotient;
  output reg [31:0] remainder;

  // Stub signals
  reg [4:0] step$d;
  wire [4:0] step$q;
  reg [31:0] q$d;
  wire [31:0] q$q;
  reg [31:0] r$d;
  wire [31:0] r$q;
  reg [31:0] triple$d;
  wire [31:0] triple$q;

  // Local signals
  reg counting;
  reg negative;
  reg [31:0] first;
  reg [31:0] first_difference;
  reg [31:0] doubled;
  reg [31:0] doubled_difference;
  reg [31:0] less_triple;
  reg [31:0] less_one;
  reg [31:0] second;
  reg [31:0] second_difference;
  reg [31:0] second_rest;
  reg [1:0] misfits;
  reg [1:0] digits;

  // Sub module instances
  reg5 u_step(
    .clock(clock),
    .d(step$d),
    .q(step$q)
  );
  reg32 u_q(
    .clock(clock),
    .d(q$d),
    .q(q$q)
  );
  reg32 u_r(
    .clock(clock),
    .d(r$d),
    .q(r$q)
  );
  reg32 u_triple(
    .clock(clock),
    .d(triple$d),
    .q(triple$q)
  );

  // Logic
  always @(*) negative = dividend[31] & (~u);
  always @(*) first = (r$q << 32'h1) | ((q$q[31]) & 32'hffffffff);
  always @(*) first_difference = first - divisor;
  always @(*) triple$d = (divisor << 32'h1) + divisor;
  always @(*) doubled = (first << 32'h1) | ((q$q[30]) & 32'hffffffff);
  always @(*) doubled_difference = (first_difference << 32'h1) | ((q$q[30]) & 32'hffffffff);
  always @(*) less_triple = doubled - triple$q;
  always @(*) less_one = doubled - divisor;
  always @(*) begin
    second = doubled_difference;
    second_difference = less_triple;
    if (first_difference[31]) begin
      second = doubled;
      second_difference = less_one;
    end
  end
  always @(*) begin
    second_rest = second_difference;
    if (second_difference[31]) begin
      second_rest = second;
    end
  end
  always @(*) misfits = ((second_difference[31]) & 2'h3) | (((first_difference[31]) & 2'h3) << 32'h1);
  always @(*) digits = ~misfits;
  always @(*) counting = run & (~clear);
  always @(*) begin
    step$d = 32'h0;
    if (counting & (step$q == 32'h12)) begin
      step$d = 32'h12;
    end
    else if (counting) begin
      step$d = step$q + 32'h1;
    end
  end
  always @(*) begin
    q$d = (q$q << 32'h2) | ((digits) & 32'hffffffff);
    r$d = second_rest;
    if (step$q == 32'h0) begin
      r$d = 32'h0;
      q$d = dividend;
      if (negative) begin
        q$d = ((32'h0) & 32'hffffffff) - dividend;
      end
    end
    else if (step$q == 32'h11) begin
      q$d = q$q;
      r$d = r$q;
      if (negative & (r$q == 32'h0)) begin
        q$d = ((32'h0) & 32'hffffffff) - q$q;
      end
      else if (negative) begin
        q$d = ~q$q;
        r$d = divisor - r$q;
      end
    end
    else if (step$q == 32'h12) begin
      q$d = q$q;
      r$d = r$q;
    end
  end
  always @(*) done = step$q == 32'h12;
  always @(*) quotient = q$q;
  always @(*) remainder = r$q;
endmodule

`default_nettype wire
