// spi: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module spi(clock, start, fast, divider, data_out, data, ready, sck, mosi, miso);

  // Module arguments
  input wire clock;
  input wire start;
  input wire fast;
  input wire [15:0] divider;
  input wire [31:0] data_out;
  output reg [31:0] data;
  output reg ready;
  output reg sck;
  output reg mosi;
  input wire miso;

  // Stub signals
  reg [31:0] shift$d;
  wire [31:0] shift$q;
  reg [5:0] bits_left$d;
  wire [5:0] bits_left$q;
  reg [15:0] count$d;
  wire [15:0] count$q;
  reg high$d;
  wire high$q;

  // Local signals
  reg busy;
  reg [15:0] next;
  reg [15:0] half;
  reg at_end;
  reg [15:0] last;
  reg [31:0] moved;
  reg [31:0] carried;

  // Sub module instances
  reg32_from_ffffffff u_shift(
    .clock(clock),
    .d(shift$d),
    .q(shift$q)
  );
  reg6 u_bits_left(
    .clock(clock),
    .d(bits_left$d),
    .q(bits_left$q)
  );
  reg16 u_count(
    .clock(clock),
    .d(count$d),
    .q(count$q)
  );
  reg1 u_high(
    .clock(clock),
    .d(high$d),
    .q(high$q)
  );

  // Logic
  always @(*) busy = |bits_left$q;
  always @(*) ready = ~busy;
  always @(*) sck = high$q;
  always @(*) mosi = shift$q[7] | (~busy);
  always @(*) begin
    data = shift$q;
    if (~fast) begin
      data = shift$q & 32'hff;
    end
  end
  always @(*) last = divider - 32'h1;
  always @(*) half = divider >> 32'h1;
  always @(*) at_end = count$q == last;
  always @(*) next = count$q + 32'h1;
  always @(*) moved = (shift$q << 32'h1) & 32'hfefefefe;
  always @(*) begin
    carried = ((miso) & 32'hffffffff);
    if (fast) begin
      carried = (((miso) & 32'hffffffff) << 32'h18) | (((shift$q[31]) & 32'hffffffff) << 32'h10) | (((shift$q[23]) & 32'hffffffff) << 32'h8) | ((shift$q[15]) & 32'hffffffff);
    end
  end
  always @(*) begin
    shift$d = shift$q;
    bits_left$d = bits_left$q;
    count$d = 32'h0;
    high$d = 1'b0;
    if (start) begin
      shift$d = data_out;
      bits_left$d = 32'h8;
      if (fast) begin
        bits_left$d = 32'h20;
      end
    end
    else if (busy & at_end) begin
      shift$d = moved | carried;
      bits_left$d = bits_left$q - 32'h1;
    end
    else if (busy) begin
      count$d = next;
      high$d = next >= half;
    end
  end
endmodule

`default_nettype wire
