// registers: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module registers(clock, a, b, c, a_value, b_value, c_value, write, number, value);

  // Module arguments
  input wire clock;
  input wire [3:0] a;
  input wire [3:0] b;
  input wire [3:0] c;
  output reg [31:0] a_value;
  output reg [31:0] b_value;
  output reg [31:0] c_value;
  input wire write;
  input wire [3:0] number;
  input wire [31:0] value;

  // Stub signals
  reg [3:0] ram_a$raddr;
  wire [31:0] ram_a$rdata;
  reg [3:0] ram_a$waddr;
  reg [31:0] ram_a$wdata;
  reg ram_a$we;
  reg [3:0] ram_b$raddr;
  wire [31:0] ram_b$rdata;
  reg [3:0] ram_b$waddr;
  reg [31:0] ram_b$wdata;
  reg ram_b$we;
  reg [3:0] ram_c$raddr;
  wire [31:0] ram_c$rdata;
  reg [3:0] ram_c$waddr;
  reg [31:0] ram_c$wdata;
  reg ram_c$we;

  // Sub module instances
  async_ram_16x32 u_ram_a(
    .clock(clock),
    .raddr(ram_a$raddr),
    .rdata(ram_a$rdata),
    .waddr(ram_a$waddr),
    .wdata(ram_a$wdata),
    .we(ram_a$we)
  );
  async_ram_16x32 u_ram_b(
    .clock(clock),
    .raddr(ram_b$raddr),
    .rdata(ram_b$rdata),
    .waddr(ram_b$waddr),
    .wdata(ram_b$wdata),
    .we(ram_b$we)
  );
  async_ram_16x32 u_ram_c(
    .clock(clock),
    .raddr(ram_c$raddr),
    .rdata(ram_c$rdata),
    .waddr(ram_c$waddr),
    .wdata(ram_c$wdata),
    .we(ram_c$we)
  );

  // Logic
  always @(*) ram_a$raddr = a;
  always @(*) ram_b$raddr = b;
  always @(*) ram_c$raddr = c;
  always @(*) ram_a$we = write;
  always @(*) ram_b$we = write;
  always @(*) ram_c$we = write;
  always @(*) ram_a$waddr = number;
  always @(*) ram_b$waddr = number;
  always @(*) ram_c$waddr = number;
  always @(*) ram_a$wdata = value;
  always @(*) ram_b$wdata = value;
  always @(*) ram_c$wdata = value;
  always @(*) a_value = ram_a$rdata;
  always @(*) b_value = ram_b$rdata;
  always @(*) c_value = ram_c$rdata;
endmodule

`default_nettype wire
