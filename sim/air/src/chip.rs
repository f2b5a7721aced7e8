//! The nRF24L01+ as its pins show it: SPI commands, CE, and the interrupt line.
//!
//! Time comes with every call and never runs backwards; a call first lets the radio catch up (see
//! `radio.rs`) and then acts. All times are absolute nanoseconds on the air's axis.
//!
//! Source: nRF24L01+ Product Specification 1.0 (commands: 8.3, FIFOs: 8.4, interrupt: 8.5, register
//! map: 9), digest in spec/nrf24.md A.

mod commands;
mod radio;
mod reception;
mod settings;
mod shockburst;

use crate::air::Leaving;
use crate::arrivals::{Arrivals, Emission};
use crate::fifo::Fifo;
use crate::flight::{FlightId, Outcome};
use crate::lint::{Lint, Lints};
use crate::log::Reception;
use crate::register::{self, Cells, fifo_status, status};
use crate::timing::{CE_TO_CSN_NS, CSN_HIGH_NS, Timing};
use crate::variant::{ChipConfig, Variant};
use kube_proto::frame::MAX_PAYLOAD;
pub(crate) use radio::Carrier;
use radio::Radio;
use reception::Arriving;
use shockburst::Shockburst;

/// Flags of STATUS, by the place of their time in [`Chip::flagged_ns`].
const FLAGS: [u8; 3] = [status::RX_DR, status::TX_DS, status::MAX_RT];

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
    /// The pipe whose acknowledgement it waits for, as W_ACK_PAYLOAD says.
    pipe: Option<u8>,
    /// Packet identity, given when it is first sent.
    pid: Option<u8>,
    /// Tells it apart from a later payload in the same slot.
    serial: u64,
    /// The radio has taken it for a frame that is settling, on the air, or for an acknowledgement
    /// that may have arrived.
    taken: bool,
}

/// A payload received.
#[derive(Clone, Copy, Debug)]
struct Incoming {
    payload: Payload,
    /// What R_RX_PL_WID says: the payload's length, unless the frame was corrupt.
    width: u8,
    pipe: u8,
}

/// What became of an announced frame here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settled {
    pub id: FlightId,
    pub outcome: Outcome,
    pub reception: Option<Reception>,
}

/// The second bank of registers of a BK242x: as many bytes as were written.
#[derive(Clone, Debug, Default)]
struct Bank {
    selected: bool,
    /// Registers 0 to 5 that have been written, one bit each.
    written: u8,
    cells: [[u8; 11]; 16],
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
    config: ChipConfig,
    power_on_ns: u64,
    now_ns: u64,
    cells: Cells,
    /// RX_DR, TX_DS, MAX_RT in their STATUS places.
    flags: u8,
    /// When each of [`FLAGS`] was last set.
    flagged_ns: [u64; 3],
    /// `ACTIVATE 73H` was given; it toggles.
    activated: bool,
    bank: Bank,
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
    outbox: Vec<Leaving>,
    settled: Vec<Settled>,
    aborted: Vec<u64>,
}

impl Chip {
    /// When the chip gets, or got, power.
    pub(crate) fn power_on_ns(&self) -> u64 {
        self.power_on_ns
    }

    /// A genuine chip that gets power at `power_on_ns`, CE low, CSN high.
    pub fn new(power_on_ns: u64, timing: Timing) -> Self {
        Self::with(power_on_ns, ChipConfig { timing, ..ChipConfig::default() })
    }

    /// Any chip.
    pub fn with(power_on_ns: u64, config: ChipConfig) -> Self {
        Self {
            config,
            power_on_ns,
            now_ns: power_on_ns,
            cells: Cells::reset(config.variant),
            flags: 0,
            flagged_ns: [0; 3],
            activated: false,
            bank: Bank::default(),
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
        self.cells = Cells::reset(self.config.variant);
        self.flags = 0;
        (self.activated, self.bank) = (false, Bank::default());
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
        if self.now_ns < self.power_on_ns + self.config.timing.power_on_reset_ns {
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
        } else if self.config.ce_low_aborts_ack {
            self.abort_answer();
        }
        self.update();
    }

    /// CSN goes high after `bits` (1 to 7) clocks of a byte, as a driver causes that does not wait
    /// for the end of a transfer. The bits are dropped, and the command ends without them.
    ///
    /// ```
    /// use kube_air::{Chip, Timing};
    /// let (mut chip, ready_ns) = (Chip::new(0, Timing::TYPICAL), 100_000_000);
    /// chip.select(ready_ns, true);
    /// chip.transfer(ready_ns, 0x25); // W_REGISTER RF_CH
    /// chip.cut_byte(ready_ns, 5);
    /// chip.select(ready_ns + 100, true);
    /// chip.transfer(ready_ns + 100, 0x05);
    /// assert_eq!(chip.transfer(ready_ns + 100, 0xff), 0x02); // as after reset
    /// ```
    pub fn cut_byte(&mut self, now_ns: u64, bits: u8) {
        if self.command.selected && (1..8).contains(&bits) {
            self.lints.add(Lint::PartialByte);
        }
        self.select(now_ns, false);
    }

    /// A frame with dynamic length whose damage the checksum missed: R_RX_PL_WID answers `width`.
    /// With 0 or more than 32 the payload cannot be read, and only FLUSH_RX removes it
    /// (spec/nrf24.md B, rows 1 and 2). Dropped if the RX FIFO is full.
    pub fn inject_width(&mut self, now_ns: u64, pipe: u8, width: u8) {
        self.advance(now_ns);
        let len = usize::from(width).min(MAX_PAYLOAD);
        let payload = Payload { bytes: [0xa5; MAX_PAYLOAD], len };
        if self.rx.push(Incoming { payload, width, pipe: pipe.min(5) }).is_ok() {
            self.raise(status::RX_DR);
        }
    }

    /// The interrupt line is asserted (low on the wire): a flag is set and not masked.
    pub fn interrupt(&mut self, now_ns: u64) -> bool {
        self.advance(now_ns);
        self.line_times().any(|at_ns| at_ns <= self.now_ns)
    }

    /// When each flag that is set and not masked reaches, or reached, the line.
    fn line_times(&self) -> impl Iterator<Item = u64> + '_ {
        let unmasked = self.flags & !self.cells.byte(register::CONFIG);
        let delay_ns = self.config.timing.interrupt_delay_ns;
        let times = FLAGS.into_iter().zip(self.flagged_ns);
        times.filter(move |(flag, _)| unmasked & flag != 0).map(move |(_, at)| at + delay_ns)
    }

    fn raise(&mut self, flag: u8) {
        for (at_ns, known) in self.flagged_ns.iter_mut().zip(FLAGS) {
            if flag == known && self.flags & flag == 0 {
                *at_ns = self.now_ns;
            }
        }
        self.flags |= flag;
    }

    /// The earliest time at which [`Chip::interrupt`] may change without a call from outside, as
    /// far as the frames announced so far tell; never later than that, possibly earlier.
    pub fn next_event_ns(&self) -> Option<u64> {
        let unmasked = !self.cells.byte(register::CONFIG);
        let delay_ns = self.config.timing.interrupt_delay_ns;
        let sent = if unmasked & (status::TX_DS | status::MAX_RT) != 0 {
            self.next_sent_ns()
        } else {
            None
        };
        let heard = if unmasked & status::RX_DR != 0 { self.next_heard_ns() } else { None };
        let coming = sent.into_iter().chain(heard).map(|at_ns| at_ns + delay_ns);
        coming.chain(self.line_times().filter(|&at_ns| at_ns > self.now_ns)).min()
    }

    /// Which chip it is.
    pub fn variant(&self) -> Variant {
        self.config.variant
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
        // A BK242x shows its bank in the bit that the genuine chip reserves.
        self.flags | u8::from(self.bank.selected) << 7 | pipe << 1 | full
    }

    fn fifo_status(&self) -> u8 {
        let bit = |set, bit| if set { bit } else { 0 };
        bit(self.reuse, fifo_status::TX_REUSE)
            | bit(self.tx.is_full(), fifo_status::TX_FULL)
            | bit(self.tx.is_empty(), fifo_status::TX_EMPTY)
            | bit(self.rx.is_full(), fifo_status::RX_FULL)
            | bit(self.rx.is_empty(), fifo_status::RX_EMPTY)
    }

    fn serial(&mut self) -> u64 {
        self.next_serial += 1;
        self.next_serial
    }

    /// Learns of noise on the air.
    pub(crate) fn add_noise(&mut self, noise: Emission) {
        self.arrivals.add_noise(self.now_ns, noise);
    }

    /// Noise of open end is over.
    pub(crate) fn end_noise(&mut self, id: u64, end_ns: u64) {
        self.arrivals.end_noise(id, end_ns);
    }
}
