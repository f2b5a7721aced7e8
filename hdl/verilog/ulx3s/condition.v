// condition: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module condition(code, n, z, c, v, holds);

  // Module arguments
  input wire [3:0] code;
  input wire n;
  input wire z;
  input wire c;
  input wire v;
  output reg holds;

  // Local signals
  reg [2:0] select;
  reg less;
  reg plain;

  // Logic
  always @(*) select = code[2:0];
  always @(*) less = n ^ v;
  always @(*) begin
    if (select == 32'h0) begin
      plain = n;
    end
    else if (select == 32'h1) begin
      plain = z;
    end
    else if (select == 32'h2) begin
      plain = c;
    end
    else if (select == 32'h3) begin
      plain = v;
    end
    else if (select == 32'h4) begin
      plain = c | z;
    end
    else if (select == 32'h5) begin
      plain = less;
    end
    else if (select == 32'h6) begin
      plain = less | z;
    end
    else begin
      plain = 1'b1;
    end
  end
  always @(*) holds = plain ^ code[3];
endmodule

`default_nettype wire
