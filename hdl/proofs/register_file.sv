// Any register, at any port: what was written last, 0 before.
//
// `fixed` points every port at the watched register: what it reads is then the register's contents at
// every moment, and the proof holds for any number of cycles. With free ports the depth is bounded;
// reads do not change a register, so the two together cover all runs.
module prove_register_file #(parameter fixed = 0) (
  input wire clock, write,
  input wire [3:0] any_a, any_b, any_c, number,
  input wire [31:0] value);

  (* anyconst *) reg [3:0] watched;
  wire [3:0] a = fixed ? watched : any_a;
  wire [3:0] b = fixed ? watched : any_b;
  wire [3:0] c = fixed ? watched : any_c;
  wire [31:0] a_value, b_value, c_value;
  registers uut(.clock, .a, .b, .c, .a_value, .b_value, .c_value, .write, .number, .value);

  reg [31:0] held = 0;
  always @(posedge clock) if (write && number == watched) held <= value;
  always @* begin
    if (a == watched) port_a: assert (a_value == held);
    if (b == watched) port_b: assert (b_value == held);
    if (c == watched) port_c: assert (c_value == held);
  end
endmodule

module prove_register_contents(
  input wire clock, write,
  input wire [3:0] number,
  input wire [31:0] value);
  prove_register_file #(.fixed(1)) fixed(.clock, .write, .number, .value,
    .any_a(4'h0), .any_b(4'h0), .any_c(4'h0));
endmodule
