// decoder: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top sim-compat
// Do not edit.
`default_nettype none

module decoder(ir, operation, load, store, branch, immediate, operand, reads_b, reads_c, mul, div, fad, fml, fdv);

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

  // Local signals
  reg p;
  reg q;
  reg u;
  reg [3:0] op;
  reg [15:0] low;

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
  always @(*) mul = (~p) & (op == 32'ha);
  always @(*) div = (~p) & (op == 32'hb);
  always @(*) fad = (~p) & ((op == 32'hc) | (op == 32'hd));
  always @(*) fml = (~p) & (op == 32'he);
  always @(*) fdv = (~p) & (op == 32'hf);
endmodule

`default_nettype wire
