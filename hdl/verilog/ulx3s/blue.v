// blue: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module blue(clock, data, control, active, word);

  // Module arguments
  input wire clock;
  input wire [7:0] data;
  input wire [1:0] control;
  input wire active;
  output reg [9:0] word;

  // Stub signals
  reg [7:0] chain$d;
  wire [7:0] chain$q;
  reg plain$d;
  wire plain$q;
  reg [4:0] excess$d;
  wire [4:0] excess$q;
  reg active1$d;
  wire active1$q;
  reg [1:0] control1$d;
  wire [1:0] control1$q;
  reg [9:0] sent$d;
  wire [9:0] sent$q;
  reg [4:0] count$d;
  wire [4:0] count$q;

  // Local signals
  reg [3:0] ones;
  reg inverts_chain;
  reg [7:0] by_one;
  reg [7:0] by_two;
  reg [7:0] by_four;
  reg [7:0] coded;
  reg [3:0] coded_ones;
  reg count_up;
  reg excess_up;
  reg level;
  reg same_side;
  reg inverts;
  reg [4:0] step;
  reg [4:0] stepped;
  reg [7:0] turned;

  // Sub module instances
  reg8 u_chain(
    .clock(clock),
    .d(chain$d),
    .q(chain$q)
  );
  reg1 u_plain(
    .clock(clock),
    .d(plain$d),
    .q(plain$q)
  );
  reg5 u_excess(
    .clock(clock),
    .d(excess$d),
    .q(excess$q)
  );
  reg1 u_active1(
    .clock(clock),
    .d(active1$d),
    .q(active1$q)
  );
  reg2 u_control1(
    .clock(clock),
    .d(control1$d),
    .q(control1$q)
  );
  reg10 u_sent(
    .clock(clock),
    .d(sent$d),
    .q(sent$q)
  );
  reg5 u_count(
    .clock(clock),
    .d(count$d),
    .q(count$q)
  );

  // Logic
  always @(*) ones = ((data[0]) & 4'hf) + ((data[1]) & 4'hf) + ((data[2]) & 4'hf) + ((data[3]) & 4'hf) + ((data[4]) & 4'hf) + ((data[5]) & 4'hf) + ((data[6]) & 4'hf) + ((data[7]) & 4'hf);
  always @(*) inverts_chain = (ones > 32'h4) | ((ones == 32'h4) & (~data[0]));
  always @(*) by_one = data ^ (data << 32'h1);
  always @(*) by_two = by_one ^ (by_one << 32'h2);
  always @(*) by_four = by_two ^ (by_two << 32'h4);
  always @(*) begin
    coded = by_four;
    if (inverts_chain) begin
      coded = by_four ^ 32'haa;
    end
  end
  always @(*) coded_ones = ((coded[0]) & 4'hf) + ((coded[1]) & 4'hf) + ((coded[2]) & 4'hf) + ((coded[3]) & 4'hf) + ((coded[4]) & 4'hf) + ((coded[5]) & 4'hf) + ((coded[6]) & 4'hf) + ((coded[7]) & 4'hf);
  always @(*) chain$d = coded;
  always @(*) plain$d = ~inverts_chain;
  always @(*) excess$d = (((coded_ones) & 5'h1f) << 32'h1) + 32'h18;
  always @(*) active1$d = active;
  always @(*) control1$d = control;
  always @(*) count_up = |count$q & (~count$q[4]);
  always @(*) excess_up = |excess$q & (~excess$q[4]);
  always @(*) level = ~(|count$q & |excess$q);
  always @(*) same_side = (count_up & excess_up) | (count$q[4] & excess$q[4]);
  always @(*) begin
    inverts = same_side;
    step = 32'h0;
    if (level) begin
      inverts = ~plain$q;
    end
    else if (same_side & plain$q) begin
      step = 32'h2;
    end
    else if ((~same_side) & (~plain$q)) begin
      step = 32'h1e;
    end
  end
  always @(*) begin
    turned = chain$q;
    count$d = stepped + excess$q;
    if (inverts) begin
      turned = chain$q ^ 32'hff;
      count$d = stepped - excess$q;
    end
    sent$d = ((turned) & 10'h3ff) | (((plain$q) & 10'h3ff) << 32'h8) | (((inverts) & 10'h3ff) << 32'h9);
    if (~active1$q) begin
      count$d = 32'h0;
      sent$d = 32'h354;
      if (control1$q == 32'h1) begin
        sent$d = 32'hab;
      end
      else if (control1$q == 32'h2) begin
        sent$d = 32'h154;
      end
      else if (control1$q == 32'h3) begin
        sent$d = 32'h2ab;
      end
    end
  end
  always @(*) stepped = count$q + step;
  always @(*) word = sent$q;
endmodule

`default_nettype wire
