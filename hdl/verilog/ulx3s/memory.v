// memory: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module memory(clock, enable, i_valid, i_turn, i_target, i_ready, i_data, d_valid, d_addr, d_write, d_lanes, d_ready, d_rdata, s_addr, s_value, io_access, io_write, io_word, io_wdata, io_rdata, io_wait, video_valid, video_addr, video_taken, video_word_valid, video_word, command, address, bank, mask, write_data, drive, read_data);

  // Module arguments
  input wire clock;
  input wire enable;
  input wire i_valid;
  input wire i_turn;
  input wire [21:0] i_target;
  output reg i_ready;
  output reg [31:0] i_data;
  input wire d_valid;
  input wire [23:0] d_addr;
  input wire d_write;
  input wire [3:0] d_lanes;
  output reg d_ready;
  output reg [31:0] d_rdata;
  input wire [23:0] s_addr;
  input wire [31:0] s_value;
  output reg io_access;
  output reg io_write;
  output reg [3:0] io_word;
  output reg [31:0] io_wdata;
  input wire [31:0] io_rdata;
  input wire io_wait;
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

  // Constant declarations
  localparam one = 32'h1;

  // Stub signals
  reg [17:0] i_cache$addr;
  reg i_cache$prom;
  wire [7:0] i_cache$differs;
  wire [31:0] i_cache$data;
  wire [17:0] i_cache$held;
  wire i_cache$unknown;
  reg i_cache$exact;
  reg [17:0] i_cache$store_addr;
  reg i_cache$update;
  reg [17:0] i_cache$update_addr;
  reg [3:0] i_cache$lanes;
  reg [31:0] i_cache$wdata;
  reg i_cache$filling;
  reg i_cache$open;
  reg i_cache$fill;
  reg i_cache$close;
  reg [17:0] i_cache$fill_addr;
  reg i_cache$fill_prom;
  reg [31:0] i_cache$fill_data;
  reg [17:0] d_cache$addr;
  reg d_cache$prom;
  wire [7:0] d_cache$differs;
  wire [31:0] d_cache$data;
  wire [17:0] d_cache$held;
  wire d_cache$unknown;
  reg d_cache$exact;
  reg [17:0] d_cache$store_addr;
  reg d_cache$update;
  reg [17:0] d_cache$update_addr;
  reg [3:0] d_cache$lanes;
  reg [31:0] d_cache$wdata;
  reg d_cache$filling;
  reg d_cache$open;
  reg d_cache$fill;
  reg d_cache$close;
  reg [17:0] d_cache$fill_addr;
  reg d_cache$fill_prom;
  reg [31:0] d_cache$fill_data;
  reg [17:0] recent$addr;
  wire recent$known;
  reg recent$write;
  reg [17:0] recent$line;
  reg recent$present;
  reg [31:0] s_place$value;
  reg [3:0] s_place$lanes;
  wire [31:0] s_place$placed;
  reg [31:0] io_place$value;
  reg [3:0] io_place$lanes;
  wire [31:0] io_place$placed;
  reg prom$en;
  reg [10:0] prom$addr;
  wire [31:0] prom$data;
  reg sdram$enable;
  reg sdram$read_valid;
  reg [17:0] sdram$read_addr;
  wire sdram$read_taken;
  wire sdram$word_valid;
  wire [31:0] sdram$word;
  reg sdram$video_valid;
  reg [17:0] sdram$video_addr;
  wire sdram$video_taken;
  wire sdram$video_word_valid;
  reg sdram$write_valid;
  reg [17:0] sdram$write_addr;
  reg [3:0] sdram$write_lanes;
  reg [31:0] sdram$write_word;
  wire sdram$write_taken;
  wire [2:0] sdram$command;
  wire [12:0] sdram$address;
  wire [1:0] sdram$bank;
  wire [1:0] sdram$mask;
  wire [15:0] sdram$write_data;
  wire sdram$drive;
  reg [15:0] sdram$read_data;
  reg [3:0] buffer$raddr;
  wire [53:0] buffer$rdata;
  reg [3:0] buffer$waddr;
  reg [53:0] buffer$wdata;
  reg buffer$we;
  reg i_live$en;
  reg i_live$d;
  wire i_live$q;
  reg i_want$en;
  reg [21:0] i_want$d;
  wire [21:0] i_want$q;
  reg q_valid$d;
  wire q_valid$q;
  reg q_differs$en;
  reg [7:0] q_differs$d;
  wire [7:0] q_differs$q;
  reg q_doubt$en;
  reg q_doubt$d;
  wire q_doubt$q;
  reg q_word$en;
  reg [31:0] q_word$d;
  wire [31:0] q_word$q;
  reg k_valid$d;
  wire k_valid$q;
  reg k_differs$en;
  reg [7:0] k_differs$d;
  wire [7:0] k_differs$q;
  reg k_doubt$d;
  wire k_doubt$q;
  reg k_word$en;
  reg [31:0] k_word$d;
  wire [31:0] k_word$q;
  reg relook$d;
  wire relook$q;
  reg d_fresh$d;
  wire d_fresh$q;
  reg d_word$en;
  reg [17:0] d_word$d;
  wire [17:0] d_word$q;
  reg d_load$en;
  reg d_load$d;
  wire d_load$q;
  reg d_answered$d;
  wire d_answered$q;
  reg d_answer$en;
  reg [31:0] d_answer$d;
  wire [31:0] d_answer$q;
  reg d_missed$d;
  wire d_missed$q;
  reg d_second$d;
  wire d_second$q;
  reg [7:0] d_differs$d;
  wire [7:0] d_differs$q;
  reg d_doubt$d;
  wire d_doubt$q;
  reg io_now$d;
  wire io_now$q;
  reg io_writes$en;
  reg io_writes$d;
  wire io_writes$q;
  reg io_number$en;
  reg [3:0] io_number$d;
  wire [3:0] io_number$q;
  reg io_value$en;
  reg [31:0] io_value$d;
  wire [31:0] io_value$q;
  reg io_lanes$en;
  reg [3:0] io_lanes$d;
  wire [3:0] io_lanes$q;
  reg s_waits$d;
  wire s_waits$q;
  reg s_fresh$d;
  wire s_fresh$q;
  reg s_word$en;
  reg [17:0] s_word$d;
  wire [17:0] s_word$q;
  reg s_lanes$en;
  reg [3:0] s_lanes$d;
  wire [3:0] s_lanes$q;
  reg s_raw$en;
  reg [31:0] s_raw$d;
  wire [31:0] s_raw$q;
  reg f_busy$d;
  wire f_busy$q;
  reg f_opens$d;
  wire f_opens$q;
  reg f_asks$d;
  wire f_asks$q;
  reg f_data$en;
  reg f_data$d;
  wire f_data$q;
  reg f_word$en;
  reg [17:0] f_word$d;
  wire [17:0] f_word$q;
  reg f_prom$en;
  reg f_prom$d;
  wire f_prom$q;
  reg [2:0] f_count$d;
  wire [2:0] f_count$q;
  reg p_busy$d;
  wire p_busy$q;
  reg p_valid$d;
  wire p_valid$q;
  reg [2:0] p_count$d;
  wire [2:0] p_count$q;
  reg [3:0] first$d;
  wire [3:0] first$q;
  reg [4:0] held$d;
  wire [4:0] held$q;
  reg [31:0] flags$d;
  wire [31:0] flags$q;

  // Local signals
  reg is_io;
  reg s_is_io;
  reg s_new;
  reg s_goes;
  reg s_stuck;
  reg [17:0] s_looks;
  reg full;
  reg empty;
  reg [3:0] past;
  reg [53:0] oldest;
  reg i_have;
  reg i_misses;
  reg [21:0] i_follows;
  reg [21:0] i_step;
  reg [21:0] ahead;
  reg [17:0] wanted;
  reg wanted_prom;
  reg stale;
  reg k_stale;
  reg q_takes;
  reg q_hit;
  reg [7:0] next_differs;
  reg next_doubt;
  reg [31:0] next_word;
  reg d_have;
  reg d_looked;
  reg d_decides;
  reg d_same;
  reg d_hit;
  reg d_miss;
  reg d_known;
  reg d_opens;
  reg d_closes;
  reg i_starts;
  reg d_starts;
  reg starts;
  reg [17:0] start_word;
  reg start_prom;
  reg [2:0] f_index;
  reg [1:0] f_low;
  reg f_high;
  reg [17:0] f_addr;
  reg [2:0] p_index;
  reg [1:0] p_low;
  reg p_high;
  reg arrives;
  reg [31:0] value;
  reg last;
  reg i_answers;
  reg d_answers;
  reg same;
  reg [3:0] bypass;
  reg [31:0] placed;
  reg [31:0] d_other;
  reg [3:0] d_from_other;
  reg [31:0] d_value;
  reg [7:0] lane0;
  reg [7:0] lane1;
  reg [7:0] lane2;
  reg [7:0] lane3;
  reg [31:0] flag;
  reg [4:0] flag_number;
  reg [4:0] asked_number;
  reg [31:0] asked_flags;
  reg [31:0] kept;
  reg blocked;

  // Sub module instances
  i_cache u_i_cache(
    .clock(clock),
    .addr(i_cache$addr),
    .prom(i_cache$prom),
    .differs(i_cache$differs),
    .data(i_cache$data),
    .held(i_cache$held),
    .unknown(i_cache$unknown),
    .exact(i_cache$exact),
    .store_addr(i_cache$store_addr),
    .update(i_cache$update),
    .update_addr(i_cache$update_addr),
    .lanes(i_cache$lanes),
    .wdata(i_cache$wdata),
    .filling(i_cache$filling),
    .open(i_cache$open),
    .fill(i_cache$fill),
    .close(i_cache$close),
    .fill_addr(i_cache$fill_addr),
    .fill_prom(i_cache$fill_prom),
    .fill_data(i_cache$fill_data)
  );
  d_cache u_d_cache(
    .clock(clock),
    .addr(d_cache$addr),
    .prom(d_cache$prom),
    .differs(d_cache$differs),
    .data(d_cache$data),
    .held(d_cache$held),
    .unknown(d_cache$unknown),
    .exact(d_cache$exact),
    .store_addr(d_cache$store_addr),
    .update(d_cache$update),
    .update_addr(d_cache$update_addr),
    .lanes(d_cache$lanes),
    .wdata(d_cache$wdata),
    .filling(d_cache$filling),
    .open(d_cache$open),
    .fill(d_cache$fill),
    .close(d_cache$close),
    .fill_addr(d_cache$fill_addr),
    .fill_prom(d_cache$fill_prom),
    .fill_data(d_cache$fill_data)
  );
  recent u_recent(
    .clock(clock),
    .addr(recent$addr),
    .known(recent$known),
    .write(recent$write),
    .line(recent$line),
    .present(recent$present)
  );
  s_place u_s_place(
    .value(s_place$value),
    .lanes(s_place$lanes),
    .placed(s_place$placed)
  );
  io_place u_io_place(
    .value(io_place$value),
    .lanes(io_place$lanes),
    .placed(io_place$placed)
  );
  prom_2048 u_prom(
    .clock(clock),
    .en(prom$en),
    .addr(prom$addr),
    .data(prom$data)
  );
  sdram u_sdram(
    .clock(clock),
    .enable(sdram$enable),
    .read_valid(sdram$read_valid),
    .read_addr(sdram$read_addr),
    .read_taken(sdram$read_taken),
    .word_valid(sdram$word_valid),
    .word(sdram$word),
    .video_valid(sdram$video_valid),
    .video_addr(sdram$video_addr),
    .video_taken(sdram$video_taken),
    .video_word_valid(sdram$video_word_valid),
    .write_valid(sdram$write_valid),
    .write_addr(sdram$write_addr),
    .write_lanes(sdram$write_lanes),
    .write_word(sdram$write_word),
    .write_taken(sdram$write_taken),
    .command(sdram$command),
    .address(sdram$address),
    .bank(sdram$bank),
    .mask(sdram$mask),
    .write_data(sdram$write_data),
    .drive(sdram$drive),
    .read_data(sdram$read_data)
  );
  async_ram_16x54 u_buffer(
    .clock(clock),
    .raddr(buffer$raddr),
    .rdata(buffer$rdata),
    .waddr(buffer$waddr),
    .wdata(buffer$wdata),
    .we(buffer$we)
  );
  reg_en1 u_i_live(
    .clock(clock),
    .en(i_live$en),
    .d(i_live$d),
    .q(i_live$q)
  );
  reg_en22 u_i_want(
    .clock(clock),
    .en(i_want$en),
    .d(i_want$d),
    .q(i_want$q)
  );
  reg1 u_q_valid(
    .clock(clock),
    .d(q_valid$d),
    .q(q_valid$q)
  );
  reg_en8 u_q_differs(
    .clock(clock),
    .en(q_differs$en),
    .d(q_differs$d),
    .q(q_differs$q)
  );
  reg_en1 u_q_doubt(
    .clock(clock),
    .en(q_doubt$en),
    .d(q_doubt$d),
    .q(q_doubt$q)
  );
  reg_en32 u_q_word(
    .clock(clock),
    .en(q_word$en),
    .d(q_word$d),
    .q(q_word$q)
  );
  reg1 u_k_valid(
    .clock(clock),
    .d(k_valid$d),
    .q(k_valid$q)
  );
  reg_en8 u_k_differs(
    .clock(clock),
    .en(k_differs$en),
    .d(k_differs$d),
    .q(k_differs$q)
  );
  reg1 u_k_doubt(
    .clock(clock),
    .d(k_doubt$d),
    .q(k_doubt$q)
  );
  reg_en32 u_k_word(
    .clock(clock),
    .en(k_word$en),
    .d(k_word$d),
    .q(k_word$q)
  );
  reg1 u_relook(
    .clock(clock),
    .d(relook$d),
    .q(relook$q)
  );
  reg1 u_d_fresh(
    .clock(clock),
    .d(d_fresh$d),
    .q(d_fresh$q)
  );
  reg_en18 u_d_word(
    .clock(clock),
    .en(d_word$en),
    .d(d_word$d),
    .q(d_word$q)
  );
  reg_en1 u_d_load(
    .clock(clock),
    .en(d_load$en),
    .d(d_load$d),
    .q(d_load$q)
  );
  reg1 u_d_answered(
    .clock(clock),
    .d(d_answered$d),
    .q(d_answered$q)
  );
  reg_en32 u_d_answer(
    .clock(clock),
    .en(d_answer$en),
    .d(d_answer$d),
    .q(d_answer$q)
  );
  reg1 u_d_missed(
    .clock(clock),
    .d(d_missed$d),
    .q(d_missed$q)
  );
  reg1 u_d_second(
    .clock(clock),
    .d(d_second$d),
    .q(d_second$q)
  );
  reg8 u_d_differs(
    .clock(clock),
    .d(d_differs$d),
    .q(d_differs$q)
  );
  reg1 u_d_doubt(
    .clock(clock),
    .d(d_doubt$d),
    .q(d_doubt$q)
  );
  reg1 u_io_now(
    .clock(clock),
    .d(io_now$d),
    .q(io_now$q)
  );
  reg_en1 u_io_writes(
    .clock(clock),
    .en(io_writes$en),
    .d(io_writes$d),
    .q(io_writes$q)
  );
  reg_en4 u_io_number(
    .clock(clock),
    .en(io_number$en),
    .d(io_number$d),
    .q(io_number$q)
  );
  reg_en32 u_io_value(
    .clock(clock),
    .en(io_value$en),
    .d(io_value$d),
    .q(io_value$q)
  );
  reg_en4 u_io_lanes(
    .clock(clock),
    .en(io_lanes$en),
    .d(io_lanes$d),
    .q(io_lanes$q)
  );
  reg1 u_s_waits(
    .clock(clock),
    .d(s_waits$d),
    .q(s_waits$q)
  );
  reg1 u_s_fresh(
    .clock(clock),
    .d(s_fresh$d),
    .q(s_fresh$q)
  );
  reg_en18 u_s_word(
    .clock(clock),
    .en(s_word$en),
    .d(s_word$d),
    .q(s_word$q)
  );
  reg_en4 u_s_lanes(
    .clock(clock),
    .en(s_lanes$en),
    .d(s_lanes$d),
    .q(s_lanes$q)
  );
  reg_en32 u_s_raw(
    .clock(clock),
    .en(s_raw$en),
    .d(s_raw$d),
    .q(s_raw$q)
  );
  reg1 u_f_busy(
    .clock(clock),
    .d(f_busy$d),
    .q(f_busy$q)
  );
  reg1 u_f_opens(
    .clock(clock),
    .d(f_opens$d),
    .q(f_opens$q)
  );
  reg1 u_f_asks(
    .clock(clock),
    .d(f_asks$d),
    .q(f_asks$q)
  );
  reg_en1 u_f_data(
    .clock(clock),
    .en(f_data$en),
    .d(f_data$d),
    .q(f_data$q)
  );
  reg_en18 u_f_word(
    .clock(clock),
    .en(f_word$en),
    .d(f_word$d),
    .q(f_word$q)
  );
  reg_en1 u_f_prom(
    .clock(clock),
    .en(f_prom$en),
    .d(f_prom$d),
    .q(f_prom$q)
  );
  reg3 u_f_count(
    .clock(clock),
    .d(f_count$d),
    .q(f_count$q)
  );
  reg1 u_p_busy(
    .clock(clock),
    .d(p_busy$d),
    .q(p_busy$q)
  );
  reg1 u_p_valid(
    .clock(clock),
    .d(p_valid$d),
    .q(p_valid$q)
  );
  reg3 u_p_count(
    .clock(clock),
    .d(p_count$d),
    .q(p_count$q)
  );
  reg4 u_first(
    .clock(clock),
    .d(first$d),
    .q(first$q)
  );
  reg5 u_held(
    .clock(clock),
    .d(held$d),
    .q(held$q)
  );
  reg32 u_flags(
    .clock(clock),
    .d(flags$d),
    .q(flags$q)
  );

  // Logic
  always @(*) f_low = f_word$q[1:0] + f_count$q[1:0];
  always @(*) f_high = f_word$q[2] ^ f_count$q[2];
  always @(*) f_index = (((f_high) & 3'h7) << 32'h2) | ((f_low) & 3'h7);
  always @(*) f_addr = (f_word$q & 32'h3fff8) | ((f_index) & 18'h3ffff);
  always @(*) p_low = f_word$q[1:0] + p_count$q[1:0];
  always @(*) p_high = f_word$q[2] ^ p_count$q[2];
  always @(*) p_index = (((p_high) & 3'h7) << 32'h2) | ((p_low) & 3'h7);
  always @(*) prom$en = p_busy$q;
  always @(*) prom$addr = ((((f_word$q[17:3]) & 11'h7ff)) << 32'h3) | ((p_index) & 11'h7ff);
  always @(*) p_valid$d = p_busy$q;
  always @(*) arrives = sdram$word_valid | p_valid$q;
  always @(*) begin
    value = sdram$word;
    if (p_valid$q) begin
      value = prom$data;
    end
  end
  always @(*) last = arrives & &f_count$q;
  always @(*) i_live$en = i_valid;
  always @(*) i_live$d = 1'b1;
  always @(*) i_want$en = i_valid;
  always @(*) i_follows = i_want$q + 32'h1;
  always @(*) begin
    i_want$d = i_follows;
    if (i_turn) begin
      i_want$d = i_target;
    end
  end
  always @(*) wanted = i_want$q[17:0];
  always @(*) wanted_prom = &i_want$q[21:12];
  always @(*) q_hit = ~(|q_differs$q | q_doubt$q);
  always @(*) i_have = (~i_live$q) | (q_valid$q & q_hit);
  always @(*) i_misses = q_valid$q & (~i_have);
  always @(*) begin
    i_step = 32'h1;
    if (i_have) begin
      i_step = 32'h2;
    end
    else if (relook$q & q_valid$q) begin
      i_step = 32'h0;
    end
  end
  always @(*) begin
    ahead = i_want$q + i_step;
    if (i_have & i_turn) begin
      ahead = i_target;
    end
  end
  always @(*) i_cache$addr = ahead[17:0];
  always @(*) i_cache$prom = &ahead[21:12];
  always @(*) i_cache$exact = 1'b1;
  always @(*) stale = s_waits$q & (s_word$q == i_cache$held);
  always @(*) k_stale = s_waits$q & (s_word$q == i_follows[17:0]);
  always @(*) begin
    next_differs = i_cache$differs;
    next_doubt = i_cache$unknown | stale;
    next_word = i_cache$data;
    if (k_valid$q) begin
      next_differs = k_differs$q;
      next_doubt = k_doubt$q | k_stale;
      next_word = k_word$q;
    end
  end
  always @(*) k_valid$d = i_have & (~i_valid);
  always @(*) k_doubt$d = next_doubt;
  always @(*) k_differs$en = ~k_valid$q;
  always @(*) k_differs$d = i_cache$differs;
  always @(*) k_word$en = ~k_valid$q;
  always @(*) k_word$d = i_cache$data;
  always @(*) i_answers = arrives & (~i_have) & (~f_data$q) & (wanted == f_addr) & (wanted_prom == f_prom$q);
  always @(*) begin
    q_valid$d = q_valid$q;
    if (i_have) begin
      if (i_valid) begin
        q_valid$d = ~i_turn;
      end
    end
    else begin
      q_valid$d = i_answers | (~q_valid$q) | (~relook$q);
    end
  end
  always @(*) q_takes = i_valid | (~q_valid$q) | i_answers;
  always @(*) q_differs$en = q_takes;
  always @(*) begin
    q_differs$d = next_differs;
    q_doubt$d = next_doubt;
    q_word$d = next_word;
    if (i_answers) begin
      q_differs$d = 32'h0;
      q_doubt$d = 1'b0;
      q_word$d = value;
    end
  end
  always @(*) q_doubt$en = q_takes;
  always @(*) q_word$en = q_takes;
  always @(*) i_ready = i_have;
  always @(*) i_data = q_word$q;
  always @(*) relook$d = last & (~f_data$q);
  always @(*) full = held$q[4];
  always @(*) empty = ~|held$q;
  always @(*) s_is_io = &s_addr[23:6];
  always @(*) s_new = d_valid & d_write & (~s_is_io);
  always @(*) s_goes = s_waits$q & s_fresh$q & (~f_busy$q) & (~full);
  always @(*) s_stuck = s_waits$q & (~s_goes);
  always @(*) s_waits$d = s_new | s_stuck;
  always @(*) s_fresh$d = ~(f_opens$q | last);
  always @(*) s_word$en = s_new;
  always @(*) s_word$d = s_addr[19:2];
  always @(*) s_lanes$en = s_new;
  always @(*) s_lanes$d = d_lanes;
  always @(*) s_raw$en = s_new;
  always @(*) s_raw$d = s_value;
  always @(*) s_place$value = s_raw$q;
  always @(*) s_place$lanes = s_lanes$q;
  always @(*) placed = s_place$placed;
  always @(*) begin
    s_looks = s_addr[19:2];
    if (s_stuck) begin
      s_looks = s_word$q;
    end
  end
  always @(*) i_cache$store_addr = s_looks;
  always @(*) i_cache$update = s_goes;
  always @(*) i_cache$update_addr = s_word$q;
  always @(*) i_cache$lanes = s_lanes$q;
  always @(*) i_cache$wdata = placed;
  always @(*) d_cache$store_addr = s_looks;
  always @(*) d_cache$update = s_goes;
  always @(*) d_cache$update_addr = s_word$q;
  always @(*) d_cache$lanes = s_lanes$q;
  always @(*) d_cache$wdata = placed;
  always @(*) is_io = &d_addr[23:6];
  always @(*) d_cache$addr = d_addr[19:2];
  always @(*) d_cache$prom = 1'b0;
  always @(*) d_cache$exact = 1'b0;
  always @(*) d_fresh$d = d_valid;
  always @(*) d_word$en = d_valid;
  always @(*) d_word$d = d_addr[19:2];
  always @(*) d_load$en = d_valid;
  always @(*) d_load$d = ~(d_write | is_io);
  always @(*) io_now$d = d_valid & is_io;
  always @(*) io_writes$en = d_valid;
  always @(*) io_writes$d = d_write;
  always @(*) io_number$en = d_valid;
  always @(*) io_number$d = d_addr[5:2];
  always @(*) io_lanes$en = d_valid;
  always @(*) io_lanes$d = d_lanes;
  always @(*) io_value$en = d_valid;
  always @(*) io_value$d = s_value;
  always @(*) io_access = io_now$q;
  always @(*) io_write = io_writes$q;
  always @(*) io_word = io_number$q;
  always @(*) io_place$value = io_value$q;
  always @(*) io_place$lanes = io_lanes$q;
  always @(*) io_wdata = io_place$placed;
  always @(*) d_answers = arrives & f_data$q & d_load$q & (d_word$q == f_addr);
  always @(*) d_looked = d_fresh$q & d_load$q;
  always @(*) d_known = d_fresh$q & recent$known & (~d_cache$unknown);
  always @(*) d_second$d = d_looked & (~d_answers);
  always @(*) d_differs$d = d_cache$differs;
  always @(*) d_doubt$d = d_cache$unknown;
  always @(*) d_decides = d_second$q & (~d_fresh$q);
  always @(*) d_same = ~(|d_differs$q | d_doubt$q);
  always @(*) d_hit = d_decides & d_same;
  always @(*) d_miss = d_missed$q | (d_decides & (~d_same));
  always @(*) d_missed$d = d_miss & (~d_answers);
  always @(*) d_answered$d = (d_answered$q | d_answers | d_hit) & (~d_valid);
  always @(*) d_have = (~d_load$q) | d_answered$q | d_hit | d_known;
  always @(*) d_ready = d_have & (~s_stuck) & (~io_now$q) & (~io_wait);
  always @(*) same = d_word$q == s_word$q;
  always @(*) begin
    bypass = 32'h0;
    if (same) begin
      bypass = s_lanes$q;
    end
  end
  always @(*) begin
    d_other = d_answer$q;
    d_from_other = 32'hf;
    if (d_fresh$q) begin
      d_other = placed;
      d_from_other = bypass;
    end
  end
  always @(*) begin
    lane0 = d_cache$data[7:0];
    if (d_from_other[0]) begin
      lane0 = d_other[7:0];
    end
  end
  always @(*) begin
    lane1 = d_cache$data[15:8];
    if (d_from_other[1]) begin
      lane1 = d_other[15:8];
    end
  end
  always @(*) begin
    lane2 = d_cache$data[23:16];
    if (d_from_other[2]) begin
      lane2 = d_other[23:16];
    end
  end
  always @(*) begin
    lane3 = d_cache$data[31:24];
    if (d_from_other[3]) begin
      lane3 = d_other[31:24];
    end
  end
  always @(*) d_value = (((lane3) & 32'hffffffff) << 32'h18) | (((lane2) & 32'hffffffff) << 32'h10) | (((lane1) & 32'hffffffff) << 32'h8) | ((lane0) & 32'hffffffff);
  always @(*) d_rdata = d_value;
  always @(*) d_answer$en = d_fresh$q | d_answers | io_now$q;
  always @(*) begin
    d_answer$d = d_value;
    if (io_now$q) begin
      d_answer$d = io_rdata;
    end
    else if (d_answers) begin
      d_answer$d = value;
    end
  end
  always @(*) d_starts = d_miss & (~f_busy$q);
  always @(*) i_starts = i_misses & (~relook$q) & (~f_busy$q);
  always @(*) starts = d_starts | i_starts;
  always @(*) begin
    start_word = wanted;
    start_prom = wanted_prom;
    if (d_starts) begin
      start_word = d_word$q;
      start_prom = 1'b0;
    end
  end
  always @(*) f_word$en = starts;
  always @(*) f_word$d = start_word;
  always @(*) f_prom$en = starts;
  always @(*) f_prom$d = start_prom;
  always @(*) f_data$en = starts;
  always @(*) f_data$d = d_starts;
  always @(*) f_busy$d = (f_busy$q | starts) & (~last);
  always @(*) f_opens$d = starts;
  always @(*) begin
    f_asks$d = f_asks$q & (~sdram$read_taken);
    f_count$d = f_count$q;
    p_busy$d = p_busy$q;
    p_count$d = p_count$q;
    if (starts) begin
      f_asks$d = ~start_prom;
      p_busy$d = start_prom;
      p_count$d = 32'h0;
      f_count$d = 32'h0;
    end
    else begin
      if (arrives) begin
        f_count$d = f_count$q + 32'h1;
      end
      if (p_busy$q) begin
        p_count$d = p_count$q + 32'h1;
        p_busy$d = ~&p_count$q;
      end
    end
  end
  always @(*) i_cache$filling = f_busy$q & (~f_data$q);
  always @(*) i_cache$open = f_opens$q & (~f_data$q);
  always @(*) i_cache$fill = arrives & (~f_data$q);
  always @(*) i_cache$close = last & (~f_data$q);
  always @(*) i_cache$fill_addr = f_addr;
  always @(*) i_cache$fill_prom = f_prom$q;
  always @(*) i_cache$fill_data = value;
  always @(*) d_cache$filling = f_busy$q & f_data$q;
  always @(*) d_opens = f_opens$q & f_data$q;
  always @(*) d_closes = last & f_data$q;
  always @(*) d_cache$open = d_opens;
  always @(*) d_cache$fill = arrives & f_data$q;
  always @(*) d_cache$close = d_closes;
  always @(*) d_cache$fill_addr = f_addr;
  always @(*) d_cache$fill_prom = 1'b0;
  always @(*) d_cache$fill_data = value;
  always @(*) recent$addr = d_word$q;
  always @(*) recent$write = d_opens | d_closes | d_hit;
  always @(*) recent$present = ~d_opens;
  always @(*) begin
    recent$line = d_word$q;
    if (d_opens | d_closes) begin
      recent$line = f_addr;
    end
  end
  always @(*) past = first$q + held$q[3:0];
  always @(*) buffer$raddr = first$q;
  always @(*) buffer$waddr = past;
  always @(*) buffer$we = s_goes;
  always @(*) buffer$wdata = ((placed) & 54'h3fffffffffffff) | (((s_lanes$q) & 54'h3fffffffffffff) << 32'h20) | (((s_word$q) & 54'h3fffffffffffff) << 32'h24);
  always @(*) oldest = buffer$rdata;
  always @(*) begin
    first$d = first$q;
    if (sdram$write_taken) begin
      first$d = first$q + 32'h1;
    end
  end
  always @(*) begin
    held$d = held$q;
    if (s_goes & (~sdram$write_taken)) begin
      held$d = held$q + 32'h1;
    end
    else if (sdram$write_taken & (~s_goes)) begin
      held$d = held$q - 32'h1;
    end
  end
  always @(*) flag_number = s_word$q[7:3];
  always @(*) flag = one << flag_number;
  always @(*) begin
    kept = flags$q;
    if (empty) begin
      kept = 32'h0;
    end
  end
  always @(*) begin
    flags$d = kept;
    if (s_goes) begin
      flags$d = kept | flag;
    end
  end
  always @(*) asked_number = f_word$q[7:3];
  always @(*) asked_flags = flags$q >> asked_number;
  always @(*) blocked = asked_flags[0] & (~empty);
  always @(*) sdram$enable = enable;
  always @(*) sdram$read_valid = f_asks$q & (~blocked);
  always @(*) sdram$read_addr = f_word$q;
  always @(*) sdram$write_valid = ~empty;
  always @(*) sdram$write_addr = oldest[53:36];
  always @(*) sdram$write_lanes = oldest[35:32];
  always @(*) sdram$write_word = oldest[31:0];
  always @(*) sdram$video_valid = video_valid;
  always @(*) sdram$video_addr = video_addr;
  always @(*) video_taken = sdram$video_taken;
  always @(*) video_word_valid = sdram$video_word_valid;
  always @(*) video_word = sdram$word;
  always @(*) sdram$read_data = read_data;
  always @(*) command = sdram$command;
  always @(*) address = sdram$address;
  always @(*) bank = sdram$bank;
  always @(*) mask = sdram$mask;
  always @(*) write_data = sdram$write_data;
  always @(*) drive = sdram$drive;
endmodule

`default_nettype wire
