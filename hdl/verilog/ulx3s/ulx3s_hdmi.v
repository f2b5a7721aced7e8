// ulx3s_hdmi: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module ulx3s_hdmi(clk_25mhz, ftdi_rxd, ftdi_txd, led, btn, sw, sdram_clk, sdram_cke, sdram_csn, sdram_wen, sdram_rasn, sdram_casn, sdram_a, sdram_ba, sdram_dqm, sdram_d, sd_clk, sd_cmd, sd_d0, sd_d1, sd_d2, sd_d3, wifi_en, wifi_gpio0, radio_ce, radio_csn, radio_sck, radio_mosi, radio_miso, radio_irq, gpio, user_programn, gpdi_dp);

  // Module arguments
  input wire clk_25mhz;
  output reg ftdi_rxd;
  input wire ftdi_txd;
  output reg [7:0] led;
  input wire [6:0] btn;
  input wire [3:0] sw;
  output reg sdram_clk;
  output reg sdram_cke;
  output reg sdram_csn;
  output reg sdram_wen;
  output reg sdram_rasn;
  output reg sdram_casn;
  output reg [12:0] sdram_a;
  output reg [1:0] sdram_ba;
  output reg [1:0] sdram_dqm;
  inout wire  [15:0] sdram_d;
  output reg sd_clk;
  output reg sd_cmd;
  input wire sd_d0;
  output reg sd_d1;
  output reg sd_d2;
  output reg sd_d3;
  output reg wifi_en;
  output reg wifi_gpio0;
  output reg radio_ce;
  output reg radio_csn;
  output reg radio_sck;
  output reg radio_mosi;
  input wire radio_miso;
  input wire radio_irq;
  inout wire  [7:0] gpio;
  output reg user_programn;
  output reg [3:0] gpdi_dp;

  // Stub signals
  wire video$valid;
  wire [17:0] video$addr;
  reg video$taken;
  reg video$word_valid;
  reg [31:0] video$word;
  wire [3:0] video$lanes;
  wire pll$clock;
  wire pll$shifted;
  wire pll$locked;
  reg starter$locked;
  reg starter$pressed;
  reg [11:0] starter$inputs;
  wire starter$enable;
  wire starter$reset;
  wire [11:0] starter$switches;
  reg machine$enable;
  reg machine$reset;
  reg machine$video_valid;
  reg [17:0] machine$video_addr;
  wire machine$video_taken;
  wire machine$video_word_valid;
  wire [31:0] machine$video_word;
  wire [2:0] machine$command;
  wire [12:0] machine$address;
  wire [1:0] machine$bank;
  wire [1:0] machine$mask;
  wire [15:0] machine$write_data;
  wire machine$drive;
  reg [15:0] machine$read_data;
  wire [7:0] machine$leds;
  reg [11:0] machine$switches;
  reg machine$uart_rx;
  wire machine$uart_tx;
  wire machine$spi_sck;
  wire machine$spi_mosi;
  reg machine$card_miso;
  wire machine$card_select_n;
  reg machine$radio_miso;
  wire machine$radio_select_n;
  wire machine$radio_enable;
  reg machine$radio_irq_n;
  reg [7:0] machine$gpio_in;
  wire [7:0] machine$gpio_out;
  wire [7:0] machine$gpio_drive;
  wire machine$idle;
  wire machine$trace_valid;
  wire [21:0] machine$trace_pc;
  wire machine$trace_write;
  wire [3:0] machine$trace_number;
  wire [31:0] machine$trace_value;
  wire [3:0] machine$trace_flags;
  wire [31:0] machine$trace_h;
  wire [1:0] machine$trace_memory;
  wire [23:0] machine$trace_addr;
  wire [1:0] machine$trace_event;
  wire [6:0] machine$trace_stall;
  wire machine$trace_store;
  wire [23:0] machine$trace_store_addr;
  wire [3:0] machine$trace_store_lanes;
  wire [31:0] machine$trace_store_value;
  reg [2:0] sdram$command;
  reg [12:0] sdram$address;
  reg [1:0] sdram$bank;
  reg [1:0] sdram$mask;
  reg [15:0] sdram$write_data;
  reg sdram$drive;
  wire [15:0] sdram$read_data;
  wire sdram$clk;
  wire sdram$cke;
  wire sdram$csn;
  wire sdram$rasn;
  wire sdram$casn;
  wire sdram$wen;
  wire [12:0] sdram$a;
  wire [1:0] sdram$ba;
  wire [1:0] sdram$dqm;
  reg [7:0] pads$out;
  reg [7:0] pads$drive;
  wire [7:0] pads$level;
  reg card_pad$pin;
  wire card_pad$level;
  reg radio_pad$pin;
  wire radio_pad$level;
  reg card_level$d;
  wire card_level$q;
  reg radio_level$d;
  wire radio_level$q;

  // Local signals
  reg pressed;

  // Sub module instances
  video u_video(
    .clock(pll$clock),
    .clock_in(clk_25mhz),
    .valid(video$valid),
    .addr(video$addr),
    .taken(video$taken),
    .word_valid(video$word_valid),
    .word(video$word),
    .lanes(video$lanes)
  );
  pll_75 u_pll(
    .clock_in(clk_25mhz),
    .clock(pll$clock),
    .shifted(pll$shifted),
    .locked(pll$locked)
  );
  starter u_starter(
    .clock(pll$clock),
    .locked(starter$locked),
    .pressed(starter$pressed),
    .inputs(starter$inputs),
    .enable(starter$enable),
    .reset(starter$reset),
    .switches(starter$switches)
  );
  machine u_machine(
    .clock(pll$clock),
    .enable(machine$enable),
    .reset(machine$reset),
    .video_valid(machine$video_valid),
    .video_addr(machine$video_addr),
    .video_taken(machine$video_taken),
    .video_word_valid(machine$video_word_valid),
    .video_word(machine$video_word),
    .command(machine$command),
    .address(machine$address),
    .bank(machine$bank),
    .mask(machine$mask),
    .write_data(machine$write_data),
    .drive(machine$drive),
    .read_data(machine$read_data),
    .leds(machine$leds),
    .switches(machine$switches),
    .uart_rx(machine$uart_rx),
    .uart_tx(machine$uart_tx),
    .spi_sck(machine$spi_sck),
    .spi_mosi(machine$spi_mosi),
    .card_miso(machine$card_miso),
    .card_select_n(machine$card_select_n),
    .radio_miso(machine$radio_miso),
    .radio_select_n(machine$radio_select_n),
    .radio_enable(machine$radio_enable),
    .radio_irq_n(machine$radio_irq_n),
    .gpio_in(machine$gpio_in),
    .gpio_out(machine$gpio_out),
    .gpio_drive(machine$gpio_drive),
    .idle(machine$idle),
    .trace_valid(machine$trace_valid),
    .trace_pc(machine$trace_pc),
    .trace_write(machine$trace_write),
    .trace_number(machine$trace_number),
    .trace_value(machine$trace_value),
    .trace_flags(machine$trace_flags),
    .trace_h(machine$trace_h),
    .trace_memory(machine$trace_memory),
    .trace_addr(machine$trace_addr),
    .trace_event(machine$trace_event),
    .trace_stall(machine$trace_stall),
    .trace_store(machine$trace_store),
    .trace_store_addr(machine$trace_store_addr),
    .trace_store_lanes(machine$trace_store_lanes),
    .trace_store_value(machine$trace_store_value)
  );
  sdram_pads u_sdram(
    .clock(pll$clock),
    .shifted(pll$shifted),
    .command(sdram$command),
    .address(sdram$address),
    .bank(sdram$bank),
    .mask(sdram$mask),
    .write_data(sdram$write_data),
    .drive(sdram$drive),
    .read_data(sdram$read_data),
    .clk(sdram$clk),
    .cke(sdram$cke),
    .csn(sdram$csn),
    .rasn(sdram$rasn),
    .casn(sdram$casn),
    .wen(sdram$wen),
    .a(sdram$a),
    .ba(sdram$ba),
    .dqm(sdram$dqm),
    .d(sdram_d)
  );
  gpio_pads u_pads(
    .out(pads$out),
    .drive(pads$drive),
    .level(pads$level),
    .pins(gpio)
  );
  input_pad u_card_pad(
    .clock(pll$clock),
    .pin(card_pad$pin),
    .level(card_pad$level)
  );
  input_pad u_radio_pad(
    .clock(pll$clock),
    .pin(radio_pad$pin),
    .level(radio_pad$level)
  );
  reg1 u_card_level(
    .clock(pll$clock),
    .d(card_level$d),
    .q(card_level$q)
  );
  reg1 u_radio_level(
    .clock(pll$clock),
    .d(radio_level$d),
    .q(radio_level$q)
  );

  // Logic
  always @(*) starter$locked = pll$locked;
  always @(*) pressed = ~btn[0];
  always @(*) starter$pressed = pressed;
  always @(*) starter$inputs = (((btn[4:1]) & 12'hfff) << 32'h8) | (((btn[6:5]) & 12'hfff) << 32'h4) | ((sw) & 12'hfff);
  always @(*) machine$enable = starter$enable;
  always @(*) machine$reset = starter$reset;
  always @(*) machine$switches = starter$switches;
  always @(*) led = machine$leds;
  always @(*) ftdi_rxd = machine$uart_tx;
  always @(*) machine$uart_rx = ftdi_txd;
  always @(*) sd_clk = machine$spi_sck;
  always @(*) sd_cmd = machine$spi_mosi;
  always @(*) card_pad$pin = sd_d0;
  always @(*) card_level$d = card_pad$level;
  always @(*) machine$card_miso = card_level$q;
  always @(*) sd_d1 = 1'b1;
  always @(*) sd_d2 = 1'b1;
  always @(*) sd_d3 = machine$card_select_n;
  always @(*) wifi_en = 1'b0;
  always @(*) wifi_gpio0 = 1'b1;
  always @(*) user_programn = 1'b1;
  always @(*) radio_ce = machine$radio_enable;
  always @(*) radio_csn = machine$radio_select_n;
  always @(*) radio_sck = machine$spi_sck;
  always @(*) radio_mosi = machine$spi_mosi;
  always @(*) radio_pad$pin = radio_miso;
  always @(*) radio_level$d = radio_pad$level;
  always @(*) machine$radio_miso = radio_level$q;
  always @(*) machine$radio_irq_n = radio_irq;
  always @(*) pads$out = machine$gpio_out;
  always @(*) pads$drive = machine$gpio_drive;
  always @(*) machine$gpio_in = pads$level;
  always @(*) sdram$command = machine$command;
  always @(*) sdram$address = machine$address;
  always @(*) sdram$bank = machine$bank;
  always @(*) sdram$mask = machine$mask;
  always @(*) sdram$write_data = machine$write_data;
  always @(*) sdram$drive = machine$drive;
  always @(*) machine$read_data = sdram$read_data;
  always @(*) sdram_clk = sdram$clk;
  always @(*) sdram_cke = sdram$cke;
  always @(*) sdram_csn = sdram$csn;
  always @(*) sdram_rasn = sdram$rasn;
  always @(*) sdram_casn = sdram$casn;
  always @(*) sdram_wen = sdram$wen;
  always @(*) sdram_a = sdram$a;
  always @(*) sdram_ba = sdram$ba;
  always @(*) sdram_dqm = sdram$dqm;
  always @(*) machine$video_valid = video$valid;
  always @(*) machine$video_addr = video$addr;
  always @(*) video$taken = machine$video_taken;
  always @(*) video$word_valid = machine$video_word_valid;
  always @(*) video$word = machine$video_word;
  always @(*) gpdi_dp = video$lanes;
endmodule

`default_nettype wire
