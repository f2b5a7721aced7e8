// A ULX3S's top with a picture, its memory beside it, and nothing on its other pins. The memory is that
// of gates/ulx3s.sv: 32 MB, CAS latency 2, bursts of eight, single writes.
`default_nettype none

module bench (
    input wire clock,
    input wire pixel_clock,
    input wire bit_clock,
    output wire [3:0] lanes,
    output reg [31:0] lines_read,
    output reg [31:0] writes
);
  wire [15:0] d;
  wire [7:0] gpio, led;
  wire wen, casn, rasn, csn, cke, clk;
  wire [12:0] a;
  wire [1:0] ba, dqm;
  wire uart, sd_clk, sd_cmd, sd_d1, sd_d2, sd_d3, wifi_en, wifi_gpio0, programn;
  wire radio_ce, radio_csn, radio_sck, radio_mosi;

  reg [15:0] mem [0:16777215] /* verilator public_flat_rw */;
  reg [12:0] row [0:3];
  reg [2:0] left;
  reg [23:0] next;
  reg reading;
  reg [15:0] s1, s2;
  reg v1, v2;
  initial {lines_read, writes, left, reading, v1, v2, s1, s2, next} = 0;
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
    case ({rasn, casn, wen})
      3'b011: row[ba] <= a;
      3'b101: begin
        lines_read <= lines_read + {31'd0, a[3]};
        s1 <= mem[column];
        v1 <= 1;
        next <= {column[23:3], column[2:0] + 3'd1};
        left <= 7;
        reading <= 1;
      end
      3'b100: begin
        writes <= writes + 1;
        reading <= 0;
        v1 <= 0;
        if (!dqm[0]) mem[column][7:0] <= d[7:0];
        if (!dqm[1]) mem[column][15:8] <= d[15:8];
      end
      3'b110: reading <= 0;
      default: ;
    endcase
  end
  assign d = v2 ? s2 : 16'bz;

  ulx3s_hdmi machine (
      .clk_25mhz(clock), .ftdi_txd(1'b1), .ftdi_rxd(uart), .btn(7'd1), .sw(4'd0), .led(led),
      .sd_d0(1'b1), .sd_clk(sd_clk), .sd_cmd(sd_cmd), .sd_d1(sd_d1), .sd_d2(sd_d2), .sd_d3(sd_d3),
      .wifi_en(wifi_en), .wifi_gpio0(wifi_gpio0),
      .radio_ce(radio_ce), .radio_csn(radio_csn), .radio_sck(radio_sck), .radio_mosi(radio_mosi),
      .radio_miso(1'b1), .radio_irq(1'b1), .gpio(gpio), .user_programn(programn),
      .sdram_clk(clk), .sdram_cke(cke), .sdram_csn(csn), .sdram_wen(wen), .sdram_rasn(rasn),
      .sdram_casn(casn), .sdram_a(a), .sdram_ba(ba), .sdram_dqm(dqm), .sdram_d(d),
      .gpdi_dp(lanes)
  );
endmodule

`default_nettype wire
