//! Small memory with one write port and one asynchronous read port.
//!
//! Timing: `rdata` follows `raddr` and the contents without a clock; a write lands at the rising
//! edge and is read from then on. Reading the word being written gives the old one until the edge.
//! Contents are 0 at power-on. Maps to DPR16X4 on ECP5 where the depth is 16.

use rust_hdl::prelude::*;

/// `2^N` words of `W` bits.
#[derive(LogicBlock, Default)]
pub struct AsyncRam<const W: usize, const N: usize> {
    /// Clock of the write port.
    pub clock: Signal<In, Clock>,
    /// Read address.
    pub raddr: Signal<In, Bits<N>>,
    /// Word at the read address.
    pub rdata: Signal<Out, Bits<W>>,
    /// Write address.
    pub waddr: Signal<In, Bits<N>>,
    /// Word to write.
    pub wdata: Signal<In, Bits<W>>,
    /// Write enable.
    pub we: Signal<In, Bit>,
    _words: Vec<Bits<W>>,
}

impl<const W: usize, const N: usize> Logic for AsyncRam<W, N> {
    fn update(&mut self) {
        if self._words.is_empty() {
            self._words = vec![Bits::default(); 1 << N];
        }
        if self.clock.pos_edge() && self.we.val() {
            self._words[self.waddr.val().index()] = self.wdata.val();
        }
        self.rdata.next = self._words[self.raddr.val().index()];
    }
    fn connect(&mut self) {
        self.rdata.connect();
    }
    fn hdl(&self) -> Verilog {
        let (width, depth) = (W, 1 << N);
        let last = depth - 1;
        Verilog::Custom(format!(
            "// cell: async_ram_{depth}x{width}\n\
             reg [{}:0] mem [{last}:0];\n\
             integer i;\n\
             initial for (i = 0; i < {depth}; i = i + 1) mem[i] = 0;\n\
             always @(*) rdata = mem[raddr];\n\
             always @(posedge clock) if (we) mem[waddr] <= wdata;\n",
            width - 1
        ))
    }
}
