// The machine with a register behind every input.
//
// What hangs on an input is evaluated at every call of the model, clock edge or not. Behind registers
// nothing does, and the machine's logic is evaluated once a cycle. What the outside sets is seen one
// cycle later.
`default_nettype none

module harness (
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
    input wire [7:0] gpio_in,
    output wire [7:0] leds,
    output wire uart_tx,
    output wire spi_sck,
    output wire spi_mosi,
    output wire card_select_n,
    output wire radio_select_n,
    output wire radio_enable,
    output wire [7:0] gpio_out,
    output wire [7:0] gpio_drive,
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
    output wire [31:0] trace_store_value
);
  reg reset_r = 0, i_wait_r = 0, d_wait_r = 0, irq_r = 0;
  reg uart_rx_r = 1, card_miso_r = 1, radio_miso_r = 1, radio_irq_n_r = 1;
  reg [11:0] switches_r = 0;
  reg [7:0] gpio_in_r = 0;

  always @(posedge clock) begin
    reset_r <= reset;
    i_wait_r <= i_wait;
    d_wait_r <= d_wait;
    irq_r <= irq;
    switches_r <= switches;
    uart_rx_r <= uart_rx;
    card_miso_r <= card_miso;
    radio_miso_r <= radio_miso;
    radio_irq_n_r <= radio_irq_n;
    gpio_in_r <= gpio_in;
  end

  `MACHINE machine (
      .reset(reset_r),
      .i_wait(i_wait_r),
      .d_wait(d_wait_r),
      .irq(irq_r),
      .switches(switches_r),
      .uart_rx(uart_rx_r),
      .card_miso(card_miso_r),
      .radio_miso(radio_miso_r),
      .radio_irq_n(radio_irq_n_r),
      .gpio_in(gpio_in_r),
      .*
  );
endmodule

`default_nettype wire
