// multiplier: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module multiplier(clock, run, clear, u, a, b, done, product);

  // Module arguments
  input wire clock;
  input wire run;
  input wire clear;
  input wire u;
  input wire [31:0] a;
  input wire [31:0] b;
  output reg done;
  output reg [63:0] product;

  // Stub signals
  reg [17:0] low$a;
  reg [17:0] low$b;
  wire [35:0] low$p;
  reg [17:0] mid_a$a;
  reg [17:0] mid_a$b;
  wire [35:0] mid_a$p;
  reg [17:0] mid_b$a;
  reg [17:0] mid_b$b;
  wire [35:0] mid_b$p;
  reg [17:0] high$a;
  reg [17:0] high$b;
  wire [35:0] high$p;
  reg sum$en;
  reg [63:0] sum$d;
  wire [63:0] sum$q;
  reg [1:0] step$d;
  wire [1:0] step$q;

  // Local signals
  reg [17:0] a_low;
  reg [17:0] a_high;
  reg [17:0] b_low;
  reg [17:0] b_high;
  reg [36:0] middle;
  reg [36:0] mid_a_wide;
  reg [36:0] mid_b_wide;
  reg [63:0] middle_wide;
  reg [63:0] outer;
  reg counting;

  // Sub module instances
  dsp_product u_low(
    .clock(clock),
    .a(low$a),
    .b(low$b),
    .p(low$p)
  );
  dsp_product u_mid_a(
    .clock(clock),
    .a(mid_a$a),
    .b(mid_a$b),
    .p(mid_a$p)
  );
  dsp_product u_mid_b(
    .clock(clock),
    .a(mid_b$a),
    .b(mid_b$b),
    .p(mid_b$p)
  );
  dsp_product u_high(
    .clock(clock),
    .a(high$a),
    .b(high$b),
    .p(high$p)
  );
  reg_en64 u_sum(
    .clock(clock),
    .en(sum$en),
    .d(sum$d),
    .q(sum$q)
  );
  reg2 u_step(
    .clock(clock),
    .d(step$d),
    .q(step$q)
  );

  // Logic
  always @(*) a_low = ((a[15:0]) & 18'h3ffff);
  always @(*) begin
    a_high = ((a[31:16]) & 18'h3ffff);
    if (a[31] & (~u)) begin
      a_high = ((a[31:16]) & 18'h3ffff) | 32'h30000;
    end
  end
  always @(*) b_low = ((b[15:0]) & 18'h3ffff);
  always @(*) begin
    b_high = ((b[31:16]) & 18'h3ffff);
    if (b[31]) begin
      b_high = ((b[31:16]) & 18'h3ffff) | 32'h30000;
    end
  end
  always @(*) low$a = a_low;
  always @(*) low$b = b_low;
  always @(*) mid_a$a = a_high;
  always @(*) mid_a$b = b_low;
  always @(*) mid_b$a = a_low;
  always @(*) mid_b$b = b_high;
  always @(*) high$a = a_high;
  always @(*) high$b = b_high;
  always @(*) begin
    mid_a_wide = ((mid_a$p) & 37'h1fffffffff);
    if (mid_a$p[35]) begin
      mid_a_wide = ((mid_a$p) & 37'h1fffffffff) | 64'h1000000000;
    end
  end
  always @(*) begin
    mid_b_wide = ((mid_b$p) & 37'h1fffffffff);
    if (mid_b$p[35]) begin
      mid_b_wide = ((mid_b$p) & 37'h1fffffffff) | 64'h1000000000;
    end
  end
  always @(*) middle = mid_a_wide + mid_b_wide;
  always @(*) begin
    middle_wide = ((middle) & 64'hffffffffffffffff) << 32'h10;
    if (middle[36]) begin
      middle_wide = (((middle) & 64'hffffffffffffffff) << 32'h10) | 64'hffe0000000000000;
    end
  end
  always @(*) outer = (((high$p[31:0]) & 64'hffffffffffffffff) << 32'h20) | ((low$p[31:0]) & 64'hffffffffffffffff);
  always @(*) sum$d = outer + middle_wide;
  always @(*) sum$en = step$q == 32'h1;
  always @(*) counting = run & (~clear);
  always @(*) begin
    step$d = 32'h0;
    if (counting & (step$q == 32'h2)) begin
      step$d = 32'h2;
    end
    else if (counting) begin
      step$d = step$q + 32'h1;
    end
  end
  always @(*) done = step$q == 32'h2;
  always @(*) product = sum$q;
endmodule

`default_nettype wire
