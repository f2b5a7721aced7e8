// i_cache: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module i_cache(clock, addr, prom, differs, data, held, unknown, exact, store_addr, update, update_addr, lanes, wdata, filling, open, fill, close, fill_addr, fill_prom, fill_data);

  // Module arguments
  input wire clock;
  input wire [17:0] addr;
  input wire prom;
  output reg [7:0] differs;
  output reg [31:0] data;
  output reg [17:0] held;
  output reg unknown;
  input wire exact;
  input wire [17:0] store_addr;
  input wire update;
  input wire [17:0] update_addr;
  input wire [3:0] lanes;
  input wire [31:0] wdata;
  input wire filling;
  input wire open;
  input wire fill;
  input wire close;
  input wire [17:0] fill_addr;
  input wire fill_prom;
  input wire [31:0] fill_data;

  // Constant declarations
  localparam index_bits = 5'b1100;

  // Stub signals
  reg [11:0] words$raddr;
  wire [31:0] words$rdata;
  reg [3:0] words$lanes;
  reg [11:0] words$waddr;
  reg [31:0] words$wdata;
  reg [8:0] tags$raddr;
  wire [7:0] tags$rdata;
  reg [8:0] tags$addr;
  wire [7:0] tags$data;
  reg tags$write;
  reg [7:0] tags$wdata;
  reg [17:0] held_addr$d;
  wire [17:0] held_addr$q;
  reg held_in_prom$d;
  wire held_in_prom$q;
  reg near_fill$d;
  wire near_fill$q;
  reg near_update$d;
  wire near_update$q;
  reg [17:0] updated$d;
  wire [17:0] updated$q;
  reg place$en;
  reg [8:0] place$d;
  wire [8:0] place$q;

  // Local signals
  reg [17:0] held_upper;
  reg [17:0] update_upper;
  reg [17:0] fill_upper;
  reg [7:0] wanted;
  reg [7:0] stored;
  reg store_hits;
  reg [3:0] chosen;
  reg same_place;
  reg same_word;
  reg in_doubt;
  reg [8:0] held_place;
  reg valid;

  // Sub module instances
  lane_ram_4096 u_words(
    .clock(clock),
    .raddr(words$raddr),
    .rdata(words$rdata),
    .lanes(words$lanes),
    .waddr(words$waddr),
    .wdata(words$wdata)
  );
  tag_ram_512x8 u_tags(
    .clock(clock),
    .raddr(tags$raddr),
    .rdata(tags$rdata),
    .addr(tags$addr),
    .data(tags$data),
    .write(tags$write),
    .wdata(tags$wdata)
  );
  reg18 u_held_addr(
    .clock(clock),
    .d(held_addr$d),
    .q(held_addr$q)
  );
  reg1 u_held_in_prom(
    .clock(clock),
    .d(held_in_prom$d),
    .q(held_in_prom$q)
  );
  reg1 u_near_fill(
    .clock(clock),
    .d(near_fill$d),
    .q(near_fill$q)
  );
  reg1 u_near_update(
    .clock(clock),
    .d(near_update$d),
    .q(near_update$q)
  );
  reg18 u_updated(
    .clock(clock),
    .d(updated$d),
    .q(updated$q)
  );
  reg_en9 u_place(
    .clock(clock),
    .en(place$en),
    .d(place$d),
    .q(place$q)
  );

  // Logic
  always @(*) words$raddr = addr[11:0];
  always @(*) tags$raddr = addr[11:3];
  always @(*) held_addr$d = addr;
  always @(*) held_in_prom$d = prom;
  always @(*) near_fill$d = filling;
  always @(*) near_update$d = update & exact;
  always @(*) held_upper = held_addr$q >> index_bits;
  always @(*) wanted = (((held_upper) & 8'hff) << 32'h2) | (((held_in_prom$q) & 8'hff) << 32'h1) | 32'h1;
  always @(*) differs = tags$rdata ^ wanted;
  always @(*) held_place = held_addr$q[11:3];
  always @(*) same_place = held_place == place$q;
  always @(*) same_word = held_addr$q == updated$q;
  always @(*) in_doubt = (near_fill$q & same_place) | (near_update$q & same_word);
  always @(*) unknown = in_doubt;
  always @(*) data = words$rdata;
  always @(*) held = held_addr$q;
  always @(*) update_upper = update_addr >> index_bits;
  always @(*) stored = (((update_upper) & 8'hff) << 32'h2) | 32'h1;
  always @(*) store_hits = tags$data == stored;
  always @(*) updated$d = update_addr;
  always @(*) begin
    words$waddr = update_addr[11:0];
    words$wdata = wdata;
    chosen = 32'h0;
    if (update) begin
      chosen = lanes;
    end
    if (filling) begin
      words$waddr = fill_addr[11:0];
      words$wdata = fill_data;
      chosen = 32'h0;
      if (fill) begin
        chosen = 32'hf;
      end
    end
  end
  always @(*) begin
    words$lanes = 32'h0;
    if (filling | store_hits) begin
      words$lanes = chosen;
    end
  end
  always @(*) fill_upper = fill_addr >> index_bits;
  always @(*) valid = close;
  always @(*) begin
    tags$addr = store_addr[11:3];
    if (open | close) begin
      tags$addr = fill_addr[11:3];
    end
  end
  always @(*) tags$write = open | close;
  always @(*) tags$wdata = (((fill_upper) & 8'hff) << 32'h2) | (((fill_prom) & 8'hff) << 32'h1) | ((valid) & 8'hff);
  always @(*) place$en = open;
  always @(*) place$d = fill_addr[11:3];
endmodule

`default_nettype wire
