// The interrupt: none is lost, none is taken twice, none comes while a handler runs or interrupts are
// off, and one instruction always executes after the state was written.
module prove_interrupts(
  input wire clock, reset, edge_seen, executed, set_enable, enable, return_from, accept,
  input wire [21:0] pc,
  input wire [3:0] flags);

  wire due, wakes;
  wire [21:0] saved_pc;
  wire [3:0] saved_flags;
  interrupts uut(.clock, .reset, .edge_seen, .executed, .set_enable, .enable, .return_from, .accept,
    .pc, .flags, .due, .wakes, .saved_pc, .saved_flags);

  (* hierconn *) wire \uut.pending$q , \uut.enabled$q , \uut.serving$q , \uut.shadow$q ;

  // What has happened, told by events alone.
  reg waiting = 0;        // an edge came after the last interrupt taken
  reg on = 0;             // what the last executed write to the enable flag said
  reg handler = 0;        // an interrupt was taken and its return has not been executed
  reg fresh = 0;          // the last executed instruction wrote the state
  reg taken = 0;          // there is a saved place
  reg [21:0] taken_pc;
  reg [3:0] taken_flags;
  always @(posedge clock) begin
    // The core takes an interrupt only when one is due, in place of an instruction.
    if (reset) {waiting, on, handler, fresh} <= 0;
    else begin
      if (edge_seen) waiting <= 1;
      else if (accept) waiting <= 0;
      if (executed) begin
        fresh <= set_enable || return_from;
        if (set_enable) on <= enable;
        if (return_from) handler <= 0;
      end
      if (accept) handler <= 1;
    end
    if (accept) begin
      taken <= 1;
      taken_pc <= pc;
      taken_flags <= flags;
    end
  end

  always @* begin
    if (accept) assume (due && !executed);
    wake: assert (wakes == (waiting && on && !handler));
    take: assert (due == (waiting && on && !handler && !fresh));
    state: assert ({\uut.pending$q , \uut.enabled$q , \uut.serving$q , \uut.shadow$q }
      == {waiting, on, handler, fresh});
    if (taken) place: assert (saved_pc == taken_pc && saved_flags == taken_flags);
  end
endmodule
