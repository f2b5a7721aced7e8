//! Stations with chips on an air, driven over SPI the way a machine does it.

use kube_air::{Air, AirConfig, Chip, ListenerId, Outcome, Record, StationId, Timing};
use kube_proto::frame::{Address, Rate};

pub const US: u64 = 1_000;
pub const MS: u64 = 1_000_000;
/// Power at 0: registers answer from here.
pub const RESET_NS: u64 = 100 * MS;

pub const W_TX_PAYLOAD: u8 = 0xa0;
pub const R_RX_PAYLOAD: u8 = 0x61;
pub const FLUSH_TX: u8 = 0xe1;
pub const FLUSH_RX: u8 = 0xe2;
pub const REUSE_TX_PL: u8 = 0xe3;
pub const NOP: u8 = 0xff;

/// CONFIG for profile `kube`: CRC-16, powered, interrupts open.
pub const RECEIVER: u8 = 0x0f;
pub const SENDER: u8 = 0x0e;

/// A whole command at one moment; what came back.
pub fn command(chip: &mut Chip, at_ns: u64, bytes: &[u8]) -> Vec<u8> {
    chip.select(at_ns, true);
    let back = bytes.iter().map(|&byte| chip.transfer(at_ns, byte)).collect();
    chip.select(at_ns, false);
    back
}

pub fn read(chip: &mut Chip, at_ns: u64, register: u8) -> u8 {
    command(chip, at_ns, &[register, NOP])[1]
}

pub fn write(chip: &mut Chip, at_ns: u64, register: u8, value: u8) {
    command(chip, at_ns, &[0x20 | register, value]);
}

pub fn payload(first: u8) -> [u8; 32] {
    std::array::from_fn(|at| if at == 0 { first } else { at as u8 })
}

pub fn load(chip: &mut Chip, at_ns: u64, bytes: &[u8]) {
    command(chip, at_ns, &[&[W_TX_PAYLOAD], bytes].concat());
}

pub fn fetch(chip: &mut Chip, at_ns: u64) -> Vec<u8> {
    let mut bytes = [NOP; 33];
    bytes[0] = R_RX_PAYLOAD;
    command(chip, at_ns, &bytes).split_off(1)
}

/// Profile `kube` on channel 5.
pub fn set_up(chip: &mut Chip, at_ns: u64, config: u8) {
    for (register, value) in
        [(0x01, 0), (0x02, 1), (0x03, 3), (0x04, 0), (0x05, 5), (0x06, 0x06), (0x11, 32)]
    {
        write(chip, at_ns, register, value);
    }
    write(chip, at_ns, 0x00, config);
}

/// An air, its chips, and a listener on channel 5 at 1 Mbit/s.
pub struct Rig {
    pub air: Air,
    pub stations: Vec<StationId>,
    pub chips: Vec<Option<Chip>>,
    pub tap: ListenerId,
}

impl Rig {
    /// That many chips, set up as receivers with CE low, at 110 ms.
    pub fn new(stations: usize) -> Self {
        Self::with(stations, AirConfig { keep_log: true, ..AirConfig::default() })
    }

    pub fn with(stations: usize, config: AirConfig) -> Self {
        let mut air = Air::new(config);
        let tap = air.add_listener(5, Rate::M1, Address::OBERON);
        let stations: Vec<_> = (0..stations).map(|_| air.add_station()).collect();
        let chip = |_: &StationId| {
            let mut chip = Chip::new(0, Timing::TYPICAL);
            set_up(&mut chip, RESET_NS, RECEIVER);
            Some(chip)
        };
        let chips = stations.iter().map(chip).collect();
        let mut rig = Self { air, stations, chips, tap };
        rig.run_to(START);
        rig
    }

    pub fn chip(&mut self, station: usize) -> &mut Chip {
        self.chips[station].as_mut().expect("a chip with power")
    }

    pub fn step(&mut self, until_ns: u64) {
        for chip in self.chips.iter().flatten() {
            let quiet_ns = chip.next_event_ns().unwrap_or(u64::MAX).min(until_ns);
            let mut probe = chip.clone();
            let now = probe.interrupt(chip.now_ns());
            assert_eq!(probe.interrupt(quiet_ns.saturating_sub(1).max(chip.now_ns())), now);
        }
        let mut places: Vec<_> = self.chips.iter_mut().map(Option::as_mut).collect();
        self.air.step(until_ns, &mut places).expect("steps are short enough");
    }

    /// Steps as far as the air allows. Between steps the interrupt line must not change before
    /// the chip said it may.
    pub fn run_to(&mut self, until_ns: u64) {
        while self.air.now_ns() < until_ns {
            self.step(until_ns.min(self.air.horizon_ns()));
        }
    }

    /// CE high for a receiver.
    pub fn listen(&mut self, station: usize) {
        let now_ns = self.air.now_ns();
        self.chip(station).enable(now_ns, true);
    }

    /// One payload, a 10 us pulse on CE; the first bit leaves 130 us from now.
    pub fn send(&mut self, station: usize, first: u8) {
        let now_ns = self.air.now_ns();
        let chip = self.chip(station);
        chip.enable(now_ns, false);
        write(chip, now_ns, 0x00, SENDER);
        load(chip, now_ns, &payload(first));
        chip.enable(now_ns, true);
        chip.enable(now_ns + 10 * US, false);
    }

    /// Outcomes of all finished frames, in order.
    pub fn outcomes(&mut self) -> Vec<Vec<Outcome>> {
        self.air.take_log().into_iter().map(|record| record.outcomes).collect()
    }

    pub fn log(&mut self) -> Vec<Record> {
        self.air.take_log()
    }
}

/// Where a rig begins.
pub const START: u64 = 110 * MS;

/// Stations with the chip's reset values for auto-acknowledge: all pipes, 3 retries of 250 us.
pub fn wirth(stations: usize, config: AirConfig) -> Rig {
    let mut rig = Rig::with(stations, config);
    for station in 0..stations {
        write(rig.chip(station), START, 0x01, 0x3f);
        write(rig.chip(station), START, 0x04, 0x03);
        if station > 0 {
            rig.listen(station);
        }
    }
    rig.run_to(SENT);
    rig
}

/// Where it begins.
pub const SENT: u64 = START + MS;

pub fn logged() -> AirConfig {
    AirConfig { keep_log: true, ..AirConfig::default() }
}
