// starter: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module starter(clock, locked, pressed, inputs, enable, reset, switches);

  // Module arguments
  input wire clock;
  input wire locked;
  input wire pressed;
  input wire [11:0] inputs;
  output reg enable;
  output reg reset;
  output reg [11:0] switches;

  // Stub signals
  reg locked1$d;
  wire locked1$q;
  reg locked2$d;
  wire locked2$q;
  reg pressed1$d;
  wire pressed1$q;
  reg pressed2$d;
  wire pressed2$q;
  reg [11:0] inputs1$d;
  wire [11:0] inputs1$q;
  reg [11:0] inputs2$d;
  wire [11:0] inputs2$q;
  reg [7:0] count$d;
  wire [7:0] count$q;
  reg up$d;
  wire up$q;

  // Sub module instances
  reg1 u_locked1(
    .clock(clock),
    .d(locked1$d),
    .q(locked1$q)
  );
  reg1 u_locked2(
    .clock(clock),
    .d(locked2$d),
    .q(locked2$q)
  );
  reg1 u_pressed1(
    .clock(clock),
    .d(pressed1$d),
    .q(pressed1$q)
  );
  reg1 u_pressed2(
    .clock(clock),
    .d(pressed2$d),
    .q(pressed2$q)
  );
  reg12 u_inputs1(
    .clock(clock),
    .d(inputs1$d),
    .q(inputs1$q)
  );
  reg12 u_inputs2(
    .clock(clock),
    .d(inputs2$d),
    .q(inputs2$q)
  );
  reg8 u_count(
    .clock(clock),
    .d(count$d),
    .q(count$q)
  );
  reg1 u_up(
    .clock(clock),
    .d(up$d),
    .q(up$q)
  );

  // Logic
  always @(*) locked1$d = locked;
  always @(*) locked2$d = locked1$q;
  always @(*) pressed1$d = pressed;
  always @(*) pressed2$d = pressed1$q;
  always @(*) inputs1$d = inputs;
  always @(*) inputs2$d = inputs1$q;
  always @(*) enable = locked2$q;
  always @(*) switches = inputs2$q;
  always @(*) begin
    count$d = count$q + 32'h1;
    up$d = up$q;
    if ((~locked2$q) | pressed2$q) begin
      count$d = 32'h0;
      up$d = 1'b0;
    end
    else if (&count$q) begin
      up$d = 1'b1;
    end
  end
  always @(*) reset = ~up$q;
endmodule

`default_nettype wire
