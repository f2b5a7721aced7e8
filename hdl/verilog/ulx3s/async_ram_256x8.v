// async_ram_256x8: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module async_ram_256x8(clock, raddr, rdata, waddr, wdata, we);

  // Module arguments
  input wire clock;
  input wire [7:0] raddr;
  output reg [7:0] rdata;
  input wire [7:0] waddr;
  input wire [7:0] wdata;
  input wire we;
  reg [7:0] mem [255:0];
  integer i;
  initial for (i = 0; i < 256; i = i + 1) mem[i] = 0;
  always @(*) rdata = mem[raddr];
  always @(posedge clock) if (we) mem[waddr] <= wdata;
endmodule

`default_nettype wire
