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
  reg [5:0] lines$raddr;
  wire [9:0] lines$rdata;
  reg [5:0] lines$waddr;
  reg [9:0] lines$wdata;
  reg lines$we;

  // Local signals
  reg [8:0] upper;
  reg [9:0] wanted;
  reg [8:0] line_upper;

  // Sub module instances
  async_ram_64x10 u_lines(
    .clock(clock),
    .raddr(lines$raddr),
    .rdata(lines$rdata),
    .waddr(lines$waddr),
    .wdata(lines$wdata),
    .we(lines$we)
  );

  // Logic
  always @(*) lines$raddr = addr[8:3];
  always @(*) upper = addr[17:9];
  always @(*) wanted = (((upper) & 10'h3ff) << 32'h1) | 32'h1;
  always @(*) known = lines$rdata == wanted;
  always @(*) lines$we = write;
  always @(*) lines$waddr = line[8:3];
  always @(*) line_upper = line[17:9];
  always @(*) lines$wdata = (((line_upper) & 10'h3ff) << 32'h1) | ((present) & 10'h3ff);
endmodule

`default_nettype wire
