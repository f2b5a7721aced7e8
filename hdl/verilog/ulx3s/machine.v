// machine: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module machine(clock, enable, reset, video_valid, video_addr, video_taken, video_word_valid, video_word, command, address, bank, mask, write_data, drive, read_data, leds, switches, uart_rx, uart_tx, spi_sck, spi_mosi, card_miso, card_select_n, radio_miso, radio_select_n, radio_enable, radio_irq_n, gpio_in, gpio_out, gpio_drive, idle, trace_valid, trace_pc, trace_write, trace_number, trace_value, trace_flags, trace_h, trace_memory, trace_addr, trace_event, trace_stall, trace_store, trace_store_addr, trace_store_lanes, trace_store_value);

  // Module arguments
  input wire clock;
  input wire enable;
  input wire reset;
  input wire video_valid;
  input wire [17:0] video_addr;
  output reg video_taken;
  output reg video_word_valid;
  output reg [31:0] video_word;
  output reg [2:0] command;
  output reg [12:0] address;
  output reg [1:0] bank;
  output reg [1:0] mask;
  output reg [15:0] write_data;
  output reg drive;
  input wire [15:0] read_data;
  output reg [7:0] leds;
  input wire [11:0] switches;
  input wire uart_rx;
  output reg uart_tx;
  output reg spi_sck;
  output reg spi_mosi;
  input wire card_miso;
  output reg card_select_n;
  input wire radio_miso;
  output reg radio_select_n;
  output reg radio_enable;
  input wire radio_irq_n;
  input wire [7:0] gpio_in;
  output reg [7:0] gpio_out;
  output reg [7:0] gpio_drive;
  output reg idle;
  output reg trace_valid;
  output reg [21:0] trace_pc;
  output reg trace_write;
  output reg [3:0] trace_number;
  output reg [31:0] trace_value;
  output reg [3:0] trace_flags;
  output reg [31:0] trace_h;
  output reg [1:0] trace_memory;
  output reg [23:0] trace_addr;
  output reg [1:0] trace_event;
  output reg [6:0] trace_stall;
  output reg trace_store;
  output reg [23:0] trace_store_addr;
  output reg [3:0] trace_store_lanes;
  output reg [31:0] trace_store_value;

  // Constant declarations
  localparam reset_pc = 22'h3ff800;

  // Stub signals
  reg core$reset;
  reg [21:0] core$reset_pc;
  wire core$i_valid;
  wire [21:0] core$i_addr;
  wire core$i_turn;
  wire [21:0] core$i_target;
  reg core$i_ready;
  reg [31:0] core$i_data;
  wire core$d_valid;
  wire [23:0] core$d_addr;
  wire [23:0] core$s_addr;
  wire core$d_write;
  wire [3:0] core$d_lanes;
  wire [31:0] core$d_wdata;
  wire [31:0] core$s_value;
  reg core$d_ready;
  reg [31:0] core$d_rdata;
  reg core$irq;
  wire core$wakes;
  reg core$abort;
  wire core$aborted;
  wire [21:0] core$pc;
  wire core$trace_valid;
  wire [21:0] core$trace_pc;
  wire core$trace_write;
  wire [3:0] core$trace_number;
  wire [31:0] core$trace_value;
  wire [3:0] core$trace_flags;
  wire [31:0] core$trace_h;
  wire [1:0] core$trace_memory;
  wire [23:0] core$trace_addr;
  wire [1:0] core$trace_event;
  wire [6:0] core$trace_stall;
  reg bus$access;
  reg bus$write;
  reg [3:0] bus$word;
  reg [31:0] bus$wdata;
  wire [31:0] bus$rdata;
  wire bus$tick;
  reg bus$wakes;
  wire bus$waiting;
  wire bus$abort;
  reg bus$aborted;
  reg [21:0] bus$pc;
  wire [7:0] bus$leds;
  reg [11:0] bus$switches;
  reg bus$uart_rx;
  wire bus$uart_tx;
  wire bus$spi_sck;
  wire bus$spi_mosi;
  reg bus$card_miso;
  wire bus$card_select_n;
  reg bus$radio_miso;
  wire bus$radio_select_n;
  wire bus$radio_enable;
  reg bus$radio_irq_n;
  reg [7:0] bus$gpio_in;
  wire [7:0] bus$gpio_out;
  wire [7:0] bus$gpio_drive;
  reg memory$enable;
  reg memory$i_valid;
  reg memory$i_turn;
  reg [21:0] memory$i_target;
  wire memory$i_ready;
  wire [31:0] memory$i_data;
  reg memory$d_valid;
  reg [23:0] memory$d_addr;
  reg memory$d_write;
  reg [3:0] memory$d_lanes;
  wire memory$d_ready;
  wire [31:0] memory$d_rdata;
  reg [23:0] memory$s_addr;
  reg [31:0] memory$s_value;
  wire memory$io_access;
  wire memory$io_write;
  wire [3:0] memory$io_word;
  wire [31:0] memory$io_wdata;
  reg [31:0] memory$io_rdata;
  reg memory$io_wait;
  reg memory$video_valid;
  reg [17:0] memory$video_addr;
  wire memory$video_taken;
  wire memory$video_word_valid;
  wire [31:0] memory$video_word;
  wire [2:0] memory$command;
  wire [12:0] memory$address;
  wire [1:0] memory$bank;
  wire [1:0] memory$mask;
  wire [15:0] memory$write_data;
  wire memory$drive;
  reg [15:0] memory$read_data;

  // Sub module instances
  core u_core(
    .clock(clock),
    .reset(core$reset),
    .reset_pc(core$reset_pc),
    .i_valid(core$i_valid),
    .i_addr(core$i_addr),
    .i_turn(core$i_turn),
    .i_target(core$i_target),
    .i_ready(core$i_ready),
    .i_data(core$i_data),
    .d_valid(core$d_valid),
    .d_addr(core$d_addr),
    .s_addr(core$s_addr),
    .d_write(core$d_write),
    .d_lanes(core$d_lanes),
    .d_wdata(core$d_wdata),
    .s_value(core$s_value),
    .d_ready(core$d_ready),
    .d_rdata(core$d_rdata),
    .irq(core$irq),
    .wakes(core$wakes),
    .abort(core$abort),
    .aborted(core$aborted),
    .pc(core$pc),
    .trace_valid(core$trace_valid),
    .trace_pc(core$trace_pc),
    .trace_write(core$trace_write),
    .trace_number(core$trace_number),
    .trace_value(core$trace_value),
    .trace_flags(core$trace_flags),
    .trace_h(core$trace_h),
    .trace_memory(core$trace_memory),
    .trace_addr(core$trace_addr),
    .trace_event(core$trace_event),
    .trace_stall(core$trace_stall)
  );
  bus u_bus(
    .clock(clock),
    .access(bus$access),
    .write(bus$write),
    .word(bus$word),
    .wdata(bus$wdata),
    .rdata(bus$rdata),
    .tick(bus$tick),
    .wakes(bus$wakes),
    .waiting(bus$waiting),
    .abort(bus$abort),
    .aborted(bus$aborted),
    .pc(bus$pc),
    .leds(bus$leds),
    .switches(bus$switches),
    .uart_rx(bus$uart_rx),
    .uart_tx(bus$uart_tx),
    .spi_sck(bus$spi_sck),
    .spi_mosi(bus$spi_mosi),
    .card_miso(bus$card_miso),
    .card_select_n(bus$card_select_n),
    .radio_miso(bus$radio_miso),
    .radio_select_n(bus$radio_select_n),
    .radio_enable(bus$radio_enable),
    .radio_irq_n(bus$radio_irq_n),
    .gpio_in(bus$gpio_in),
    .gpio_out(bus$gpio_out),
    .gpio_drive(bus$gpio_drive)
  );
  memory u_memory(
    .clock(clock),
    .enable(memory$enable),
    .i_valid(memory$i_valid),
    .i_turn(memory$i_turn),
    .i_target(memory$i_target),
    .i_ready(memory$i_ready),
    .i_data(memory$i_data),
    .d_valid(memory$d_valid),
    .d_addr(memory$d_addr),
    .d_write(memory$d_write),
    .d_lanes(memory$d_lanes),
    .d_ready(memory$d_ready),
    .d_rdata(memory$d_rdata),
    .s_addr(memory$s_addr),
    .s_value(memory$s_value),
    .io_access(memory$io_access),
    .io_write(memory$io_write),
    .io_word(memory$io_word),
    .io_wdata(memory$io_wdata),
    .io_rdata(memory$io_rdata),
    .io_wait(memory$io_wait),
    .video_valid(memory$video_valid),
    .video_addr(memory$video_addr),
    .video_taken(memory$video_taken),
    .video_word_valid(memory$video_word_valid),
    .video_word(memory$video_word),
    .command(memory$command),
    .address(memory$address),
    .bank(memory$bank),
    .mask(memory$mask),
    .write_data(memory$write_data),
    .drive(memory$drive),
    .read_data(memory$read_data)
  );

  // Logic
  always @(*) core$reset = reset;
  always @(*) core$reset_pc = reset_pc;
  always @(*) core$irq = bus$tick;
  always @(*) core$abort = bus$abort;
  always @(*) memory$enable = enable;
  always @(*) memory$i_valid = core$i_valid;
  always @(*) memory$i_turn = core$i_turn;
  always @(*) memory$i_target = core$i_target;
  always @(*) core$i_ready = memory$i_ready;
  always @(*) core$i_data = memory$i_data;
  always @(*) memory$d_valid = core$d_valid;
  always @(*) memory$d_addr = core$d_addr;
  always @(*) memory$s_addr = core$s_addr;
  always @(*) memory$d_write = core$d_write;
  always @(*) memory$d_lanes = core$d_lanes;
  always @(*) memory$s_value = core$s_value;
  always @(*) core$d_ready = memory$d_ready;
  always @(*) core$d_rdata = memory$d_rdata;
  always @(*) memory$io_rdata = bus$rdata;
  always @(*) memory$io_wait = bus$waiting;
  always @(*) command = memory$command;
  always @(*) address = memory$address;
  always @(*) bank = memory$bank;
  always @(*) mask = memory$mask;
  always @(*) write_data = memory$write_data;
  always @(*) drive = memory$drive;
  always @(*) memory$read_data = read_data;
  always @(*) memory$video_valid = video_valid;
  always @(*) memory$video_addr = video_addr;
  always @(*) video_taken = memory$video_taken;
  always @(*) video_word_valid = memory$video_word_valid;
  always @(*) video_word = memory$video_word;
  always @(*) bus$access = memory$io_access;
  always @(*) bus$write = memory$io_write;
  always @(*) bus$word = memory$io_word;
  always @(*) bus$wdata = memory$io_wdata;
  always @(*) bus$wakes = core$wakes;
  always @(*) bus$aborted = core$aborted;
  always @(*) bus$pc = core$pc;
  always @(*) leds = bus$leds;
  always @(*) bus$switches = switches;
  always @(*) bus$uart_rx = uart_rx;
  always @(*) uart_tx = bus$uart_tx;
  always @(*) spi_sck = bus$spi_sck;
  always @(*) spi_mosi = bus$spi_mosi;
  always @(*) bus$card_miso = card_miso;
  always @(*) card_select_n = bus$card_select_n;
  always @(*) bus$radio_miso = radio_miso;
  always @(*) radio_select_n = bus$radio_select_n;
  always @(*) radio_enable = bus$radio_enable;
  always @(*) bus$radio_irq_n = radio_irq_n;
  always @(*) bus$gpio_in = gpio_in;
  always @(*) gpio_out = bus$gpio_out;
  always @(*) gpio_drive = bus$gpio_drive;
  always @(*) idle = bus$waiting;
  always @(*) trace_valid = core$trace_valid;
  always @(*) trace_pc = core$trace_pc;
  always @(*) trace_write = core$trace_write;
  always @(*) trace_number = core$trace_number;
  always @(*) trace_value = core$trace_value;
  always @(*) trace_flags = core$trace_flags;
  always @(*) trace_h = core$trace_h;
  always @(*) trace_memory = core$trace_memory;
  always @(*) trace_addr = core$trace_addr;
  always @(*) trace_event = core$trace_event;
  always @(*) trace_stall = core$trace_stall;
  always @(*) trace_store = core$d_valid & core$d_write;
  always @(*) trace_store_addr = core$d_addr;
  always @(*) trace_store_lanes = core$d_lanes;
  always @(*) trace_store_value = core$d_wdata;
endmodule

`default_nettype wire
