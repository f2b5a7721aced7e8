// A board's memory at the core's ports: what a load or an instruction gets is what was stored last.
//
// One bit of one word is followed, both chosen freely, so what holds for it holds for all. RAMs keep what
// belongs to that bit and show anything else; a RAM that is read where it is written in the same cycle shows anything.
// The SDRAM controller is its users' ports only: it takes what is asked at any time, one thing at a time, and
// a line's words come at any time, in their order, as they were when the line was taken (proof `sdram`).
//
// Assumed of the core: requests only while both ports are ready, an instruction that is no turn follows
// the one before it, stores are of a word or a byte. Of the video: one line at a time.

// ---- RAMs that keep one bit; `a`, `b` are given from above ----
// A register (`_q`) is seen from above through a wire: a connection by name would cost it its value at power-on.
module lane_ram_4096(
  input wire clock,
  input wire [11:0] raddr, waddr,
  output reg [31:0] rdata,
  input wire [3:0] lanes,
  input wire [31:0] wdata);
  wire [17:0] a;
  wire [4:0] b;
  (* anyseq *) reg [31:0] any;
  reg kept_q = 0;
  wire kept = kept_q;
  wire written = lanes[b[4:3]];
  always @(posedge clock) begin
    rdata <= any;
    if (raddr == a[11:0] && !(written && waddr == raddr)) rdata[b] <= kept_q;
    if (written && waddr == a[11:0]) kept_q <= wdata[b];
  end
endmodule

module tag_ram_512x8(
  input wire clock, write,
  input wire [8:0] raddr, addr,
  output reg [7:0] rdata, data,
  input wire [7:0] wdata);
  wire [17:0] a;
  (* anyseq *) reg [7:0] any, other;
  reg [7:0] kept_q = 0;
  wire [7:0] kept = kept_q;
  initial begin rdata = 0; data = 0; end
  wire here = addr == a[11:3];
  always @(posedge clock) begin
    rdata <= raddr == a[11:3] && !(write && here) ? kept_q : any;
    data <= here && !write ? kept_q : other;
    if (write && here) kept_q <= wdata;
  end
endmodule

// A bank of the lines that are known: each bank keeps the place that the word's line would have there.
module async_ram_16x10(
  input wire clock, we,
  input wire [3:0] raddr, waddr,
  output wire [9:0] rdata,
  input wire [9:0] wdata);
  wire [17:0] a;
  (* anyseq *) reg [9:0] any;
  reg [9:0] kept_q = 0;
  wire [9:0] kept = kept_q;
  assign rdata = raddr == a[6:3] ? kept_q : any;
  always @(posedge clock) if (we && waddr == a[6:3]) kept_q <= wdata;
endmodule

// The write buffer: 18 bits of word address, 4 lanes, 32 bits.
module async_ram_16x54(
  input wire clock, we,
  input wire [3:0] raddr, waddr,
  output reg [53:0] rdata,
  input wire [53:0] wdata);
  wire [17:0] a;
  wire [4:0] b;
  wire [5:0] lane = 32 + b[4:3];
  (* anyseq *) reg [53:0] any;
  reg [15:0] hits_q = 0, values_q = 0;
  wire [15:0] hits = hits_q, values = values_q;
  always @(posedge clock) if (we) begin
    hits_q[waddr] <= wdata[53:36] == a && wdata[lane];
    values_q[waddr] <= wdata[b];
  end
  always @* begin
    rdata = any;
    if (hits_q[raddr]) begin
      rdata[53:36] = a;
      rdata[lane] = 1;
      rdata[b] = values_q[raddr];
    end else if (any[53:36] == a) rdata[lane] = 0;
  end
endmodule

module prom_2048(
  input wire clock, en,
  input wire [10:0] addr,
  output reg [31:0] data);
  wire [17:0] a;
  wire [4:0] b;
  wire bit_there;
  (* anyseq *) reg [31:0] any;
  always @(posedge clock) if (en) begin
    data <= any;
    if (addr == a[10:0]) data[b] <= bit_there;
  end
endmodule

// ---- The SDRAM controller as its users see it ----
module sdram(
  input wire clock, enable,
  input wire read_valid, video_valid, write_valid,
  input wire [17:0] read_addr, video_addr, write_addr,
  input wire [3:0] write_lanes,
  input wire [31:0] write_word,
  input wire [15:0] read_data,
  output wire read_taken, video_taken, write_taken, word_valid, video_word_valid, drive,
  output reg [31:0] word,
  output wire [2:0] command,
  output wire [12:0] address,
  output wire [1:0] bank, mask,
  output wire [15:0] write_data);
  wire [17:0] a;
  wire [4:0] b;
  (* anyseq *) reg [1:0] takes, gives;
  (* anyseq *) reg [31:0] any;
  assign read_taken = read_valid && takes == 1;
  assign video_taken = video_valid && takes == 2;
  assign write_taken = write_valid && takes == 3;

  // The bit as it is there, and as it was when a line was taken.
  reg kept_q;
  reg reads_q = 0, videos_q = 0, read_bit_q, video_bit_q;
  reg [17:0] read_at_q, video_at_q;
  reg [2:0] read_count_q = 0, video_count_q = 0;
  wire kept = kept_q, reads = reads_q, videos = videos_q, read_bit = read_bit_q, video_bit = video_bit_q;
  wire [17:0] read_at = read_at_q, video_at = video_at_q;
  wire [2:0] read_count = read_count_q, video_count = video_count_q;
  assign word_valid = reads_q && gives == 1;
  assign video_word_valid = videos_q && gives == 2;
  function [17:0] place(input [17:0] first, input [2:0] count);
    place = {first[17:3], first[2] ^ count[2], first[1:0] + count[1:0]};
  endfunction
  always @* begin
    word = any;
    if (word_valid && place(read_at_q, read_count_q) == a) word[b] = read_bit_q;
    if (video_word_valid && place(video_at_q, video_count_q) == a) word[b] = video_bit_q;
  end
  always @(posedge clock) begin
    if (word_valid) begin
      read_count_q <= read_count_q + 1;
      if (&read_count_q) reads_q <= 0;
    end
    if (video_word_valid) begin
      video_count_q <= video_count_q + 1;
      if (&video_count_q) videos_q <= 0;
    end
    if (read_taken) begin
      reads_q <= 1;
      read_at_q <= read_addr;
      read_bit_q <= kept_q;
      read_count_q <= 0;
    end
    if (video_taken) begin
      videos_q <= 1;
      video_at_q <= video_addr;
      video_bit_q <= kept_q;
      video_count_q <= 0;
    end
    if (write_taken && write_addr == a && write_lanes[b[4:3]]) kept_q <= write_word[b];
  end
  assign {command, address, bank, mask, write_data, drive} = 0;
endmodule

module prove_memory #(parameter ports_only = 0) (
  input wire clock, enable,
  input wire i_asks, i_turn, d_asks, d_write,
  input wire [21:0] i_any,
  input wire [23:0] d_addr, s_any,
  input wire [3:0] lanes_any,
  input wire [31:0] s_value, io_rdata,
  input wire io_wait, video_asks,
  input wire [17:0] video_addr);

  (* anyconst *) reg [17:0] a;
  (* anyconst *) reg [4:0] b;
  (* anyconst *) reg bit_there;
  wire [1:0] lane = b[4:3];

  wire i_ready, d_ready;
  wire [31:0] i_data, d_rdata, io_wdata, video_word;
  wire io_access, io_write, video_taken, video_word_valid;
  wire [3:0] io_word;

  // ---- The core's side ----
  reg i_live = 0;
  reg [21:0] i_want = 0;
  wire i_valid = i_asks && i_ready && d_ready;
  wire d_valid = d_asks && i_ready && d_ready;
  wire turn = i_turn || !i_live;
  wire [21:0] i_addr = turn ? i_any : i_want + 1;
  wire [23:0] s_addr = d_valid && d_write ? d_addr : s_any;
  wire [3:0] d_lanes = lanes_any;
  reg video_busy = 0;
  wire video_valid = video_asks && !video_busy;
  always @* if (d_valid && d_write) assume (d_lanes == 15 || d_lanes == 1 || d_lanes == 2
    || d_lanes == 4 || d_lanes == 8);

  memory uut(.clock, .enable, .i_valid, .i_target(i_any), .i_turn(turn), .i_ready, .i_data,
    .d_valid, .d_addr, .d_write, .d_lanes, .d_ready, .d_rdata, .s_addr, .s_value,
    .io_access, .io_write, .io_word, .io_wdata, .io_rdata, .io_wait,
    .video_valid, .video_addr, .video_taken, .video_word_valid, .video_word, .read_data(16'b0));

  // ---- The bit as software sees it ----
  reg shadow;
  wire io = &d_addr[23:6];
  wire stores = d_valid && d_write && !io && d_addr[19:2] == a && d_lanes[lane];
  wire stored = d_lanes == 15 ? s_value[b] : s_value[b[2:0]];
  // The last request at each port: of this word; for an instruction the bit before and after a store of
  // the same edge.
  reg d_mine = 0, i_mine = 0, i_prom = 0, i_before, i_after;
  reg io_mine = 0, io_writes = 0, io_answered = 0, io_bit, io_stored;
  reg [3:0] io_number, io_lanes;
  reg [2:0] video_count = 0;
  reg [17:0] video_at;
  reg video_bit, video_sure;
  wire [17:0] video_place =
    {video_at[17:3], video_at[2] ^ video_count[2], video_at[1:0] + video_count[1:0]};

  // ---- How the memory knows ----
  (* hierconn *) wire [17:0] \uut.u_i_cache.u_words.a , \uut.u_d_cache.u_words.a , \uut.u_i_cache.u_tags.a ,
    \uut.u_d_cache.u_tags.a , \uut.u_recent.u_bank0.a , \uut.u_recent.u_bank1.a , \uut.u_recent.u_bank2.a ,
    \uut.u_recent.u_bank3.a , \uut.u_buffer.a , \uut.u_prom.a , \uut.u_sdram.a ;
  (* hierconn *) wire [4:0] \uut.u_i_cache.u_words.b , \uut.u_d_cache.u_words.b , \uut.u_buffer.b ,
    \uut.u_prom.b , \uut.u_sdram.b ;
  (* hierconn *) wire \uut.u_prom.bit_there ;
  assign \uut.u_i_cache.u_words.a = a, \uut.u_d_cache.u_words.a = a, \uut.u_i_cache.u_tags.a = a,
    \uut.u_d_cache.u_tags.a = a, \uut.u_recent.u_bank0.a = a, \uut.u_recent.u_bank1.a = a,
    \uut.u_recent.u_bank2.a = a, \uut.u_recent.u_bank3.a = a, \uut.u_buffer.a = a, \uut.u_prom.a = a,
    \uut.u_sdram.a = a, \uut.u_i_cache.u_words.b = b, \uut.u_d_cache.u_words.b = b, \uut.u_buffer.b = b,
    \uut.u_prom.b = b, \uut.u_sdram.b = b, \uut.u_prom.bit_there = bit_there;

  (* hierconn *) wire \uut.u_sdram.kept , \uut.u_sdram.reads , \uut.u_sdram.read_bit , \uut.u_sdram.videos ,
    \uut.u_sdram.video_bit , \uut.u_i_cache.u_words.kept , \uut.u_d_cache.u_words.kept ;
  (* hierconn *) wire [17:0] \uut.u_sdram.read_at , \uut.u_sdram.video_at ;
  (* hierconn *) wire [2:0] \uut.u_sdram.read_count , \uut.u_sdram.video_count ;
  (* hierconn *) wire [15:0] \uut.u_buffer.hits , \uut.u_buffer.values ;
  (* hierconn *) wire [9:0] \uut.u_recent.u_bank0.kept , \uut.u_recent.u_bank1.kept , \uut.u_recent.u_bank2.kept ,
    \uut.u_recent.u_bank3.kept ;
  wire [9:0] recent_entry = a[8:7] == 0 ? \uut.u_recent.u_bank0.kept : a[8:7] == 1 ? \uut.u_recent.u_bank1.kept
    : a[8:7] == 2 ? \uut.u_recent.u_bank2.kept : \uut.u_recent.u_bank3.kept ;
  (* hierconn *) wire [7:0] \uut.u_i_cache.u_tags.kept , \uut.u_i_cache.tags$data , \uut.u_i_cache.tags$rdata ,
    \uut.u_d_cache.u_tags.kept , \uut.u_d_cache.tags$data , \uut.u_d_cache.tags$rdata ;
  (* hierconn *) wire [31:0] \uut.u_i_cache.words$rdata , \uut.u_d_cache.words$rdata , \uut.prom$data ;

  (* hierconn *) wire [17:0] \uut.i_cache$held , \uut.d_cache$held ;
  (* hierconn *) wire [8:0] \uut.u_i_cache.place$q , \uut.u_d_cache.place$q ;
  (* hierconn *) wire \uut.u_i_cache.held_in_prom$q , \uut.u_i_cache.in_doubt , \uut.u_d_cache.in_doubt ,
    \uut.u_d_cache.near_update$q , \uut.u_d_cache.held_in_prom$q ;
  (* hierconn *) wire [7:0] \uut.d_cache$differs ;

  (* hierconn *) wire \uut.i_live$q , \uut.q_valid$q , \uut.relook$q , \uut.k_valid$q , \uut.k_doubt$q ;
  (* hierconn *) wire [21:0] \uut.i_want$q ;
  (* hierconn *) wire [31:0] \uut.k_word$q ;
  (* hierconn *) wire [7:0] \uut.k_differs$q ;
  (* hierconn *) wire [17:0] \uut.d_word$q ;
  (* hierconn *) wire \uut.d_fresh$q , \uut.d_second$q , \uut.d_load$q , \uut.d_answered$q , \uut.d_missed$q ,
    \uut.d_same , \uut.d_miss , \uut.d_known , \uut.d_hit , \uut.io_now$q ;
  (* hierconn *) wire [31:0] \uut.d_answer$q ;
  (* hierconn *) wire \uut.s_waits$q , \uut.s_fresh$q ;
  (* hierconn *) wire [17:0] \uut.s_word$q ;
  (* hierconn *) wire [3:0] \uut.s_lanes$q ;
  (* hierconn *) wire [31:0] \uut.placed ;
  (* hierconn *) wire \uut.f_busy$q , \uut.f_opens$q , \uut.f_asks$q , \uut.f_data$q , \uut.f_prom$q ,
    \uut.p_busy$q , \uut.p_valid$q ;
  (* hierconn *) wire [17:0] \uut.f_word$q , \uut.f_addr ;
  (* hierconn *) wire [2:0] \uut.f_count$q , \uut.p_count$q ;
  (* hierconn *) wire [3:0] \uut.first$q ;
  (* hierconn *) wire [4:0] \uut.held$q ;
  (* hierconn *) wire [31:0] \uut.flags$q ;
  (* hierconn *) wire \uut.sdram$read_valid , \uut.sdram$write_valid , \uut.sdram$read_taken ,
    \uut.sdram$write_taken , \uut.sdram$word_valid ;

  // A line that is known without the cache is in the cache. Of the other lines this is taken as
  // given: the first line for which it did not hold would be one that `a` may stand for.
  wire known_is_there = !(\uut.d_load$q && \uut.d_known ) || !\uut.d_cache$differs ;

  wire [7:0] ram_tag = {a[17:12], 2'b01}, prom_tag = {a[17:12], 2'b11};
  // The line on its way: it is the word's, it has the place of the word's, the word has come.
  wire f_line = \uut.f_word$q [17:3] == a[17:3];
  wire f_place = \uut.f_word$q [11:3] == a[11:3];
  wire [2:0] f_turn = {\uut.f_word$q [2] ^ a[2], a[1:0] - \uut.f_word$q [1:0]};
  wire f_came = f_line && \uut.f_count$q > f_turn;
  wire d_line = \uut.d_word$q [17:3] == a[17:3];
  wire [21:0] i_next = i_want + 1;

  // The youngest of the buffer's stores to the bit, else the SDRAM.
  reg waits, behind;
  integer n;
  always @* begin
    waits = 0;
    behind = \uut.u_sdram.kept ;
    for (n = 0; n < 16; n = n + 1)
      if (n < \uut.held$q && \uut.u_buffer.hits [(\uut.first$q + n) & 15]) begin
        waits = 1;
        behind = \uut.u_buffer.values [(\uut.first$q + n) & 15];
      end
  end
  // The store at hand is of the bit and is in neither buffer nor caches.
  wire at_hand = \uut.s_word$q == a && \uut.s_lanes$q [lane];
  wire pending = \uut.s_waits$q && at_hand;

  // ---- How far a wait is from its end ----
  // While the core waits, this number gets smaller in each cycle but those in which the SDRAM is asked and
  // does nothing for it, or an I/O word holds the core. It never gets larger.
  wire d_waits = \uut.d_load$q && !\uut.d_answered$q && !\uut.d_hit && !\uut.d_known ;
  wire d_fill = d_waits && !(\uut.f_busy$q && \uut.f_data$q && \uut.f_word$q == \uut.d_word$q && \uut.f_count$q == 0);
  wire i_fill = !i_ready && !(\uut.f_busy$q && !\uut.f_data$q && \uut.f_word$q == i_want[17:0]
    && \uut.f_prom$q == &i_want[21:12] && \uut.f_count$q == 0);
  wire [7:0] way = 40 * (d_fill + i_fill)
    + (\uut.f_busy$q ? 8 - \uut.f_count$q + \uut.f_asks$q + (\uut.f_prom$q && !\uut.p_valid$q ) : 0)
    + (i_ready ? 0 : \uut.f_busy$q && !\uut.f_data$q ? 4 : \uut.relook$q && \uut.q_valid$q ? 3 : \uut.q_valid$q ? 1 : 2)
    + (!d_waits ? 0 : \uut.d_fresh$q ? 2 : 1)
    + (\uut.s_waits$q ? 4 + (\uut.f_busy$q || !\uut.s_fresh$q ) : 0) + 2 * \uut.held$q + \uut.io_now$q ;
  wire waiting = !(i_ready && d_ready);
  wire sdram_works = \uut.sdram$read_taken || \uut.sdram$write_taken || \uut.sdram$word_valid ;
  wire sdram_asked = \uut.sdram$read_valid || \uut.sdram$write_valid || \uut.u_sdram.reads ;
  reg waited = 0, held_up;
  reg [7:0] way_before;
  always @(posedge clock) begin
    waited <= waiting;
    held_up <= io_wait || (sdram_asked && !sdram_works);
    way_before <= way;
  end

  reg begun = 0, changed = 0;
  always @(posedge clock) begin
    begun <= 1;
    if (stores && stored != shadow) changed <= 1;
    if (stores) shadow <= stored;
    if (d_valid) begin
      d_mine <= !d_write && !io && d_addr[19:2] == a;
      io_mine <= io;
      io_writes <= d_write;
      io_number <= d_addr[5:2];
      io_lanes <= d_lanes;
      io_stored <= !d_lanes[lane] ? 1'b0 : d_lanes == 15 ? s_value[b] : s_value[b[2:0]];
      io_answered <= 0;
    end else if (io_mine) begin
      io_answered <= 1;
      if (!io_answered) io_bit <= io_rdata[b];
    end
    if (i_valid) begin
      i_live <= 1;
      i_want <= i_addr;
      i_mine <= i_addr[17:0] == a;
      i_prom <= &i_addr[21:12];
      i_before <= shadow;
      i_after <= stores ? stored : shadow;
    end
    if (video_word_valid) begin
      video_count <= video_count + 1;
      if (&video_count) video_busy <= 0;
    end
    if (video_taken) begin
      video_busy <= 1;
      video_count <= 0;
      video_at <= video_addr;
      video_bit <= shadow;
      video_sure <= !waits && !pending;
    end
  end

  always @* begin
    if (!begun) assume (shadow == \uut.u_sdram.kept );

    if (d_line) known: assert (known_is_there);
    else assume (known_is_there);

    // What the core is promised.
    if (d_mine && d_ready) load: assert (d_rdata[b] == shadow);
    if (i_mine && i_ready && i_prom) instruction_of_prom: assert (i_data[b] == bit_there);
    if (i_mine && i_ready && !i_prom)
      instruction: assert (i_data[b] == i_before || i_data[b] == i_after);
    // I/O words are read and written once, in the cycle after the request.
    io_once: assert (io_access == (io_mine && !io_answered));
    if (io_wait) io_holds: assert (!d_ready);
    if (io_access) io_what: assert (io_write == io_writes && io_word == io_number && !d_ready
      && (!io_writes || !io_lanes[lane] || io_wdata[b] == io_stored));
    if (io_mine && !io_writes && d_ready) io_read: assert (d_rdata[b] == io_bit);
    // The video's words.
    if (video_word_valid) video_asked: assert (video_busy);
    if (video_word_valid && video_place == a && video_sure)
      video: assert (video_word[b] == video_bit);

    // ---- What all this is about does occur: each way to an answer, with a store before it ----
    if (ports_only) begin
      line_answers: cover (d_mine && d_ready && changed && \uut.u_sdram.reads && !\uut.d_fresh$q );
      cache_answers: cover (d_mine && d_ready && changed && \uut.d_hit && !at_hand);
      known_answers: cover (d_mine && d_ready && changed && \uut.d_known && !at_hand);
      store_answers: cover (d_mine && d_ready && \uut.d_known && at_hand);
      instruction_answers: cover (i_mine && i_ready && changed && !i_prom);
      instruction_is_new: cover (i_mine && i_ready && !i_prom && i_before != i_after && i_data[b] == i_after);
      prom_answers: cover (i_mine && i_ready && i_prom);
      video_answers: cover (video_word_valid && video_place == a && video_sure && changed);
      io_answers: cover (io_mine && !io_writes && io_answered && d_ready && \uut.f_busy$q );
      buffer_is_full: cover (\uut.held$q == 16);
    end

    // ---- What carries the induction ----
    if (!ports_only) begin
      // The bit is in the store at hand, else behind the caches, and in a cache that has the word.
      held: assert (\uut.held$q <= 16);
      now: assert (shadow == (pending ? \uut.placed [b] : behind));
      if (at_hand) last_store: assert (shadow == \uut.placed [b]);
      if (waits) flagged: assert (\uut.flags$q [a[7:3]]);
      if (\uut.u_d_cache.u_tags.kept == ram_tag) d_has: assert (\uut.u_d_cache.u_words.kept == behind);
      if (\uut.u_i_cache.u_tags.kept == ram_tag) i_has: assert (\uut.u_i_cache.u_words.kept == behind);
      if (\uut.u_i_cache.u_tags.kept == prom_tag) i_has_prom: assert (\uut.u_i_cache.u_words.kept == bit_there);
      if (\uut.s_waits$q && \uut.s_fresh$q && \uut.s_word$q [11:3] == a[11:3]) looked: assert (
        \uut.u_i_cache.tags$data == \uut.u_i_cache.u_tags.kept
        && \uut.u_d_cache.tags$data == \uut.u_d_cache.u_tags.kept );

      // The line on its way.
      if (\uut.f_busy$q ) begin
        f_from: assert (\uut.f_prom$q ? \uut.p_busy$q || \uut.p_valid$q : \uut.f_asks$q != \uut.u_sdram.reads );
        if (\uut.f_prom$q ) f_of_prom: assert (!\uut.f_data$q && &\uut.f_word$q [17:12]
          && !\uut.f_asks$q && !\uut.u_sdram.reads );
        else f_of_ram: assert (!\uut.p_busy$q && !\uut.p_valid$q );
        if (f_place && !\uut.f_opens$q )
          f_invalid: assert (!(\uut.f_data$q ? \uut.u_d_cache.u_tags.kept [0] : \uut.u_i_cache.u_tags.kept [0]));
        if (f_came) f_there: assert ((\uut.f_data$q ? \uut.u_d_cache.u_words.kept : \uut.u_i_cache.u_words.kept )
          == (\uut.f_prom$q ? bit_there : behind));
        if (!\uut.f_opens$q && \uut.f_data$q ) d_place: assert (\uut.u_d_cache.place$q == \uut.f_word$q [11:3]);
        if (!\uut.f_opens$q && !\uut.f_data$q ) i_place: assert (\uut.u_i_cache.place$q == \uut.f_word$q [11:3]);
      end else f_rests: assert (!\uut.f_opens$q && !\uut.f_asks$q && !\uut.p_busy$q && !\uut.p_valid$q
        && !\uut.u_sdram.reads );
      if (\uut.f_opens$q || \uut.f_asks$q ) f_begins: assert (\uut.f_count$q == 0);
      if (\uut.u_sdram.reads ) f_comes: assert (\uut.u_sdram.read_at == \uut.f_word$q
        && \uut.u_sdram.read_count == \uut.f_count$q );
      if (\uut.u_sdram.reads && f_line) f_fresh: assert (!waits && \uut.u_sdram.read_bit == \uut.u_sdram.kept );
      if (\uut.p_valid$q ) p_comes: assert (\uut.p_count$q == \uut.f_count$q + 3'd1
        && \uut.p_busy$q == (\uut.f_count$q != 7)
        && (\uut.f_addr [10:0] != a[10:0] || \uut.prom$data [b] == bit_there));
      else if (\uut.p_busy$q ) p_begins: assert (\uut.p_count$q == 0 && \uut.f_count$q == 0);

      // Loads: the cache shows its word for a cycle, then it is in a register.
      d_is: assert (d_mine == (\uut.d_load$q && \uut.d_word$q == a) && !(io_mine && \uut.d_load$q )
        && \uut.io_now$q == (io_mine && !io_answered));
      d_plain: assert (!\uut.u_d_cache.near_update$q && !\uut.u_d_cache.held_in_prom$q );
      if (\uut.d_load$q ) store_is_done: assert (!\uut.s_waits$q );
      if (\uut.d_fresh$q ) d_looks: assert (\uut.d_cache$held == \uut.d_word$q && !\uut.d_answered$q
        && !\uut.d_missed$q );
      if (\uut.d_second$q && !\uut.d_fresh$q ) d_decides: assert (\uut.d_load$q && !\uut.d_answered$q
        && !\uut.d_missed$q );
      if (\uut.d_missed$q ) missed: assert (\uut.d_load$q && !\uut.d_answered$q );
      if (\uut.d_load$q ) d_one: assert (\uut.d_fresh$q || \uut.d_second$q || \uut.d_missed$q || \uut.d_answered$q );
      if (\uut.d_fresh$q && d_mine && !\uut.u_d_cache.in_doubt && \uut.u_d_cache.tags$rdata == ram_tag)
        d_shows: assert (at_hand || \uut.u_d_cache.words$rdata [b] == shadow);
      if (!\uut.d_fresh$q && d_mine && (\uut.d_answered$q || \uut.d_hit ))
        d_answer: assert (\uut.d_answer$q [b] == shadow);
      if (\uut.d_fresh$q && \uut.d_load$q && d_line && !\uut.u_d_cache.in_doubt && !\uut.d_cache$differs )
        d_shown: assert (\uut.u_d_cache.u_tags.kept == ram_tag);
      if (\uut.d_hit && d_line) d_still: assert (\uut.u_d_cache.u_tags.kept == ram_tag);
      if (\uut.f_opens$q && \uut.f_data$q ) d_own: assert (\uut.d_missed$q && \uut.f_word$q == \uut.d_word$q );
      if (recent_entry == {a[17:9], 1'b1}) recent: assert (\uut.u_d_cache.u_tags.kept == ram_tag);

      // Instructions: the one behind is what the cache shows, or kept from when it did.
      i_is: assert (\uut.i_live$q == i_live && \uut.i_want$q == i_want && (i_live || !\uut.q_valid$q && !i_mine));
      if (i_live) i_mine_is: assert (i_mine == (i_want[17:0] == a) && i_prom == &i_want[21:12]);
      if (i_live && !\uut.k_valid$q ) i_looks: assert (\uut.q_valid$q
        ? \uut.i_cache$held == i_next[17:0] && \uut.u_i_cache.held_in_prom$q == &i_next[21:12]
        : \uut.i_cache$held == i_want[17:0] && \uut.u_i_cache.held_in_prom$q == &i_want[21:12]);
      if (i_live && \uut.k_valid$q ) i_keeps: assert (i_ready);
      if (\uut.relook$q ) behind_line: assert (!\uut.f_busy$q );
      if (i_mine && !i_ready) i_waits: assert (i_after == shadow && (!pending || i_before == behind));
      if (\uut.i_cache$held == a && !\uut.u_i_cache.in_doubt
        && \uut.u_i_cache.tags$rdata == (\uut.u_i_cache.held_in_prom$q ? prom_tag : ram_tag))
        i_shows: assert ((\uut.s_waits$q && \uut.s_word$q == a)
          || \uut.u_i_cache.words$rdata [b] == (\uut.u_i_cache.held_in_prom$q ? bit_there : shadow));
      if (i_live && \uut.k_valid$q && i_next[17:0] == a && !\uut.k_doubt$q && !\uut.k_differs$q )
        i_kept: assert ((\uut.s_waits$q && \uut.s_word$q == a)
          || \uut.k_word$q [b] == (&i_next[21:12] ? bit_there : shadow));

      // I/O and video.
      if (io_mine && io_answered && !io_writes) io_answer: assert (!\uut.d_fresh$q && \uut.d_answer$q [b] == io_bit);
      v_is: assert (video_busy == \uut.u_sdram.videos );
      if (video_busy) v_comes: assert (video_at == \uut.u_sdram.video_at && video_count == \uut.u_sdram.video_count
        && (!video_sure || video_bit == \uut.u_sdram.video_bit ));

      // Waits.
      not_far: assert (way <= 128);
      if (waited && waiting) nearer: assert (way < way_before || (held_up && way == way_before));

    end
  end
endmodule

module prove_memory_ports(
  input wire clock, enable,
  input wire i_asks, i_turn, d_asks, d_write,
  input wire [21:0] i_any,
  input wire [23:0] d_addr, s_any,
  input wire [3:0] lanes_any,
  input wire [31:0] s_value, io_rdata,
  input wire io_wait, video_asks,
  input wire [17:0] video_addr);
  prove_memory #(.ports_only(1)) ports(.clock, .enable, .i_asks, .i_turn, .d_asks, .d_write, .i_any,
    .d_addr, .s_any, .lanes_any, .s_value, .io_rdata, .io_wait, .video_asks, .video_addr);
endmodule
