// decoder: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module decoder(ir, operation, load, store, branch, immediate, operand, reads_b, reads_c, mul, div, fad, fml, fdv, shift, jump_relative, jump_register);

  // Module arguments
  input wire [31:0] ir;
  output reg operation;
  output reg load;
  output reg store;
  output reg branch;
  output reg immediate;
  output reg [31:0] operand;
  output reg reads_b;
  output reg reads_c;
  output reg mul;
  output reg div;
  output reg fad;
  output reg fml;
  output reg fdv;
  output reg shift;
  output reg jump_relative;
  output reg jump_register;

  // Local signals
  reg p;
  reg q;
  reg u;
  reg [3:0] op;
  reg [15:0] low;
  reg [3:0] code;
  reg [1:0] control;
  reg by_one;
  reg shifts;
  reg unconditional;

  // Logic
  always @(*) p = ir[31];
  always @(*) q = ir[30];
  always @(*) u = ir[29];
  always @(*) op = ir[19:16];
  always @(*) low = ir[15:0];
  always @(*) operation = ~p;
  always @(*) load = p & (~q) & (~u);
  always @(*) store = p & (~q) & u;
  always @(*) branch = p & q;
  always @(*) immediate = q & (~p);
  always @(*) begin
    operand = ((low) & 32'hffffffff);
    if (ir[28]) begin
      operand = ((low) & 32'hffffffff) | 32'hffff0000;
    end
  end
  always @(*) begin
    reads_b = ~q;
    if ((~p) & (op == 32'h0)) begin
      reads_b = 1'b0;
    end
    else if (~p) begin
      reads_b = 1'b1;
    end
  end
  always @(*) reads_c = ((~p) & (~q)) | (p & q & (~u));
  always @(*) by_one = q & (op == 32'h3) & (ir[4:0] == 32'h1);
  always @(*) shifts = (op == 32'h1) | (op == 32'h2) | (op == 32'h3);
  always @(*) shift = (~p) & shifts & (~by_one);
  always @(*) code = ir[27:24];
  always @(*) control = ir[5:4];
  always @(*) unconditional = p & q & (code == 32'h7);
  always @(*) jump_relative = unconditional & u;
  always @(*) jump_register = unconditional & (~u) & (~ir[28]) & (control == 32'h0);
  always @(*) mul = (~p) & (op == 32'ha);
  always @(*) div = (~p) & (op == 32'hb);
  always @(*) fad = (~p) & ((op == 32'hc) | (op == 32'hd));
  always @(*) fml = (~p) & (op == 32'he);
  always @(*) fdv = (~p) & (op == 32'hf);
endmodule

`default_nettype wire
