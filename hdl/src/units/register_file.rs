//! Sixteen registers, three read ports, one write port.
//!
//! Purpose: the instruction in decode reads its operands while the oldest instruction writes its
//! result. Three copies of one LUT RAM.
//!
//! Timing: reads are combinational and give the value before the coming edge; whoever needs the one
//! being written takes it from the write port.
//!
//! Source: The RISC5 architecture.

use rust_hdl::prelude::*;

use crate::leaf::AsyncRam;

/// R0 to R15.
#[derive(LogicBlock, Default)]
pub struct RegisterFile {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Number of the first read port.
    pub a: Signal<In, Bits<4>>,
    /// Number of the second read port.
    pub b: Signal<In, Bits<4>>,
    /// Number of the third read port.
    pub c: Signal<In, Bits<4>>,
    /// Value of the first read port.
    pub a_value: Signal<Out, Bits<32>>,
    /// Value of the second read port.
    pub b_value: Signal<Out, Bits<32>>,
    /// Value of the third read port.
    pub c_value: Signal<Out, Bits<32>>,
    /// Write enable.
    pub write: Signal<In, Bit>,
    /// Number to write.
    pub number: Signal<In, Bits<4>>,
    /// Value to write.
    pub value: Signal<In, Bits<32>>,
    ram_a: AsyncRam<32, 4>,
    ram_b: AsyncRam<32, 4>,
    ram_c: AsyncRam<32, 4>,
}

impl Logic for RegisterFile {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ram_a, ram_b, ram_c);
        self.ram_a.raddr.next = self.a.val();
        self.ram_b.raddr.next = self.b.val();
        self.ram_c.raddr.next = self.c.val();
        self.ram_a.we.next = self.write.val();
        self.ram_b.we.next = self.write.val();
        self.ram_c.we.next = self.write.val();
        self.ram_a.waddr.next = self.number.val();
        self.ram_b.waddr.next = self.number.val();
        self.ram_c.waddr.next = self.number.val();
        self.ram_a.wdata.next = self.value.val();
        self.ram_b.wdata.next = self.value.val();
        self.ram_c.wdata.next = self.value.val();
        self.a_value.next = self.ram_a.rdata.val();
        self.b_value.next = self.ram_b.rdata.val();
        self.c_value.next = self.ram_c.rdata.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_ports_read_what_was_written() {
        let mut uut = RegisterFile::default();
        uut.connect_all();
        let mut words = crate::testing::Words::new(4);
        let mut model = [0_u32; 16];
        for _ in 0..500 {
            let ports = [0; 3].map(|_| words.below(16));
            let (number, value, write) = (words.below(16), words.word(), words.below(2) == 1);
            uut.a.next = ports[0].to_bits();
            uut.b.next = ports[1].to_bits();
            uut.c.next = ports[2].to_bits();
            uut.number.next = number.to_bits();
            uut.value.next = value.to_bits();
            uut.write.next = write;
            crate::testing::settle(&mut uut);
            let got = [uut.a_value.val(), uut.b_value.val(), uut.c_value.val()];
            assert_eq!(got.map(Bits::to_u32), ports.map(|port| model[port as usize]));
            crate::testing::cycle(&mut uut, |uut, level| uut.clock.next.clk = level);
            if write {
                model[number as usize] = value;
            }
        }
    }
}
