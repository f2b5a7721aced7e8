// timer: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module timer(clock, millisecond, microsecond, tick, milliseconds, microseconds, cycles);

  // Module arguments
  input wire clock;
  input wire [19:0] millisecond;
  input wire [9:0] microsecond;
  output reg tick;
  output reg [31:0] milliseconds;
  output reg [31:0] microseconds;
  output reg [63:0] cycles;

  // Stub signals
  reg [19:0] ms_count$d;
  wire [19:0] ms_count$q;
  reg [9:0] us_count$d;
  wire [9:0] us_count$q;
  reg [31:0] ms$d;
  wire [31:0] ms$q;
  reg [31:0] us$d;
  wire [31:0] us$q;
  reg [63:0] cycle$d;
  wire [63:0] cycle$q;

  // Local signals
  reg [19:0] ms_last;
  reg [9:0] us_last;

  // Sub module instances
  reg20 u_ms_count(
    .clock(clock),
    .d(ms_count$d),
    .q(ms_count$q)
  );
  reg10 u_us_count(
    .clock(clock),
    .d(us_count$d),
    .q(us_count$q)
  );
  reg32 u_ms(
    .clock(clock),
    .d(ms$d),
    .q(ms$q)
  );
  reg32 u_us(
    .clock(clock),
    .d(us$d),
    .q(us$q)
  );
  reg64 u_cycle(
    .clock(clock),
    .d(cycle$d),
    .q(cycle$q)
  );

  // Logic
  always @(*) ms_last = millisecond - 32'h1;
  always @(*) us_last = microsecond - 32'h1;
  always @(*) tick = ms_count$q == ms_last;
  always @(*) begin
    ms_count$d = ms_count$q + 32'h1;
    ms$d = ms$q;
    if (ms_count$q == ms_last) begin
      ms_count$d = 32'h0;
      ms$d = ms$q + 32'h1;
    end
  end
  always @(*) begin
    us_count$d = us_count$q + 32'h1;
    us$d = us$q;
    if (us_count$q == us_last) begin
      us_count$d = 32'h0;
      us$d = us$q + 32'h1;
    end
  end
  always @(*) cycle$d = cycle$q + 32'h1;
  always @(*) milliseconds = ms$q;
  always @(*) microseconds = us$q;
  always @(*) cycles = cycle$q;
endmodule

`default_nettype wire
