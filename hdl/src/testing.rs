//! How the native tests drive a unit: settle, look, clock.

use rust_hdl::prelude::*;

/// Lets a circuit come to rest.
pub(crate) fn settle<B: Block>(uut: &mut B) {
    assert!(simulate(uut, 100), "the circuit does not come to rest");
}

/// One clock: high, then low.
pub(crate) fn cycle<B: Block>(uut: &mut B, clock: impl Fn(&mut B, bool)) {
    for level in [true, false] {
        clock(uut, level);
        settle(uut);
    }
}

/// Random words with many corners among them.
pub(crate) struct Words(rand_pcg::Pcg32);

impl Words {
    pub(crate) fn new(seed: u64) -> Self {
        Self(rand_pcg::Pcg32::new(seed, 0xA02_BDBF_7BB3_C0A7))
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        use rand::RngExt as _;
        self.0.random_range(0..limit)
    }

    pub(crate) fn word(&mut self) -> u32 {
        use rand::RngExt as _;
        let any: u32 = self.0.random();
        match self.below(8) {
            0 => [0, 1, u32::MAX, 0x8000_0000, 0x7FFF_FFFF, 0x4B00_0000][self.below(6) as usize],
            1 => 1 << (any & 31),
            2 => any >> (any & 31),
            3 => !(any >> (any & 31)),
            _ => any,
        }
    }
}
