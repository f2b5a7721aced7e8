// idle: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top sim
// Do not edit.
`default_nettype none

module idle(clock, write, mask, tick, levels, wake, pending, waiting);

  // Module arguments
  input wire clock;
  input wire write;
  input wire [4:0] mask;
  input wire tick;
  input wire [3:0] levels;
  input wire wake;
  output reg [4:0] pending;
  output reg waiting;

  // Stub signals
  reg tick_seen$d;
  wire tick_seen$q;
  reg active$d;
  wire active$q;
  reg ended$d;
  wire ended$q;
  reg kept_mask$en;
  reg [4:0] kept_mask$d;
  wire [4:0] kept_mask$q;

  // Local signals
  reg [4:0] matched;
  reg ends;

  // Sub module instances
  reg1 u_tick_seen(
    .clock(clock),
    .d(tick_seen$d),
    .q(tick_seen$q)
  );
  reg1 u_active(
    .clock(clock),
    .d(active$d),
    .q(active$q)
  );
  reg1 u_ended(
    .clock(clock),
    .d(ended$d),
    .q(ended$q)
  );
  reg_en5 u_kept_mask(
    .clock(clock),
    .en(kept_mask$en),
    .d(kept_mask$d),
    .q(kept_mask$q)
  );

  // Logic
  always @(*) pending = (((levels) & 5'h1f) << 32'h1) | ((tick_seen$q) & 5'h1f);
  always @(*) matched = pending & kept_mask$q;
  always @(*) ends = wake | |matched;
  always @(*) waiting = active$q & (~ended$q);
  always @(*) kept_mask$en = write;
  always @(*) kept_mask$d = mask;
  always @(*) begin
    tick_seen$d = tick_seen$q | tick;
    active$d = waiting;
    ended$d = ends;
    if (write) begin
      ended$d = 1'b0;
      tick_seen$d = tick;
      active$d = |mask;
    end
  end
endmodule

`default_nettype wire
