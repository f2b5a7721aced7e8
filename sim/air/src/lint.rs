//! Counts of what the product specification forbids. A driver that is right leaves all of them at
//! 0.

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lint {
    /// A register other than STATUS written in receive or transmit mode.
    WriteWhileActive,
    /// W_TX_PAYLOAD with a full TX FIFO: the payload is dropped.
    TxFifoOverflow,
    /// R_RX_PAYLOAD with an empty RX FIFO: zeros.
    RxFifoUnderflow,
    /// More than 32 payload bytes in one command: the rest is dropped.
    PayloadLength,
    /// FLUSH_TX while a frame is being sent.
    FlushWhileSending,
    /// FLUSH_RX while an acknowledgement is being sent.
    FlushWhileAnswering,
    /// SETUP_AW = 0: acts as 2 bytes.
    AddressWidth,
    /// An address whose level changes at most twice, or with every bit like a preamble: noise and
    /// shifted frames pass for it (product specification 1.0, 7.3.2).
    WeakAddress,
    /// RX_PW above 32.
    PayloadWidth,
    /// RF_SETUP with the reserved data rate.
    ReservedRate,
    /// RF_CH above 125, or with bit 7 set.
    Channel,
    /// CE pulse shorter than 10 us: nothing was sent.
    ShortPulse,
    /// CSN low less than 4 us after CE rose.
    CsnAfterCe,
    /// CSN high for less than 50 ns.
    CsnHighTime,
    /// CSN high in the middle of a byte: its bits are dropped.
    PartialByte,
    /// Transmit mode for more than 4 ms without a break.
    LongSend,
    /// A command byte that is no command.
    UnknownCommand,
    /// A register address that is no register.
    UnknownRegister,
    /// Data bytes past a register's width.
    RegisterLength,
    /// SPI used before power-on reset had ended.
    BeforeReset,
    /// Carrier asked for without PLL_LOCK (appendix C sets both).
    CarrierWithoutLock,
    /// W_ACK_PAYLOAD without EN_ACK_PAY or without dynamic length on the pipe: dropped.
    AckPayloadDisabled,
    /// W_TX_PAYLOAD_NOACK without EN_DYN_ACK: sent as a packet that wants an answer.
    DynAckDisabled,
    /// DYNPD, FEATURE or a command that belongs to them before ACTIVATE: ignored.
    NotActivated,
}

/// All rules, in order.
const ALL: [Lint; 24] = [
    Lint::WriteWhileActive,
    Lint::TxFifoOverflow,
    Lint::RxFifoUnderflow,
    Lint::PayloadLength,
    Lint::FlushWhileSending,
    Lint::FlushWhileAnswering,
    Lint::AddressWidth,
    Lint::WeakAddress,
    Lint::PayloadWidth,
    Lint::ReservedRate,
    Lint::Channel,
    Lint::ShortPulse,
    Lint::CsnAfterCe,
    Lint::CsnHighTime,
    Lint::PartialByte,
    Lint::LongSend,
    Lint::UnknownCommand,
    Lint::UnknownRegister,
    Lint::RegisterLength,
    Lint::BeforeReset,
    Lint::CarrierWithoutLock,
    Lint::AckPayloadDisabled,
    Lint::DynAckDisabled,
    Lint::NotActivated,
];

/// How often each rule was broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lints([u32; ALL.len()]);

impl Lints {
    pub(crate) fn add(&mut self, lint: Lint) {
        self.0[lint as usize] = self.0[lint as usize].saturating_add(1);
    }

    /// How often one rule was broken.
    pub fn count(&self, lint: Lint) -> u32 {
        self.0[lint as usize]
    }

    /// The rules that were broken, with their counts.
    pub fn broken(&self) -> impl Iterator<Item = (Lint, u32)> + '_ {
        ALL.into_iter().map(|lint| (lint, self.count(lint))).filter(|&(_, count)| count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order() {
        for (at, lint) in ALL.into_iter().enumerate() {
            assert_eq!(lint as usize, at);
        }
    }
}
