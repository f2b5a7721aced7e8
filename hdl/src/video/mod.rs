//! The picture: from the framebuffer in memory to the four lanes of a DVI link.
//!
//! Purpose: an option of a board's top. It reads the framebuffer a scan line ahead through the memory's video
//! port, and shows it as 1024 x 768 points, 1 = black, 60 times a second.
//!
//! | part | clock | what it does |
//! |---|---|---|
//! | [`Raster`] | points | counts points and lines, asks for the next line |
//! | [`Fetcher`] | machine | reads a line into one half of the line buffer |
//! | [`TmdsEncoder`] | points | a byte or two control bits to ten bits |
//! | [`Serialiser`] | five times the points | ten bits to five pairs |
//!
//! # Between the clocks
//!
//! - A bit changes and a number beside it stays for the whole line: the fetcher looks at the number two of its
//!   cycles after it has seen the bit change. A line is 20.7 us, the four reads of one take 3 us at most.
//! - Points and bits have one PLL, but nothing relies on the phase between them: the serialiser sees a bit change with every
//!   point and takes the point's ten bits two to three of its cycles later, half a point before the next.
//!
//! Timing: a point leaves five of its cycles behind the raster. What the program stores is shown when its line is read
//! next.
//!
//! What it does not do: sound, colours, other sizes; no check that the screen can show it (the connector's I2C is
//! not wired).
//!
//! Source: Digital Visual Interface 1.0 (DDWG, 1999), sections 3.2 and 3.3; VESA Display Monitor Timing, 1024 x 768
//! at 60 Hz; Project Oberon's VID.v for the order of words. Not yet run on hardware.

mod fetcher;
mod raster;
mod serialiser;
mod tmds;

use rust_hdl::prelude::*;

pub use fetcher::Fetcher;
pub use raster::{Mode, Raster};
pub use serialiser::Serialiser;
pub use tmds::TmdsEncoder;

use crate::leaf::{GpdiPads, LineBuffer, Reg, VideoPll};

/// Everything between the memory's video port and the pins.
#[derive(LogicBlock)]
pub struct Video {
    /// The machine's clock.
    pub clock: Signal<In, Clock>,
    /// The board's oscillator, 25 MHz.
    pub clock_in: Signal<In, Clock>,

    /// See [`crate::memory::Sdram::video_valid`].
    pub valid: Signal<Out, Bit>,
    /// See [`crate::memory::Sdram::video_addr`].
    pub addr: Signal<Out, Bits<18>>,
    /// See [`crate::memory::Sdram::video_taken`].
    pub taken: Signal<In, Bit>,
    /// See [`crate::memory::Sdram::video_word_valid`].
    pub word_valid: Signal<In, Bit>,
    /// A word of the line.
    pub word: Signal<In, Bits<32>>,

    /// Lanes: blue, green, red, clock.
    pub lanes: Signal<Out, Bits<4>>,

    pll: VideoPll,
    raster: Raster,
    fetcher: Fetcher,
    buffer: LineBuffer,
    blue: TmdsEncoder,
    /// Green and red are the same: they have no control bits, and a point is black or white.
    others: TmdsEncoder,
    serialiser: Serialiser,
    pads: GpdiPads,
    beat: Reg<Bit>,
    point1: Reg<Bits<5>>,
    active1: Reg<Bit>,
    syncs1: Reg<Bits<2>>,
    black2: Reg<Bit>,
    active2: Reg<Bit>,
    syncs2: Reg<Bits<2>>,
    shifted: Signal<Local, Bits<32>>,
    level: Signal<Local, Bits<8>>,
}

impl Default for Video {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clock_in: Default::default(),
            valid: Default::default(),
            addr: Default::default(),
            taken: Default::default(),
            word_valid: Default::default(),
            word: Default::default(),
            lanes: Default::default(),
            pll: Default::default(),
            raster: Raster::new(&Mode::XGA),
            fetcher: Default::default(),
            buffer: Default::default(),
            blue: Default::default(),
            others: Default::default(),
            serialiser: Default::default(),
            pads: Default::default(),
            beat: Default::default(),
            point1: Default::default(),
            active1: Default::default(),
            syncs1: Default::default(),
            black2: Default::default(),
            active2: Default::default(),
            syncs2: Default::default(),
            shifted: Default::default(),
            level: Default::default(),
        }
    }
}

impl Logic for Video {
    #[hdl_gen]
    fn update(&mut self) {
        self.pll.clock_in.next = self.clock_in.val();
        self.fetcher.clock.next = self.clock.val();
        self.buffer.clock.next = self.clock.val();
        self.buffer.pixel_clock.next = self.pll.pixel_clock.val();
        self.raster.clock.next = self.pll.pixel_clock.val();
        self.blue.clock.next = self.pll.pixel_clock.val();
        self.others.clock.next = self.pll.pixel_clock.val();
        self.beat.clock.next = self.pll.pixel_clock.val();
        self.point1.clock.next = self.pll.pixel_clock.val();
        self.active1.clock.next = self.pll.pixel_clock.val();
        self.syncs1.clock.next = self.pll.pixel_clock.val();
        self.black2.clock.next = self.pll.pixel_clock.val();
        self.active2.clock.next = self.pll.pixel_clock.val();
        self.syncs2.clock.next = self.pll.pixel_clock.val();
        self.serialiser.clock.next = self.pll.bit_clock.val();
        self.pads.clock.next = self.pll.bit_clock.val();

        // Memory to line buffer.
        self.fetcher.flip.next = self.raster.flip.val();
        self.fetcher.wanted.next = self.raster.wanted.val();
        self.valid.next = self.fetcher.valid.val();
        self.addr.next = self.fetcher.addr.val();
        self.fetcher.taken.next = self.taken.val();
        self.fetcher.word_valid.next = self.word_valid.val();
        self.buffer.we.next = self.word_valid.val();
        self.buffer.waddr.next = self.fetcher.place.val();
        self.buffer.wdata.next = self.word.val();

        // Line buffer to points.
        self.buffer.raddr.next = (bit_cast::<6, 1>(self.raster.line.val().get_bit(0).into()) << 5)
            | bit_cast::<6, 5>(self.raster.column.val().get_bits::<5>(5));
        self.point1.d.next = self.raster.column.val().get_bits::<5>(0);
        self.active1.d.next = self.raster.active.val();
        self.syncs1.d.next = bit_cast::<2, 1>(self.raster.hsync.val().into())
            | (bit_cast::<2, 1>(self.raster.vsync.val().into()) << 1);
        self.shifted.next = self.buffer.rdata.val() >> self.point1.q.val();
        self.black2.d.next = self.shifted.val().get_bit(0);
        self.active2.d.next = self.active1.q.val();
        self.syncs2.d.next = self.syncs1.q.val();

        // Points to lanes.
        self.level.next = 255.into();
        if self.black2.q.val() {
            self.level.next = 0.into();
        }
        self.blue.data.next = self.level.val();
        self.blue.active.next = self.active2.q.val();
        self.blue.control.next = self.syncs2.q.val();
        self.others.data.next = self.level.val();
        self.others.active.next = self.active2.q.val();
        self.others.control.next = 0.into();
        self.beat.d.next = !self.beat.q.val();
        self.serialiser.beat.next = self.beat.q.val();
        self.serialiser.blue.next = self.blue.word.val();
        self.serialiser.others.next = self.others.word.val();
        self.pads.first.next = self.serialiser.first.val();
        self.pads.second.next = self.serialiser.second.val();
        self.lanes.next = self.pads.pins.val();
    }
}
