// line_buffer: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module line_buffer(clock, we, waddr, wdata, pixel_clock, raddr, rdata);

  // Module arguments
  input wire clock;
  input wire we;
  input wire [5:0] waddr;
  input wire [31:0] wdata;
  input wire pixel_clock;
  input wire [5:0] raddr;
  output reg [31:0] rdata;
  (* ram_style = "block", no_rw_check *) reg [31:0] mem [63:0];
  integer i;
  initial begin rdata = 0; for (i = 0; i < 64; i = i + 1) mem[i] = 0; end
  always @(posedge clock) if (we) mem[waddr] <= wdata;
  always @(posedge pixel_clock) rdata <= mem[raddr];
endmodule

`default_nettype wire
