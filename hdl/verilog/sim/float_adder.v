// float_adder: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top sim
// Do not edit.
`default_nettype none

module float_adder(clock, run, clear, u, v, x, y, done, result);

  // Module arguments
  input wire clock;
  input wire run;
  input wire clear;
  input wire u;
  input wire v;
  input wire [31:0] x;
  input wire [31:0] y;
  output reg done;
  output reg [31:0] result;

  // Stub signals
  reg [2:0] step$d;
  wire [2:0] step$q;
  reg [25:0] x_field$d;
  wire [25:0] x_field$q;
  reg [25:0] y_field$d;
  wire [25:0] y_field$q;
  reg [7:0] x_distance$d;
  wire [7:0] x_distance$q;
  reg [7:0] y_distance$d;
  wire [7:0] y_distance$q;
  reg [7:0] exponent$d;
  wire [7:0] exponent$q;
  reg [26:0] sum$d;
  wire [26:0] sum$q;
  reg [24:0] rounded$d;
  wire [24:0] rounded$q;
  reg [24:0] coarse$d;
  wire [24:0] coarse$q;
  reg [1:0] coarse_none$d;
  wire [1:0] coarse_none$q;
  reg nothing$d;
  wire nothing$q;
  reg [31:0] outcome$d;
  wire [31:0] outcome$q;
  reg vanished$d;
  wire vanished$q;

  // Local signals
  reg counting;
  reg [7:0] x_exponent;
  reg [7:0] y_exponent;
  reg [8:0] x_over_y;
  reg [8:0] y_over_x;
  reg [25:0] x_magnitude;
  reg [25:0] y_magnitude;
  reg [25:0] x_sign;
  reg [25:0] y_sign;
  reg [25:0] x0;
  reg [25:0] x1;
  reg [25:0] x2;
  reg [25:0] x3;
  reg [25:0] x4;
  reg [25:0] y0;
  reg [25:0] y1;
  reg [25:0] y2;
  reg [25:0] y3;
  reg [25:0] y4;
  reg [25:0] x_fill;
  reg [25:0] y_fill;
  reg x_far;
  reg y_far;
  reg [26:0] x_aligned;
  reg [26:0] y_aligned;
  reg [26:0] magnitude;
  reg [26:0] raised;
  reg [24:0] n0;
  reg [24:0] n1;
  reg [24:0] n2;
  reg [24:0] n3;
  reg [24:0] n4;
  reg none0;
  reg none1;
  reg none2;
  reg none3;
  reg none4;
  reg [8:0] shift;
  reg [8:0] next_exponent;
  reg [8:0] new_exponent;
  reg x_zero;
  reg y_zero;

  // Sub module instances
  reg3 u_step(
    .clock(clock),
    .d(step$d),
    .q(step$q)
  );
  reg26 u_x_field(
    .clock(clock),
    .d(x_field$d),
    .q(x_field$q)
  );
  reg26 u_y_field(
    .clock(clock),
    .d(y_field$d),
    .q(y_field$q)
  );
  reg8 u_x_distance(
    .clock(clock),
    .d(x_distance$d),
    .q(x_distance$q)
  );
  reg8 u_y_distance(
    .clock(clock),
    .d(y_distance$d),
    .q(y_distance$q)
  );
  reg8 u_exponent(
    .clock(clock),
    .d(exponent$d),
    .q(exponent$q)
  );
  reg27 u_sum(
    .clock(clock),
    .d(sum$d),
    .q(sum$q)
  );
  reg25 u_rounded(
    .clock(clock),
    .d(rounded$d),
    .q(rounded$q)
  );
  reg25 u_coarse(
    .clock(clock),
    .d(coarse$d),
    .q(coarse$q)
  );
  reg2 u_coarse_none(
    .clock(clock),
    .d(coarse_none$d),
    .q(coarse_none$q)
  );
  reg1 u_nothing(
    .clock(clock),
    .d(nothing$d),
    .q(nothing$q)
  );
  reg32 u_outcome(
    .clock(clock),
    .d(outcome$d),
    .q(outcome$q)
  );
  reg1 u_vanished(
    .clock(clock),
    .d(vanished$d),
    .q(vanished$q)
  );

  // Logic
  always @(*) counting = run & (~clear);
  always @(*) begin
    step$d = 32'h0;
    if (counting & (step$q == 32'h5)) begin
      step$d = 32'h5;
    end
    else if (counting) begin
      step$d = step$q + 32'h1;
    end
  end
  always @(*) done = step$q == 32'h5;
  always @(*) begin
    result = outcome$q;
    if (vanished$q) begin
      result = 32'h0;
    end
  end
  always @(*) begin
    x_exponent = x[30:23];
    if (u) begin
      x_exponent = 32'h96;
    end
  end
  always @(*) y_exponent = y[30:23];
  always @(*) x_over_y = ((x_exponent) & 9'h1ff) - ((y_exponent) & 9'h1ff);
  always @(*) y_over_x = ((y_exponent) & 9'h1ff) - ((x_exponent) & 9'h1ff);
  always @(*) begin
    x_distance$d = 32'h0;
    y_distance$d = 32'h0;
    exponent$d = x_exponent;
    if (x_over_y[8]) begin
      exponent$d = y_exponent;
      x_distance$d = y_over_x[7:0];
    end
    else begin
      y_distance$d = x_over_y[7:0];
    end
  end
  always @(*) x_magnitude = (((x[22:0]) & 26'h3ffffff) << 32'h1) | 32'h1000000;
  always @(*) begin
    y_magnitude = ((y[22:0]) & 26'h3ffffff) << 32'h1;
    if ((~u) & (~v)) begin
      y_magnitude = (((y[22:0]) & 26'h3ffffff) << 32'h1) | 32'h1000000;
    end
  end
  always @(*) x_sign = ((x[31]) & 26'h3ffffff) << 32'h19;
  always @(*) y_sign = ((y[31]) & 26'h3ffffff) << 32'h19;
  always @(*) begin
    x_field$d = x_magnitude;
    if (u) begin
      x_field$d = (((x[23:0]) & 26'h3ffffff) << 32'h1) | x_sign;
    end
    else if (x[31]) begin
      x_field$d = (((32'h0) & 26'h3ffffff) - x_magnitude) | x_sign;
    end
  end
  always @(*) begin
    y_field$d = y_magnitude;
    if (y[31]) begin
      y_field$d = (((32'h0) & 26'h3ffffff) - y_magnitude) | y_sign;
    end
  end
  always @(*) begin
    x_fill = 32'h0;
    if (x_field$q[25]) begin
      x_fill = 32'h3ffffff;
    end
  end
  always @(*) begin
    y_fill = 32'h0;
    if (y_field$q[25]) begin
      y_fill = 32'h3ffffff;
    end
  end
  always @(*) x_far = x_distance$q[7] | x_distance$q[6] | x_distance$q[5];
  always @(*) y_far = y_distance$q[7] | y_distance$q[6] | y_distance$q[5];
  always @(*) begin
    x0 = x_field$q;
    if (x_distance$q[0]) begin
      x0 = (x_field$q >> 32'h1) | (x_fill << 32'h19);
    end
  end
  always @(*) begin
    x1 = x0;
    if (x_distance$q[1]) begin
      x1 = (x0 >> 32'h2) | (x_fill << 32'h18);
    end
  end
  always @(*) begin
    x2 = x1;
    if (x_distance$q[2]) begin
      x2 = (x1 >> 32'h4) | (x_fill << 32'h16);
    end
  end
  always @(*) begin
    x3 = x2;
    if (x_distance$q[3]) begin
      x3 = (x2 >> 32'h8) | (x_fill << 32'h12);
    end
  end
  always @(*) begin
    x4 = x3;
    if (x_far) begin
      x4 = x_fill;
    end
    else if (x_distance$q[4]) begin
      x4 = (x3 >> 32'h10) | (x_fill << 32'ha);
    end
  end
  always @(*) begin
    y0 = y_field$q;
    if (y_distance$q[0]) begin
      y0 = (y_field$q >> 32'h1) | (y_fill << 32'h19);
    end
  end
  always @(*) begin
    y1 = y0;
    if (y_distance$q[1]) begin
      y1 = (y0 >> 32'h2) | (y_fill << 32'h18);
    end
  end
  always @(*) begin
    y2 = y1;
    if (y_distance$q[2]) begin
      y2 = (y1 >> 32'h4) | (y_fill << 32'h16);
    end
  end
  always @(*) begin
    y3 = y2;
    if (y_distance$q[3]) begin
      y3 = (y2 >> 32'h8) | (y_fill << 32'h12);
    end
  end
  always @(*) begin
    y4 = y3;
    if (y_far) begin
      y4 = y_fill;
    end
    else if (y_distance$q[4]) begin
      y4 = (y3 >> 32'h10) | (y_fill << 32'ha);
    end
  end
  always @(*) x_aligned = ((x4) & 27'h7ffffff) | (((x4[25]) & 27'h7ffffff) << 32'h1a);
  always @(*) y_aligned = ((y4) & 27'h7ffffff) | (((y4[25]) & 27'h7ffffff) << 32'h1a);
  always @(*) sum$d = x_aligned + y_aligned;
  always @(*) begin
    magnitude = sum$q;
    if (sum$q[26]) begin
      magnitude = ((32'h0) & 27'h7ffffff) - sum$q;
    end
  end
  always @(*) raised = magnitude + 32'h1;
  always @(*) rounded$d = raised[25:1];
  always @(*) none4 = rounded$q[24:9] == 32'h0;
  always @(*) begin
    n4 = rounded$q;
    if (none4) begin
      n4 = rounded$q << 32'h10;
    end
  end
  always @(*) none3 = n4[24:17] == 32'h0;
  always @(*) begin
    n3 = n4;
    if (none3) begin
      n3 = n4 << 32'h8;
    end
  end
  always @(*) coarse$d = n3;
  always @(*) coarse_none$d = (((none4) & 2'h3) << 32'h1) | ((none3) & 2'h3);
  always @(*) nothing$d = rounded$q == 32'h0;
  always @(*) none2 = coarse$q[24:21] == 32'h0;
  always @(*) begin
    n2 = coarse$q;
    if (none2) begin
      n2 = coarse$q << 32'h4;
    end
  end
  always @(*) none1 = n2[24:23] == 32'h0;
  always @(*) begin
    n1 = n2;
    if (none1) begin
      n1 = n2 << 32'h2;
    end
  end
  always @(*) none0 = ~n1[24];
  always @(*) begin
    n0 = n1;
    if (none0) begin
      n0 = n1 << 32'h1;
    end
  end
  always @(*) shift = (((coarse_none$q) & 9'h1ff) << 32'h3) | (((none2) & 9'h1ff) << 32'h2) | (((none1) & 9'h1ff) << 32'h1) | ((none0) & 9'h1ff);
  always @(*) next_exponent = ((exponent$q) & 9'h1ff) + 32'h1;
  always @(*) new_exponent = next_exponent - shift;
  always @(*) x_zero = x[30:0] == 32'h0;
  always @(*) y_zero = y[30:0] == 32'h0;
  always @(*) begin
    outcome$d = (((sum$q[26]) & 32'hffffffff) << 32'h1f) | (((new_exponent[7:0]) & 32'hffffffff) << 32'h17) | ((n0[23:1]) & 32'hffffffff);
    vanished$d = nothing$q | new_exponent[8];
    if (v) begin
      vanished$d = 1'b0;
      outcome$d = ((sum$q[26:1]) & 32'hffffffff);
      if (sum$q[26]) begin
        outcome$d = ((sum$q[26:1]) & 32'hffffffff) | 32'hfc000000;
      end
    end
    else if (x_zero & (u | y_zero)) begin
      vanished$d = 1'b1;
    end
    else if (x_zero) begin
      vanished$d = 1'b0;
      outcome$d = y;
    end
    else if (y_zero) begin
      vanished$d = 1'b0;
      outcome$d = x;
    end
  end
endmodule

`default_nettype wire
