// FAD, FSB, FLT and FLOOR: the outcome as an integer computation on the operands' values.
//
// An operand is an integer of half units in its last place. The smaller exponent's operand is
// divided by a power of two and floored; the sum is rounded by adding one half unit to its magnitude.
module prove_float_adder(
  input wire clock, run, clear, u, v,
  input wire [31:0] x, y);

  wire done;
  wire [31:0] result;
  float_adder uut(.clock, .run, .clear, .u, .v, .x, .y, .done, .result);

  // Twice the value of a mantissa under its sign. Minus nothing counts as -2^24 units (D6).
  function signed [26:0] twice(input negative, input [23:0] mantissa);
    if (!negative) twice = 2 * mantissa;
    else if (mantissa == 0) twice = -(27'sd1 <<< 25);
    else twice = -(27'sd2 * $signed({3'b0, mantissa}));
  endfunction

  // FLT takes 24 bits of an integer and its sign, at the exponent where the last place counts 1.
  wire [7:0] x_exponent = u ? 8'd150 : x[30:23];
  wire [7:0] y_exponent = y[30:23];
  wire signed [26:0] x_value = u ? $signed({x[31], x[31], x[23:0], 1'b0}) : twice(x[31], {1'b1, x[22:0]});
  wire signed [26:0] y_value = twice(y[31], {!u & !v, y[22:0]});
  wire [7:0] common = x_exponent > y_exponent ? x_exponent : y_exponent;
  wire [7:0] x_distance = common - x_exponent, y_distance = common - y_exponent;
  wire signed [26:0] x_aligned = x_value >>> x_distance;
  wire signed [26:0] y_aligned = y_value >>> y_distance;
  wire signed [26:0] sum = x_aligned + y_aligned;

  wire [26:0] magnitude = sum < 0 ? -sum : sum;
  wire [24:0] rounded = (magnitude + 1) >> 1;

  // The leading one of the rounded magnitude goes to bit 24.
  reg [4:0] top;
  integer i;
  always @* begin
    top = 0;
    for (i = 0; i < 25; i = i + 1) if (rounded[i]) top = i;
  end
  wire [24:0] normal = rounded << (24 - top);
  wire signed [9:0] exponent = $signed({2'b0, common}) + 1 - (24 - $signed({5'b0, top}));

  reg [31:0] want;
  always @* begin
    if (v) want = {{6{sum[26]}}, sum[26:1]};
    else if (x[30:0] == 0 && (u || y[30:0] == 0)) want = 0;
    else if (x[30:0] == 0) want = y;
    else if (y[30:0] == 0) want = x;
    else if (rounded == 0 || exponent < 0 || exponent > 255) want = 0;
    else want = {sum < 0, exponent[7:0], normal[23:1]};
  end

  // What the registers between the stages hold; each follows from the one before.
  (* hierconn *) wire [2:0] \uut.step$q ;
  (* hierconn *) wire [25:0] \uut.x_field$q , \uut.y_field$q ;
  (* hierconn *) wire [7:0] \uut.x_distance$q , \uut.y_distance$q , \uut.exponent$q ;
  (* hierconn *) wire [26:0] \uut.sum$q ;
  (* hierconn *) wire [24:0] \uut.rounded$q , \uut.coarse$q ;
  (* hierconn *) wire [1:0] \uut.coarse_none$q ;
  (* hierconn *) wire \uut.nothing$q ;
  wire [4:0] eights = 8 * \uut.coarse_none$q ;

  reg was_running = 0;
  reg [65:0] before;
  reg [2:0] age = 0;
  always @(posedge clock) begin
    was_running <= run & !clear;
    before <= {u, v, x, y};
    age <= !run | clear ? 0 : age == 5 ? 5 : age + 1;
  end

  always @* begin
    if (was_running && run) assume ({u, v, x, y} == before);
    timing: assert (done == (age == 5));
    counter: assert (\uut.step$q == age);
    if (run && age >= 1) begin
      operands: assert (\uut.x_field$q == x_value[25:0] && \uut.y_field$q == y_value[25:0]);
      distances: assert (\uut.x_distance$q == x_distance && \uut.y_distance$q == y_distance);
      larger: assert (\uut.exponent$q == common);
    end
    if (run && age >= 2) added: assert (\uut.sum$q == sum);
    if (run && age >= 3) halved: assert (\uut.rounded$q == rounded);
    if (run && age >= 4) begin
      shifted: assert (\uut.coarse$q == rounded << eights && rounded >> 25 - eights == 0);
      as_far: assert (\uut.coarse$q [24:17] != 0 || eights == 24);
      empty: assert (\uut.nothing$q == (rounded == 0));
    end
    if (done && run) outcome: assert (result == want);
  end
endmodule
