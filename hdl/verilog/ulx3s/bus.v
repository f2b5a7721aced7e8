// bus: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module bus(clock, access, write, word, wdata, rdata, tick, wakes, waiting, abort, aborted, pc, leds, switches, uart_rx, uart_tx, spi_sck, spi_mosi, card_miso, card_select_n, radio_miso, radio_select_n, radio_enable, radio_irq_n, gpio_in, gpio_out, gpio_drive);

  // Module arguments
  input wire clock;
  input wire access;
  input wire write;
  input wire [3:0] word;
  input wire [31:0] wdata;
  output reg [31:0] rdata;
  output reg tick;
  input wire wakes;
  output reg waiting;
  output reg abort;
  input wire aborted;
  input wire [21:0] pc;
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

  // Constant declarations
  localparam clock_hz = 32'h47868c0;
  localparam build = 32'h0;
  localparam millisecond = 20'h124f8;
  localparam microsecond = 10'b1001011;
  localparam spi_slow = 16'hbc;
  localparam spi_fast = 16'h8;
  localparam baud_slow = 16'hf42;
  localparam baud_fast = 16'h28b;
  localparam fifo_bytes = 9'b100000000;
  localparam compat = 1'b0;

  // Stub signals
  reg [19:0] timer$millisecond;
  reg [9:0] timer$microsecond;
  wire timer$tick;
  wire [31:0] timer$milliseconds;
  wire [31:0] timer$microseconds;
  wire [63:0] timer$cycles;
  reg [15:0] transmitter$divider;
  reg transmitter$start;
  reg [7:0] transmitter$data;
  wire transmitter$ready;
  wire transmitter$tx;
  reg [15:0] receiver$divider;
  reg [8:0] receiver$limit;
  reg receiver$overwrite;
  reg receiver$rx;
  reg receiver$take;
  wire receiver$waits;
  wire [7:0] receiver$data;
  reg spi$start;
  reg spi$fast;
  reg [15:0] spi$divider;
  reg [31:0] spi$data_out;
  wire [31:0] spi$data;
  wire spi$ready;
  wire spi$sck;
  wire spi$mosi;
  reg spi$miso;
  reg idle$write;
  reg [4:0] idle$mask;
  reg idle$tick;
  reg [3:0] idle$levels;
  reg idle$wake;
  wire [4:0] idle$pending;
  wire idle$waiting;
  reg extension$select;
  reg extension$write;
  reg extension$read;
  reg [31:0] extension$wdata;
  wire [31:0] extension$selected;
  wire [31:0] extension$value;
  reg [63:0] extension$cycles;
  reg [31:0] extension$microseconds;
  reg [31:0] extension$clock_hz;
  reg [31:0] extension$build;
  reg [19:0] extension$millisecond;
  reg [21:0] extension$pc;
  reg extension$aborted;
  wire extension$abort;
  reg led$en;
  reg [7:0] led$d;
  wire [7:0] led$q;
  reg baud$en;
  reg baud$d;
  wire baud$q;
  reg spi_control$en;
  reg [3:0] spi_control$d;
  wire [3:0] spi_control$q;
  reg out$en;
  reg [7:0] out$d;
  wire [7:0] out$q;
  reg drive$en;
  reg [7:0] drive$d;
  wire [7:0] drive$q;
  reg [1:0] irq_sync$d;
  wire [1:0] irq_sync$q;

  // Local signals
  reg writes;
  reg reads;
  reg radio_asks;
  reg card_ready;
  reg card_free;
  reg [7:0] pins;

  // Sub module instances
  timer u_timer(
    .clock(clock),
    .millisecond(timer$millisecond),
    .microsecond(timer$microsecond),
    .tick(timer$tick),
    .milliseconds(timer$milliseconds),
    .microseconds(timer$microseconds),
    .cycles(timer$cycles)
  );
  transmitter u_transmitter(
    .clock(clock),
    .divider(transmitter$divider),
    .start(transmitter$start),
    .data(transmitter$data),
    .ready(transmitter$ready),
    .tx(transmitter$tx)
  );
  receiver u_receiver(
    .clock(clock),
    .divider(receiver$divider),
    .limit(receiver$limit),
    .overwrite(receiver$overwrite),
    .rx(receiver$rx),
    .take(receiver$take),
    .waits(receiver$waits),
    .data(receiver$data)
  );
  spi u_spi(
    .clock(clock),
    .start(spi$start),
    .fast(spi$fast),
    .divider(spi$divider),
    .data_out(spi$data_out),
    .data(spi$data),
    .ready(spi$ready),
    .sck(spi$sck),
    .mosi(spi$mosi),
    .miso(spi$miso)
  );
  idle u_idle(
    .clock(clock),
    .write(idle$write),
    .mask(idle$mask),
    .tick(idle$tick),
    .levels(idle$levels),
    .wake(idle$wake),
    .pending(idle$pending),
    .waiting(idle$waiting)
  );
  extension u_extension(
    .clock(clock),
    .select(extension$select),
    .write(extension$write),
    .read(extension$read),
    .wdata(extension$wdata),
    .selected(extension$selected),
    .value(extension$value),
    .cycles(extension$cycles),
    .microseconds(extension$microseconds),
    .clock_hz(extension$clock_hz),
    .build(extension$build),
    .millisecond(extension$millisecond),
    .pc(extension$pc),
    .aborted(extension$aborted),
    .abort(extension$abort)
  );
  reg_en8 u_led(
    .clock(clock),
    .en(led$en),
    .d(led$d),
    .q(led$q)
  );
  reg_en1 u_baud(
    .clock(clock),
    .en(baud$en),
    .d(baud$d),
    .q(baud$q)
  );
  reg_en4 u_spi_control(
    .clock(clock),
    .en(spi_control$en),
    .d(spi_control$d),
    .q(spi_control$q)
  );
  reg_en8 u_out(
    .clock(clock),
    .en(out$en),
    .d(out$d),
    .q(out$q)
  );
  reg_en8 u_drive(
    .clock(clock),
    .en(drive$en),
    .d(drive$d),
    .q(drive$q)
  );
  reg2 u_irq_sync(
    .clock(clock),
    .d(irq_sync$d),
    .q(irq_sync$q)
  );

  // Logic
  always @(*) writes = access & write;
  always @(*) reads = access & (~write);
  always @(*) timer$millisecond = millisecond;
  always @(*) timer$microsecond = microsecond;
  always @(*) tick = timer$tick;
  always @(*) led$en = writes & (word == 32'h1);
  always @(*) led$d = wdata[7:0];
  always @(*) leds = led$q;
  always @(*) begin
    transmitter$divider = baud_slow;
    receiver$divider = baud_slow;
    if (baud$q) begin
      transmitter$divider = baud_fast;
      receiver$divider = baud_fast;
    end
  end
  always @(*) transmitter$start = writes & (word == 32'h2);
  always @(*) transmitter$data = wdata[7:0];
  always @(*) uart_tx = transmitter$tx;
  always @(*) receiver$rx = uart_rx;
  always @(*) receiver$take = reads & (word == 32'h2);
  always @(*) receiver$limit = fifo_bytes;
  always @(*) receiver$overwrite = compat;
  always @(*) baud$en = writes & (word == 32'h3);
  always @(*) baud$d = wdata[0];
  always @(*) begin
    spi$divider = spi_slow;
    if (spi_control$q[2]) begin
      spi$divider = spi_fast;
    end
  end
  always @(*) spi$fast = spi_control$q[2];
  always @(*) spi$start = writes & (word == 32'h4);
  always @(*) spi$data_out = wdata;
  always @(*) spi$miso = card_miso & radio_miso;
  always @(*) spi_sck = spi$sck;
  always @(*) spi_mosi = spi$mosi;
  always @(*) spi_control$en = writes & (word == 32'h5);
  always @(*) spi_control$d = wdata[3:0];
  always @(*) card_select_n = ~spi_control$q[0];
  always @(*) radio_select_n = ~spi_control$q[1];
  always @(*) radio_enable = spi_control$q[3];
  always @(*) out$en = writes & (word == 32'h8);
  always @(*) out$d = wdata[7:0];
  always @(*) drive$en = writes & (word == 32'h9);
  always @(*) drive$d = wdata[7:0];
  always @(*) gpio_out = out$q;
  always @(*) gpio_drive = drive$q;
  always @(*) pins = (out$q & drive$q) | (gpio_in & (~drive$q));
  always @(*) extension$select = writes & (word == 32'hc) & (~compat);
  always @(*) extension$write = writes & (word == 32'hd) & (~compat);
  always @(*) extension$read = reads & (word == 32'hd);
  always @(*) extension$wdata = wdata;
  always @(*) extension$cycles = timer$cycles;
  always @(*) extension$microseconds = timer$microseconds;
  always @(*) extension$clock_hz = clock_hz;
  always @(*) extension$build = build;
  always @(*) extension$millisecond = millisecond;
  always @(*) extension$pc = pc;
  always @(*) extension$aborted = aborted;
  always @(*) abort = extension$abort;
  always @(*) radio_asks = ~radio_irq_n;
  always @(*) irq_sync$d = (irq_sync$q << 32'h1) | ((radio_asks) & 2'h3);
  always @(*) card_free = spi$ready & card_miso;
  always @(*) card_ready = spi_control$q[0] & card_free;
  always @(*) idle$write = writes & (word == 32'he) & (~compat);
  always @(*) idle$mask = wdata[4:0];
  always @(*) idle$tick = timer$tick;
  always @(*) idle$levels = ((receiver$waits) & 4'hf) | (((irq_sync$q[1]) & 4'hf) << 32'h1) | (((card_ready) & 4'hf) << 32'h2);
  always @(*) idle$wake = wakes | extension$abort;
  always @(*) waiting = idle$waiting;
  always @(*) begin
    rdata = 32'h0;
    if (word == 32'h0) begin
      rdata = timer$milliseconds;
    end
    else if (word == 32'h1) begin
      rdata = ((switches) & 32'hffffffff);
    end
    else if (word == 32'h2) begin
      rdata = ((receiver$data) & 32'hffffffff);
    end
    else if (word == 32'h3) begin
      rdata = ((receiver$waits) & 32'hffffffff) | (((transmitter$ready) & 32'hffffffff) << 32'h1);
    end
    else if (word == 32'h4) begin
      rdata = spi$data;
    end
    else if (word == 32'h5) begin
      rdata = ((spi$ready) & 32'hffffffff);
    end
    else if (word == 32'h6) begin
      rdata = 32'h8000000;
    end
    else if (word == 32'h8) begin
      rdata = ((pins) & 32'hffffffff);
    end
    else if (word == 32'h9) begin
      rdata = ((drive$q) & 32'hffffffff);
    end
    else if ((word == 32'hc) & (~compat)) begin
      rdata = extension$selected;
    end
    else if ((word == 32'hd) & (~compat)) begin
      rdata = extension$value;
    end
    else if ((word == 32'he) & (~compat)) begin
      rdata = ((idle$pending) & 32'hffffffff);
    end
  end
endmodule

`default_nettype wire
