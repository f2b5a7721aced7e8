//! The nRF24L01+ as its pins show it: SPI commands, CE, and the interrupt line.
//!
//! Time comes with every call and never runs backwards; a call first lets the radio catch up (see
//! `radio.rs`) and then acts. All times are absolute nanoseconds on the air's axis.
//!
//! Source: nRF24L01+ Product Specification 1.0 (commands: 8.3, FIFOs: 8.4, interrupt: 8.5, register
//! map: 9), digest in spec/nrf24.md A.

mod radio;
mod settings;
mod shockburst;

use crate::arrivals::Arrivals;
use crate::fifo::Fifo;
use crate::flight::{Departure, FlightId, Outcome};
use crate::lint::{Lint, Lints};
use crate::register::{self, Cells, Register, config, feature, fifo_status, rf_setup, status};
use crate::timing::{CE_TO_CSN_NS, CSN_HIGH_NS, Timing};
use kube_proto::frame::MAX_PAYLOAD;
use radio::{Arriving, Radio};
use shockburst::Shockburst;

/// Up to 32 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Payload {
    bytes: [u8; MAX_PAYLOAD],
    len: usize,
}

impl Payload {
    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// A payload waiting to be sent.
#[derive(Clone, Copy, Debug)]
struct Outgoing {
    payload: Payload,
    no_ack: bool,
    /// Packet identity, given when it is first sent.
    pid: Option<u8>,
    /// Tells it apart from a later payload in the same slot.
    serial: u64,
    /// The radio has taken it for a frame that is settling or on the air.
    taken: bool,
}

/// A payload received.
#[derive(Clone, Copy, Debug)]
struct Incoming {
    payload: Payload,
    pipe: u8,
}

/// The command being shifted in.
#[derive(Clone, Copy, Debug, Default)]
struct Command {
    selected: bool,
    opcode: Option<u8>,
    /// Data bytes so far.
    count: usize,
    payload: Payload,
    deselected_ns: Option<u64>,
}

/// A chip. Moves between threads with its machine.
#[derive(Clone, Debug)]
pub struct Chip {
    timing: Timing,
    power_on_ns: u64,
    now_ns: u64,
    cells: Cells,
    /// RX_DR, TX_DS, MAX_RT in their STATUS places.
    flags: u8,
    tx: Fifo<Outgoing>,
    rx: Fifo<Incoming>,
    reuse: bool,
    command: Command,
    ce: bool,
    ce_rose_ns: u64,
    radio: Radio,
    shockburst: Shockburst,
    arrivals: Arrivals<Arriving>,
    lints: Lints,
    next_serial: u64,
    /// Which insertion into an air this is; set by the air.
    pub(crate) ticket: Option<u64>,
    outbox: Vec<(u64, Departure)>,
    settled: Vec<(FlightId, Outcome)>,
    aborted: Vec<u64>,
}

impl Chip {
    /// A chip that gets power at `power_on_ns`, CE low, CSN high.
    pub fn new(power_on_ns: u64, timing: Timing) -> Self {
        Self {
            timing,
            power_on_ns,
            now_ns: power_on_ns,
            cells: Cells::reset(),
            flags: 0,
            tx: Fifo::new(),
            rx: Fifo::new(),
            reuse: false,
            command: Command::default(),
            ce: false,
            ce_rose_ns: power_on_ns,
            radio: Radio::default(),
            shockburst: Shockburst::default(),
            arrivals: Arrivals::new(),
            lints: Lints::default(),
            next_serial: 0,
            ticket: None,
            outbox: Vec::new(),
            settled: Vec::new(),
            aborted: Vec::new(),
        }
    }

    /// The supply dips: registers and FIFOs as after power-on, what was being sent is cut short.
    /// The pins stay as the machine drives them.
    pub fn brown_out(&mut self, now_ns: u64) {
        self.advance(now_ns);
        self.cells = Cells::reset();
        self.flags = 0;
        self.tx.clear();
        self.rx.clear();
        self.reuse = false;
        self.command.opcode = None;
        self.shockburst = Shockburst::default();
        self.power_on_ns = self.now_ns;
        self.update();
    }

    /// Drives CSN: `selected` means low. A command begins when it goes low and ends when it goes
    /// high.
    pub fn select(&mut self, now_ns: u64, selected: bool) {
        self.advance(now_ns);
        if selected == self.command.selected {
            return;
        }
        if selected {
            if self.ce && now_ns.saturating_sub(self.ce_rose_ns) < CE_TO_CSN_NS {
                self.lints.add(Lint::CsnAfterCe);
            }
            let high = self.command.deselected_ns.map(|at| now_ns.saturating_sub(at));
            if high.is_some_and(|high_ns| high_ns < CSN_HIGH_NS) {
                self.lints.add(Lint::CsnHighTime);
            }
            self.command = Command { selected, ..Command::default() };
        } else {
            self.end_command();
            self.command.selected = false;
            self.command.deselected_ns = Some(now_ns);
        }
    }

    /// Shifts one byte in and one out. Without CSN low nothing is heard, and MISO floats (FFH).
    pub fn transfer(&mut self, now_ns: u64, byte: u8) -> u8 {
        self.advance(now_ns);
        if !self.command.selected {
            return 0xff;
        }
        if self.now_ns < self.power_on_ns + self.timing.power_on_reset_ns {
            self.lints.add(Lint::BeforeReset);
            return 0;
        }
        match self.command.opcode {
            None => {
                let status = self.status();
                self.command.opcode = Some(byte);
                self.begin_command(byte);
                status
            }
            Some(opcode) => {
                let out = self.data_byte(opcode, self.command.count, byte);
                self.command.count += 1;
                out
            }
        }
    }

    /// Drives CE.
    pub fn enable(&mut self, now_ns: u64, level: bool) {
        self.advance(now_ns);
        if level == self.ce {
            return;
        }
        self.ce = level;
        if level {
            self.ce_rose_ns = self.now_ns;
            if self.cells.byte(register::RF_SETUP) & rf_setup::CONT_WAVE != 0 {
                self.lints.add(Lint::Carrier);
            }
        }
        self.update();
    }

    /// The interrupt line is asserted (low on the wire): a flag is set and not masked.
    pub fn interrupt(&mut self, now_ns: u64) -> bool {
        self.advance(now_ns);
        self.flags & !self.cells.byte(register::CONFIG) & status::FLAGS != 0
    }

    /// The earliest time at which [`Chip::interrupt`] may change without a call from outside, as
    /// far as the frames announced so far tell; never later than that, possibly earlier.
    pub fn next_event_ns(&self) -> Option<u64> {
        let unmasked = !self.cells.byte(register::CONFIG);
        let sent = if unmasked & (status::TX_DS | status::MAX_RT) != 0 {
            self.next_sent_ns()
        } else {
            None
        };
        let heard = if unmasked & status::RX_DR != 0 { self.next_heard_ns() } else { None };
        sent.into_iter().chain(heard).min()
    }

    /// What the chip was told that the product specification forbids.
    pub fn lints(&self) -> &Lints {
        &self.lints
    }

    /// Time up to which the chip has lived.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn status(&self) -> u8 {
        let pipe = self.rx.front().map_or(7, |top| top.pipe);
        let full = if self.tx.is_full() { status::TX_FULL } else { 0 };
        self.flags | pipe << 1 | full
    }

    fn fifo_status(&self) -> u8 {
        let bit = |set, bit| if set { bit } else { 0 };
        bit(self.reuse, fifo_status::TX_REUSE)
            | bit(self.tx.is_full(), fifo_status::TX_FULL)
            | bit(self.tx.is_empty(), fifo_status::TX_EMPTY)
            | bit(self.rx.is_full(), fifo_status::RX_FULL)
            | bit(self.rx.is_empty(), fifo_status::RX_EMPTY)
    }

    /// Commands that act at once, without data.
    fn begin_command(&mut self, opcode: u8) {
        match opcode {
            0x00..=0x3f => {
                if register::find(opcode & 31).is_none() {
                    self.lints.add(Lint::UnknownRegister);
                }
            }
            FLUSH_TX => {
                if self.radio.is_sending() {
                    self.lints.add(Lint::FlushWhileSending);
                }
                self.tx.clear();
                self.reuse = false;
                self.update();
            }
            FLUSH_RX => self.rx.clear(),
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
            W_ACK_PAYLOAD..=W_ACK_PAYLOAD_5 => self.lints.add(Lint::AckPayload),
            W_TX_PAYLOAD | W_TX_PAYLOAD_NOACK | R_RX_PL_WID | ACTIVATE | NOP => {}
            _ => self.lints.add(Lint::UnknownCommand),
        }
    }

    fn data_byte(&mut self, opcode: u8, at: usize, byte: u8) -> u8 {
        match opcode {
            0x00..=0x1f => self.read_register(opcode, at),
            0x20..=0x3f => {
                self.write_register(opcode & 31, at, byte);
                0
            }
            R_RX_PAYLOAD => {
                let top = self.rx.front().map(|top| top.payload.as_slice()).unwrap_or_default();
                top.get(at).copied().unwrap_or(0)
            }
            R_RX_PL_WID => self.rx.front().map_or(0, |top| top.payload.len as u8),
            W_TX_PAYLOAD | W_TX_PAYLOAD_NOACK => {
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
            _ => 0,
        }
    }

    /// CSN went high: what a command does with all its data.
    fn end_command(&mut self) {
        let Some(opcode) = self.command.opcode.take() else { return };
        match opcode {
            R_RX_PAYLOAD if self.command.count > 0 => {
                self.rx.pop();
            }
            W_TX_PAYLOAD | W_TX_PAYLOAD_NOACK if self.command.payload.len > 0 => {
                let allowed = self.cells.byte(register::FEATURE) & feature::EN_DYN_ACK != 0;
                let no_ack = opcode == W_TX_PAYLOAD_NOACK && allowed;
                self.queue(self.command.payload, no_ack);
            }
            _ => {}
        }
    }

    fn queue(&mut self, payload: Payload, no_ack: bool) {
        if self.reuse {
            // A new payload ends the reuse of the old one, which was sent at least once.
            self.reuse = false;
            if !self.radio.is_sending() {
                self.tx.pop();
            }
        }
        let serial = self.serial();
        if self.tx.push(Outgoing { payload, no_ack, pid: None, serial, taken: false }).is_err() {
            self.lints.add(Lint::TxFifoOverflow);
        }
        self.update();
    }

    fn serial(&mut self) -> u64 {
        self.next_serial += 1;
        self.next_serial
    }

    fn read_register(&self, address: u8, at: usize) -> u8 {
        match address {
            register::STATUS => self.status(),
            register::FIFO_STATUS => self.fifo_status(),
            register::OBSERVE_TX => self.shockburst.lost << 4 | self.shockburst.retries,
            register::RPD => u8::from(self.signal_seen()),
            _ => self.cells.bytes(address).get(at).copied().unwrap_or(0),
        }
    }

    fn write_register(&mut self, address: u8, at: usize, value: u8) {
        let Some(register) = register::find(address) else { return };
        if at >= register.bytes {
            self.lints.add(Lint::RegisterLength);
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
            self.radio.set_power(up, self.now_ns + self.timing.power_up_ns);
        }
    }
}

const RESERVED_RATE: u8 = rf_setup::DR_LOW | rf_setup::DR_HIGH;

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
