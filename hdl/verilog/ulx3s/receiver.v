// receiver: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module receiver(clock, divider, limit, overwrite, rx, take, waits, data);

  // Module arguments
  input wire clock;
  input wire [15:0] divider;
  input wire [8:0] limit;
  input wire overwrite;
  input wire rx;
  input wire take;
  output reg waits;
  output reg [7:0] data;

  // Stub signals
  reg [7:0] fifo$raddr;
  wire [7:0] fifo$rdata;
  reg [7:0] fifo$waddr;
  reg [7:0] fifo$wdata;
  reg fifo$we;
  reg [7:0] first$d;
  wire [7:0] first$q;
  reg [8:0] held$d;
  wire [8:0] held$q;
  reg [1:0] sync$d;
  wire [1:0] sync$q;
  reg [7:0] shift$d;
  wire [7:0] shift$q;
  reg [3:0] phase$d;
  wire [3:0] phase$q;
  reg [15:0] count$d;
  wire [15:0] count$q;

  // Local signals
  reg low;
  reg line;
  reg [15:0] last;
  reg [15:0] middle;
  reg sample;
  reg arrived;
  reg full;
  reg push;
  reg pop;
  reg [7:0] past;

  // Sub module instances
  async_ram_256x8 u_fifo(
    .clock(clock),
    .raddr(fifo$raddr),
    .rdata(fifo$rdata),
    .waddr(fifo$waddr),
    .wdata(fifo$wdata),
    .we(fifo$we)
  );
  reg8 u_first(
    .clock(clock),
    .d(first$d),
    .q(first$q)
  );
  reg9 u_held(
    .clock(clock),
    .d(held$d),
    .q(held$q)
  );
  reg2 u_sync(
    .clock(clock),
    .d(sync$d),
    .q(sync$q)
  );
  reg8 u_shift(
    .clock(clock),
    .d(shift$d),
    .q(shift$q)
  );
  reg4 u_phase(
    .clock(clock),
    .d(phase$d),
    .q(phase$q)
  );
  reg16 u_count(
    .clock(clock),
    .d(count$d),
    .q(count$q)
  );

  // Logic
  always @(*) low = ~rx;
  always @(*) sync$d = (sync$q << 32'h1) | ((low) & 2'h3);
  always @(*) line = ~sync$q[1];
  always @(*) last = divider - 32'h1;
  always @(*) middle = divider >> 32'h1;
  always @(*) sample = count$q == middle;
  always @(*) begin
    shift$d = shift$q;
    phase$d = phase$q;
    count$d = count$q + 32'h1;
    if (count$q == last) begin
      count$d = 32'h0;
    end
    arrived = 1'b0;
    if (phase$q == 32'h0) begin
      count$d = 32'h0;
      if (~line) begin
        phase$d = 32'h1;
      end
    end
    else if (phase$q == 32'h1) begin
      if (sample & line) begin
        phase$d = 32'h0;
      end
      else if (sample) begin
        phase$d = 32'h2;
      end
    end
    else if (sample & (phase$q == 32'ha)) begin
      arrived = line;
      phase$d = 32'hb;
    end
    else if (sample & (phase$q != 32'hb)) begin
      shift$d = (shift$q >> 32'h1) | (((line) & 8'hff) << 32'h7);
      phase$d = phase$q + 32'h1;
    end
    else if (phase$q == 32'hb) begin
      if (line) begin
        phase$d = 32'h0;
      end
    end
  end
  always @(*) waits = |held$q;
  always @(*) full = held$q == limit;
  always @(*) push = arrived & ((~full) | overwrite);
  always @(*) pop = (take & |held$q) | (arrived & full & overwrite & (~take));
  always @(*) past = first$q + held$q[7:0];
  always @(*) fifo$raddr = first$q;
  always @(*) fifo$waddr = past;
  always @(*) fifo$wdata = shift$q;
  always @(*) fifo$we = push;
  always @(*) begin
    data = 32'h0;
    if (|held$q) begin
      data = fifo$rdata;
    end
  end
  always @(*) begin
    first$d = first$q;
    if (pop) begin
      first$d = first$q + 32'h1;
    end
  end
  always @(*) begin
    held$d = held$q;
    if (push & (~pop)) begin
      held$d = held$q + 32'h1;
    end
    else if (pop & (~push)) begin
      held$d = held$q - 32'h1;
    end
  end
endmodule

`default_nettype wire
