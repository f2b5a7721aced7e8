// lane_ram_4096: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module lane_ram_4096(clock, raddr, rdata, lanes, waddr, wdata);

  // Module arguments
  input wire clock;
  input wire [11:0] raddr;
  output reg [31:0] rdata;
  input wire [3:0] lanes;
  input wire [11:0] waddr;
  input wire [31:0] wdata;
  (* ram_style = "block", no_rw_check *) reg [31:0] mem [4095:0];
  integer i;
  initial begin rdata = 0; for (i = 0; i < 4096; i = i + 1) mem[i] = 0; end
  always @(posedge clock) rdata <= mem[raddr];
  always @(posedge clock) begin
    if (lanes[0]) mem[waddr][7:0] <= wdata[7:0];
    if (lanes[1]) mem[waddr][15:8] <= wdata[15:8];
    if (lanes[2]) mem[waddr][23:16] <= wdata[23:16];
    if (lanes[3]) mem[waddr][31:24] <= wdata[31:24];
  end
endmodule

`default_nettype wire
