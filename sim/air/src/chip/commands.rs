//! SPI commands: what each byte does.
//!
//! Source: product specification 1.0, 8.3; for clones spec/nrf24.md B.

use super::{Chip, Incoming, Outgoing, Payload};
use crate::flight::Outcome;
use crate::lint::Lint;
use crate::register::{self, Register, config, feature, rf_setup, status};
use crate::variant::Variant;
use kube_proto::frame::MAX_PAYLOAD;

const ACTIVATE: u8 = 0x50;
const R_RX_PL_WID: u8 = 0x60;
const R_RX_PAYLOAD: u8 = 0x61;
const W_TX_PAYLOAD: u8 = 0xa0;
const W_ACK_PAYLOAD: u8 = 0xa8;
const W_ACK_PAYLOAD_5: u8 = 0xad;
const W_TX_PAYLOAD_NOACK: u8 = 0xb0;
const FLUSH_TX: u8 = 0xe1;
const FLUSH_RX: u8 = 0xe2;
const REUSE_TX_PL: u8 = 0xe3;
const NOP: u8 = 0xff;

/// Data byte of ACTIVATE that toggles features, and the one that toggles banks.
const FEATURES: u8 = 0x73;
const BANKS: u8 = 0x53;

const RESERVED_RATE: u8 = rf_setup::DR_LOW | rf_setup::DR_HIGH;

impl Chip {
    /// Commands that act at once, without data.
    pub(super) fn begin_command(&mut self, opcode: u8) {
        match opcode {
            0x00..=0x3f if self.bank.selected => {}
            0x00..=0x3f => {
                if register::find(self.config.variant, opcode & 31).is_none() {
                    self.lints.add(Lint::UnknownRegister);
                }
            }
            FLUSH_TX => {
                if self.radio.is_sending() {
                    self.lints.add(Lint::FlushWhileSending);
                }
                self.tx.clear();
                self.reuse = false;
                self.shockburst.flushed();
                self.update();
            }
            FLUSH_RX => {
                if self.radio.is_answering() {
                    self.lints.add(Lint::FlushWhileAnswering);
                }
                self.rx.clear();
            }
            REUSE_TX_PL => {
                // The payload last sent comes back if nothing newer waits.
                if self.tx.is_empty()
                    && let Some(last) = self.radio.last_sent
                {
                    let serial = self.serial();
                    // The FIFO is empty, so it takes it.
                    let _ = self.tx.push(Outgoing { serial, taken: false, ..last });
                }
                self.reuse = !self.tx.is_empty();
                self.update();
            }
            R_RX_PAYLOAD => {
                if self.rx.is_empty() {
                    self.lints.add(Lint::RxFifoUnderflow);
                }
            }
            R_RX_PL_WID | W_ACK_PAYLOAD..=W_ACK_PAYLOAD_5 | W_TX_PAYLOAD_NOACK => {
                if self.features_hidden() {
                    self.lints.add(Lint::NotActivated);
                }
            }
            W_TX_PAYLOAD | ACTIVATE | NOP => {}
            _ => self.lints.add(Lint::UnknownCommand),
        }
    }

    pub(super) fn data_byte(&mut self, opcode: u8, at: usize, byte: u8) -> u8 {
        match opcode {
            0x00..=0x3f if self.bank.selected => self.second_bank(opcode, at, byte),
            0x00..=0x1f => self.read_register(opcode, at),
            0x20..=0x3f => {
                self.write_register(opcode & 31, at, byte);
                0
            }
            R_RX_PAYLOAD => {
                let top = self.rx.front().map(|top| top.payload.as_slice()).unwrap_or_default();
                top.get(at).copied().unwrap_or(0)
            }
            R_RX_PL_WID if !self.features_hidden() => self.rx.front().map_or(0, |top| top.width),
            W_TX_PAYLOAD | W_TX_PAYLOAD_NOACK | W_ACK_PAYLOAD..=W_ACK_PAYLOAD_5 => {
                match self.command.payload.bytes.get_mut(at) {
                    Some(cell) => {
                        *cell = byte;
                        self.command.payload.len = at + 1;
                    }
                    None if at == MAX_PAYLOAD => self.lints.add(Lint::PayloadLength),
                    None => {}
                }
                0
            }
            ACTIVATE if at == 0 => {
                match (self.config.variant, byte) {
                    (variant, FEATURES) if variant.needs_activate() => {
                        self.activated = !self.activated;
                    }
                    (Variant::Bk242x, BANKS) => self.bank.selected = !self.bank.selected,
                    _ => {}
                }
                0
            }
            _ => 0,
        }
    }

    /// CSN went high: what a command does with all its data.
    pub(super) fn end_command(&mut self) {
        let Some(opcode) = self.command.opcode.take() else { return };
        let (payload, features) = (self.command.payload, self.cells.byte(register::FEATURE));
        match opcode {
            R_RX_PAYLOAD if self.command.count > 0 => {
                // A corrupt width leaves nothing to read: the slot stays.
                let readable = |top: &Incoming| (1..=MAX_PAYLOAD as u8).contains(&top.width);
                if self.rx.front().is_some_and(readable) {
                    self.rx.pop();
                }
            }
            W_TX_PAYLOAD if payload.len > 0 => self.queue(payload, false, None),
            W_TX_PAYLOAD_NOACK if payload.len > 0 && !self.features_hidden() => {
                let allowed = features & feature::EN_DYN_ACK != 0;
                if !allowed {
                    self.lints.add(Lint::DynAckDisabled);
                }
                self.queue(payload, allowed, None);
            }
            W_ACK_PAYLOAD..=W_ACK_PAYLOAD_5 if payload.len > 0 && !self.features_hidden() => {
                let pipe = opcode & 7;
                if self.settings().answers_with_payload(pipe) {
                    self.queue(payload, false, Some(pipe));
                } else {
                    self.lints.add(Lint::AckPayloadDisabled);
                }
            }
            0x2a | 0x2b | 0x30
                if self.command.count > 0
                    && !self.bank.selected
                    && self.settings().weak_address(opcode & 31) =>
            {
                self.lints.add(Lint::WeakAddress);
            }
            _ => {}
        }
    }

    fn queue(&mut self, payload: Payload, no_ack: bool, pipe: Option<u8>) {
        if self.reuse {
            // A new payload ends the reuse of the old one, which was sent at least once.
            self.reuse = false;
            if !self.radio.is_sending() {
                self.tx.pop();
            }
        }
        let serial = self.serial();
        let waiting = Outgoing { payload, no_ack, pipe, pid: None, serial, taken: false };
        if self.tx.push(waiting).is_err() {
            self.lints.add(Lint::TxFifoOverflow);
        }
        self.update();
    }

    /// DYNPD, FEATURE and their commands do not answer.
    fn features_hidden(&self) -> bool {
        self.config.variant.needs_activate() && !self.activated
    }

    fn hidden(&self, address: u8) -> bool {
        matches!(address, register::DYNPD | register::FEATURE) && self.features_hidden()
    }

    fn read_register(&self, address: u8, at: usize) -> u8 {
        match address {
            register::STATUS => self.status(),
            register::FIFO_STATUS => self.fifo_status(),
            register::OBSERVE_TX => self.shockburst.lost << 4 | self.shockburst.retries,
            register::RPD => u8::from(self.signal_seen()),
            _ if self.hidden(address) => 0,
            _ => self.cells.bytes(address).get(at).copied().unwrap_or(0),
        }
    }

    fn write_register(&mut self, address: u8, at: usize, value: u8) {
        let Some(register) = register::find(self.config.variant, address) else { return };
        if at >= register.bytes {
            self.lints.add(Lint::RegisterLength);
            return;
        }
        if self.hidden(address) {
            self.lints.add(Lint::NotActivated);
            return;
        }
        if address == register::STATUS {
            self.flags &= !(value & status::FLAGS);
            self.update();
            return;
        }
        if self.radio.is_active() {
            self.lints.add(Lint::WriteWhileActive);
        }
        self.lint_value(register, value);
        if address == register::RF_CH {
            self.shockburst.lost = 0;
        }
        if self.cells.write(register, at, value) {
            self.setting_changed(address);
        }
        self.update();
    }

    fn lint_value(&mut self, register: &Register, value: u8) {
        let lint = match register.address {
            register::SETUP_AW if value & 3 == 0 => Lint::AddressWidth,
            register::RF_CH if value > 125 => Lint::Channel,
            register::RF_SETUP if value & RESERVED_RATE == RESERVED_RATE => Lint::ReservedRate,
            register::RF_SETUP
                if value & (rf_setup::CONT_WAVE | rf_setup::PLL_LOCK) == rf_setup::CONT_WAVE =>
            {
                Lint::CarrierWithoutLock
            }
            0x11..=0x16 if value > 32 => Lint::PayloadWidth,
            _ => return,
        };
        self.lints.add(lint);
    }

    /// What a change of a register means for a receiver that is on; power, mode and flags are
    /// looked at in `update`.
    fn setting_changed(&mut self, address: u8) {
        match address {
            register::RF_CH | register::RF_SETUP => self.retune(),
            register::CONFIG
            | register::EN_AA
            | register::EN_RXADDR
            | register::SETUP_AW
            | register::RX_ADDR_P0..=0x0f
            | register::RX_PW_P0..=0x16
            | register::DYNPD
            | register::FEATURE => self.unlock(Outcome::Retuned),
            _ => {}
        }
        if address == register::CONFIG {
            let up = self.cells.byte(register::CONFIG) & config::PWR_UP != 0;
            self.radio.set_power(up, self.now_ns + self.config.timing.power_up_ns);
        }
    }

    /// A BK242x's registers behind `ACTIVATE 53H`. STATUS is common to both banks.
    fn second_bank(&mut self, opcode: u8, at: usize, byte: u8) -> u8 {
        let register = opcode & 31;
        if register == register::STATUS {
            return self.status();
        }
        let cell = self.bank.cells.get_mut(usize::from(register)).and_then(|c| c.get_mut(at));
        match cell {
            Some(cell) if opcode & 0x20 != 0 => {
                *cell = byte;
                if register < 6 {
                    self.bank.written |= 1 << register;
                }
                self.update();
                0
            }
            Some(cell) => *cell,
            None => 0,
        }
    }

    /// A clone whose second bank has not been set up neither sends nor hears.
    pub(super) fn radio_dead(&self) -> bool {
        self.config.variant == Variant::Bk242x && self.bank.written != 0x3f
    }
}
