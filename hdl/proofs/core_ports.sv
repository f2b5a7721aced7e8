// What the core promises its memory at the ports; the proof `memory` takes it as given.
module prove_core_ports(
  input wire clock, reset, i_ready, d_ready, irq, abort,
  input wire [21:0] reset_pc,
  input wire [31:0] i_data, d_rdata);
  wire i_valid, i_turn, d_valid, d_write;
  wire [21:0] i_addr, i_target;
  wire [23:0] d_addr, s_addr;
  wire [3:0] d_lanes;
  wire [31:0] d_wdata, s_value;
  core uut(.clock, .reset, .reset_pc, .i_valid, .i_addr, .i_turn, .i_target, .i_ready, .i_data, .d_valid, .d_addr,
    .s_addr, .d_write, .d_lanes, .d_wdata, .s_value, .d_ready, .d_rdata, .irq, .abort);

  (* hierconn *) wire \uut.d_live$q ;
  (* hierconn *) wire [21:0] \uut.d_pc$q ;
  reg asked = 0;
  reg [21:0] last;
  always @(posedge clock) if (i_valid) begin
    asked <= 1;
    last <= i_addr;
  end

  // One lane has the byte, or all have the word.
  wire [31:0] placed = d_lanes == 15 ? s_value
    : {d_lanes[3] ? s_value[7:0] : 8'h0, d_lanes[2] ? s_value[7:0] : 8'h0,
       d_lanes[1] ? s_value[7:0] : 8'h0, d_lanes[0] ? s_value[7:0] : 8'h0};
  always @* begin
    if (i_valid || d_valid) both_ready: assert (i_ready && d_ready);
    if (i_valid && !i_turn) follows: assert (asked && i_addr == last + 22'd1);
    if (i_valid && i_turn) target: assert (i_target == i_addr);
    if (d_valid && d_write) begin
      store_address: assert (s_addr == d_addr);
      store_lanes: assert (d_lanes == 15 || d_lanes == 4'd1 << d_addr[1:0]);
      store_value: assert (d_wdata == placed);
    end

    // What carries the induction.
    live: assert (\uut.d_live$q == asked);
    if (asked) place: assert (\uut.d_pc$q == last);
  end
endmodule
