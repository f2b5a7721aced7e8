// tag_ram_512x8: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module tag_ram_512x8(clock, raddr, rdata, addr, data, write, wdata);

  // Module arguments
  input wire clock;
  input wire [8:0] raddr;
  output reg [7:0] rdata;
  input wire [8:0] addr;
  output reg [7:0] data;
  input wire write;
  input wire [7:0] wdata;
  (* ram_style = "block", no_rw_check *) reg [7:0] mem [511:0];
  integer i;
  initial begin
    rdata = 0;
    data = 0;
    for (i = 0; i < 512; i = i + 1) mem[i] = 0;
  end
  always @(posedge clock) rdata <= mem[raddr];
  always @(posedge clock) begin
    data <= mem[addr];
    if (write) mem[addr] <= wdata;
  end
endmodule

`default_nettype wire
