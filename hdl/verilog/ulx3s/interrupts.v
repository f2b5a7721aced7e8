// interrupts: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module interrupts(clock, reset, edge_seen, executed, set_enable, enable, return_from, accept, pc, flags, due, wakes, saved_pc, saved_flags);

  // Module arguments
  input wire clock;
  input wire reset;
  input wire edge_seen;
  input wire executed;
  input wire set_enable;
  input wire enable;
  input wire return_from;
  input wire accept;
  input wire [21:0] pc;
  input wire [3:0] flags;
  output reg due;
  output reg wakes;
  output reg [21:0] saved_pc;
  output reg [3:0] saved_flags;

  // Stub signals
  reg pending$d;
  wire pending$q;
  reg enabled$d;
  wire enabled$q;
  reg serving$d;
  wire serving$q;
  reg shadow$d;
  wire shadow$q;
  reg spc$en;
  reg [21:0] spc$d;
  wire [21:0] spc$q;
  reg sflags$en;
  reg [3:0] sflags$d;
  wire [3:0] sflags$q;

  // Local signals
  reg open;

  // Sub module instances
  reg1 u_pending(
    .clock(clock),
    .d(pending$d),
    .q(pending$q)
  );
  reg1 u_enabled(
    .clock(clock),
    .d(enabled$d),
    .q(enabled$q)
  );
  reg1 u_serving(
    .clock(clock),
    .d(serving$d),
    .q(serving$q)
  );
  reg1 u_shadow(
    .clock(clock),
    .d(shadow$d),
    .q(shadow$q)
  );
  reg_en22 u_spc(
    .clock(clock),
    .en(spc$en),
    .d(spc$d),
    .q(spc$q)
  );
  reg_en4 u_sflags(
    .clock(clock),
    .en(sflags$en),
    .d(sflags$d),
    .q(sflags$q)
  );

  // Logic
  always @(*) open = pending$q & enabled$q & (~serving$q);
  always @(*) due = open & (~shadow$q);
  always @(*) wakes = open;
  always @(*) spc$en = accept;
  always @(*) spc$d = pc;
  always @(*) sflags$en = accept;
  always @(*) sflags$d = flags;
  always @(*) saved_pc = spc$q;
  always @(*) saved_flags = sflags$q;
  always @(*) begin
    pending$d = pending$q | edge_seen;
    enabled$d = enabled$q;
    serving$d = serving$q;
    shadow$d = shadow$q;
    if (executed) begin
      shadow$d = set_enable | return_from;
    end
    if (executed & set_enable) begin
      enabled$d = enable;
    end
    if (executed & return_from) begin
      serving$d = 1'b0;
    end
    if (accept) begin
      pending$d = edge_seen;
      serving$d = 1'b1;
    end
    if (reset) begin
      pending$d = 1'b0;
      enabled$d = 1'b0;
      serving$d = 1'b0;
      shadow$d = 1'b0;
    end
  end
endmodule

`default_nettype wire
