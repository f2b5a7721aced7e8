// A circuit from its source and after synthesis, with the same random inputs.
`default_nettype none

module bench (
    input wire clock,
    input wire [63:0] in,
    output wire [63:0] of_source,
    output wire [63:0] of_gates
);
  unit source (.clock(clock), .in(in), .out(of_source));
  unit_gates gates (.clock(clock), .in(in), .out(of_gates));
endmodule

`default_nettype wire
