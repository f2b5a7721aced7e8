// The SDRAM's start: 200 us of rest, all rows closed, eight refreshes, the mode, and only then a row.
`include "isa.vh"
module prove_sdram_start(
  input wire clock, enable,
  input wire read_valid, video_valid, write_valid,
  input wire [17:0] read_addr, video_addr, write_addr,
  input wire [3:0] write_lanes,
  input wire [31:0] write_word,
  input wire [15:0] read_data);

  wire [2:0] command;
  wire [12:0] address;
  sdram uut(.clock, .enable, .read_valid, .read_addr, .video_valid, .video_addr,
    .write_valid, .write_addr, .write_lanes, .write_word, .command, .address, .read_data);

  (* hierconn *) wire [2:0] \uut.phase$q , \uut.refreshes$q ;
  (* hierconn *) wire [15:0] \uut.count$q ;

  localparam MODE = 0, REFRESH = 1, PRECHARGE = 2, NOTHING = 7;
  // Bursts of eight in order, CAS latency 2, single writes.
  localparam BURSTS = 13'h223;
  localparam REST = 200 * `CLOCK_MHZ;

  reg stable = 0, closed = 0, moded = 0;
  reg [15:0] rest = 0;
  reg [3:0] refreshes = 0;
  always @(posedge clock) begin
    stable <= enable;
    rest <= !enable ? 0 : rest == REST ? REST : rest + 1;
    if (command == PRECHARGE && address[10]) closed <= 1;
    if (command == REFRESH && refreshes != 8) refreshes <= refreshes + 1;
    if (command == MODE) moded <= 1;
  end

  always @* begin
    // The PLL does not lose its lock again.
    if (stable) assume (enable);
    if (command != NOTHING) rested: assert (rest == REST);
    if (command == REFRESH || command == MODE) closed_first: assert (closed);
    if (command == MODE) mode: assert (address == BURSTS && refreshes == 8);
    if (command != NOTHING && command > PRECHARGE) begun: assert (moded && refreshes == 8);

    phases: assert (\uut.phase$q <= 2 || \uut.phase$q == 4 || \uut.phase$q == 5);
    if (rest != 0) since: assert (stable);
    count: assert (\uut.phase$q == 0 ? rest == \uut.count$q : rest == REST);
    if (\uut.phase$q < 2) waits: assert (refreshes == 0 && \uut.refreshes$q == 0);
    if (\uut.phase$q >= 2) is_closed: assert (closed);
    if (\uut.phase$q == 2) counted: assert (refreshes == \uut.refreshes$q );
    if (\uut.phase$q > 2) enough: assert (refreshes == 8);
    if (\uut.phase$q == 5) is_moded: assert (moded);
  end
endmodule
