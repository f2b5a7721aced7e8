// Two tops of a ULX3S side by side, from the sources and after synthesis, with the same inputs. The
// memory beside them follows the first one's pins: 32 MB, CAS latency 2, bursts of eight, single
// writes. A command on the pins in one cycle is answered from the third cycle on.
`default_nettype none

module bench (
    input wire clock,
    input wire ftdi_txd,
    input wire sd_d0,
    input wire [6:0] btn,
    input wire [3:0] sw,
    output wire sd_clk,
    output wire sd_cmd,
    output wire sd_d3,
    output wire [89:0] of_source,
    output wire [89:0] of_gates
);
  wire [15:0] source_d, gates_d;
  wire [7:0] source_gpio, gates_gpio;
  wire [2:0] command;
  wire [12:0] a;
  wire [1:0] ba, dqm;

  reg [15:0] mem [0:16777215] /* verilator public_flat_rw */;
  reg [12:0] row [0:3];
  reg [2:0] left;
  reg [23:0] next;
  reg reading;
  reg [15:0] s1, s2;
  reg v1, v2;
  initial {left, reading, v1, v2, s1, s2, next} = 0;
  wire [23:0] column = {row[ba], ba, a[8:0]};

  always @(posedge clock) begin
    s2 <= s1;
    v2 <= v1;
    v1 <= 0;
    if (reading) begin
      s1 <= mem[next];
      v1 <= 1;
      next <= {next[23:3], next[2:0] + 3'd1};
      left <= left - 1;
      if (left == 1) reading <= 0;
    end
    case (command)
      3'b011: row[ba] <= a;
      3'b101: begin
        s1 <= mem[column];
        v1 <= 1;
        next <= {column[23:3], column[2:0] + 3'd1};
        left <= 7;
        reading <= 1;
      end
      3'b100: begin
        reading <= 0;
        v1 <= 0;
        if (!dqm[0]) mem[column][7:0] <= source_d[7:0];
        if (!dqm[1]) mem[column][15:8] <= source_d[15:8];
      end
      3'b110: reading <= 0;
      default: ;
    endcase
  end
  assign source_d = v2 ? s2 : 16'bz;
  assign gates_d = v2 ? s2 : 16'bz;
  assign command = of_source[2:0];
  assign a = of_source[15:3];
  assign ba = of_source[17:16];
  assign dqm = of_source[19:18];
  assign {sd_d3, sd_cmd, sd_clk} = of_source[22:20];

`define PINS(vector, data, pads) \
      .clk_25mhz(clock), .ftdi_txd(ftdi_txd), .btn(btn), .sw(sw), .sd_d0(sd_d0), \
      .radio_miso(1'b1), .radio_irq(1'b1), .gpio(pads), .sdram_d(data), \
      .sdram_wen(vector[0]), .sdram_casn(vector[1]), .sdram_rasn(vector[2]), \
      .sdram_a(vector[15:3]), .sdram_ba(vector[17:16]), .sdram_dqm(vector[19:18]), \
      .sd_clk(vector[20]), .sd_cmd(vector[21]), .sd_d3(vector[22]), .sd_d1(vector[23]), \
      .sd_d2(vector[24]), .sdram_clk(vector[25]), .sdram_cke(vector[26]), .sdram_csn(vector[27]), \
      .led(vector[35:28]), .ftdi_rxd(vector[36]), .wifi_en(vector[37]), .wifi_gpio0(vector[38]), \
      .radio_ce(vector[39]), .radio_csn(vector[40]), .radio_sck(vector[41]), .radio_mosi(vector[42]), \
      .user_programn(vector[43])

  ulx3s source (`PINS(of_source, source_d, source_gpio));
  ulx3s_gates gates (`PINS(of_gates, gates_d, gates_gpio));
  assign of_source[89:44] = {22'b0, source_gpio, source_d};
  assign of_gates[89:44] = {22'b0, gates_gpio, gates_d};
endmodule

`default_nettype wire
