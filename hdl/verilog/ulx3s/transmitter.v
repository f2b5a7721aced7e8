// transmitter: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module transmitter(clock, divider, start, data, ready, tx);

  // Module arguments
  input wire clock;
  input wire [15:0] divider;
  input wire start;
  input wire [7:0] data;
  output reg ready;
  output reg tx;

  // Stub signals
  reg [8:0] shift$d;
  wire [8:0] shift$q;
  reg [3:0] bits_left$d;
  wire [3:0] bits_left$q;
  reg [15:0] count$d;
  wire [15:0] count$q;

  // Local signals
  reg busy;
  reg [15:0] last;

  // Sub module instances
  reg9 u_shift(
    .clock(clock),
    .d(shift$d),
    .q(shift$q)
  );
  reg4 u_bits_left(
    .clock(clock),
    .d(bits_left$d),
    .q(bits_left$q)
  );
  reg16 u_count(
    .clock(clock),
    .d(count$d),
    .q(count$q)
  );

  // Logic
  always @(*) busy = |bits_left$q;
  always @(*) ready = ~busy;
  always @(*) tx = shift$q[0] | (~busy);
  always @(*) last = divider - 32'h1;
  always @(*) begin
    shift$d = shift$q;
    bits_left$d = bits_left$q;
    count$d = 32'h0;
    if ((~busy) & start) begin
      shift$d = ((data) & 9'h1ff) << 32'h1;
      bits_left$d = 32'ha;
    end
    else if (busy & (count$q == last)) begin
      shift$d = (shift$q >> 32'h1) | 32'h100;
      bits_left$d = bits_left$q - 32'h1;
    end
    else if (busy) begin
      count$d = count$q + 32'h1;
    end
  end
endmodule

`default_nettype wire
