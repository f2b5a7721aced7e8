//! The RAM of the simulated machine: `2^N` words, one port that reads, one that reads and writes.
//!
//! Timing: a port with its enable high at the rising edge shows the addressed word from then on, else
//! it keeps what it shows. A write changes the lanes whose byte enable is high. The reading port shows
//! the old word if the other port writes the same address at the same edge; the core does not care,
//! because it fetches again what it has just stored to.
//!
//! The simulator's harness reads and loads `mem` from outside, hence the public mark.

use rust_hdl::prelude::*;

/// `2^N` words of 32 bits, little-endian byte lanes.
#[derive(LogicBlock, Default)]
pub struct MainMemory<const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Instruction port: read enable.
    pub i_en: Signal<In, Bit>,
    /// Instruction port: word address.
    pub i_addr: Signal<In, Bits<N>>,
    /// Instruction port: the word that was addressed.
    pub i_data: Signal<Out, Bits<32>>,
    /// Data port: enable.
    pub d_en: Signal<In, Bit>,
    /// Data port: write (else read).
    pub d_write: Signal<In, Bit>,
    /// Data port: lanes to write.
    pub d_lanes: Signal<In, Bits<4>>,
    /// Data port: word address.
    pub d_addr: Signal<In, Bits<N>>,
    /// Data port: word to write.
    pub d_wdata: Signal<In, Bits<32>>,
    /// Data port: the word that was addressed.
    pub d_rdata: Signal<Out, Bits<32>>,
    _words: Vec<u32>,
}

impl<const N: usize> Logic for MainMemory<N> {
    fn update(&mut self) {
        if self._words.is_empty() {
            self._words = vec![0; 1 << N];
        }
        if self.clock.pos_edge() {
            if self.i_en.val() {
                self.i_data.next = self._words[self.i_addr.val().index()].to_bits();
            }
            if self.d_en.val() {
                let word = &mut self._words[self.d_addr.val().index()];
                self.d_rdata.next = (*word).to_bits();
                if self.d_write.val() {
                    let mask = (0..4)
                        .filter(|lane| self.d_lanes.val().get_bit(*lane))
                        .fold(0, |mask, lane| mask | 0xFF << (8 * lane));
                    *word = *word & !mask | self.d_wdata.val().to_u32() & mask;
                }
            }
        }
    }
    fn connect(&mut self) {
        self.i_data.connect();
        self.d_rdata.connect();
    }
    fn hdl(&self) -> Verilog {
        let depth = 1 << N;
        let lane = |n: usize| {
            let (high, low) = (8 * n + 7, 8 * n);
            format!(
                "  if (d_write && d_lanes[{n}]) mem[d_addr][{high}:{low}] <= d_wdata[{high}:{low}];\n"
            )
        };
        let lanes: String = (0..4).map(lane).collect();
        Verilog::Custom(format!(
            "// cell: main_memory_{depth}\n\
             reg [31:0] mem [{}:0] /* verilator public_flat_rw */;\n\
             initial begin i_data = 0; d_rdata = 0; end\n\
             always @(posedge clock) if (i_en) i_data <= mem[i_addr];\n\
             always @(posedge clock) if (d_en) begin\n  d_rdata <= mem[d_addr];\n{lanes}end\n",
            depth - 1
        ))
    }
}
