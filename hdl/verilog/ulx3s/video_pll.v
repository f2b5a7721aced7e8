// video_pll: made from the Rust HDL sources in hdl/src (kube-hdl 0.1.0) by
//   cargo run -p kube-hdl -- export --top ulx3s
// Do not edit.
`default_nettype none

module video_pll(clock_in, pixel_clock, bit_clock);

  // Module arguments
  input wire clock_in;
  output wire pixel_clock;
  output wire bit_clock;
  wire w_bit, w_pixel, w_feedback, w_locked;
  assign bit_clock = w_bit;
  assign pixel_clock = w_pixel;
  (* FREQUENCY_PIN_CLKI = "25", FREQUENCY_PIN_CLKOP = "325", FREQUENCY_PIN_CLKOS = "65", FREQUENCY_PIN_CLKOS2 = "25", ICP_CURRENT = "12", LPF_RESISTOR = "8" *)
  EHXPLLL #(
    .CLKI_DIV(1), .CLKFB_DIV(1), .FEEDBK_PATH("CLKOS2"),
    .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(2), .CLKOP_CPHASE(1),
    .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(10), .CLKOS_CPHASE(9), .CLKOS_FPHASE(0),
    .CLKOS2_ENABLE("ENABLED"), .CLKOS2_DIV(26), .CLKOS2_CPHASE(25),
    .OUTDIVIDER_MUXA("DIVA"), .OUTDIVIDER_MUXB("DIVB"), .OUTDIVIDER_MUXC("DIVC"), .OUTDIVIDER_MUXD("DIVD")
  ) pll (
    .CLKI(clock_in), .CLKFB(w_feedback), .CLKOP(w_bit), .CLKOS(w_pixel), .CLKOS2(w_feedback), .LOCK(w_locked),
    .RST(1'b0), .STDBY(1'b0), .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0),
    .ENCLKOP(1'b0), .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0)
  );
endmodule

`default_nettype wire
