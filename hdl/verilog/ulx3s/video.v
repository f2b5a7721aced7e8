// video: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module video(clock, clock_in, valid, addr, taken, word_valid, word, lanes);

  // Module arguments
  input wire clock;
  input wire clock_in;
  output reg valid;
  output reg [17:0] addr;
  input wire taken;
  input wire word_valid;
  input wire [31:0] word;
  output reg [3:0] lanes;

  // Stub signals
  wire pll$pixel_clock;
  wire pll$bit_clock;
  wire [10:0] raster$column;
  wire [9:0] raster$line;
  wire raster$active;
  wire raster$hsync;
  wire raster$vsync;
  wire raster$flip;
  wire [9:0] raster$wanted;
  reg fetcher$flip;
  reg [9:0] fetcher$wanted;
  wire fetcher$valid;
  wire [17:0] fetcher$addr;
  reg fetcher$taken;
  reg fetcher$word_valid;
  wire [5:0] fetcher$place;
  reg buffer$we;
  reg [5:0] buffer$waddr;
  reg [31:0] buffer$wdata;
  reg [5:0] buffer$raddr;
  wire [31:0] buffer$rdata;
  reg [7:0] blue$data;
  reg [1:0] blue$control;
  reg blue$active;
  wire [9:0] blue$word;
  reg [7:0] others$data;
  reg [1:0] others$control;
  reg others$active;
  wire [9:0] others$word;
  reg serialiser$beat;
  reg [9:0] serialiser$blue;
  reg [9:0] serialiser$others;
  wire [3:0] serialiser$first;
  wire [3:0] serialiser$second;
  reg [3:0] pads$first;
  reg [3:0] pads$second;
  wire [3:0] pads$pins;
  reg beat$d;
  wire beat$q;
  reg [4:0] point1$d;
  wire [4:0] point1$q;
  reg active1$d;
  wire active1$q;
  reg [1:0] syncs1$d;
  wire [1:0] syncs1$q;
  reg black2$d;
  wire black2$q;
  reg active2$d;
  wire active2$q;
  reg [1:0] syncs2$d;
  wire [1:0] syncs2$q;

  // Local signals
  reg [31:0] shifted;
  reg [7:0] level;

  // Sub module instances
  video_pll u_pll(
    .clock_in(clock_in),
    .pixel_clock(pll$pixel_clock),
    .bit_clock(pll$bit_clock)
  );
  raster u_raster(
    .clock(pll$pixel_clock),
    .column(raster$column),
    .line(raster$line),
    .active(raster$active),
    .hsync(raster$hsync),
    .vsync(raster$vsync),
    .flip(raster$flip),
    .wanted(raster$wanted)
  );
  fetcher u_fetcher(
    .clock(clock),
    .flip(fetcher$flip),
    .wanted(fetcher$wanted),
    .valid(fetcher$valid),
    .addr(fetcher$addr),
    .taken(fetcher$taken),
    .word_valid(fetcher$word_valid),
    .place(fetcher$place)
  );
  line_buffer u_buffer(
    .clock(clock),
    .we(buffer$we),
    .waddr(buffer$waddr),
    .wdata(buffer$wdata),
    .pixel_clock(pll$pixel_clock),
    .raddr(buffer$raddr),
    .rdata(buffer$rdata)
  );
  blue u_blue(
    .clock(pll$pixel_clock),
    .data(blue$data),
    .control(blue$control),
    .active(blue$active),
    .word(blue$word)
  );
  others u_others(
    .clock(pll$pixel_clock),
    .data(others$data),
    .control(others$control),
    .active(others$active),
    .word(others$word)
  );
  serialiser u_serialiser(
    .clock(pll$bit_clock),
    .beat(serialiser$beat),
    .blue(serialiser$blue),
    .others(serialiser$others),
    .first(serialiser$first),
    .second(serialiser$second)
  );
  gpdi_pads u_pads(
    .clock(pll$bit_clock),
    .first(pads$first),
    .second(pads$second),
    .pins(pads$pins)
  );
  reg1 u_beat(
    .clock(pll$pixel_clock),
    .d(beat$d),
    .q(beat$q)
  );
  reg5 u_point1(
    .clock(pll$pixel_clock),
    .d(point1$d),
    .q(point1$q)
  );
  reg1 u_active1(
    .clock(pll$pixel_clock),
    .d(active1$d),
    .q(active1$q)
  );
  reg2 u_syncs1(
    .clock(pll$pixel_clock),
    .d(syncs1$d),
    .q(syncs1$q)
  );
  reg1 u_black2(
    .clock(pll$pixel_clock),
    .d(black2$d),
    .q(black2$q)
  );
  reg1 u_active2(
    .clock(pll$pixel_clock),
    .d(active2$d),
    .q(active2$q)
  );
  reg2 u_syncs2(
    .clock(pll$pixel_clock),
    .d(syncs2$d),
    .q(syncs2$q)
  );

  // Logic
  always @(*) fetcher$flip = raster$flip;
  always @(*) fetcher$wanted = raster$wanted;
  always @(*) valid = fetcher$valid;
  always @(*) addr = fetcher$addr;
  always @(*) fetcher$taken = taken;
  always @(*) fetcher$word_valid = word_valid;
  always @(*) buffer$we = word_valid;
  always @(*) buffer$waddr = fetcher$place;
  always @(*) buffer$wdata = word;
  always @(*) buffer$raddr = (((raster$line[0]) & 6'h3f) << 32'h5) | ((raster$column[9:5]) & 6'h3f);
  always @(*) point1$d = raster$column[4:0];
  always @(*) active1$d = raster$active;
  always @(*) syncs1$d = ((raster$hsync) & 2'h3) | (((raster$vsync) & 2'h3) << 32'h1);
  always @(*) shifted = buffer$rdata >> point1$q;
  always @(*) black2$d = shifted[0];
  always @(*) active2$d = active1$q;
  always @(*) syncs2$d = syncs1$q;
  always @(*) begin
    level = 32'hff;
    if (black2$q) begin
      level = 32'h0;
    end
  end
  always @(*) blue$data = level;
  always @(*) blue$active = active2$q;
  always @(*) blue$control = syncs2$q;
  always @(*) others$data = level;
  always @(*) others$active = active2$q;
  always @(*) others$control = 32'h0;
  always @(*) beat$d = ~beat$q;
  always @(*) serialiser$beat = beat$q;
  always @(*) serialiser$blue = blue$word;
  always @(*) serialiser$others = others$word;
  always @(*) pads$first = serialiser$first;
  always @(*) pads$second = serialiser$second;
  always @(*) lanes = pads$pins;
endmodule

`default_nettype wire
