//! Points and lines of a picture, counted.
//!
//! | port | width | meaning |
//! |---|---|---|
//! | `column`, `line` | 11, 10 | the point; from 0, beyond the picture in the blanking |
//! | `active` | 1 | it is in the picture |
//! | `hsync`, `vsync` | 1 | levels of the two synchronising lines, low while they pulse |
//! | `flip`, `wanted` | 1, 10 | `flip` changes when the line `wanted` is to be fetched, the one that comes next |
//!
//! Timing: everything follows the counters at the rising edge. `wanted` stays for a line or longer.
//!
//! Source: VESA Display Monitor Timing.

use rust_hdl::prelude::*;

use crate::leaf::{Reg, RegEn};

/// Points of a line and lines of a picture: how many are visible, and where pulse and line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Points in the picture.
    pub columns: u32,
    /// First point of the pulse of `hsync`.
    pub hsync: u32,
    /// First point behind it.
    pub hsync_end: u32,
    /// Points of a line, blanking included.
    pub h_total: u32,
    /// Lines in the picture.
    pub lines: u32,
    /// First line of the pulse of `vsync`.
    pub vsync: u32,
    /// First line behind it.
    pub vsync_end: u32,
    /// Lines of a picture, blanking included.
    pub v_total: u32,
}

impl Mode {
    /// 1024 x 768, 60 Hz, points at 65 MHz, both pulses low.
    pub const XGA: Self = Self {
        columns: 1024,
        hsync: 1048,
        hsync_end: 1184,
        h_total: 1344,
        lines: 768,
        vsync: 771,
        vsync_end: 777,
        v_total: 806,
    };
}

/// The counters.
#[derive(LogicBlock)]
pub struct Raster {
    /// Clock of points.
    pub clock: Signal<In, Clock>,
    /// Point in its line.
    pub column: Signal<Out, Bits<11>>,
    /// Line.
    pub line: Signal<Out, Bits<10>>,
    /// In the picture.
    pub active: Signal<Out, Bit>,
    /// Level of the horizontal synchronisation.
    pub hsync: Signal<Out, Bit>,
    /// Level of the vertical synchronisation.
    pub vsync: Signal<Out, Bit>,
    /// Changes when a line is wanted.
    pub flip: Signal<Out, Bit>,
    /// That line.
    pub wanted: Signal<Out, Bits<10>>,
    h: Reg<Bits<11>>,
    v: Reg<Bits<10>>,
    flipped: Reg<Bit>,
    next: RegEn<Bits<10>>,
    line_ends: Signal<Local, Bit>,
    picture_ends: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    columns: Constant<Bits<11>>,
    hsync_from: Constant<Bits<11>>,
    hsync_end: Constant<Bits<11>>,
    last_column: Constant<Bits<11>>,
    lines: Constant<Bits<10>>,
    vsync_from: Constant<Bits<10>>,
    vsync_end: Constant<Bits<10>>,
    last_visible: Constant<Bits<10>>,
    last_line: Constant<Bits<10>>,
}

impl Raster {
    /// Counters of a mode.
    pub fn new(mode: &Mode) -> Self {
        Self {
            clock: Default::default(),
            column: Default::default(),
            line: Default::default(),
            active: Default::default(),
            hsync: Default::default(),
            vsync: Default::default(),
            flip: Default::default(),
            wanted: Default::default(),
            h: Default::default(),
            v: Default::default(),
            flipped: Default::default(),
            next: Default::default(),
            line_ends: Default::default(),
            picture_ends: Default::default(),
            asks: Default::default(),
            columns: Constant::new(mode.columns.to_bits()),
            hsync_from: Constant::new(mode.hsync.to_bits()),
            hsync_end: Constant::new(mode.hsync_end.to_bits()),
            last_column: Constant::new((mode.h_total - 1).to_bits()),
            lines: Constant::new(mode.lines.to_bits()),
            vsync_from: Constant::new(mode.vsync.to_bits()),
            vsync_end: Constant::new(mode.vsync_end.to_bits()),
            last_visible: Constant::new((mode.lines - 1).to_bits()),
            last_line: Constant::new((mode.v_total - 1).to_bits()),
        }
    }
}

impl Logic for Raster {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, h, v, flipped, next);
        self.line_ends.next = self.h.q.val() == self.last_column.val();
        self.picture_ends.next = self.v.q.val() == self.last_line.val();
        self.h.d.next = self.h.q.val() + 1;
        self.v.d.next = self.v.q.val();
        if self.line_ends.val() {
            self.h.d.next = 0.into();
            self.v.d.next = self.v.q.val() + 1;
            if self.picture_ends.val() {
                self.v.d.next = 0.into();
            }
        }
        self.column.next = self.h.q.val();
        self.line.next = self.v.q.val();
        self.active.next =
            (self.h.q.val() < self.columns.val()) & (self.v.q.val() < self.lines.val());
        self.hsync.next =
            (self.h.q.val() < self.hsync_from.val()) | (self.h.q.val() >= self.hsync_end.val());
        self.vsync.next =
            (self.v.q.val() < self.vsync_from.val()) | (self.v.q.val() >= self.vsync_end.val());

        // The line behind this one, as this one begins.
        self.asks.next = (self.h.q.val() == 0)
            & ((self.v.q.val() < self.last_visible.val()) | self.picture_ends.val());
        self.next.en.next = self.asks.val();
        self.next.d.next = self.v.q.val() + 1;
        if self.picture_ends.val() {
            self.next.d.next = 0.into();
        }
        self.flipped.d.next = self.flipped.q.val() ^ self.asks.val();
        self.flip.next = self.flipped.q.val();
        self.wanted.next = self.next.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What VESA's sheet of 1024 x 768 at 60 Hz says, as widths: front porch, pulse, back porch.
    #[test]
    fn a_picture_has_the_points_and_lines_of_the_standard() {
        let mut uut = Raster::new(&Mode::XGA);
        uut.connect_all();
        crate::testing::settle(&mut uut);
        let (mut active, mut hsync, mut vsync, mut asked) = (0, 0, 0, Vec::new());
        let (mut first_low, mut last_active, mut flip) = (None, 0, false);
        for point in 0..1344 * 806_u32 {
            let (column, line) = (uut.column.val().index(), uut.line.val().index());
            assert_eq!((column, line), (point as usize % 1344, point as usize / 1344));
            if uut.active.val() {
                active += 1;
                last_active = point;
            }
            hsync += u32::from(!uut.hsync.val());
            vsync += u32::from(!uut.vsync.val());
            if !uut.hsync.val() && first_low.is_none() {
                first_low = Some(point);
            }
            if flip != uut.flip.val() {
                flip = uut.flip.val();
                asked.push((line, uut.wanted.val().index()));
            }
            crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
        }
        assert_eq!((active, hsync, vsync), (1024 * 768, 136 * 806, 6 * 1344));
        assert_eq!(first_low, Some(1024 + 24));
        assert_eq!(last_active, 767 * 1344 + 1023);
        assert_eq!((uut.column.val().index(), uut.line.val().index()), (0, 0));
        // Each line is asked for while the one before it is shown, line 0 in the last of the blanking.
        let lines: Vec<(usize, usize)> =
            (0..767).map(|line| (line, line + 1)).chain([(805, 0)]).collect();
        assert_eq!(asked, lines);
        let hertz = 65_000_000.0 / f64::from(1344 * 806);
        assert!((hertz - 60.004).abs() < 0.001, "{hertz}");
    }
}
