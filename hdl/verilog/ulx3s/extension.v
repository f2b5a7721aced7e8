// extension: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module extension(clock, select, write, read, wdata, selected, value, cycles, microseconds, clock_hz, build, millisecond, pc, aborted, abort);

  // Module arguments
  input wire clock;
  input wire select;
  input wire write;
  input wire read;
  input wire [31:0] wdata;
  output reg [31:0] selected;
  output reg [31:0] value;
  input wire [63:0] cycles;
  input wire [31:0] microseconds;
  input wire [31:0] clock_hz;
  input wire [31:0] build;
  input wire [19:0] millisecond;
  input wire [21:0] pc;
  input wire aborted;
  output reg abort;

  // Stub signals
  reg number$en;
  reg [31:0] number$d;
  wire [31:0] number$q;
  reg high$en;
  reg [31:0] high$d;
  wire [31:0] high$q;
  reg [31:0] left$d;
  wire [31:0] left$q;
  reg [19:0] count$d;
  wire [19:0] count$q;
  reg expired$d;
  wire expired$q;
  reg cause$d;
  wire cause$q;
  reg cause_pc$en;
  reg [21:0] cause_pc$d;
  wire [21:0] cause_pc$q;

  // Local signals
  reg [19:0] last;
  reg arm;

  // Sub module instances
  reg_en32 u_number(
    .clock(clock),
    .en(number$en),
    .d(number$d),
    .q(number$q)
  );
  reg_en32 u_high(
    .clock(clock),
    .en(high$en),
    .d(high$d),
    .q(high$q)
  );
  reg32 u_left(
    .clock(clock),
    .d(left$d),
    .q(left$q)
  );
  reg20 u_count(
    .clock(clock),
    .d(count$d),
    .q(count$q)
  );
  reg1 u_expired(
    .clock(clock),
    .d(expired$d),
    .q(expired$q)
  );
  reg1 u_cause(
    .clock(clock),
    .d(cause$d),
    .q(cause$q)
  );
  reg_en22 u_cause_pc(
    .clock(clock),
    .en(cause_pc$en),
    .d(cause_pc$d),
    .q(cause_pc$q)
  );

  // Logic
  always @(*) selected = number$q;
  always @(*) number$en = select;
  always @(*) number$d = wdata;
  always @(*) high$en = read & (number$q == 32'h4);
  always @(*) high$d = cycles[63:32];
  always @(*) begin
    value = 32'h0;
    if (number$q == 32'h0) begin
      value = 32'h4b530001;
    end
    else if (number$q == 32'h1) begin
      value = 32'h1f;
    end
    else if (number$q == 32'h2) begin
      value = clock_hz;
    end
    else if (number$q == 32'h3) begin
      value = microseconds;
    end
    else if (number$q == 32'h4) begin
      value = cycles[31:0];
    end
    else if (number$q == 32'h5) begin
      value = high$q;
    end
    else if (number$q == 32'h6) begin
      value = left$q;
    end
    else if (number$q == 32'h7) begin
      value = ((cause$q) & 32'hffffffff);
    end
    else if (number$q == 32'h8) begin
      value = ((cause_pc$q) & 32'hffffffff) << 32'h2;
    end
    else if (number$q == 32'h9) begin
      value = build;
    end
  end
  always @(*) last = millisecond - 32'h1;
  always @(*) arm = write & (number$q == 32'h6);
  always @(*) begin
    left$d = left$q;
    count$d = count$q + 32'h1;
    expired$d = expired$q & (~aborted);
    if (count$q == last) begin
      count$d = 32'h0;
      if (|left$q) begin
        left$d = left$q - 32'h1;
      end
      if (left$q == 32'h1) begin
        expired$d = 1'b1;
      end
    end
    if (arm) begin
      left$d = wdata;
      count$d = 32'h0;
      expired$d = 1'b0;
    end
  end
  always @(*) abort = expired$q;
  always @(*) cause_pc$en = aborted;
  always @(*) cause_pc$d = pc;
  always @(*) begin
    cause$d = cause$q;
    if (aborted) begin
      cause$d = 1'b1;
    end
    else if (write & (number$q == 32'h7)) begin
      cause$d = 1'b0;
    end
  end
endmodule

`default_nettype wire
