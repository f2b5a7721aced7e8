// fetcher: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module fetcher(clock, flip, wanted, valid, addr, taken, word_valid, place);

  // Module arguments
  input wire clock;
  input wire flip;
  input wire [9:0] wanted;
  output reg valid;
  output reg [17:0] addr;
  input wire taken;
  input wire word_valid;
  output reg [5:0] place;

  // Constant declarations
  localparam top_row = 13'b1111111111101;

  // Stub signals
  reg flip1$d;
  wire flip1$q;
  reg flip2$d;
  wire flip2$q;
  reg flip3$d;
  wire flip3$q;
  reg row$en;
  reg [12:0] row$d;
  wire [12:0] row$q;
  reg half$en;
  reg half$d;
  wire half$q;
  reg [4:0] count$d;
  wire [4:0] count$q;
  reg asks$d;
  wire asks$q;

  // Local signals
  reg begins;
  reg part_ends;

  // Sub module instances
  reg1 u_flip1(
    .clock(clock),
    .d(flip1$d),
    .q(flip1$q)
  );
  reg1 u_flip2(
    .clock(clock),
    .d(flip2$d),
    .q(flip2$q)
  );
  reg1 u_flip3(
    .clock(clock),
    .d(flip3$d),
    .q(flip3$q)
  );
  reg_en13 u_row(
    .clock(clock),
    .en(row$en),
    .d(row$d),
    .q(row$q)
  );
  reg_en1 u_half(
    .clock(clock),
    .en(half$en),
    .d(half$d),
    .q(half$q)
  );
  reg5 u_count(
    .clock(clock),
    .d(count$d),
    .q(count$q)
  );
  reg1 u_asks(
    .clock(clock),
    .d(asks$d),
    .q(asks$q)
  );

  // Logic
  always @(*) flip1$d = flip;
  always @(*) flip2$d = flip1$q;
  always @(*) flip3$d = flip2$q;
  always @(*) begins = flip2$q ^ flip3$q;
  always @(*) row$en = begins;
  always @(*) row$d = top_row - ((wanted) & 13'h1fff);
  always @(*) half$en = begins;
  always @(*) half$d = wanted[0];
  always @(*) part_ends = word_valid & &count$q[2:0];
  always @(*) begin
    count$d = count$q;
    asks$d = asks$q & (~taken);
    if (word_valid) begin
      count$d = count$q + 32'h1;
    end
    if (part_ends & (~&count$q)) begin
      asks$d = 1'b1;
    end
    if (begins) begin
      count$d = 32'h0;
      asks$d = 1'b1;
    end
  end
  always @(*) valid = asks$q;
  always @(*) addr = (((row$q) & 18'h3ffff) << 32'h5) | (((count$q[4:3]) & 18'h3ffff) << 32'h3);
  always @(*) place = (((half$q) & 6'h3f) << 32'h5) | ((count$q) & 6'h3f);
endmodule

`default_nettype wire
