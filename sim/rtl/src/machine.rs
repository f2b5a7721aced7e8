//! One Verilated machine with its card, serial line and radio.

use std::ffi::CString;
use std::path::{Path, PathBuf};

use kube_emu::SdCard;
use risc5_isa::{io, map};

use crate::ffi::{Model, Pins, Record, Verilated};
use crate::radio::RadioPins;
use crate::sdram::{Sdram, SdramPins, SdramTimes, Violation};
use crate::variant::Variant;

/// Clock of the exported machine.
const CLOCK_HZ: u64 = 50_000_000;
/// Clock of the compatible machine.
const COMPAT_CLOCK_HZ: u64 = 25_000_000;

/// Clock of the ULX3S's top, which build.rs reads from the exported Verilog.
pub(crate) const ULX3S_CLOCK_HZ: u64 = {
    let digits = env!("ULX3S_CLOCK_HZ").as_bytes();
    let (mut at, mut hz) = (0, 0);
    while at < digits.len() {
        hz = 10 * hz + (digits[at] - b'0') as u64;
        at += 1;
    }
    hz
};

/// Card and radio on the SPI pins, and the SDRAM of a board.
struct Devices<R> {
    card: Option<SdCard>,
    radio: R,
    sdram: Option<Sdram>,
    power_on_ns: u64,
    clock_mhz: u64,
}

impl<R> Devices<R> {
    fn new(
        card: Option<SdCard>,
        radio: R,
        power_on_ns: u64,
        clock_hz: u64,
        has_sdram: bool,
    ) -> Self {
        let clock_mhz = clock_hz / 1_000_000;
        let sdram = has_sdram.then(|| Sdram::new(SdramTimes::default(), clock_mhz));
        Self { card, radio, sdram, power_on_ns, clock_mhz }
    }

    /// Absolute time of an edge.
    fn ns(&self, cycle: u64) -> u64 {
        self.power_on_ns + cycle * 1_000 / self.clock_mhz
    }

    /// The chip's edge: what the shim packs into the event and its value.
    fn memory(&mut self, pins: u32, cycle: u64, value: u32) -> u32 {
        let Some(sdram) = &mut self.sdram else { return 0 };
        let answer = sdram.edge(
            cycle,
            SdramPins {
                address: (pins & 0x1FFF) as u16,
                bank: (pins >> 13 & 3) as u8,
                command: (pins >> 15 & 7) as u8,
                mask: (value >> 16 & 3) as u8,
                data: (value >> 18 & 1 != 0).then_some(value as u16),
            },
        );
        let busy = u32::from(sdram.busy()) << 17;
        busy | answer.map_or(0, |data| u32::from(data) | 1 << 16)
    }
}

impl<R: RadioPins> Pins for Devices<R> {
    fn event(&mut self, event: u32, cycle: u64, value: u32) -> u32 {
        if event & 0xFF == 7 {
            return self.memory(event >> 8, cycle, value);
        }
        let now_ns = self.ns(cycle);
        let byte = value as u8;
        let mut answer = 0xFF;
        match (event, &mut self.card) {
            (0, Some(card)) => card.select(value != 0),
            (1, Some(card)) => answer = card.begin_byte(now_ns),
            (2, Some(card)) => card.end_byte(now_ns, byte),
            (3, _) => self.radio.select(now_ns, value != 0),
            (4, _) => answer = self.radio.byte_out(now_ns),
            (5, _) => self.radio.byte_in(now_ns, byte),
            (6, _) => self.radio.enable(now_ns, value != 0),
            _ => {}
        }
        u32::from(answer) | u32::from(self.radio.interrupt(now_ns)) << 8
    }
}

/// Cycles in which no instruction entered the execute stage, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stalls {
    /// A memory port was not ready; I/O words and idle waits are among these.
    pub port: u64,
    /// A multiplication, division or floating-point operation was under way.
    pub long: u64,
    /// An operand was still being loaded.
    pub load_use: u64,
    /// Flags were still being loaded.
    pub load_flags: u64,
    /// A branch was taken.
    pub branch: u64,
    /// A store went into an instruction already fetched.
    pub refetch: u64,
    /// An interrupt or abort was taken.
    pub event: u64,
}

/// A waveform that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no waveform can be written to {}: its folder must exist, and the machine must be a traced one",
    .path.display()
)]
pub struct WaveformError {
    /// The file.
    pub path: PathBuf,
}

/// A machine made from the exported Verilog.
pub struct Machine<R: RadioPins> {
    verilated: Verilated<Devices<R>>,
    clock_hz: u64,
}

impl<R: RadioPins> Machine<R> {
    /// A machine that is switched on at `power_on_ns`, with the PROM of the export.
    #[must_use]
    pub fn new(card: Option<SdCard>, radio: R, power_on_ns: u64) -> Self {
        Self::with(Model::Ours, card, radio, power_on_ns)
    }

    /// The machine without our additions (`hdl/verilog/sim_compat`): a clock of 25 MHz and an empty
    /// PROM of 512 words.
    #[must_use]
    pub fn compat(card: Option<SdCard>, radio: R, power_on_ns: u64) -> Self {
        Self::with(Model::Compat, card, radio, power_on_ns)
    }

    /// As [`Machine::new`], several times slower, but [`Machine::set_waveform`] works.
    #[must_use]
    pub fn traced(card: Option<SdCard>, radio: R, power_on_ns: u64) -> Self {
        Self::with(Model::Traced, card, radio, power_on_ns)
    }

    /// The top of a ULX3S (`hdl/verilog/ulx3s`) with its SDRAM, pads and caches. The chip's model checks its
    /// rules, see [`Machine::violation`]. No ports can be made to wait.
    #[must_use]
    pub fn ulx3s(card: Option<SdCard>, radio: R, power_on_ns: u64) -> Self {
        Self::with(Model::Ulx3s, card, radio, power_on_ns)
    }

    /// As [`Machine::ulx3s`], of a top that was compiled before; none if its library cannot be loaded.
    #[must_use]
    pub fn variant(
        variant: &Variant,
        card: Option<SdCard>,
        radio: R,
        power_on_ns: u64,
    ) -> Option<Self> {
        let devices = Devices::new(card, radio, power_on_ns, variant.clock_hz, true);
        let verilated = Verilated::load(&variant.library, devices, variant.clock_hz)?;
        Some(Self::connected(verilated, variant.clock_hz))
    }

    fn with(model: Model, card: Option<SdCard>, radio: R, power_on_ns: u64) -> Self {
        let clock_hz = match model {
            Model::Ours | Model::Traced => CLOCK_HZ,
            Model::Compat => COMPAT_CLOCK_HZ,
            Model::Ulx3s => ULX3S_CLOCK_HZ,
        };
        let devices = Devices::new(card, radio, power_on_ns, clock_hz, model == Model::Ulx3s);
        Self::connected(Verilated::new(model, devices, clock_hz), clock_hz)
    }

    fn connected(mut verilated: Verilated<Devices<R>>, clock_hz: u64) -> Self {
        verilated.set_baud(clock_hz / u64::from(io::uart::FAST_BAUD));
        Self { verilated, clock_hz }
    }

    /// The first rule of its SDRAM that a board has broken.
    #[must_use]
    pub fn violation(&self) -> Option<Violation> {
        self.verilated.pins().sdram.as_ref().and_then(Sdram::violation)
    }

    /// The SDRAM of a board.
    #[must_use]
    pub fn sdram(&self) -> Option<&Sdram> {
        self.verilated.pins().sdram.as_ref()
    }

    /// Frequency of the clock in Hz.
    #[must_use]
    pub fn clock_hz(&self) -> u64 {
        self.clock_hz
    }

    /// Replaces the PROM's contents; words beyond `words` become 0. Longer contents are cut.
    pub fn set_prom(&mut self, words: &[u32]) {
        let prom = self.verilated.prom_mut();
        prom.fill(0);
        for (place, word) in prom.iter_mut().zip(words) {
            *place = *word;
        }
    }

    /// Runs every cycle that ends before an absolute time. Its last edge, and so the last thing that
    /// its pins do, comes before that time.
    pub fn run_until(&mut self, ns: u64) {
        self.run_cycles(self.cycles_before(ns));
    }

    /// How many cycles from now on end before an absolute time.
    #[must_use]
    pub fn cycles_before(&self, ns: u64) -> u64 {
        let devices = self.verilated.pins();
        let ns = ns.saturating_sub(devices.power_on_ns);
        let end = (ns * devices.clock_mhz).saturating_sub(1) / 1_000;
        end.saturating_sub(self.cycles())
    }

    /// Runs so many cycles, fewer if the trace is full; returns how many.
    pub fn run_cycles(&mut self, cycles: u64) -> u64 {
        let mut ran = 0;
        while ran < cycles && !self.verilated.trace_full() {
            self.refresh_pins();
            let until = self.next_event_ns().map(|at| self.cycles_to(at));
            ran += self.verilated.run(until.unwrap_or(u64::MAX).min(cycles - ran));
        }
        ran
    }

    /// Cycles to the first edge that is not before an absolute time to come.
    fn cycles_to(&self, ns: u64) -> u64 {
        let devices = self.verilated.pins();
        let edge = ((ns - devices.power_on_ns) * devices.clock_mhz).div_ceil(1_000);
        edge - self.cycles()
    }

    /// When a device next changes the level of a pin by itself, later than now.
    fn next_event_ns(&self) -> Option<u64> {
        let devices = self.verilated.pins();
        let card = devices.card.as_ref().and_then(SdCard::busy_until_ns);
        let events = [card, devices.radio.next_event_ns()].into_iter().flatten();
        events.filter(|&at| at > self.now_ns()).min()
    }

    /// When the machine next has something to do: now, or a later time if it waits in the idle word. A
    /// byte from outside can still come first. Absolute nanoseconds.
    #[must_use]
    pub fn next_wake_ns(&self) -> u64 {
        let wake = self.verilated.pins().ns(self.cycles() + self.verilated.quiet_cycles());
        wake.min(self.next_event_ns().unwrap_or(u64::MAX)).max(self.now_ns())
    }

    /// Runs so many cycles and counts stalls.
    pub fn profile_cycles(&mut self, cycles: u64) {
        self.refresh_pins();
        self.verilated.profile(cycles);
    }

    /// Levels that change by themselves.
    fn refresh_pins(&mut self) {
        let now_ns = self.now_ns();
        let devices = self.verilated.pins_mut();
        let asserted = devices.radio.interrupt(now_ns);
        let busy = devices.card.as_ref().is_some_and(|card| card.busy(now_ns));
        self.verilated.set_radio_irq(asserted);
        self.verilated.set_card_busy(busy);
    }

    /// Makes ports wait and interrupts come at random: each number is a probability in 1/65536 per cycle.
    pub fn set_disturbance(&mut self, i_wait: u32, d_wait: u32, interrupt: u32, seed: u64) {
        self.verilated.set_waits(i_wait, d_wait, interrupt, seed);
    }

    /// Gives one more interrupt edge, in a cycle to come.
    pub fn interrupt_at(&mut self, cycle: u64) {
        self.verilated.interrupt_at(cycle);
    }

    /// Records instructions; a run ends when `limit` records wait to be taken.
    pub fn set_trace(&mut self, on: bool, limit: usize) {
        self.verilated.set_trace(on, limit as u64);
    }

    /// Moves what was recorded to the end of `records`.
    pub fn take_records(&mut self, records: &mut Vec<Record>) {
        self.verilated.take_records(records);
    }

    /// Writes an FST waveform of all signals to a file from now on, or ends it. One time unit is a cycle.
    ///
    /// # Errors
    /// If the file cannot be written, or the machine is not [`Machine::traced`].
    pub fn set_waveform(&mut self, path: Option<&Path>) -> Result<(), WaveformError> {
        let name = path.map(|path| CString::new(path.as_os_str().as_encoded_bytes()));
        let written = match &name {
            None => self.verilated.waveform(None),
            Some(Ok(name)) => self.verilated.waveform(Some(name)),
            Some(Err(_)) => false,
        };
        let path = path.map(Path::to_owned).unwrap_or_default();
        if written { Ok(()) } else { Err(WaveformError { path }) }
    }

    /// Absolute time in nanoseconds.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.verilated.pins().ns(self.verilated.cycle())
    }

    /// Cycles since power-on.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.verilated.cycle()
    }

    /// Cycles since power-on that were counted instead of evaluated, because the machine waited in the
    /// idle word and nothing but its timers moved.
    #[must_use]
    pub fn skipped_cycles(&self) -> u64 {
        self.verilated.skipped()
    }

    /// Cycles since power-on in which the machine waited in the idle word, skipped or not.
    #[must_use]
    pub fn idle_cycles(&self) -> u64 {
        self.verilated.idle_cycles()
    }

    /// Whether idle waits are skipped, as they are after power-on. The run is the same either way.
    pub fn set_skipping(&mut self, on: bool) {
        self.verilated.set_skips(on);
    }

    /// Instructions executed since power-on.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.verilated.instructions()
    }

    /// Stalls counted by [`Machine::profile_cycles`].
    #[must_use]
    pub fn stalls(&self) -> Stalls {
        let [port, long, load_use, load_flags, branch, refetch, event] = self.verilated.stalls();
        Stalls { port, long, load_use, load_flags, branch, refetch, event }
    }

    /// The eight LEDs.
    #[must_use]
    pub fn leds(&self) -> u8 {
        self.verilated.leds() as u8
    }

    /// Whether the machine waits in the idle word.
    #[must_use]
    pub fn idle(&self) -> bool {
        self.verilated.idle()
    }

    /// Sets switches (bits 7..0) and buttons (11..8).
    pub fn set_switches(&mut self, value: u16) {
        self.verilated.set_switches(u32::from(value) & 0xFFF);
    }

    /// Presses the reset button for some cycles.
    pub fn reset(&mut self) {
        self.verilated.set_reset(true);
        self.run_cycles(100);
        self.verilated.set_reset(false);
    }

    /// Sets the rate of the outer end of the serial line (115200 after power-on).
    pub fn set_baud(&mut self, bits_per_second: u32) {
        self.verilated.set_baud(self.clock_hz / u64::from(bits_per_second.max(1)));
    }

    /// Queues bytes on the serial line toward the machine.
    pub fn serial_send(&mut self, bytes: &[u8]) {
        let whole = bytes.iter().map(|&byte| 0x100 | u16::from(byte));
        self.verilated.send(&whole.collect::<Vec<_>>());
    }

    /// Queues characters whose stop bit is missing, as a line of another rate or a broken one shows them.
    pub fn serial_send_broken(&mut self, bytes: &[u8]) {
        let broken: Vec<_> = bytes.iter().map(|&byte| u16::from(byte)).collect();
        self.verilated.send(&broken);
    }

    /// Characters from the machine whose stop bit was missing: it sends at another rate.
    #[must_use]
    pub fn framing_errors(&self) -> u64 {
        self.verilated.framing_errors()
    }

    /// Takes what the machine has sent, whole characters.
    pub fn serial_received(&mut self) -> Vec<u8> {
        self.verilated.received()
    }

    /// RAM as words; a board's is that of its chip, in which the last stores may still be missing.
    #[must_use]
    pub fn ram(&self) -> &[u32] {
        match self.sdram() {
            Some(sdram) => &sdram.words()[..map::RAM_WORDS],
            None => self.verilated.ram(),
        }
    }

    /// Copies words into RAM from a byte address on; words beyond its end are dropped. A board's caches do
    /// not know.
    pub fn load_words(&mut self, address: u32, words: &[u32]) {
        let first = (address / 4) as usize;
        let ram = match &mut self.verilated.pins_mut().sdram {
            Some(sdram) => &mut sdram.words_mut()[..map::RAM_WORDS],
            None => self.verilated.ram_mut(),
        };
        for (place, word) in ram.iter_mut().skip(first).zip(words) {
            *place = *word;
        }
    }

    /// The framebuffer's words.
    #[must_use]
    pub fn framebuffer(&self) -> &[u32] {
        let first = map::FRAMEBUFFER as usize / 4;
        &self.ram()[first..first + map::FRAMEBUFFER_BYTES as usize / 4]
    }

    /// [`kube_emu::framebuffer::hash`] of the framebuffer.
    #[must_use]
    pub fn framebuffer_hash(&self) -> u32 {
        kube_emu::framebuffer::hash(self.framebuffer())
    }

    /// The card.
    #[must_use]
    pub fn card(&self) -> Option<&SdCard> {
        self.verilated.pins().card.as_ref()
    }

    /// Takes the card out; the machine is gone.
    #[must_use]
    pub fn into_card(self) -> Option<SdCard> {
        self.verilated.into_pins().card
    }

    /// The radio.
    pub fn radio_mut(&mut self) -> &mut R {
        &mut self.verilated.pins_mut().radio
    }
}
