// main_memory_262144: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top sim-compat
// Do not edit.
`default_nettype none

module main_memory_262144(clock, i_en, i_addr, i_data, d_en, d_write, d_lanes, d_addr, d_wdata, d_rdata);

  // Module arguments
  input wire clock;
  input wire i_en;
  input wire [17:0] i_addr;
  output reg [31:0] i_data;
  input wire d_en;
  input wire d_write;
  input wire [3:0] d_lanes;
  input wire [17:0] d_addr;
  input wire [31:0] d_wdata;
  output reg [31:0] d_rdata;
  reg [31:0] mem [262143:0] /* verilator public_flat_rw */;
  initial begin i_data = 0; d_rdata = 0; end
  always @(posedge clock) if (i_en) i_data <= mem[i_addr];
  always @(posedge clock) if (d_en) begin
    d_rdata <= mem[d_addr];
    if (d_write && d_lanes[0]) mem[d_addr][7:0] <= d_wdata[7:0];
    if (d_write && d_lanes[1]) mem[d_addr][15:8] <= d_wdata[15:8];
    if (d_write && d_lanes[2]) mem[d_addr][23:16] <= d_wdata[23:16];
    if (d_write && d_lanes[3]) mem[d_addr][31:24] <= d_wdata[31:24];
  end
endmodule

`default_nettype wire
