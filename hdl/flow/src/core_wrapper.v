// The bare core between registers, for place and route: a chain of flip-flops feeds every input, and
// every output ends in a flip-flop of another chain. So three pins do, and no path leaves the chip.
// The trace is left open.
`default_nettype none

module core_wrapper(
  input wire clock,
  input wire bit_in,
  output reg bit_out
);
  localparam INPUTS = 91, OUTPUTS = 109;

  reg [INPUTS - 1:0] chain_in, in;
  reg [OUTPUTS - 1:0] out, chain_out;
  reg [7:0] count = 0;
  wire [OUTPUTS - 1:0] made;

  always @(posedge clock) begin
    chain_in <= {chain_in, bit_in};
    in <= chain_in;
    out <= made;
    count <= count + 1;
    chain_out <= count == 0 ? out : chain_out >> 1;
    bit_out <= chain_out[0];
  end

  core u_core(
    .clock(clock),
    .reset(in[0]), .reset_pc(in[22:1]), .irq(in[89]), .abort(in[90]),
    .i_ready(in[23]), .i_data(in[55:24]),
    .d_ready(in[56]), .d_rdata(in[88:57]),
    .i_valid(made[0]), .i_addr(made[22:1]),
    .d_valid(made[23]), .d_addr(made[47:24]), .d_write(made[48]), .d_lanes(made[52:49]),
    .d_wdata(made[84:53]),
    .wakes(made[85]), .aborted(made[86]), .pc(made[108:87])
  );
endmodule

`default_nettype wire
