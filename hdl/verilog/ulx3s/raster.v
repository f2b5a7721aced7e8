// raster: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module raster(clock, column, line, active, hsync, vsync, flip, wanted);

  // Module arguments
  input wire clock;
  output reg [10:0] column;
  output reg [9:0] line;
  output reg active;
  output reg hsync;
  output reg vsync;
  output reg flip;
  output reg [9:0] wanted;

  // Constant declarations
  localparam columns = 11'b10000000000;
  localparam hsync_from = 11'b10000011000;
  localparam hsync_end = 11'b10010100000;
  localparam last_column = 11'b10100111111;
  localparam lines = 10'b1100000000;
  localparam vsync_from = 10'b1100000011;
  localparam vsync_end = 10'b1100001001;
  localparam last_visible = 10'b1011111111;
  localparam last_line = 10'b1100100101;

  // Stub signals
  reg [10:0] h$d;
  wire [10:0] h$q;
  reg [9:0] v$d;
  wire [9:0] v$q;
  reg flipped$d;
  wire flipped$q;
  reg next$en;
  reg [9:0] next$d;
  wire [9:0] next$q;

  // Local signals
  reg line_ends;
  reg picture_ends;
  reg asks;

  // Sub module instances
  reg11 u_h(
    .clock(clock),
    .d(h$d),
    .q(h$q)
  );
  reg10 u_v(
    .clock(clock),
    .d(v$d),
    .q(v$q)
  );
  reg1 u_flipped(
    .clock(clock),
    .d(flipped$d),
    .q(flipped$q)
  );
  reg_en10 u_next(
    .clock(clock),
    .en(next$en),
    .d(next$d),
    .q(next$q)
  );

  // Logic
  always @(*) line_ends = h$q == last_column;
  always @(*) picture_ends = v$q == last_line;
  always @(*) begin
    h$d = h$q + 32'h1;
    v$d = v$q;
    if (line_ends) begin
      h$d = 32'h0;
      v$d = v$q + 32'h1;
      if (picture_ends) begin
        v$d = 32'h0;
      end
    end
  end
  always @(*) column = h$q;
  always @(*) line = v$q;
  always @(*) active = (h$q < columns) & (v$q < lines);
  always @(*) hsync = (h$q < hsync_from) | (h$q >= hsync_end);
  always @(*) vsync = (v$q < vsync_from) | (v$q >= vsync_end);
  always @(*) asks = (h$q == 32'h0) & ((v$q < last_visible) | picture_ends);
  always @(*) next$en = asks;
  always @(*) begin
    next$d = v$q + 32'h1;
    if (picture_ends) begin
      next$d = 32'h0;
    end
  end
  always @(*) flipped$d = flipped$q ^ asks;
  always @(*) flip = flipped$q;
  always @(*) wanted = next$q;
endmodule

`default_nettype wire
