// core: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top sim-compat
// Do not edit.
`default_nettype none

module core(clock, reset, reset_pc, i_valid, i_addr, i_turn, i_target, i_ready, i_data, d_valid, d_addr, s_addr, d_write, d_lanes, d_wdata, s_value, d_ready, d_rdata, irq, wakes, abort, aborted, pc, trace_valid, trace_pc, trace_write, trace_number, trace_value, trace_flags, trace_h, trace_memory, trace_addr, trace_event, trace_stall);

  // Module arguments
  input wire clock;
  input wire reset;
  input wire [21:0] reset_pc;
  output reg i_valid;
  output reg [21:0] i_addr;
  output reg i_turn;
  output reg [21:0] i_target;
  input wire i_ready;
  input wire [31:0] i_data;
  output reg d_valid;
  output reg [23:0] d_addr;
  output reg [23:0] s_addr;
  output reg d_write;
  output reg [3:0] d_lanes;
  output reg [31:0] d_wdata;
  output reg [31:0] s_value;
  input wire d_ready;
  input wire [31:0] d_rdata;
  input wire irq;
  output reg wakes;
  input wire abort;
  output reg aborted;
  output reg [21:0] pc;
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

  // Stub signals
  reg [31:0] decoder$ir;
  wire decoder$operation;
  wire decoder$load;
  wire decoder$store;
  wire decoder$branch;
  wire decoder$immediate;
  wire [31:0] decoder$operand;
  wire decoder$reads_b;
  wire decoder$reads_c;
  wire decoder$mul;
  wire decoder$div;
  wire decoder$fad;
  wire decoder$fml;
  wire decoder$fdv;
  wire decoder$shift;
  wire decoder$jump_relative;
  wire decoder$jump_register;
  reg [3:0] registers$a;
  reg [3:0] registers$b;
  reg [3:0] registers$c;
  wire [31:0] registers$a_value;
  wire [31:0] registers$b_value;
  wire [31:0] registers$c_value;
  reg registers$write;
  reg [3:0] registers$number;
  reg [31:0] registers$value;
  reg [3:0] alu$op;
  reg alu$q;
  reg alu$u;
  reg alu$v;
  reg [31:0] alu$b;
  reg [31:0] alu$operand;
  reg [31:0] alu$h;
  reg [3:0] alu$flags;
  wire [31:0] alu$result;
  wire alu$carry;
  wire alu$overflow;
  reg shifter$en;
  reg [31:0] shifter$b;
  reg [4:0] shifter$distance;
  reg shifter$left;
  reg shifter$arithmetic;
  wire [31:0] shifter$result;
  reg [31:0] x_other_zeros$value;
  wire [7:0] x_other_zeros$groups;
  reg [31:0] d_zeros$value;
  wire [7:0] d_zeros$groups;
  reg [31:0] m_other_zeros$value;
  wire [7:0] m_other_zeros$groups;
  reg [3:0] condition$code;
  reg condition$n;
  reg condition$z;
  reg condition$c;
  reg condition$v;
  wire condition$holds;
  reg multiplier$run;
  reg multiplier$clear;
  reg multiplier$u;
  reg [31:0] multiplier$a;
  reg [31:0] multiplier$b;
  wire multiplier$done;
  wire [63:0] multiplier$product;
  reg divider$run;
  reg divider$clear;
  reg divider$u;
  reg [31:0] divider$dividend;
  reg [31:0] divider$divisor;
  wire divider$done;
  wire [31:0] divider$quotient;
  wire [31:0] divider$remainder;
  reg float_adder$run;
  reg float_adder$clear;
  reg float_adder$u;
  reg float_adder$v;
  reg [31:0] float_adder$x;
  reg [31:0] float_adder$y;
  wire float_adder$done;
  wire [31:0] float_adder$result;
  reg float_multiplier$ready;
  reg [31:0] float_multiplier$x;
  reg [31:0] float_multiplier$y;
  reg [47:0] float_multiplier$product;
  wire [31:0] float_multiplier$x_mantissa;
  wire [31:0] float_multiplier$y_mantissa;
  wire float_multiplier$done;
  wire [31:0] float_multiplier$result;
  reg float_divider$run;
  reg float_divider$clear;
  reg [31:0] float_divider$x;
  reg [31:0] float_divider$y;
  wire float_divider$done;
  wire [31:0] float_divider$result;
  reg interrupts$reset;
  reg interrupts$edge_seen;
  reg interrupts$executed;
  reg interrupts$set_enable;
  reg interrupts$enable;
  reg interrupts$return_from;
  reg interrupts$accept;
  reg [21:0] interrupts$pc;
  reg [3:0] interrupts$flags;
  wire interrupts$due;
  wire interrupts$wakes;
  wire [21:0] interrupts$saved_pc;
  wire [3:0] interrupts$saved_flags;
  reg d_live$en;
  reg d_live$d;
  wire d_live$q;
  reg d_pc$en;
  reg [21:0] d_pc$d;
  wire [21:0] d_pc$q;
  reg x_valid$d;
  wire x_valid$q;
  reg x_pc$en;
  reg [21:0] x_pc$d;
  wire [21:0] x_pc$q;
  reg ir$en;
  reg [31:0] ir$d;
  wire [31:0] ir$q;
  reg x_b$en;
  reg [31:0] x_b$d;
  wire [31:0] x_b$q;
  reg x_n$en;
  reg [31:0] x_n$d;
  wire [31:0] x_n$q;
  reg x_a$en;
  reg [31:0] x_a$d;
  wire [31:0] x_a$q;
  reg x_dest$en;
  reg [3:0] x_dest$d;
  wire [3:0] x_dest$q;
  reg x_target$en;
  reg [21:0] x_target$d;
  wire [21:0] x_target$q;
  reg x_writer$en;
  reg x_writer$d;
  wire x_writer$q;
  reg x_forwards$en;
  reg x_forwards$d;
  wire x_forwards$q;
  reg x_delayed$en;
  reg x_delayed$d;
  wire x_delayed$q;
  reg x_early$en;
  reg x_early$d;
  wire x_early$q;
  reg x_jumped$en;
  reg x_jumped$d;
  wire x_jumped$q;
  reg x_operation$en;
  reg x_operation$d;
  wire x_operation$q;
  reg x_load$en;
  reg x_load$d;
  wire x_load$q;
  reg x_store$en;
  reg x_store$d;
  wire x_store$q;
  reg x_branch$en;
  reg x_branch$d;
  wire x_branch$q;
  reg x_mul$en;
  reg x_mul$d;
  wire x_mul$q;
  reg x_div$en;
  reg x_div$d;
  wire x_div$q;
  reg x_fad$en;
  reg x_fad$d;
  wire x_fad$q;
  reg x_fml$en;
  reg x_fml$d;
  wire x_fml$q;
  reg x_fdv$en;
  reg x_fdv$d;
  wire x_fdv$q;
  reg x_long$en;
  reg x_long$d;
  wire x_long$q;
  reg x_late$en;
  reg x_late$d;
  wire x_late$q;
  reg l_run$d;
  wire l_run$q;
  reg [31:0] l_b$d;
  wire [31:0] l_b$q;
  reg [31:0] l_n$d;
  wire [31:0] l_n$q;
  reg lane$en;
  reg [1:0] lane$d;
  wire [1:0] lane$q;
  reg lane_only$en;
  reg lane_only$d;
  wire lane_only$q;
  reg m_valid$d;
  wire m_valid$q;
  reg m_pc$en;
  reg [21:0] m_pc$d;
  wire [21:0] m_pc$q;
  reg m_next$en;
  reg [21:0] m_next$d;
  wire [21:0] m_next$q;
  reg m_write$d;
  wire m_write$q;
  reg m_load$d;
  wire m_load$q;
  reg m_store$d;
  wire m_store$q;
  reg m_delayed$d;
  wire m_delayed$q;
  reg m_number$en;
  reg [3:0] m_number$d;
  wire [3:0] m_number$q;
  reg m_result$en;
  reg [31:0] m_result$d;
  wire [31:0] m_result$q;
  reg m_zeros$en;
  reg [7:0] m_zeros$d;
  wire [7:0] m_zeros$q;
  reg m_addr$en;
  reg [23:0] m_addr$d;
  wire [23:0] m_addr$q;
  reg n$en;
  reg n$d;
  wire n$q;
  reg z$en;
  reg [7:0] z$d;
  wire [7:0] z$q;
  reg c$en;
  reg c$d;
  wire c$q;
  reg v$en;
  reg v$d;
  wire v$q;
  reg h$en;
  reg [31:0] h$d;
  wire [31:0] h$q;

  // Local signals
  reg step;
  reg busy;
  reg hold;
  reg redirect;
  reg start;
  reg [7:0] lane_byte;
  reg [31:0] loaded;
  reg [31:0] m_value;
  reg m_loads;
  reg [31:0] m_other;
  reg [7:0] lane_others;
  reg [7:0] loaded_zeros;
  reg [7:0] m_value_zeros;
  reg m_n;
  reg m_z;
  reg z_flag;
  reg m_flags_known;
  reg m_result_zero;
  reg x_flag_n;
  reg x_flag_z;
  reg [3:0] flags;
  reg x_u;
  reg x_v;
  reg [3:0] x_op;
  reg [3:0] x_number;
  reg x_conditional;
  reg x_reads_flags;
  reg x_moves_flags;
  reg x_event;
  reg x_wait;
  reg x_control;
  reg x_return;
  reg x_enable;
  reg x_writes;
  reg branches;
  reg long_wait;
  reg x_uses_port;
  reg [11:0] word_addr;
  reg [11:0] x_word;
  reg [11:0] d_word;
  reg hit_x;
  reg hit_d;
  reg refetch;
  reg preempt;
  reg x_acts;
  reg x_diverts;
  reg execute;
  reg long_done;
  reg taken;
  reg [21:0] target;
  reg [21:0] next_pc;
  reg [31:0] link_value;
  reg [31:0] long_result;
  reg [31:0] x_other;
  reg [31:0] x_result;
  reg [23:0] offset;
  reg [23:0] addr;
  reg [31:0] store_value;
  reg [31:0] store_byte;
  reg [1:0] store_lane;
  reg [31:0] y_operand;
  reg sum_op;
  reg [21:0] sequential;
  reg [21:0] diverted;
  reg [21:0] turn;
  reg [21:0] fetch;
  reg [3:0] number_a;
  reg [3:0] number_b;
  reg [3:0] number_c;
  reg x_is_a;
  reg x_is_b;
  reg x_is_c;
  reg m_is_a;
  reg m_is_b;
  reg m_is_c;
  reg x_gives_a;
  reg loads_a;
  reg [31:0] other_a;
  reg x_gives_b;
  reg loads_b;
  reg [31:0] other_b;
  reg x_gives_c;
  reg loads_c;
  reg [31:0] other_c;
  reg operand_wait;
  reg [23:0] base;
  reg base_known;
  reg early;
  reg [23:0] early_offset;
  reg [23:0] early_addr;
  reg moves;
  reg [21:0] jump_base;
  reg jump_known;
  reg jump;
  reg [21:0] jump_target;
  reg [21:0] relative;
  reg x_en;
  reg d_en;

  // Sub module instances
  decoder u_decoder(
    .ir(decoder$ir),
    .operation(decoder$operation),
    .load(decoder$load),
    .store(decoder$store),
    .branch(decoder$branch),
    .immediate(decoder$immediate),
    .operand(decoder$operand),
    .reads_b(decoder$reads_b),
    .reads_c(decoder$reads_c),
    .mul(decoder$mul),
    .div(decoder$div),
    .fad(decoder$fad),
    .fml(decoder$fml),
    .fdv(decoder$fdv),
    .shift(decoder$shift),
    .jump_relative(decoder$jump_relative),
    .jump_register(decoder$jump_register)
  );
  registers u_registers(
    .clock(clock),
    .a(registers$a),
    .b(registers$b),
    .c(registers$c),
    .a_value(registers$a_value),
    .b_value(registers$b_value),
    .c_value(registers$c_value),
    .write(registers$write),
    .number(registers$number),
    .value(registers$value)
  );
  alu u_alu(
    .op(alu$op),
    .q(alu$q),
    .u(alu$u),
    .v(alu$v),
    .b(alu$b),
    .operand(alu$operand),
    .h(alu$h),
    .flags(alu$flags),
    .result(alu$result),
    .carry(alu$carry),
    .overflow(alu$overflow)
  );
  shifter u_shifter(
    .clock(clock),
    .en(shifter$en),
    .b(shifter$b),
    .distance(shifter$distance),
    .left(shifter$left),
    .arithmetic(shifter$arithmetic),
    .result(shifter$result)
  );
  x_other_zeros u_x_other_zeros(
    .value(x_other_zeros$value),
    .groups(x_other_zeros$groups)
  );
  d_zeros u_d_zeros(
    .value(d_zeros$value),
    .groups(d_zeros$groups)
  );
  m_other_zeros u_m_other_zeros(
    .value(m_other_zeros$value),
    .groups(m_other_zeros$groups)
  );
  condition u_condition(
    .code(condition$code),
    .n(condition$n),
    .z(condition$z),
    .c(condition$c),
    .v(condition$v),
    .holds(condition$holds)
  );
  multiplier u_multiplier(
    .clock(clock),
    .run(multiplier$run),
    .clear(multiplier$clear),
    .u(multiplier$u),
    .a(multiplier$a),
    .b(multiplier$b),
    .done(multiplier$done),
    .product(multiplier$product)
  );
  divider u_divider(
    .clock(clock),
    .run(divider$run),
    .clear(divider$clear),
    .u(divider$u),
    .dividend(divider$dividend),
    .divisor(divider$divisor),
    .done(divider$done),
    .quotient(divider$quotient),
    .remainder(divider$remainder)
  );
  float_adder u_float_adder(
    .clock(clock),
    .run(float_adder$run),
    .clear(float_adder$clear),
    .u(float_adder$u),
    .v(float_adder$v),
    .x(float_adder$x),
    .y(float_adder$y),
    .done(float_adder$done),
    .result(float_adder$result)
  );
  float_multiplier u_float_multiplier(
    .clock(clock),
    .ready(float_multiplier$ready),
    .x(float_multiplier$x),
    .y(float_multiplier$y),
    .product(float_multiplier$product),
    .x_mantissa(float_multiplier$x_mantissa),
    .y_mantissa(float_multiplier$y_mantissa),
    .done(float_multiplier$done),
    .result(float_multiplier$result)
  );
  float_divider u_float_divider(
    .clock(clock),
    .run(float_divider$run),
    .clear(float_divider$clear),
    .x(float_divider$x),
    .y(float_divider$y),
    .done(float_divider$done),
    .result(float_divider$result)
  );
  interrupts u_interrupts(
    .clock(clock),
    .reset(interrupts$reset),
    .edge_seen(interrupts$edge_seen),
    .executed(interrupts$executed),
    .set_enable(interrupts$set_enable),
    .enable(interrupts$enable),
    .return_from(interrupts$return_from),
    .accept(interrupts$accept),
    .pc(interrupts$pc),
    .flags(interrupts$flags),
    .due(interrupts$due),
    .wakes(interrupts$wakes),
    .saved_pc(interrupts$saved_pc),
    .saved_flags(interrupts$saved_flags)
  );
  reg_en1 u_d_live(
    .clock(clock),
    .en(d_live$en),
    .d(d_live$d),
    .q(d_live$q)
  );
  reg_en22 u_d_pc(
    .clock(clock),
    .en(d_pc$en),
    .d(d_pc$d),
    .q(d_pc$q)
  );
  reg1 u_x_valid(
    .clock(clock),
    .d(x_valid$d),
    .q(x_valid$q)
  );
  reg_en22 u_x_pc(
    .clock(clock),
    .en(x_pc$en),
    .d(x_pc$d),
    .q(x_pc$q)
  );
  reg_en32 u_ir(
    .clock(clock),
    .en(ir$en),
    .d(ir$d),
    .q(ir$q)
  );
  reg_en32 u_x_b(
    .clock(clock),
    .en(x_b$en),
    .d(x_b$d),
    .q(x_b$q)
  );
  reg_en32 u_x_n(
    .clock(clock),
    .en(x_n$en),
    .d(x_n$d),
    .q(x_n$q)
  );
  reg_en32 u_x_a(
    .clock(clock),
    .en(x_a$en),
    .d(x_a$d),
    .q(x_a$q)
  );
  reg_en4 u_x_dest(
    .clock(clock),
    .en(x_dest$en),
    .d(x_dest$d),
    .q(x_dest$q)
  );
  reg_en22 u_x_target(
    .clock(clock),
    .en(x_target$en),
    .d(x_target$d),
    .q(x_target$q)
  );
  reg_en1 u_x_writer(
    .clock(clock),
    .en(x_writer$en),
    .d(x_writer$d),
    .q(x_writer$q)
  );
  reg_en1 u_x_forwards(
    .clock(clock),
    .en(x_forwards$en),
    .d(x_forwards$d),
    .q(x_forwards$q)
  );
  reg_en1 u_x_delayed(
    .clock(clock),
    .en(x_delayed$en),
    .d(x_delayed$d),
    .q(x_delayed$q)
  );
  reg_en1 u_x_early(
    .clock(clock),
    .en(x_early$en),
    .d(x_early$d),
    .q(x_early$q)
  );
  reg_en1 u_x_jumped(
    .clock(clock),
    .en(x_jumped$en),
    .d(x_jumped$d),
    .q(x_jumped$q)
  );
  reg_en1 u_x_operation(
    .clock(clock),
    .en(x_operation$en),
    .d(x_operation$d),
    .q(x_operation$q)
  );
  reg_en1 u_x_load(
    .clock(clock),
    .en(x_load$en),
    .d(x_load$d),
    .q(x_load$q)
  );
  reg_en1 u_x_store(
    .clock(clock),
    .en(x_store$en),
    .d(x_store$d),
    .q(x_store$q)
  );
  reg_en1 u_x_branch(
    .clock(clock),
    .en(x_branch$en),
    .d(x_branch$d),
    .q(x_branch$q)
  );
  reg_en1 u_x_mul(
    .clock(clock),
    .en(x_mul$en),
    .d(x_mul$d),
    .q(x_mul$q)
  );
  reg_en1 u_x_div(
    .clock(clock),
    .en(x_div$en),
    .d(x_div$d),
    .q(x_div$q)
  );
  reg_en1 u_x_fad(
    .clock(clock),
    .en(x_fad$en),
    .d(x_fad$d),
    .q(x_fad$q)
  );
  reg_en1 u_x_fml(
    .clock(clock),
    .en(x_fml$en),
    .d(x_fml$d),
    .q(x_fml$q)
  );
  reg_en1 u_x_fdv(
    .clock(clock),
    .en(x_fdv$en),
    .d(x_fdv$d),
    .q(x_fdv$q)
  );
  reg_en1 u_x_long(
    .clock(clock),
    .en(x_long$en),
    .d(x_long$d),
    .q(x_long$q)
  );
  reg_en1 u_x_late(
    .clock(clock),
    .en(x_late$en),
    .d(x_late$d),
    .q(x_late$q)
  );
  reg1 u_l_run(
    .clock(clock),
    .d(l_run$d),
    .q(l_run$q)
  );
  reg32 u_l_b(
    .clock(clock),
    .d(l_b$d),
    .q(l_b$q)
  );
  reg32 u_l_n(
    .clock(clock),
    .d(l_n$d),
    .q(l_n$q)
  );
  reg_en2 u_lane(
    .clock(clock),
    .en(lane$en),
    .d(lane$d),
    .q(lane$q)
  );
  reg_en1 u_lane_only(
    .clock(clock),
    .en(lane_only$en),
    .d(lane_only$d),
    .q(lane_only$q)
  );
  reg1 u_m_valid(
    .clock(clock),
    .d(m_valid$d),
    .q(m_valid$q)
  );
  reg_en22 u_m_pc(
    .clock(clock),
    .en(m_pc$en),
    .d(m_pc$d),
    .q(m_pc$q)
  );
  reg_en22 u_m_next(
    .clock(clock),
    .en(m_next$en),
    .d(m_next$d),
    .q(m_next$q)
  );
  reg1 u_m_write(
    .clock(clock),
    .d(m_write$d),
    .q(m_write$q)
  );
  reg1 u_m_load(
    .clock(clock),
    .d(m_load$d),
    .q(m_load$q)
  );
  reg1 u_m_store(
    .clock(clock),
    .d(m_store$d),
    .q(m_store$q)
  );
  reg1 u_m_delayed(
    .clock(clock),
    .d(m_delayed$d),
    .q(m_delayed$q)
  );
  reg_en4 u_m_number(
    .clock(clock),
    .en(m_number$en),
    .d(m_number$d),
    .q(m_number$q)
  );
  reg_en32 u_m_result(
    .clock(clock),
    .en(m_result$en),
    .d(m_result$d),
    .q(m_result$q)
  );
  reg_en8 u_m_zeros(
    .clock(clock),
    .en(m_zeros$en),
    .d(m_zeros$d),
    .q(m_zeros$q)
  );
  reg_en24 u_m_addr(
    .clock(clock),
    .en(m_addr$en),
    .d(m_addr$d),
    .q(m_addr$q)
  );
  reg_en1 u_n(
    .clock(clock),
    .en(n$en),
    .d(n$d),
    .q(n$q)
  );
  reg_en8 u_z(
    .clock(clock),
    .en(z$en),
    .d(z$d),
    .q(z$q)
  );
  reg_en1 u_c(
    .clock(clock),
    .en(c$en),
    .d(c$d),
    .q(c$q)
  );
  reg_en1 u_v(
    .clock(clock),
    .en(v$en),
    .d(v$d),
    .q(v$q)
  );
  reg_en32 u_h(
    .clock(clock),
    .en(h$en),
    .d(h$d),
    .q(h$q)
  );

  // Logic
  always @(*) begin
    lane_byte = d_rdata[7:0];
    if (lane$q == 32'h1) begin
      lane_byte = d_rdata[15:8];
    end
    else if (lane$q == 32'h2) begin
      lane_byte = d_rdata[23:16];
    end
    else if (lane$q == 32'h3) begin
      lane_byte = d_rdata[31:24];
    end
  end
  always @(*) begin
    loaded = d_rdata;
    if (lane_only$q) begin
      loaded = ((lane_byte) & 32'hffffffff);
    end
  end
  always @(*) m_loads = m_delayed$q & m_load$q;
  always @(*) begin
    m_other = m_result$q;
    if (m_delayed$q) begin
      m_other = shifter$result;
    end
  end
  always @(*) begin
    m_value = m_other;
    if (m_loads) begin
      m_value = loaded;
    end
  end
  always @(*) m_n = m_value[31];
  always @(*) d_zeros$value = d_rdata;
  always @(*) begin
    lane_others = 32'h0;
    if (lane_only$q) begin
      lane_others = 32'hfc;
      if (lane$q == 32'h1) begin
        lane_others = 32'hf3;
      end
      else if (lane$q == 32'h2) begin
        lane_others = 32'hcf;
      end
      else if (lane$q == 32'h3) begin
        lane_others = 32'h3f;
      end
    end
  end
  always @(*) loaded_zeros = d_zeros$groups | lane_others;
  always @(*) m_other_zeros$value = m_other;
  always @(*) begin
    m_value_zeros = m_other_zeros$groups;
    if (m_loads) begin
      m_value_zeros = loaded_zeros;
    end
  end
  always @(*) m_z = &m_value_zeros;
  always @(*) z_flag = &z$q;
  always @(*) m_flags_known = m_write$q & (~m_delayed$q);
  always @(*) m_result_zero = &m_zeros$q;
  always @(*) begin
    x_flag_n = n$q;
    x_flag_z = z_flag;
    if (m_flags_known) begin
      x_flag_n = m_result$q[31];
      x_flag_z = m_result_zero;
    end
  end
  always @(*) flags = (((x_flag_n) & 4'hf) << 32'h3) | (((x_flag_z) & 4'hf) << 32'h2) | (((c$q) & 4'hf) << 32'h1) | ((v$q) & 4'hf);
  always @(*) start = reset | (~d_live$q);
  always @(*) x_u = ir$q[29];
  always @(*) x_v = ir$q[28];
  always @(*) x_op = ir$q[19:16];
  always @(*) x_number = ir$q[27:24];
  always @(*) x_conditional = ~&ir$q[26:24];
  always @(*) x_control = x_branch$q & (~x_u) & (~x_v);
  always @(*) x_return = x_control & ir$q[4];
  always @(*) x_enable = x_control & ir$q[5];
  always @(*) x_reads_flags = x_branch$q & x_conditional;
  always @(*) x_moves_flags = x_operation$q & (~ir$q[30]) & x_u & x_v & (x_op == 32'h0);
  always @(*) x_event = (interrupts$due | abort) & (~x_early$q);
  always @(*) x_wait = x_valid$q & ((m_delayed$q & (x_reads_flags | x_event)) | (m_write$q & x_moves_flags));
  always @(*) word_addr = m_addr$q[13:2];
  always @(*) x_word = x_pc$q[11:0];
  always @(*) d_word = d_pc$q[11:0];
  always @(*) hit_x = x_valid$q & (word_addr == x_word);
  always @(*) hit_d = d_live$q & (word_addr == d_word);
  always @(*) refetch = m_store$q & (hit_x | hit_d);
  always @(*) x_acts = x_valid$q & (~x_wait) & (~reset);
  always @(*) x_diverts = x_acts & x_event;
  always @(*) preempt = x_diverts & (~refetch);
  always @(*) execute = x_acts & (~x_event) & (~refetch);
  always @(*) long_done = (x_mul$q & multiplier$done) | (x_div$q & divider$done) | (x_fad$q & float_adder$done) | (x_fml$q & float_multiplier$done) | (x_fdv$q & float_divider$done);
  always @(*) long_wait = x_valid$q & x_long$q & (~x_event) & (~reset);
  always @(*) busy = long_wait & (~long_done);
  always @(*) step = i_ready & d_ready & (~busy);
  always @(*) registers$write = step & m_write$q;
  always @(*) registers$number = m_number$q;
  always @(*) registers$value = m_value;
  always @(*) alu$op = x_op;
  always @(*) alu$q = ir$q[30];
  always @(*) alu$u = x_u;
  always @(*) alu$v = x_v;
  always @(*) alu$b = x_b$q;
  always @(*) alu$operand = x_n$q;
  always @(*) alu$h = h$q;
  always @(*) alu$flags = (((n$q) & 4'hf) << 32'h3) | (((z_flag) & 4'hf) << 32'h2) | (((c$q) & 4'hf) << 32'h1) | ((v$q) & 4'hf);
  always @(*) shifter$en = step;
  always @(*) shifter$b = x_b$q;
  always @(*) shifter$distance = x_n$q[4:0];
  always @(*) shifter$left = x_op[1:0] == 32'h1;
  always @(*) shifter$arithmetic = x_op[1:0] == 32'h2;
  always @(*) l_run$d = long_wait & (~step);
  always @(*) l_b$d = x_b$q;
  always @(*) l_n$d = x_n$q;
  always @(*) multiplier$run = l_run$q & (x_mul$q | x_fml$q);
  always @(*) multiplier$clear = step;
  always @(*) multiplier$u = x_u & x_mul$q;
  always @(*) begin
    multiplier$a = l_b$q;
    multiplier$b = l_n$q;
    if (x_fml$q) begin
      multiplier$a = float_multiplier$x_mantissa;
      multiplier$b = float_multiplier$y_mantissa;
    end
  end
  always @(*) divider$run = l_run$q & x_div$q;
  always @(*) divider$clear = step;
  always @(*) divider$u = x_u;
  always @(*) divider$dividend = l_b$q;
  always @(*) divider$divisor = l_n$q;
  always @(*) begin
    y_operand = l_n$q;
    if (x_op == 32'hd) begin
      y_operand = l_n$q ^ 32'h80000000;
    end
  end
  always @(*) float_adder$run = l_run$q & x_fad$q;
  always @(*) float_adder$clear = step;
  always @(*) float_adder$u = x_u;
  always @(*) float_adder$v = x_v;
  always @(*) float_adder$x = l_b$q;
  always @(*) float_adder$y = y_operand;
  always @(*) float_multiplier$ready = l_run$q & x_fml$q & multiplier$done;
  always @(*) float_multiplier$x = l_b$q;
  always @(*) float_multiplier$y = l_n$q;
  always @(*) float_multiplier$product = multiplier$product[47:0];
  always @(*) float_divider$run = l_run$q & x_fdv$q;
  always @(*) float_divider$clear = step;
  always @(*) float_divider$x = l_b$q;
  always @(*) float_divider$y = l_n$q;
  always @(*) next_pc = x_pc$q + 32'h1;
  always @(*) link_value = ((next_pc) & 32'hffffffff) << 32'h2;
  always @(*) begin
    long_result = multiplier$product[31:0];
    if (x_div$q) begin
      long_result = divider$quotient;
    end
    else if (x_fad$q) begin
      long_result = float_adder$result;
    end
    else if (x_fml$q) begin
      long_result = float_multiplier$result;
    end
    else if (x_fdv$q) begin
      long_result = float_divider$result;
    end
    if (x_branch$q) begin
      long_result = link_value;
    end
  end
  always @(*) begin
    x_other = alu$result;
    if (x_long$q | x_branch$q) begin
      x_other = long_result;
    end
  end
  always @(*) begin
    x_result = x_other;
    if (x_early$q) begin
      x_result = loaded;
    end
  end
  always @(*) condition$code = x_number;
  always @(*) condition$n = x_flag_n;
  always @(*) condition$z = x_flag_z;
  always @(*) condition$c = c$q;
  always @(*) condition$v = v$q;
  always @(*) branches = x_branch$q & (condition$holds | x_return);
  always @(*) taken = x_acts & (~x_event) & (~x_jumped$q) & branches;
  always @(*) begin
    target = x_n$q[23:2];
    if (x_u) begin
      target = x_target$q;
    end
    else if (x_return) begin
      target = interrupts$saved_pc;
    end
  end
  always @(*) begin
    offset = ((ir$q[19:0]) & 24'hffffff);
    if (ir$q[19]) begin
      offset = ((ir$q[19:0]) & 24'hffffff) | 32'hf00000;
    end
  end
  always @(*) addr = x_b$q[23:0] + offset;
  always @(*) s_addr = addr;
  always @(*) store_lane = addr[1:0];
  always @(*) begin
    store_value = x_a$q;
    if (x_late$q) begin
      store_value = m_value;
    end
  end
  always @(*) s_value = store_value;
  always @(*) store_byte = ((store_value[7:0]) & 32'hffffffff);
  always @(*) begin
    d_lanes = 32'hf;
    d_wdata = store_value;
    if (x_v & (store_lane == 32'h0)) begin
      d_lanes = 32'h1;
      d_wdata = store_byte;
    end
    else if (x_v & (store_lane == 32'h1)) begin
      d_lanes = 32'h2;
      d_wdata = store_byte << 32'h8;
    end
    else if (x_v & (store_lane == 32'h2)) begin
      d_lanes = 32'h4;
      d_wdata = store_byte << 32'h10;
    end
    else if (x_v) begin
      d_lanes = 32'h8;
      d_wdata = store_byte << 32'h18;
    end
  end
  always @(*) x_uses_port = x_valid$q & (x_store$q | (x_load$q & (~x_early$q)));
  always @(*) x_writes = execute & (x_operation$q | x_load$q | (branches & x_v));
  always @(*) begin
    m_valid$d = m_valid$q;
    m_write$d = m_write$q;
    m_load$d = m_load$q;
    m_delayed$d = m_delayed$q;
    m_store$d = m_store$q;
    if (step) begin
      m_valid$d = execute;
      m_write$d = x_writes;
      m_load$d = execute & x_load$q;
      m_delayed$d = execute & x_delayed$q;
      m_store$d = execute & x_store$q;
    end
  end
  always @(*) m_pc$en = step;
  always @(*) m_pc$d = x_pc$q;
  always @(*) m_next$en = step;
  always @(*) m_next$d = next_pc;
  always @(*) m_number$en = step;
  always @(*) m_number$d = x_dest$q;
  always @(*) m_result$en = step;
  always @(*) m_result$d = x_result;
  always @(*) x_other_zeros$value = x_other;
  always @(*) m_zeros$en = step;
  always @(*) begin
    m_zeros$d = x_other_zeros$groups;
    if (x_early$q) begin
      m_zeros$d = loaded_zeros;
    end
  end
  always @(*) m_addr$en = step;
  always @(*) m_addr$d = addr;
  always @(*) begin
    n$en = step & m_write$q;
    z$en = step & m_write$q;
    n$d = m_n;
    z$d = m_value_zeros;
    c$en = step & execute & sum_op;
    v$en = step & execute & sum_op;
    c$d = alu$carry;
    v$d = alu$overflow;
    if (execute & x_return) begin
      n$en = step;
      z$en = step;
      c$en = step;
      v$en = step;
      n$d = interrupts$saved_flags[3];
      z$d = 32'h0;
      if (interrupts$saved_flags[2]) begin
        z$d = 32'hff;
      end
      c$d = interrupts$saved_flags[1];
      v$d = interrupts$saved_flags[0];
    end
  end
  always @(*) sum_op = x_operation$q & (ir$q[19:17] == 32'h4);
  always @(*) h$en = step & execute & (x_mul$q | x_div$q);
  always @(*) begin
    h$d = multiplier$product[63:32];
    if (x_div$q) begin
      h$d = divider$remainder;
    end
  end
  always @(*) aborted = step & preempt & abort;
  always @(*) interrupts$reset = reset | aborted;
  always @(*) interrupts$edge_seen = irq;
  always @(*) interrupts$executed = step & execute;
  always @(*) interrupts$set_enable = x_enable;
  always @(*) interrupts$enable = ir$q[0];
  always @(*) interrupts$return_from = x_return;
  always @(*) interrupts$accept = step & preempt & (~abort);
  always @(*) interrupts$pc = x_pc$q;
  always @(*) interrupts$flags = flags;
  always @(*) wakes = interrupts$wakes;
  always @(*) pc = x_pc$q;
  always @(*) sequential = d_pc$q + 32'h1;
  always @(*) decoder$ir = i_data;
  always @(*) number_a = i_data[27:24];
  always @(*) number_b = i_data[23:20];
  always @(*) number_c = i_data[3:0];
  always @(*) registers$a = number_a;
  always @(*) registers$b = number_b;
  always @(*) registers$c = number_c;
  always @(*) x_is_a = x_valid$q & (number_a == x_dest$q);
  always @(*) x_is_b = x_valid$q & (number_b == x_dest$q);
  always @(*) x_is_c = x_valid$q & (number_c == x_dest$q);
  always @(*) m_is_a = m_write$q & (number_a == m_number$q);
  always @(*) m_is_b = m_write$q & (number_b == m_number$q);
  always @(*) m_is_c = m_write$q & (number_c == m_number$q);
  always @(*) x_gives_a = x_forwards$q & x_is_a;
  always @(*) loads_a = (x_gives_a & x_early$q) | ((~x_gives_a) & m_is_a & m_loads);
  always @(*) begin
    other_a = registers$a_value;
    if (x_gives_a) begin
      other_a = x_other;
    end
    else if (m_is_a) begin
      other_a = m_other;
    end
  end
  always @(*) x_gives_b = x_forwards$q & x_is_b;
  always @(*) loads_b = (x_gives_b & x_early$q) | ((~x_gives_b) & m_is_b & m_loads);
  always @(*) begin
    other_b = registers$b_value;
    if (x_gives_b) begin
      other_b = x_other;
    end
    else if (m_is_b) begin
      other_b = m_other;
    end
  end
  always @(*) x_gives_c = x_forwards$q & x_is_c;
  always @(*) loads_c = (x_gives_c & x_early$q) | ((~x_gives_c) & m_is_c & m_loads);
  always @(*) begin
    other_c = registers$c_value;
    if (x_gives_c) begin
      other_c = x_other;
    end
    else if (m_is_c) begin
      other_c = m_other;
    end
  end
  always @(*) operand_wait = x_delayed$q & ((decoder$reads_b & x_is_b) | (decoder$reads_c & x_is_c));
  always @(*) hold = x_wait | operand_wait;
  always @(*) redirect = start | refetch | x_diverts | taken;
  always @(*) moves = (~redirect) & (~hold);
  always @(*) begin
    base = registers$b_value[23:0];
    if (m_is_b) begin
      base = m_result$q[23:0];
    end
  end
  always @(*) base_known = (~(x_is_b & x_writer$q)) & (~(m_is_b & m_delayed$q));
  always @(*) early = decoder$load & base_known & (~x_uses_port);
  always @(*) begin
    early_offset = ((i_data[19:0]) & 24'hffffff);
    if (i_data[19]) begin
      early_offset = ((i_data[19:0]) & 24'hffffff) | 32'hf00000;
    end
  end
  always @(*) early_addr = base + early_offset;
  always @(*) begin
    d_addr = early_addr;
    lane_only$d = i_data[28];
    if (x_uses_port) begin
      d_addr = addr;
      lane_only$d = x_v;
    end
  end
  always @(*) lane_only$en = step;
  always @(*) lane$en = step;
  always @(*) lane$d = d_addr[1:0];
  always @(*) d_write = x_uses_port & x_store$q;
  always @(*) d_valid = step & ((execute & x_uses_port) | (early & moves));
  always @(*) begin
    jump_base = registers$c_value[23:2];
    if (m_is_c) begin
      jump_base = m_result$q[23:2];
    end
  end
  always @(*) jump_known = (~(x_is_c & x_writer$q)) & (~(m_is_c & m_delayed$q));
  always @(*) jump = decoder$jump_relative | (decoder$jump_register & jump_known);
  always @(*) relative = sequential + i_data[21:0];
  always @(*) begin
    jump_target = jump_base;
    if (decoder$jump_relative) begin
      jump_target = relative;
    end
  end
  always @(*) begin
    diverted = target;
    if (start) begin
      diverted = reset_pc;
    end
    else if (refetch) begin
      diverted = m_next$q;
    end
    else if (x_diverts & abort) begin
      diverted = 32'h0;
    end
    else if (x_diverts) begin
      diverted = 32'h1;
    end
  end
  always @(*) begin
    turn = jump_target;
    if (redirect) begin
      turn = diverted;
    end
  end
  always @(*) i_turn = redirect | jump;
  always @(*) i_target = turn;
  always @(*) begin
    fetch = sequential;
    if (i_turn) begin
      fetch = turn;
    end
  end
  always @(*) i_addr = fetch;
  always @(*) d_en = step & (redirect | (~hold));
  always @(*) i_valid = d_en;
  always @(*) d_live$en = d_en;
  always @(*) d_live$d = 1'b1;
  always @(*) d_pc$en = d_en;
  always @(*) d_pc$d = fetch;
  always @(*) x_en = step & (~x_wait);
  always @(*) begin
    x_valid$d = x_valid$q;
    if (step & redirect) begin
      x_valid$d = 1'b0;
    end
    else if (x_en) begin
      x_valid$d = ~operand_wait;
    end
  end
  always @(*) x_pc$en = x_en;
  always @(*) x_pc$d = d_pc$q;
  always @(*) ir$en = x_en;
  always @(*) ir$d = i_data;
  always @(*) x_b$en = x_en;
  always @(*) begin
    x_b$d = other_b;
    if (loads_b) begin
      x_b$d = loaded;
    end
  end
  always @(*) x_n$en = x_en;
  always @(*) begin
    x_n$d = other_c;
    if (decoder$immediate) begin
      x_n$d = decoder$operand;
    end
    else if (loads_c) begin
      x_n$d = loaded;
    end
  end
  always @(*) x_a$en = x_en;
  always @(*) begin
    x_a$d = other_a;
    if (loads_a) begin
      x_a$d = loaded;
    end
  end
  always @(*) x_late$en = x_en;
  always @(*) x_late$d = x_delayed$q & x_is_a;
  always @(*) x_dest$en = x_en;
  always @(*) begin
    x_dest$d = number_a;
    if (decoder$branch) begin
      x_dest$d = 32'hf;
    end
  end
  always @(*) x_writer$en = x_en;
  always @(*) x_writer$d = decoder$operation | decoder$load | (decoder$branch & i_data[28]);
  always @(*) x_forwards$en = x_en;
  always @(*) x_forwards$d = (decoder$operation & (~decoder$shift)) | early | (decoder$jump_relative & i_data[28]);
  always @(*) x_delayed$en = x_en;
  always @(*) x_delayed$d = decoder$shift | (decoder$load & (~early));
  always @(*) x_early$en = x_en;
  always @(*) x_early$d = early;
  always @(*) x_jumped$en = x_en;
  always @(*) x_jumped$d = jump;
  always @(*) x_target$en = x_en;
  always @(*) x_target$d = relative;
  always @(*) x_operation$en = x_en;
  always @(*) x_operation$d = decoder$operation;
  always @(*) x_load$en = x_en;
  always @(*) x_load$d = decoder$load;
  always @(*) x_store$en = x_en;
  always @(*) x_store$d = decoder$store;
  always @(*) x_branch$en = x_en;
  always @(*) x_branch$d = decoder$branch;
  always @(*) x_mul$en = x_en;
  always @(*) x_mul$d = decoder$mul;
  always @(*) x_div$en = x_en;
  always @(*) x_div$d = decoder$div;
  always @(*) x_fad$en = x_en;
  always @(*) x_fad$d = decoder$fad;
  always @(*) x_fml$en = x_en;
  always @(*) x_fml$d = decoder$fml;
  always @(*) x_fdv$en = x_en;
  always @(*) x_fdv$d = decoder$fdv;
  always @(*) x_long$en = x_en;
  always @(*) x_long$d = decoder$mul | decoder$div | decoder$fad | decoder$fml | decoder$fdv;
  always @(*) trace_valid = step & m_valid$q;
  always @(*) trace_pc = m_pc$q;
  always @(*) trace_write = m_write$q;
  always @(*) trace_number = m_number$q;
  always @(*) trace_value = m_value;
  always @(*) begin
    trace_flags = (((n$q) & 4'hf) << 32'h3) | (((z_flag) & 4'hf) << 32'h2) | (((c$q) & 4'hf) << 32'h1) | ((v$q) & 4'hf);
    if (m_write$q) begin
      trace_flags = (((m_n) & 4'hf) << 32'h3) | (((m_z) & 4'hf) << 32'h2) | (((c$q) & 4'hf) << 32'h1) | ((v$q) & 4'hf);
    end
  end
  always @(*) trace_h = h$q;
  always @(*) trace_memory = (((m_store$q) & 2'h3) << 32'h1) | ((m_load$q) & 2'h3);
  always @(*) trace_addr = m_addr$q;
  always @(*) trace_event = (((aborted) & 2'h3) << 32'h1) | ((interrupts$accept) & 2'h3);
  always @(*) begin
    trace_stall = 32'h0;
    if (~(i_ready & d_ready)) begin
      trace_stall = 32'h1;
    end
    else if (busy) begin
      trace_stall = 32'h2;
    end
    else if (start) begin
      trace_stall = 32'h0;
    end
    else if (refetch) begin
      trace_stall = 32'h20;
    end
    else if (preempt) begin
      trace_stall = 32'h40;
    end
    else if (taken) begin
      trace_stall = 32'h10;
    end
    else if (x_wait) begin
      trace_stall = 32'h8;
    end
    else if (operand_wait) begin
      trace_stall = 32'h4;
    end
  end
endmodule

`default_nettype wire
