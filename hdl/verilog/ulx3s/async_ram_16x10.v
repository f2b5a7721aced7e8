// async_ram_16x10: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module async_ram_16x10(clock, raddr, rdata, waddr, wdata, we);

  // Module arguments
  input wire clock;
  input wire [3:0] raddr;
  output reg [9:0] rdata;
  input wire [3:0] waddr;
  input wire [9:0] wdata;
  input wire we;
  reg [9:0] mem [15:0];
  integer i;
  initial for (i = 0; i < 16; i = i + 1) mem[i] = 0;
  always @(*) rdata = mem[raddr];
  always @(posedge clock) if (we) mem[waddr] <= wdata;
endmodule

`default_nettype wire
