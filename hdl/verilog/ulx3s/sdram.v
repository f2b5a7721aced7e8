// sdram: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module sdram(clock, enable, read_valid, read_addr, read_taken, word_valid, word, video_valid, video_addr, video_taken, video_word_valid, write_valid, write_addr, write_lanes, write_word, write_taken, command, address, bank, mask, write_data, drive, read_data);

  // Module arguments
  input wire clock;
  input wire enable;
  input wire read_valid;
  input wire [17:0] read_addr;
  output reg read_taken;
  output reg word_valid;
  output reg [31:0] word;
  input wire video_valid;
  input wire [17:0] video_addr;
  output reg video_taken;
  output reg video_word_valid;
  input wire write_valid;
  input wire [17:0] write_addr;
  input wire [3:0] write_lanes;
  input wire [31:0] write_word;
  output reg write_taken;
  output reg [2:0] command;
  output reg [12:0] address;
  output reg [1:0] bank;
  output reg [1:0] mask;
  output reg [15:0] write_data;
  output reg drive;
  input wire [15:0] read_data;

  // Constant declarations
  localparam rest = 16'h3a98;
  localparam interval = 16'h222;
  localparam precharge_pause = 4'h1;
  localparam activate_pause = 4'h1;
  localparam refresh_pause = 4'h4;
  localparam open_hold = 4'h3;
  localparam recovery_hold = 4'h1;
  localparam mode = 13'b1000100011;

  // Stub signals
  reg [2:0] phase$d;
  wire [2:0] phase$q;
  reg [15:0] count$d;
  wire [15:0] count$q;
  reg [2:0] refreshes$d;
  wire [2:0] refreshes$q;
  reg due$d;
  wire due$q;
  reg [3:0] pause$d;
  wire [3:0] pause$q;
  reg [3:0] hold$d;
  wire [3:0] hold$q;
  reg [3:0] turn$d;
  wire [3:0] turn$q;
  reg op_valid$d;
  wire op_valid$q;
  reg op_write$en;
  reg op_write$d;
  wire op_write$q;
  reg op_video$en;
  reg op_video$d;
  wire op_video$q;
  reg op_addr$en;
  reg [17:0] op_addr$d;
  wire [17:0] op_addr$q;
  reg op_lanes$en;
  reg [3:0] op_lanes$d;
  wire [3:0] op_lanes$q;
  reg op_word$en;
  reg [31:0] op_word$d;
  wire [31:0] op_word$q;
  reg op_second$d;
  wire op_second$q;
  reg [3:0] opened$d;
  wire [3:0] opened$q;
  reg row0$en;
  reg [7:0] row0$d;
  wire [7:0] row0$q;
  reg row1$en;
  reg [7:0] row1$d;
  wire [7:0] row1$q;
  reg row2$en;
  reg [7:0] row2$d;
  wire [7:0] row2$q;
  reg row3$en;
  reg [7:0] row3$d;
  wire [7:0] row3$q;
  reg [2:0] launch$d;
  wire [2:0] launch$q;
  reg [3:0] beats$d;
  wire [3:0] beats$q;
  reg [2:0] launch_video$d;
  wire [2:0] launch_video$q;
  reg beats_video$d;
  wire beats_video$q;
  reg [15:0] low$d;
  wire [15:0] low$q;

  // Local signals
  reg [1:0] op_bank;
  reg [7:0] op_row;
  reg op_half;
  reg bank0;
  reg bank1;
  reg bank2;
  reg bank3;
  reg [3:0] bank_bit;
  reg [3:0] bank_open;
  reg row_hit;
  reg two_halves;
  reg may;
  reg rested;
  reg op_done;
  reg op_free;
  reg read_video;
  reg reading;
  reg activating;
  reg [8:0] column;
  reg block;
  reg count_end;
  reg interval_end;

  // Sub module instances
  reg3 u_phase(
    .clock(clock),
    .d(phase$d),
    .q(phase$q)
  );
  reg16 u_count(
    .clock(clock),
    .d(count$d),
    .q(count$q)
  );
  reg3 u_refreshes(
    .clock(clock),
    .d(refreshes$d),
    .q(refreshes$q)
  );
  reg1 u_due(
    .clock(clock),
    .d(due$d),
    .q(due$q)
  );
  reg4 u_pause(
    .clock(clock),
    .d(pause$d),
    .q(pause$q)
  );
  reg4 u_hold(
    .clock(clock),
    .d(hold$d),
    .q(hold$q)
  );
  reg4 u_turn(
    .clock(clock),
    .d(turn$d),
    .q(turn$q)
  );
  reg1 u_op_valid(
    .clock(clock),
    .d(op_valid$d),
    .q(op_valid$q)
  );
  reg_en1 u_op_write(
    .clock(clock),
    .en(op_write$en),
    .d(op_write$d),
    .q(op_write$q)
  );
  reg_en1 u_op_video(
    .clock(clock),
    .en(op_video$en),
    .d(op_video$d),
    .q(op_video$q)
  );
  reg_en18 u_op_addr(
    .clock(clock),
    .en(op_addr$en),
    .d(op_addr$d),
    .q(op_addr$q)
  );
  reg_en4 u_op_lanes(
    .clock(clock),
    .en(op_lanes$en),
    .d(op_lanes$d),
    .q(op_lanes$q)
  );
  reg_en32 u_op_word(
    .clock(clock),
    .en(op_word$en),
    .d(op_word$d),
    .q(op_word$q)
  );
  reg1 u_op_second(
    .clock(clock),
    .d(op_second$d),
    .q(op_second$q)
  );
  reg4 u_opened(
    .clock(clock),
    .d(opened$d),
    .q(opened$q)
  );
  reg_en8 u_row0(
    .clock(clock),
    .en(row0$en),
    .d(row0$d),
    .q(row0$q)
  );
  reg_en8 u_row1(
    .clock(clock),
    .en(row1$en),
    .d(row1$d),
    .q(row1$q)
  );
  reg_en8 u_row2(
    .clock(clock),
    .en(row2$en),
    .d(row2$d),
    .q(row2$q)
  );
  reg_en8 u_row3(
    .clock(clock),
    .en(row3$en),
    .d(row3$d),
    .q(row3$q)
  );
  reg3 u_launch(
    .clock(clock),
    .d(launch$d),
    .q(launch$q)
  );
  reg4 u_beats(
    .clock(clock),
    .d(beats$d),
    .q(beats$q)
  );
  reg3 u_launch_video(
    .clock(clock),
    .d(launch_video$d),
    .q(launch_video$q)
  );
  reg1 u_beats_video(
    .clock(clock),
    .d(beats_video$d),
    .q(beats_video$q)
  );
  reg16 u_low(
    .clock(clock),
    .d(low$d),
    .q(low$q)
  );

  // Logic
  always @(*) op_bank = op_addr$q[9:8] ^ op_addr$q[11:10];
  always @(*) op_row = op_addr$q[17:10];
  always @(*) two_halves = |op_lanes$q[1:0] & |op_lanes$q[3:2];
  always @(*) op_half = op_second$q | (~|op_lanes$q[1:0]);
  always @(*) bank0 = op_bank == 32'h0;
  always @(*) bank1 = op_bank == 32'h1;
  always @(*) bank2 = op_bank == 32'h2;
  always @(*) bank3 = op_bank == 32'h3;
  always @(*) bank_bit = ((bank0) & 4'hf) | (((bank1) & 4'hf) << 32'h1) | (((bank2) & 4'hf) << 32'h2) | (((bank3) & 4'hf) << 32'h3);
  always @(*) bank_open = opened$q & bank_bit;
  always @(*) row_hit = (bank0 & (row0$q == op_row)) | (bank1 & (row1$q == op_row)) | (bank2 & (row2$q == op_row)) | (bank3 & (row3$q == op_row));
  always @(*) may = ~|pause$q;
  always @(*) rested = ~|hold$q;
  always @(*) begin
    pause$d = 32'h0;
    if (|pause$q) begin
      pause$d = pause$q - 32'h1;
    end
    hold$d = 32'h0;
    if (|hold$q) begin
      hold$d = hold$q - 32'h1;
    end
    turn$d = 32'h0;
    if (|turn$q) begin
      turn$d = turn$q - 32'h1;
    end
    count$d = count$q + 32'h1;
    due$d = due$q;
    if (interval_end & (phase$q == 32'h5)) begin
      count$d = 32'h0;
      due$d = 1'b1;
    end
    command = 32'h7;
    address = 32'h0;
    bank = op_bank;
    mask = 32'h0;
    drive = 1'b0;
    phase$d = phase$q;
    refreshes$d = refreshes$q;
    opened$d = opened$q;
    op_second$d = op_second$q;
    op_done = 1'b0;
    reading = 1'b0;
    activating = 1'b0;
    if (phase$q == 32'h0) begin
      if (~enable) begin
        count$d = 32'h0;
      end
      else if (count_end) begin
        phase$d = 32'h1;
      end
    end
    else if (~may) begin
      mask = 32'h0;
    end
    else if (phase$q == 32'h1) begin
      command = 32'h2;
      address = 32'h400;
      pause$d = precharge_pause;
      phase$d = 32'h2;
    end
    else if (phase$q == 32'h2) begin
      command = 32'h1;
      pause$d = refresh_pause;
      refreshes$d = refreshes$q + 32'h1;
      if (&refreshes$q) begin
        phase$d = 32'h4;
      end
    end
    else if (phase$q == 32'h4) begin
      command = 32'h0;
      bank = 32'h0;
      address = mode;
      pause$d = 32'h2;
      phase$d = 32'h5;
      count$d = 32'h0;
    end
    else if (due$q & (~op_second$q)) begin
      if (|opened$q) begin
        if (rested) begin
          command = 32'h2;
          address = 32'h400;
          opened$d = 32'h0;
          pause$d = precharge_pause;
        end
      end
      else begin
        command = 32'h1;
        due$d = 1'b0;
        pause$d = refresh_pause;
      end
    end
    else if (op_valid$q) begin
      if (|bank_open & row_hit) begin
        address = ((column) & 13'h1fff);
        if (~op_write$q) begin
          command = 32'h5;
          reading = 1'b1;
          pause$d = 32'h7;
          turn$d = 32'ha;
          op_second$d = ~op_second$q;
          op_done = op_second$q;
        end
        else if (~|turn$q) begin
          command = 32'h4;
          drive = 1'b1;
          mask = ~op_lanes$q[1:0];
          if (op_half) begin
            mask = ~op_lanes$q[3:2];
          end
          if (hold$q <= recovery_hold) begin
            hold$d = recovery_hold;
          end
          op_second$d = two_halves & (~op_second$q);
          op_done = op_second$q | (~two_halves);
        end
      end
      else if (|bank_open) begin
        if (rested) begin
          command = 32'h2;
          opened$d = opened$q & (~bank_bit);
          pause$d = precharge_pause;
        end
      end
      else begin
        command = 32'h3;
        activating = 1'b1;
        address = ((op_row) & 13'h1fff);
        opened$d = opened$q | bank_bit;
        pause$d = activate_pause;
        hold$d = open_hold;
      end
    end
  end
  always @(*) count_end = count$q == rest;
  always @(*) interval_end = count$q == interval;
  always @(*) block = op_addr$q[2] ^ op_second$q;
  always @(*) begin
    column = ((op_half) & 9'h1ff) | (((op_addr$q[7:0]) & 9'h1ff) << 32'h1);
    if (~op_write$q) begin
      column = (((op_addr$q[1:0]) & 9'h1ff) << 32'h1) | (((block) & 9'h1ff) << 32'h3) | (((op_addr$q[7:3]) & 9'h1ff) << 32'h4);
    end
  end
  always @(*) begin
    write_data = op_word$q[15:0];
    if (op_half) begin
      write_data = op_word$q[31:16];
    end
  end
  always @(*) row0$en = activating & bank0;
  always @(*) row1$en = activating & bank1;
  always @(*) row2$en = activating & bank2;
  always @(*) row3$en = activating & bank3;
  always @(*) row0$d = op_row;
  always @(*) row1$d = op_row;
  always @(*) row2$d = op_row;
  always @(*) row3$d = op_row;
  always @(*) op_free = (~op_valid$q) | op_done;
  always @(*) read_taken = op_free & read_valid;
  always @(*) video_taken = op_free & video_valid & (~read_valid);
  always @(*) write_taken = op_free & write_valid & (~read_valid) & (~video_valid);
  always @(*) begin
    op_valid$d = op_valid$q;
    if (op_free) begin
      op_valid$d = read_valid | video_valid | write_valid;
    end
  end
  always @(*) op_write$en = op_free;
  always @(*) op_write$d = (~read_valid) & (~video_valid);
  always @(*) op_video$en = op_free;
  always @(*) op_video$d = video_valid & (~read_valid);
  always @(*) op_addr$en = op_free;
  always @(*) begin
    op_addr$d = write_addr;
    if (video_valid & (~read_valid)) begin
      op_addr$d = video_addr;
    end
    if (read_valid) begin
      op_addr$d = read_addr;
    end
  end
  always @(*) op_lanes$en = op_free;
  always @(*) op_lanes$d = write_lanes;
  always @(*) op_word$en = op_free;
  always @(*) op_word$d = write_word;
  always @(*) launch$d = (launch$q << 32'h1) | ((reading) & 3'h7);
  always @(*) read_video = reading & op_video$q;
  always @(*) launch_video$d = (launch_video$q << 32'h1) | ((read_video) & 3'h7);
  always @(*) begin
    beats_video$d = beats_video$q;
    if (launch$q[2]) begin
      beats_video$d = launch_video$q[2];
    end
  end
  always @(*) begin
    beats$d = 32'h0;
    if (launch$q[2]) begin
      beats$d = 32'h8;
    end
    else if (|beats$q) begin
      beats$d = beats$q - 32'h1;
    end
  end
  always @(*) low$d = read_data;
  always @(*) word_valid = beats$q[0] & (~beats_video$q);
  always @(*) video_word_valid = beats$q[0] & beats_video$q;
  always @(*) word = ((low$q) & 32'hffffffff) | (((read_data) & 32'hffffffff) << 32'h10);
endmodule

`default_nettype wire
