// sim: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top sim
// Do not edit.
`default_nettype none

module sim(clock, reset, i_wait, d_wait, irq, leds, switches, uart_rx, uart_tx, spi_sck, spi_mosi, card_miso, card_select_n, radio_miso, radio_select_n, radio_enable, radio_irq_n, gpio_in, gpio_out, gpio_drive, idle, trace_valid, trace_pc, trace_write, trace_number, trace_value, trace_flags, trace_h, trace_memory, trace_addr, trace_event, trace_stall, trace_store, trace_store_addr, trace_store_lanes, trace_store_value);

  // Module arguments
  input wire clock;
  input wire reset;
  input wire i_wait;
  input wire d_wait;
  input wire irq;
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
  reg prom$en;
  reg [10:0] prom$addr;
  wire [31:0] prom$data;
  reg ram$i_en;
  reg [17:0] ram$i_addr;
  wire [31:0] ram$i_data;
  reg ram$d_en;
  reg ram$d_write;
  reg [3:0] ram$d_lanes;
  reg [17:0] ram$d_addr;
  reg [31:0] ram$d_wdata;
  wire [31:0] ram$d_rdata;
  reg fetch_prom$en;
  reg fetch_prom$d;
  wire fetch_prom$q;
  reg io_selected$en;
  reg io_selected$d;
  wire io_selected$q;
  reg io_access$d;
  wire io_access$q;
  reg io_write$en;
  reg io_write$d;
  wire io_write$q;
  reg io_word$en;
  reg [3:0] io_word$d;
  wire [3:0] io_word$q;
  reg io_wdata$en;
  reg [31:0] io_wdata$d;
  wire [31:0] io_wdata$q;
  reg io_rdata$en;
  reg [31:0] io_rdata$d;
  wire [31:0] io_rdata$q;

  // Local signals
  reg is_io;
  reg io_request;
  reg [31:0] fetched;
  reg [31:0] loaded;

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
  prom_2048 u_prom(
    .clock(clock),
    .en(prom$en),
    .addr(prom$addr),
    .data(prom$data)
  );
  main_memory_262144 u_ram(
    .clock(clock),
    .i_en(ram$i_en),
    .i_addr(ram$i_addr),
    .i_data(ram$i_data),
    .d_en(ram$d_en),
    .d_write(ram$d_write),
    .d_lanes(ram$d_lanes),
    .d_addr(ram$d_addr),
    .d_wdata(ram$d_wdata),
    .d_rdata(ram$d_rdata)
  );
  reg_en1 u_fetch_prom(
    .clock(clock),
    .en(fetch_prom$en),
    .d(fetch_prom$d),
    .q(fetch_prom$q)
  );
  reg_en1 u_io_selected(
    .clock(clock),
    .en(io_selected$en),
    .d(io_selected$d),
    .q(io_selected$q)
  );
  reg1 u_io_access(
    .clock(clock),
    .d(io_access$d),
    .q(io_access$q)
  );
  reg_en1 u_io_write(
    .clock(clock),
    .en(io_write$en),
    .d(io_write$d),
    .q(io_write$q)
  );
  reg_en4 u_io_word(
    .clock(clock),
    .en(io_word$en),
    .d(io_word$d),
    .q(io_word$q)
  );
  reg_en32 u_io_wdata(
    .clock(clock),
    .en(io_wdata$en),
    .d(io_wdata$d),
    .q(io_wdata$q)
  );
  reg_en32 u_io_rdata(
    .clock(clock),
    .en(io_rdata$en),
    .d(io_rdata$d),
    .q(io_rdata$q)
  );

  // Logic
  always @(*) core$reset = reset;
  always @(*) core$reset_pc = reset_pc;
  always @(*) core$irq = bus$tick | irq;
  always @(*) core$abort = bus$abort;
  always @(*) prom$en = core$i_valid;
  always @(*) prom$addr = core$i_addr[10:0];
  always @(*) ram$i_en = core$i_valid;
  always @(*) ram$i_addr = core$i_addr[17:0];
  always @(*) fetch_prom$en = core$i_valid;
  always @(*) fetch_prom$d = &core$i_addr[21:12];
  always @(*) begin
    fetched = ram$i_data;
    if (fetch_prom$q) begin
      fetched = prom$data;
    end
  end
  always @(*) begin
    core$i_data = fetched;
    if (i_wait) begin
      core$i_data = ~fetched;
    end
  end
  always @(*) core$i_ready = ~i_wait;
  always @(*) is_io = &core$d_addr[23:6];
  always @(*) io_request = core$d_valid & is_io;
  always @(*) ram$d_en = core$d_valid & (~is_io);
  always @(*) ram$d_write = core$d_write;
  always @(*) ram$d_lanes = core$d_lanes;
  always @(*) ram$d_addr = core$d_addr[19:2];
  always @(*) ram$d_wdata = core$d_wdata;
  always @(*) io_selected$en = core$d_valid;
  always @(*) io_selected$d = is_io;
  always @(*) io_access$d = io_request;
  always @(*) io_write$en = io_request;
  always @(*) io_write$d = core$d_write;
  always @(*) io_word$en = io_request;
  always @(*) io_word$d = core$d_addr[5:2];
  always @(*) io_wdata$en = io_request;
  always @(*) io_wdata$d = core$d_wdata;
  always @(*) io_rdata$en = io_access$q;
  always @(*) io_rdata$d = bus$rdata;
  always @(*) begin
    loaded = ram$d_rdata;
    if (io_selected$q) begin
      loaded = io_rdata$q;
    end
  end
  always @(*) begin
    core$d_rdata = loaded;
    if (d_wait) begin
      core$d_rdata = ~loaded;
    end
  end
  always @(*) core$d_ready = (~io_access$q) & (~bus$waiting) & (~d_wait);
  always @(*) bus$access = io_access$q;
  always @(*) bus$write = io_write$q;
  always @(*) bus$word = io_word$q;
  always @(*) bus$wdata = io_wdata$q;
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
