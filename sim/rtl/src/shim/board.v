// The top of a board, seen as the simulated machine is: see harness.v. The SDRAM's pins go to its model.
//
// Levels of switches, serial line, card and radio pass a register. `clock` is what the PLL makes of the
// board's oscillator.
`default_nettype none

module board (
    input wire clock,
    input wire reset,
    input wire i_wait,
    input wire d_wait,
    input wire irq,
    input wire [11:0] switches,
    input wire uart_rx,
    input wire card_miso,
    input wire radio_miso,
    input wire radio_irq_n,
    input wire [15:0] sdram_in,
    input wire sdram_answers,
    output wire [2:0] sdram_command,
    output wire [12:0] sdram_address,
    output wire [1:0] sdram_bank,
    output wire [1:0] sdram_mask,
    output wire [15:0] sdram_out,
    output wire sdram_driven,
    output wire [7:0] leds,
    output wire uart_tx,
    output wire spi_sck,
    output wire spi_mosi,
    output wire card_select_n,
    output wire radio_select_n,
    output wire radio_enable,
    output wire idle,
    output wire trace_valid,
    output wire [21:0] trace_pc,
    output wire trace_write,
    output wire [3:0] trace_number,
    output wire [31:0] trace_value,
    output wire [3:0] trace_flags,
    output wire [31:0] trace_h,
    output wire [1:0] trace_memory,
    output wire [23:0] trace_addr,
    output wire [1:0] trace_event,
    output wire [6:0] trace_stall,
    output wire trace_store,
    output wire [23:0] trace_store_addr,
    output wire [3:0] trace_store_lanes,
    output wire [31:0] trace_store_value,
    output wire [5:0] memory_waits
);
  reg reset_r = 0;
  reg uart_rx_r = 1, card_miso_r = 1, radio_miso_r = 1, radio_irq_n_r = 1;
  reg [11:0] switches_r = 0;

  always @(posedge clock) begin
    reset_r <= reset;
    switches_r <= switches;
    uart_rx_r <= uart_rx;
    card_miso_r <= card_miso;
    radio_miso_r <= radio_miso;
    radio_irq_n_r <= radio_irq_n;
  end

  wire [15:0] data;
  wire [7:0] gpio;
  wire sdram_clk, sdram_cke, sdram_csn, rasn, casn, wen;
  wire sd_d1, sd_d2, radio_sck, radio_mosi, wifi_en, wifi_gpio0, user_programn;
  assign data = sdram_answers ? sdram_in : 16'bz;
  assign sdram_command = sdram_csn | ~sdram_cke ? 3'd7 : {rasn, casn, wen};
  assign sdram_out = data;
  assign sdram_driven = ~machine.u_sdram.released[0];

  ulx3s machine (
      .clk_25mhz(clock),
      .ftdi_rxd(uart_tx), .ftdi_txd(uart_rx_r),
      .led(leds),
      .btn({switches_r[5:4], switches_r[11:8], ~reset_r}), .sw(switches_r[3:0]),
      .sdram_clk(sdram_clk), .sdram_cke(sdram_cke), .sdram_csn(sdram_csn),
      .sdram_wen(wen), .sdram_rasn(rasn), .sdram_casn(casn),
      .sdram_a(sdram_address), .sdram_ba(sdram_bank), .sdram_dqm(sdram_mask), .sdram_d(data),
      .sd_clk(spi_sck), .sd_cmd(spi_mosi), .sd_d0(card_miso_r), .sd_d1(sd_d1), .sd_d2(sd_d2),
      .sd_d3(card_select_n),
      .wifi_en(wifi_en), .wifi_gpio0(wifi_gpio0),
      .radio_ce(radio_enable), .radio_csn(radio_select_n), .radio_sck(radio_sck),
      .radio_mosi(radio_mosi), .radio_miso(radio_miso_r), .radio_irq(radio_irq_n_r),
      .gpio(gpio), .user_programn(user_programn)
  );

  assign idle = machine.machine$idle;
  assign trace_valid = machine.machine$trace_valid;
  assign trace_pc = machine.machine$trace_pc;
  assign trace_write = machine.machine$trace_write;
  assign trace_number = machine.machine$trace_number;
  assign trace_value = machine.machine$trace_value;
  assign trace_flags = machine.machine$trace_flags;
  assign trace_h = machine.machine$trace_h;
  assign trace_memory = machine.machine$trace_memory;
  assign trace_addr = machine.machine$trace_addr;
  assign trace_event = machine.machine$trace_event;
  assign trace_stall = machine.machine$trace_stall;
  assign trace_store = machine.machine$trace_store;
  assign trace_store_addr = machine.machine$trace_store_addr;
  assign trace_store_lanes = machine.machine$trace_store_lanes;
  assign trace_store_value = machine.machine$trace_store_value;

  // Why memory holds the core in this cycle, at most one bit: a datum that is on its way; a tag out of block
  // RAM; a store, as the buffer is full, or a line is on its way; an instruction that is on its way, or the
  // first one of a jump. Waits of I/O words are not among them. Data come first where both ports wait.
  `define MEMORY machine.u_machine.u_memory
  wire io_waits = `MEMORY.io_now$q | `MEMORY.io_wait;
  wire d_waits = ~io_waits & ~`MEMORY.d_have;
  wire d_here = `MEMORY.d_fresh$q & ~`MEMORY.d_cache$unknown & ~|`MEMORY.d_cache$differs;
  wire s_waits = ~io_waits & ~d_waits & `MEMORY.s_stuck;
  wire i_waits = ~io_waits & ~d_waits & ~s_waits & ~`MEMORY.i_have;
  wire i_first = ~`MEMORY.q_valid$q & ~(`MEMORY.f_busy$q & ~`MEMORY.f_data$q);
  assign memory_waits = {
      i_waits & i_first, i_waits & ~i_first,
      s_waits & ~`MEMORY.full, s_waits & `MEMORY.full,
      d_waits & d_here, d_waits & ~d_here
  };
endmodule

`default_nettype wire
