// recent: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module recent(clock, addr, known, write, line, present);

  // Module arguments
  input wire clock;
  input wire [17:0] addr;
  output reg known;
  input wire write;
  input wire [17:0] line;
  input wire present;

  // Stub signals
  reg [3:0] bank0$raddr;
  wire [9:0] bank0$rdata;
  reg [3:0] bank0$waddr;
  reg [9:0] bank0$wdata;
  reg bank0$we;
  reg [3:0] bank1$raddr;
  wire [9:0] bank1$rdata;
  reg [3:0] bank1$waddr;
  reg [9:0] bank1$wdata;
  reg bank1$we;
  reg [3:0] bank2$raddr;
  wire [9:0] bank2$rdata;
  reg [3:0] bank2$waddr;
  reg [9:0] bank2$wdata;
  reg bank2$we;
  reg [3:0] bank3$raddr;
  wire [9:0] bank3$rdata;
  reg [3:0] bank3$waddr;
  reg [9:0] bank3$wdata;
  reg bank3$we;

  // Local signals
  reg [3:0] place;
  reg [1:0] bank;
  reg found0;
  reg found1;
  reg found2;
  reg found3;
  reg [3:0] line_place;
  reg [1:0] line_bank;
  reg [9:0] line_entry;
  reg [8:0] upper;
  reg [9:0] wanted;
  reg [8:0] line_upper;

  // Sub module instances
  async_ram_16x10 u_bank0(
    .clock(clock),
    .raddr(bank0$raddr),
    .rdata(bank0$rdata),
    .waddr(bank0$waddr),
    .wdata(bank0$wdata),
    .we(bank0$we)
  );
  async_ram_16x10 u_bank1(
    .clock(clock),
    .raddr(bank1$raddr),
    .rdata(bank1$rdata),
    .waddr(bank1$waddr),
    .wdata(bank1$wdata),
    .we(bank1$we)
  );
  async_ram_16x10 u_bank2(
    .clock(clock),
    .raddr(bank2$raddr),
    .rdata(bank2$rdata),
    .waddr(bank2$waddr),
    .wdata(bank2$wdata),
    .we(bank2$we)
  );
  async_ram_16x10 u_bank3(
    .clock(clock),
    .raddr(bank3$raddr),
    .rdata(bank3$rdata),
    .waddr(bank3$waddr),
    .wdata(bank3$wdata),
    .we(bank3$we)
  );

  // Logic
  always @(*) place = addr[6:3];
  always @(*) bank = addr[8:7];
  always @(*) upper = addr[17:9];
  always @(*) wanted = (((upper) & 10'h3ff) << 32'h1) | 32'h1;
  always @(*) bank0$raddr = place;
  always @(*) bank1$raddr = place;
  always @(*) bank2$raddr = place;
  always @(*) bank3$raddr = place;
  always @(*) found0 = (bank == 32'h0) & (bank0$rdata == wanted);
  always @(*) found1 = (bank == 32'h1) & (bank1$rdata == wanted);
  always @(*) found2 = (bank == 32'h2) & (bank2$rdata == wanted);
  always @(*) found3 = (bank == 32'h3) & (bank3$rdata == wanted);
  always @(*) known = found0 | found1 | found2 | found3;
  always @(*) line_place = line[6:3];
  always @(*) line_bank = line[8:7];
  always @(*) line_upper = line[17:9];
  always @(*) line_entry = (((line_upper) & 10'h3ff) << 32'h1) | ((present) & 10'h3ff);
  always @(*) bank0$waddr = line_place;
  always @(*) bank1$waddr = line_place;
  always @(*) bank2$waddr = line_place;
  always @(*) bank3$waddr = line_place;
  always @(*) bank0$wdata = line_entry;
  always @(*) bank1$wdata = line_entry;
  always @(*) bank2$wdata = line_entry;
  always @(*) bank3$wdata = line_entry;
  always @(*) bank0$we = write & (line_bank == 32'h0);
  always @(*) bank1$we = write & (line_bank == 32'h1);
  always @(*) bank2$we = write & (line_bank == 32'h2);
  always @(*) bank3$we = write & (line_bank == 32'h3);
endmodule

`default_nettype wire
