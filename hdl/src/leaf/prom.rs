//! Read-only memory with contents and a synchronous read.
//!
//! Timing: where `en` is high at the rising edge, `data` is the word at `addr` from then on; else it
//! stays. Words beyond the contents are 0.

use rust_hdl::prelude::*;

/// `2^N` words of 32 bits.
#[derive(LogicBlock, Default)]
pub struct Prom<const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Read enable.
    pub en: Signal<In, Bit>,
    /// Word address.
    pub addr: Signal<In, Bits<N>>,
    /// The word that was addressed.
    pub data: Signal<Out, Bits<32>>,
    _words: Vec<u32>,
}

impl<const N: usize> Prom<N> {
    /// A memory that holds `words`, cut to its size.
    pub fn new(words: &[u32]) -> Self {
        let kept = words.iter().copied().take(1 << N).collect();
        Self { _words: kept, ..Self::default() }
    }
}

impl<const N: usize> Logic for Prom<N> {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.en.val() {
            let index = self.addr.val().index();
            self.data.next = self._words.get(index).copied().unwrap_or(0).to_bits();
        }
    }
    fn connect(&mut self) {
        self.data.connect();
    }
    fn hdl(&self) -> Verilog {
        use std::fmt::Write as _;
        let depth = 1 << N;
        let mut text = format!(
            "// cell: prom_{depth}\nreg [31:0] mem [{}:0] /* verilator public_flat_rw */;\ninteger i;\ninitial begin\n  data = 0;\n  \
             for (i = 0; i < {depth}; i = i + 1) mem[i] = 0;\n",
            depth - 1
        );
        for (index, word) in self._words.iter().enumerate() {
            let _ = writeln!(text, "  mem[{index}] = 32'h{word:08x};");
        }
        text.push_str("end\nalways @(posedge clock) if (en) data <= mem[addr];\n");
        Verilog::Custom(text)
    }
}
