//! Memories of a cache: words with byte lanes, and tags.
//!
//! Timing: a port reads at every rising edge and shows the word until the next. What a port shows that reads at the very edge at which the other port
//! writes the same place is not defined in block RAM: nobody may use it. (Here and in the Verilog it is
//! the old word.) Contents are 0 at power-on.

use rust_hdl::prelude::*;

/// `2^N` words of 32 bits: one port reads, the other writes byte lanes.
#[derive(LogicBlock, Default)]
pub struct LaneRam<const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Word address of the reading port.
    pub raddr: Signal<In, Bits<N>>,
    /// The word that was addressed.
    pub rdata: Signal<Out, Bits<32>>,
    /// Lanes to write.
    pub lanes: Signal<In, Bits<4>>,
    /// Word address of the writing port.
    pub waddr: Signal<In, Bits<N>>,
    /// Word to write.
    pub wdata: Signal<In, Bits<32>>,
    _words: Vec<u32>,
}

impl<const N: usize> Logic for LaneRam<N> {
    fn update(&mut self) {
        if self._words.is_empty() {
            self._words = vec![0; 1 << N];
        }
        if self.clock.pos_edge() {
            self.rdata.next = self._words[self.raddr.val().index()].to_bits();
            let mask = (0..4)
                .filter(|lane| self.lanes.val().get_bit(*lane))
                .fold(0, |mask, lane| mask | 0xFF << (8 * lane));
            let word = &mut self._words[self.waddr.val().index()];
            *word = *word & !mask | self.wdata.val().to_u32() & mask;
        }
    }
    fn connect(&mut self) {
        self.rdata.connect();
    }
    fn hdl(&self) -> Verilog {
        let depth = 1 << N;
        let lane = |n: usize| {
            let (high, low) = (8 * n + 7, 8 * n);
            format!("  if (lanes[{n}]) mem[waddr][{high}:{low}] <= wdata[{high}:{low}];\n")
        };
        let lanes: String = (0..4).map(lane).collect();
        Verilog::Custom(format!(
            "// cell: lane_ram_{depth}\n\
             (* ram_style = \"block\", no_rw_check *) reg [31:0] mem [{}:0];\n\
             integer i;\n\
             initial begin rdata = 0; for (i = 0; i < {depth}; i = i + 1) mem[i] = 0; end\n\
             always @(posedge clock) rdata <= mem[raddr];\n\
             always @(posedge clock) begin\n{lanes}end\n",
            depth - 1
        ))
    }
}

/// `2^N` tags of `W` bits: one port reads, the other reads and writes.
#[derive(LogicBlock, Default)]
pub struct TagRam<const W: usize, const N: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// First port: line.
    pub raddr: Signal<In, Bits<N>>,
    /// First port: tag of the line that was addressed.
    pub rdata: Signal<Out, Bits<W>>,
    /// Second port: line.
    pub addr: Signal<In, Bits<N>>,
    /// Second port: tag of the line that was addressed.
    pub data: Signal<Out, Bits<W>>,
    /// Second port: write as well; what it shows then is not defined.
    pub write: Signal<In, Bit>,
    /// Second port: tag to write.
    pub wdata: Signal<In, Bits<W>>,
    _tags: Vec<Bits<W>>,
}

impl<const W: usize, const N: usize> Logic for TagRam<W, N> {
    fn update(&mut self) {
        if self._tags.is_empty() {
            self._tags = vec![Bits::default(); 1 << N];
        }
        if self.clock.pos_edge() {
            self.rdata.next = self._tags[self.raddr.val().index()];
            let tag = &mut self._tags[self.addr.val().index()];
            self.data.next = *tag;
            if self.write.val() {
                *tag = self.wdata.val();
            }
        }
    }
    fn connect(&mut self) {
        self.rdata.connect();
        self.data.connect();
    }
    fn hdl(&self) -> Verilog {
        let (width, depth) = (W, 1 << N);
        Verilog::Custom(format!(
            "// cell: tag_ram_{depth}x{width}\n\
             (* ram_style = \"block\", no_rw_check *) reg [{}:0] mem [{}:0];\n\
             integer i;\n\
             initial begin\n  rdata = 0;\n  data = 0;\n  \
             for (i = 0; i < {depth}; i = i + 1) mem[i] = 0;\nend\n\
             always @(posedge clock) rdata <= mem[raddr];\n\
             always @(posedge clock) begin\n  data <= mem[addr];\n  \
             if (write) mem[addr] <= wdata;\nend\n",
            width - 1,
            depth - 1
        ))
    }
}
