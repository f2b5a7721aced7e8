// The pipelined core against the instruction set, one retired instruction after the other: what it writes,
// the flags after it, its memory access, and which instruction comes next.
//
// Any program of instructions other than MUL, DIV and floating point, run from reset with all registers
// 0; fetched words are free, so a program may also change under itself. A loaded word depends on its
// address and on a free constant. No interrupts; with `waits` both ports are ready at free times.
`include "isa.vh"
module prove_core #(parameter waits = 0) (
  input wire clock,
  input wire [31:0] fetched,
  input wire i_pause, d_pause);

  (* anyconst *) reg [31:0] contents;
  (* anyconst *) reg [21:0] reset_pc;

  wire i_valid, d_valid, d_write, trace_valid, trace_write;
  wire [21:0] i_addr, trace_pc;
  wire [23:0] d_addr, trace_addr;
  wire [3:0] d_lanes, trace_number, trace_flags;
  wire [31:0] d_wdata, trace_value, trace_h;
  wire [1:0] trace_memory, trace_event;

  // Ports: an answer stays until the next request.
  reg reset = 1;
  reg i_wanted = 0, d_wanted = 0;
  reg [31:0] i_held, d_rdata = 0;
  wire i_ready = reset || !waits || !(i_wanted && i_pause);
  wire d_ready = reset || !waits || !(d_wanted && d_pause);
  reg fresh = 1;
  wire [31:0] i_data = fresh ? fetched : i_held;
  function [31:0] word_at(input [23:0] address);
    word_at = contents ^ {address[23:2], address[11:2]};
  endfunction
  always @(posedge clock) begin
    reset <= 0;
    fresh <= i_valid;
    i_held <= i_data;
    i_wanted <= i_valid || i_wanted && !i_ready;
    d_wanted <= d_valid || d_wanted && !d_ready;
    if (d_valid && !d_write) d_rdata <= word_at(d_addr);
  end

  core uut(.clock, .reset, .reset_pc, .i_valid, .i_addr, .i_ready, .i_data, .d_valid, .d_addr, .d_write,
    .d_lanes, .d_wdata, .d_ready, .d_rdata, .irq(1'b0), .abort(1'b0), .trace_valid, .trace_pc, .trace_write,
    .trace_number, .trace_value, .trace_flags, .trace_h, .trace_memory, .trace_addr, .trace_event);

  wire unlinked_register_branch = i_data[31:28] == 4'b1100;
  always @* begin
    // MUL, DIV and floating point have proofs of their own.
    assume (i_data[31] || i_data[19:16] < `OP_MUL);
    // A return from interrupt has nothing to return to.
    assume (!(unlinked_register_branch && i_data[4]));
  end

  // The instruction that goes from X to M, and what a store before it has written.
  (* hierconn *) wire [31:0] \uut.ir$q ;
  (* hierconn *) wire \uut.step , \uut.execute ;
  reg [31:0] ir;
  reg [31:0] stored;
  reg [3:0] lanes;
  always @(posedge clock) begin
    if (\uut.step && \uut.execute ) ir <= \uut.ir$q ;
    if (d_valid && d_write) {stored, lanes} <= {d_wdata, d_lanes};
  end

  // The machine as software sees it.
  reg [511:0] registers = 0;
  reg [3:0] flags = 0;
  reg begun = 0;
  reg [21:0] pc;
  function [31:0] register(input [511:0] all, input [3:0] number);
    register = all >> {number, 5'b0};
  endfunction

  wire p = ir[31], q = ir[30], u = ir[29], v = ir[28];
  wire [31:0] a_value = register(registers, ir[27:24]);
  wire [31:0] b_value = register(registers, ir[23:20]);
  wire [31:0] c_value = register(registers, ir[3:0]);
  wire [31:0] n_value = q ? {{16{v}}, ir[15:0]} : c_value;
  wire carry_in = u & flags[1];
  wire signed [33:0] b_integer = $signed(b_value), n_integer = $signed(n_value);
  wire signed [33:0] sum = b_integer + n_integer + $signed({33'b0, carry_in});
  wire signed [33:0] difference = b_integer - n_integer - $signed({33'b0, carry_in});
  wire [32:0] natural_sum = {1'b0, b_value} + n_value + carry_in;
  wire [32:0] natural_difference = {1'b0, b_value} - n_value - carry_in;
  wire signed [31:0] arithmetic = $signed(b_value) >>> n_value[4:0];
  wire [63:0] rotated = {b_value, b_value} >> n_value[4:0];

  // Operations: result, C and V.
  reg [31:0] result;
  reg c, o;
  always @* begin
    {c, o} = flags[1:0];
    case (ir[19:16])
      `OP_MOV: result = !u ? n_value : q ? {ir[15:0], 16'h0} : v ? {flags, 28'h53} : 32'h0;
      `OP_LSL: result = b_value << n_value[4:0];
      `OP_ASR: result = arithmetic;
      `OP_ROR: result = rotated[31:0];
      `OP_AND: result = b_value & n_value;
      `OP_ANN: result = b_value & ~n_value;
      `OP_IOR: result = b_value | n_value;
      `OP_XOR: result = b_value ^ n_value;
      `OP_ADD: begin
        result = natural_sum[31:0];
        c = natural_sum[32];
        o = sum[32] != sum[31];
      end
      default: begin
        result = natural_difference[31:0];
        c = natural_difference[32];
        o = difference[32] != difference[31];
      end
    endcase
  end

  // Branches.
  reg plain;
  always @* begin
    case (ir[26:24])
      3'd0: plain = flags[3];
      3'd1: plain = flags[2];
      3'd2: plain = flags[1];
      3'd3: plain = flags[0];
      3'd4: plain = flags[1] | flags[2];
      3'd5: plain = flags[3] ^ flags[0];
      3'd6: plain = (flags[3] ^ flags[0]) | flags[2];
      3'd7: plain = 1;
    endcase
  end
  wire taken = p & q & (plain ^ ir[27]);
  wire [21:0] following = trace_pc + 1;
  wire [21:0] target = u ? following + ir[21:0] : c_value[23:2];

  // Loads and stores.
  wire memory = p & !q;
  wire [23:0] address = b_value[23:0] + {{4{ir[19]}}, ir[19:0]};
  wire [31:0] word = word_at(address);
  wire [7:0] byte_there = word >> {address[1:0], 3'b0};
  wire [31:0] loaded = v ? {24'h0, byte_there} : word;
  wire [3:0] lanes_wanted = v ? 4'd1 << address[1:0] : 4'd15;
  wire [31:0] store_wanted = v ? {24'h0, a_value[7:0]} << {address[1:0], 3'b0} : a_value;

  wire writes = !p || memory && !u || taken && v;
  wire [3:0] number = p && q ? 4'd15 : ir[27:24];
  wire [31:0] value = !p ? result : memory ? loaded : {8'h0, following, 2'b00};
  wire [3:0] flags_after = {writes ? {value[31], value == 0} : flags[3:2], p ? flags[1:0] : {c, o}};

  always @(posedge clock) if (trace_valid) begin
    begun <= 1;
    pc <= taken ? target : following;
    flags <= flags_after;
    if (writes) registers <= registers & ~(512'hFFFFFFFF << {number, 5'b0}) | {480'b0, value} << {number, 5'b0};
  end

  always @* begin
    no_event: assert (trace_event == 0);
    if (trace_valid) begin
      place: assert (trace_pc == (begun ? pc : reset_pc));
      writing: assert (trace_write == writes);
      if (writes) written: assert (trace_number == number && trace_value == value);
      nz: assert (trace_flags[3:2] == flags_after[3:2]);
      cv: assert (trace_flags[1:0] == flags_after[1:0]);
      untouched: assert (trace_h == 0);
      if (memory) access: assert (trace_addr == address);
      if (memory && u) store: assert (stored == store_wanted && lanes == lanes_wanted);
    end
  end
endmodule

module prove_core_waits(
  input wire clock,
  input wire [31:0] fetched,
  input wire i_pause, d_pause);
  prove_core #(.waits(1)) waiting(.clock, .fetched, .i_pause, .d_pause);
endmodule
