// serialiser: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module serialiser(clock, beat, blue, others, first, second);

  // Module arguments
  input wire clock;
  input wire beat;
  input wire [9:0] blue;
  input wire [9:0] others;
  output reg [3:0] first;
  output reg [3:0] second;

  // Stub signals
  reg beat1$d;
  wire beat1$q;
  reg beat2$d;
  wire beat2$q;
  reg load$d;
  wire load$q;
  reg [9:0] blue_bits$d;
  wire [9:0] blue_bits$q;
  reg [9:0] other_bits$d;
  wire [9:0] other_bits$q;
  reg [9:0] turn$d;
  wire [9:0] turn$q;

  // Local signals
  reg [7:0] blue_left;
  reg [7:0] others_left;
  reg [7:0] turn_left;

  // Sub module instances
  reg1 u_beat1(
    .clock(clock),
    .d(beat1$d),
    .q(beat1$q)
  );
  reg1 u_beat2(
    .clock(clock),
    .d(beat2$d),
    .q(beat2$q)
  );
  reg1 u_load(
    .clock(clock),
    .d(load$d),
    .q(load$q)
  );
  reg10 u_blue_bits(
    .clock(clock),
    .d(blue_bits$d),
    .q(blue_bits$q)
  );
  reg10 u_other_bits(
    .clock(clock),
    .d(other_bits$d),
    .q(other_bits$q)
  );
  reg10_from_11111 u_turn(
    .clock(clock),
    .d(turn$d),
    .q(turn$q)
  );

  // Logic
  always @(*) beat1$d = beat;
  always @(*) beat2$d = beat1$q;
  always @(*) load$d = beat1$q ^ beat2$q;
  always @(*) blue_left = blue_bits$q[9:2];
  always @(*) others_left = other_bits$q[9:2];
  always @(*) begin
    blue_bits$d = ((blue_left) & 10'h3ff);
    other_bits$d = ((others_left) & 10'h3ff);
    if (load$q) begin
      blue_bits$d = blue;
      other_bits$d = others;
    end
  end
  always @(*) turn_left = turn$q[9:2];
  always @(*) turn$d = ((turn_left) & 10'h3ff) | (((turn$q[1:0]) & 10'h3ff) << 32'h8);
  always @(*) first = ((blue_bits$q[0]) & 4'hf) | (((other_bits$q[0]) & 4'hf) << 32'h1) | (((other_bits$q[0]) & 4'hf) << 32'h2) | (((turn$q[0]) & 4'hf) << 32'h3);
  always @(*) second = ((blue_bits$q[1]) & 4'hf) | (((other_bits$q[1]) & 4'hf) << 32'h1) | (((other_bits$q[1]) & 4'hf) << 32'h2) | (((turn$q[1]) & 4'hf) << 32'h3);
endmodule

`default_nettype wire
