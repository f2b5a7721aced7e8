//! Chips that are sold as nRF24L01+ and differ, and what else is a knob of a chip.

use crate::timing::Timing;

/// Which chip it is. Traits: spec/nrf24.md B, "clone traits", and A1, A2 for the non-plus chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Variant {
    /// nRF24L01+.
    #[default]
    Plus,
    /// nRF24L01: no 250 kbit/s, a carrier detector that needs 128 us in place of RPD, RF_SETUP bit 0
    /// is the amplifier's current (reset 0FH), and DYNPD, FEATURE and the commands that belong to
    /// them are hidden until `ACTIVATE 73H`.
    NonPlus,
    /// Si24R1: RF_SETUP bit 0 is a third power bit (up to +7 dBm), and with dynamic payload length or
    /// dynamic acknowledgement its NO_ACK bit has the other sense, in what it sends and in what it
    /// receives. Among themselves such chips work.
    Si24r1,
    /// BK2421, BK2423, BK2425, RFM70, RFM73, RFM75: a second bank of registers behind `ACTIVATE 53H`,
    /// shown by STATUS bit 7. The radio is dead until registers 0 to 5 of it have been written, and
    /// after 15 packets without an answer it sends nothing until FLUSH_TX. Features are hidden as on
    /// the non-plus chip. Which registers of the second bank are vital is this model's assumption.
    Bk242x,
}

impl Variant {
    /// DYNPD, FEATURE and their commands are hidden until `ACTIVATE 73H`.
    pub(crate) const fn needs_activate(self) -> bool {
        matches!(self, Variant::NonPlus | Variant::Bk242x)
    }

    /// Time a signal must last until RPD (or CD) shows it, in nanoseconds.
    pub(crate) const fn detection_ns(self) -> u64 {
        match self {
            Variant::NonPlus => crate::timing::CD_NS,
            _ => crate::timing::RPD_NS,
        }
    }
}

/// Identity that an acknowledgement carries. A public log of a real chip does not tell the two
/// apart (spec/nrf24.md A5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AckIdentity {
    /// That of the packet it answers.
    #[default]
    Mirror,
    /// One more than that of the receiver's last acknowledgement.
    Count,
}

/// What a chip is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChipConfig {
    /// Which chip.
    pub variant: Variant,
    /// Its times.
    pub timing: Timing,
    /// CE going low before an acknowledgement is out ends it. Whether real chips do that is not known
    /// (spec/nrf24.md E4).
    pub ce_low_aborts_ack: bool,
    /// Identity of its acknowledgements.
    pub ack_identity: AckIdentity,
}
