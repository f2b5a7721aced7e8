// pll_75: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module pll_75(clock_in, clock, shifted, locked);

  // Module arguments
  input wire clock_in;
  output wire clock;
  output wire shifted;
  output wire locked;
  wire w_clock, w_shifted, w_feedback, w_locked;
  assign clock = w_clock;
  assign shifted = w_shifted;
  assign locked = w_locked;
  (* FREQUENCY_PIN_CLKI = "25", FREQUENCY_PIN_CLKOP = "75", FREQUENCY_PIN_CLKOS = "75", FREQUENCY_PIN_CLKOS2 = "25", ICP_CURRENT = "12", LPF_RESISTOR = "8" *)
  EHXPLLL #(
    .CLKI_DIV(1), .CLKFB_DIV(1), .FEEDBK_PATH("CLKOS2"),
    .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(10), .CLKOP_CPHASE(9),
    .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(10), .CLKOS_CPHASE(15), .CLKOS_FPHASE(2),
    .CLKOS2_ENABLE("ENABLED"), .CLKOS2_DIV(30), .CLKOS2_CPHASE(29),
    .OUTDIVIDER_MUXA("DIVA"), .OUTDIVIDER_MUXB("DIVB"), .OUTDIVIDER_MUXC("DIVC"), .OUTDIVIDER_MUXD("DIVD")
  ) pll (
    .CLKI(clock_in), .CLKFB(w_feedback), .CLKOP(w_clock), .CLKOS(w_shifted), .CLKOS2(w_feedback), .LOCK(w_locked),
    .RST(1'b0), .STDBY(1'b0), .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0),
    .ENCLKOP(1'b0), .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0)
  );
endmodule

`default_nettype wire
