// The SDRAM controller at the chip's pins and at its users' ports: the chip's times, what is read and
// written where, what comes back, and refreshes that are never late.
//
// The chip is told by what commands have done to it: which rows are open, and how many cycles ago what was
// last, counted to 15. Times are the slower ones of two chips, in cycles of the top's clock.
// The pads delay all pins alike.
`include "isa.vh"
module prove_sdram(
  input wire clock, enable,
  input wire read_valid, video_valid, write_valid,
  input wire [17:0] read_addr, video_addr, write_addr,
  input wire [3:0] write_lanes,
  input wire [31:0] write_word,
  input wire [15:0] read_data);
  wire read_taken, video_taken, write_taken, word_valid, video_word_valid, drive;
  wire [31:0] word;
  wire [2:0] command;
  wire [12:0] address;
  wire [1:0] bank, mask;
  wire [15:0] write_data;
  sdram uut(.clock, .enable, .read_valid, .read_addr, .read_taken, .word_valid, .word,
    .video_valid, .video_addr, .video_taken, .video_word_valid,
    .write_valid, .write_addr, .write_lanes, .write_word, .write_taken,
    .command, .address, .bank, .mask, .write_data, .drive, .read_data);

  (* hierconn *) wire [2:0] \uut.phase$q ;
  (* hierconn *) wire [15:0] \uut.count$q ;
  (* hierconn *) wire \uut.due$q , \uut.op_valid$q , \uut.op_write$q , \uut.op_video$q ,
    \uut.op_second$q , \uut.beats_video$q ;
  (* hierconn *) wire [3:0] \uut.pause$q , \uut.hold$q , \uut.turn$q , \uut.opened$q , \uut.beats$q ,
    \uut.op_lanes$q ;
  (* hierconn *) wire [17:0] \uut.op_addr$q ;
  (* hierconn *) wire [31:0] \uut.op_word$q ;
  (* hierconn *) wire [7:0] \uut.row0$q , \uut.row1$q , \uut.row2$q , \uut.row3$q ;
  (* hierconn *) wire [2:0] \uut.launch$q , \uut.launch_video$q ;
  (* hierconn *) wire [15:0] \uut.low$q ;

  localparam MODE = 0, REFRESH = 1, PRECHARGE = 2, ACTIVATE = 3, WRITE = 4, READ = 5;
  // Cycles that so many nanoseconds take, at least.
  `define CYCLES(ns) (((ns) * `CLOCK_MHZ + 999) / 1000)
  localparam tRCD = `CYCLES(18), tRP = `CYCLES(18), tRC = `CYCLES(63), tRAS = `CYCLES(42);
  localparam tRRD = `CYCLES(14), tWR = `CYCLES(15) < 2 ? 2 : `CYCLES(15), tMRD = 2;
  // A burst of eight with CAS latency 2, and a cycle in which nobody drives.
  localparam BURST = 8, TURN = 11;
  // A refresh that is due comes within so many cycles.
  localparam PATIENCE = 40;

  // ---- What the chip has seen ----
  wire all = address[10];
  wire [3:0] one = 4'b1 << bank;
  reg [3:0] open = 0;
  reg [12:0] row0, row1, row2, row3;
  reg [3:0] act0 = 15, act1 = 15, act2 = 15, act3 = 15;
  reg [3:0] act = 15, pre = 15, wrote = 15, refreshed = 15, moded = 15, did_read = 15;
  `define OLDER(x) (x == 15 ? 4'd15 : x + 4'd1)
  always @(posedge clock) begin
    act0 <= command == ACTIVATE && bank == 0 ? 1 : `OLDER(act0);
    act1 <= command == ACTIVATE && bank == 1 ? 1 : `OLDER(act1);
    act2 <= command == ACTIVATE && bank == 2 ? 1 : `OLDER(act2);
    act3 <= command == ACTIVATE && bank == 3 ? 1 : `OLDER(act3);
    act <= command == ACTIVATE ? 1 : `OLDER(act);
    pre <= command == PRECHARGE ? 1 : `OLDER(pre);
    wrote <= command == WRITE ? 1 : `OLDER(wrote);
    refreshed <= command == REFRESH ? 1 : `OLDER(refreshed);
    moded <= command == MODE ? 1 : `OLDER(moded);
    did_read <= command == READ ? 1 : `OLDER(did_read);
    if (command == ACTIVATE) begin
      open <= open | one;
      if (bank == 0) row0 <= address;
      if (bank == 1) row1 <= address;
      if (bank == 2) row2 <= address;
      if (bank == 3) row3 <= address;
    end
    if (command == PRECHARGE) open <= all ? 0 : open & ~one;
  end
  wire [3:0] act_here = bank == 0 ? act0 : bank == 1 ? act1 : bank == 2 ? act2 : act3;
  wire [12:0] row_here = bank == 0 ? row0 : bank == 1 ? row1 : bank == 2 ? row2 : row3;

  // ---- What was taken and is not done, in the order of its commands ----
  reg busy = 0, writes, videos, second = 0;
  reg [17:0] at;
  reg [3:0] lanes;
  reg [31:0] value;
  wire both = |lanes[1:0] && |lanes[3:2];
  wire half = second || !lanes[1:0];
  wire column = command == READ || command == WRITE;
  wire ends = column && (second || (writes && !both));
  always @(posedge clock) begin
    if (column) second <= !ends;
    if (ends) busy <= 0;
    if (read_taken || video_taken || write_taken) begin
      busy <= 1;
      writes <= write_taken;
      videos <= video_taken;
      at <= read_taken ? read_addr : video_taken ? video_addr : write_addr;
      lanes <= write_lanes;
      value <= write_word;
    end
  end

  // ---- Reads on their way: which command of the last eleven was one, and whose ----
  reg [11:1] reads = 0, of_video = 0;
  reg [15:0] before = 0;
  always @(posedge clock) begin
    reads <= {reads, command == READ};
    of_video <= {of_video, command == READ && videos};
    before <= read_data;
  end
  wire comes = reads[5] || reads[7] || reads[9] || reads[11];
  wire comes_video = of_video[5] || of_video[7] || of_video[9] || of_video[11];

  // ---- Refreshes ----
  reg [15:0] since_due = 0;
  reg [6:0] owed = 0;
  reg was_due = 0;
  always @(posedge clock) begin
    was_due <= \uut.due$q ;
    owed <= !\uut.due$q || command == REFRESH ? 0 : owed + 1;
  end
  wire [3:0] longer = \uut.pause$q > \uut.hold$q ? \uut.pause$q : \uut.hold$q ;
  wire [3:0] later = \uut.pause$q > \uut.turn$q ? \uut.pause$q : \uut.turn$q ;
  // Cycles to the refresh, at most.
  wire [6:0] way = \uut.op_second$q ? 20 + later : longer + (|\uut.opened$q ? 4 : 0);

  always @* begin
    // The rules of the chip.
    if (command == ACTIVATE) begin
      row_is_closed: assert (!(open & one));
      precharge_time: assert (pre >= tRP);
      row_cycle: assert (act_here >= tRC);
      row_to_row: assert (act >= tRRD);
    end
    if (column) begin
      row_is_open: assert (|(open & one));
      activate_time: assert (act_here >= tRCD);
      no_auto_precharge: assert (!all);
    end
    if (command == PRECHARGE) begin
      row_time: assert (!(all ? |open : |(open & one)) || (all ? act : act_here) >= tRAS);
      write_recovery: assert (wrote >= tWR);
      burst_is_over: assert (did_read >= BURST);
    end
    if (command == REFRESH || command == MODE) begin
      all_closed: assert (!open);
      idle_time: assert (pre >= tRP);
    end
    if (command != 7) begin
      refresh_cycle: assert (refreshed >= tRC);
      mode_cycle: assert (moded >= tMRD);
      no_stop: assert (command != 6);
    end
    if (command == READ) apart: assert (did_read >= BURST);
    if (drive) one_drives: assert (command == WRITE && did_read >= TURN);

    // What was taken is done, once, where it belongs.
    one_at_a_time: assert (read_taken + video_taken + write_taken <= 1);
    asked: assert (!(read_taken && !read_valid) && !(video_taken && !video_valid)
      && !(write_taken && !write_valid));
    if (read_taken || video_taken || write_taken) free: assert (!busy || ends);
    if (column) begin
      taken: assert (busy && writes == (command == WRITE));
      place: assert (bank == (at[9:8] ^ at[11:10]) && row_here == at[17:10]);
    end
    if (command == READ)
      line: assert (address[8:0] == {at[7:3], at[2] ^ second, at[1:0], 1'b0});
    if (command == WRITE) begin
      half_word: assert (address[8:0] == {at[7:0], half} && drive);
      bytes: assert (mask == (half ? ~lanes[3:2] : ~lanes[1:0]));
      data: assert (write_data == (half ? value[31:16] : value[15:0]));
    end

    // What was read comes back, to whom it belongs: four words, from the fifth cycle on.
    answer: assert (word_valid == (comes && !comes_video) && video_word_valid == comes_video);
    if (word_valid || video_word_valid) content: assert (word == {read_data, before});

    // A refresh is due often enough, and comes.
    if (\uut.phase$q == 5) often: assert (\uut.count$q * 1000 < 7812 * `CLOCK_MHZ);
    soon: assert (owed <= PATIENCE);

    // How the controller knows: what carries the induction.
    phases: assert (\uut.phase$q <= 2 || \uut.phase$q == 4 || \uut.phase$q == 5);
    if (\uut.phase$q == 5) counted: assert (\uut.count$q <= `CYCLES(7812) - PATIENCE);
    if (\uut.phase$q != 5) at_rest: assert (!\uut.opened$q && !\uut.op_second$q && !\uut.due$q
      && act == 15 && wrote == 15 && did_read == 15);
    rows: assert (open == \uut.opened$q );
    if (open[0]) r0: assert (row0 == \uut.row0$q );
    if (open[1]) r1: assert (row1 == \uut.row1$q );
    if (open[2]) r2: assert (row2 == \uut.row2$q );
    if (open[3]) r3: assert (row3 == \uut.row3$q );
    op: assert (busy == \uut.op_valid$q && second == \uut.op_second$q );
    if (busy) op_is: assert (writes == \uut.op_write$q && at == \uut.op_addr$q
      && (writes ? lanes == \uut.op_lanes$q && value == \uut.op_word$q : videos == \uut.op_video$q ));
    if (second) op_goes_on: assert (busy && (!writes || both)
      && open[at[9:8] ^ at[11:10]]
      && at[17:10] == ((at[9:8] ^ at[11:10]) == 0 ? row0 : (at[9:8] ^ at[11:10]) == 1 ? row1
        : (at[9:8] ^ at[11:10]) == 2 ? row2 : row3));
    pauses: assert (pre + \uut.pause$q >= tRP && act + \uut.pause$q >= tRCD
      && act + \uut.pause$q >= tRRD && refreshed + \uut.pause$q >= tRC
      && moded + \uut.pause$q >= tMRD && did_read + \uut.pause$q >= BURST);
    holds: assert (act + \uut.hold$q >= tRAS && wrote + \uut.hold$q >= tWR);
    turns: assert (did_read + \uut.turn$q >= TURN);
    short: assert (\uut.pause$q <= 7 && \uut.hold$q <= 7 && \uut.turn$q <= 10);
    youngest: assert (act <= act0 && act <= act1 && act <= act2 && act <= act3);
    cycle0: assert (open[0] || act0 == 15 || act0 >= pre + tRAS);
    cycle1: assert (open[1] || act1 == 15 || act1 >= pre + tRAS);
    cycle2: assert (open[2] || act2 == 15 || act2 >= pre + tRAS);
    cycle3: assert (open[3] || act3 == 15 || act3 >= pre + tRAS);
    pipeline: assert (\uut.launch$q == reads[3:1] && \uut.launch_video$q == of_video[3:1]
      && \uut.low$q == before);
    beats: assert (\uut.beats$q == (reads[4] ? 8 : reads[5] ? 7 : reads[6] ? 6 : reads[7] ? 5
      : reads[8] ? 4 : reads[9] ? 3 : reads[10] ? 2 : reads[11] ? 1 : 0));
    if (reads[11:4]) whose: assert (\uut.beats_video$q == |of_video[11:4]);
    only_reads: assert (!(of_video & ~reads));
    reads_apart: assert (!((reads >> 1 | reads >> 2 | reads >> 3 | reads >> 4 | reads >> 5 | reads >> 6
      | reads >> 7) & reads));
    last_read: assert (did_read != 0 && (did_read > 11 ? !reads
      : reads[did_read] && !(reads & ((11'b1 << (did_read - 4'd1)) - 11'b1))));
    if (\uut.due$q ) patience: assert (owed + way <= PATIENCE);
    else rests: assert (owed == 0);
  end
endmodule
