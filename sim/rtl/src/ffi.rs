//! The Verilator boundary: the only unsafe code of the project.
//!
//! [`Verilated`] owns the C++ machine and the devices that it calls back into. Invariants: the pointer
//! comes from `rtl_new` and is freed once; the devices live in a box whose address the shim keeps, and
//! are only touched by the shim inside `rtl_run` and `rtl_profile`, which borrow `self` exclusively; RAM
//! and PROM are plain arrays inside the C++ machine and live as long as it.
#![allow(unsafe_code, reason = "calls into the C++ machine that Verilator makes")]

use std::ffi::{CStr, c_char, c_void};
use std::ptr::NonNull;

/// What follows the pins, byte by byte.
pub(crate) trait Pins {
    /// One event; see the shim for the numbers and the answer's bits. The event is in bits 7..0.
    fn event(&mut self, event: u32, cycle: u64, value: u32) -> u32;
}

/// One retired instruction, interrupt or abort, as the shim records it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Word address of the instruction.
    pub pc: u32,
    /// What it wrote into a register, if `write`.
    pub value: u32,
    /// H after it.
    pub h: u32,
    /// Byte address of its load or store.
    pub addr: u32,
    /// Byte address of the last store.
    pub store_addr: u32,
    /// Word of the last store.
    pub store_value: u32,
    /// Cycle in which it left the pipeline.
    pub cycle: u64,
    /// 0 instruction, 1 interrupt, 2 abort.
    pub kind: u8,
    /// Number of the register written.
    pub number: u8,
    /// 1 if a register is written.
    pub write: u8,
    /// N, Z, C, V after it, from bit 3 down.
    pub flags: u8,
    /// Bit 0 load, bit 1 store.
    pub memory: u8,
    /// Byte lanes of the last store.
    pub store_lanes: u8,
    spare: [u8; 2],
    /// On a board, cycles since the record before in which its memory held the core: a datum on its way, a
    /// tag out of block RAM, a full buffer of stores, a store behind a line, an instruction on its way, the
    /// first instruction of a jump.
    pub waits: [u16; 6],
}

#[repr(C)]
struct Opaque {
    _private: [u8; 0],
}

type Callback = extern "C" fn(*mut c_void, u32, u64, u32) -> u32;

unsafe extern "C" {
    fn rtl_new(model: u32, callback: Callback, user: *mut c_void, clock_hz: u64) -> *mut Opaque;
    fn rtl_load(
        library: *const c_char,
        callback: Callback,
        user: *mut c_void,
        clock_hz: u64,
    ) -> *mut Opaque;
    fn rtl_free(machine: *mut Opaque);
    fn rtl_ram(machine: *mut Opaque) -> *mut u32;
    fn rtl_prom(machine: *mut Opaque) -> *mut u32;
    fn rtl_trace_full(machine: *const Opaque) -> bool;
    fn rtl_run(machine: *mut Opaque, cycles: u64) -> u64;
    fn rtl_profile(machine: *mut Opaque, cycles: u64);
    fn rtl_cycle(machine: *const Opaque) -> u64;
    fn rtl_instructions(machine: *const Opaque) -> u64;
    fn rtl_stalls(machine: *const Opaque) -> *const u64;
    fn rtl_leds(machine: *const Opaque) -> u32;
    fn rtl_idle(machine: *const Opaque) -> u32;
    fn rtl_skipped(machine: *const Opaque) -> u64;
    fn rtl_idle_cycles(machine: *const Opaque) -> u64;
    fn rtl_set_skips(machine: *mut Opaque, on: u32);
    fn rtl_quiet_cycles(machine: *const Opaque) -> u64;
    fn rtl_set_switches(machine: *mut Opaque, value: u32);
    fn rtl_set_reset(machine: *mut Opaque, level: u32);
    fn rtl_set_radio_irq(machine: *mut Opaque, asserted: u32);
    fn rtl_set_card_busy(machine: *mut Opaque, busy: u32);
    fn rtl_set_waits(machine: *mut Opaque, i_wait: u32, d_wait: u32, irq: u32, seed: u64);
    fn rtl_interrupt_at(machine: *mut Opaque, cycle: u64);
    fn rtl_set_trace(machine: *mut Opaque, on: u32, limit: u64);
    fn rtl_records(machine: *const Opaque, count: *mut u64) -> *const Record;
    fn rtl_clear_records(machine: *mut Opaque);
    fn rtl_set_baud(machine: *mut Opaque, bit_cycles: u64);
    fn rtl_send(machine: *mut Opaque, characters: *const u16, count: u64);
    fn rtl_received(machine: *const Opaque, count: *mut u64) -> *const u8;
    fn rtl_clear_received(machine: *mut Opaque);
    fn rtl_framing_errors(machine: *const Opaque) -> u64;
    fn rtl_waveform(machine: *mut Opaque, path: *const c_char) -> bool;
}

/// The Verilated models, by the numbers of the shim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    /// Our machine, as fast as it goes.
    Ours = 0,
    /// The machine without our additions.
    Compat = 1,
    /// Our machine with waveforms.
    Traced = 2,
    /// The top of a ULX3S; its RAM is the chip on its pins.
    Ulx3s = 3,
}

impl Model {
    /// Words of its PROM (hdl: `prom_2048`, `prom_512`).
    const fn prom_words(self) -> usize {
        match self {
            Self::Ours | Self::Traced | Self::Ulx3s => 2_048,
            Self::Compat => 512,
        }
    }
}

/// The Verilated machine with the devices on its pins.
pub(crate) struct Verilated<P: Pins> {
    machine: NonNull<Opaque>,
    /// Made from a box; the shim keeps the same address.
    pins: NonNull<P>,
    model: Model,
}

// SAFETY: the C++ machine has its own Verilator context and no thread-local state, and all calls
// borrow `self`; the devices move with it.
unsafe impl<P: Pins + Send> Send for Verilated<P> {}

extern "C" fn callback<P: Pins>(user: *mut c_void, event: u32, cycle: u64, value: u32) -> u32 {
    // SAFETY: `user` is the address of the boxed devices, alive until `Drop`; the shim calls only inside
    // `run` and `profile`, which hold `&mut self`, so nobody else has a reference.
    let pins = unsafe { &mut *user.cast::<P>() };
    pins.event(event, cycle, value)
}

impl<P: Pins> Verilated<P> {
    /// A machine at power-on.
    pub(crate) fn new(model: Model, pins: P, clock_hz: u64) -> Self {
        let pins = NonNull::from(Box::leak(Box::new(pins)));
        // SAFETY: the callback matches the devices' type, and `pins` lives until `Drop`.
        let machine =
            unsafe { rtl_new(model as u32, callback::<P>, pins.as_ptr().cast(), clock_hz) };
        match NonNull::new(machine) {
            Some(machine) => Self { machine, pins, model },
            None => unreachable!("operator new does not return null"),
        }
    }

    /// A board's top at power-on, from a library that [`crate::variant`] has made of this crate's shim; none
    /// if the library cannot be loaded.
    pub(crate) fn load(library: &CStr, pins: P, clock_hz: u64) -> Option<Self> {
        let pins = NonNull::from(Box::leak(Box::new(pins)));
        // SAFETY: as in `new`; the library was made of the same shim, so its machine has the same layout, and
        // it is never unloaded.
        let machine =
            unsafe { rtl_load(library.as_ptr(), callback::<P>, pins.as_ptr().cast(), clock_hz) };
        let Some(machine) = NonNull::new(machine) else {
            // SAFETY: from the box above, and no machine has taken it.
            drop(unsafe { Box::from_raw(pins.as_ptr()) });
            return None;
        };
        Some(Self { machine, pins, model: Model::Ulx3s })
    }

    pub(crate) fn pins(&self) -> &P {
        // SAFETY: alive until `Drop`, and the shim touches it only under `&mut self`.
        unsafe { self.pins.as_ref() }
    }

    /// The devices, with the machine gone.
    pub(crate) fn into_pins(self) -> P {
        let (machine, pins) = (self.machine, self.pins);
        std::mem::forget(self);
        // SAFETY: as in `drop`, which does not run any more.
        unsafe {
            rtl_free(machine.as_ptr());
            *Box::from_raw(pins.as_ptr())
        }
    }

    pub(crate) fn pins_mut(&mut self) -> &mut P {
        // SAFETY: as above, and `&mut self` excludes other references.
        unsafe { self.pins.as_mut() }
    }

    /// RAM, 1 MB of words; empty where the RAM is a chip on the pins.
    pub(crate) fn ram(&self) -> &[u32] {
        if self.model == Model::Ulx3s {
            return &[];
        }
        // SAFETY: the array has this many words (hdl: main_memory_262144) and lives with the machine.
        unsafe { std::slice::from_raw_parts(rtl_ram(self.machine.as_ptr()), 262_144) }
    }

    pub(crate) fn ram_mut(&mut self) -> &mut [u32] {
        if self.model == Model::Ulx3s {
            return &mut [];
        }
        // SAFETY: as above, and `&mut self` excludes other references.
        unsafe { std::slice::from_raw_parts_mut(rtl_ram(self.machine.as_ptr()), 262_144) }
    }

    /// PROM, all of its words.
    pub(crate) fn prom_mut(&mut self) -> &mut [u32] {
        let words = self.model.prom_words();
        // SAFETY: the model's array has this many words and lives with the machine.
        unsafe { std::slice::from_raw_parts_mut(rtl_prom(self.machine.as_ptr()), words) }
    }

    /// Whether the trace has reached its limit.
    pub(crate) fn trace_full(&self) -> bool {
        // SAFETY: reads fields of a living machine.
        unsafe { rtl_trace_full(self.machine.as_ptr()) }
    }

    /// Runs at most so many cycles, fewer if the trace is full or a device was told something, so that
    /// its levels have to be looked at again; returns how many.
    pub(crate) fn run(&mut self, cycles: u64) -> u64 {
        // SAFETY: the machine is alive, and `&mut self` covers the callbacks.
        unsafe { rtl_run(self.machine.as_ptr(), cycles) }
    }

    pub(crate) fn profile(&mut self, cycles: u64) {
        // SAFETY: as in `run`.
        unsafe { rtl_profile(self.machine.as_ptr(), cycles) }
    }

    pub(crate) fn cycle(&self) -> u64 {
        // SAFETY: reads a field of a living machine.
        unsafe { rtl_cycle(self.machine.as_ptr()) }
    }

    pub(crate) fn instructions(&self) -> u64 {
        // SAFETY: as above.
        unsafe { rtl_instructions(self.machine.as_ptr()) }
    }

    pub(crate) fn stalls(&self) -> [u64; 7] {
        // SAFETY: points to seven counters of a living machine, copied at once.
        unsafe { *rtl_stalls(self.machine.as_ptr()).cast::<[u64; 7]>() }
    }

    pub(crate) fn leds(&self) -> u32 {
        // SAFETY: reads a port of a living machine.
        unsafe { rtl_leds(self.machine.as_ptr()) }
    }

    pub(crate) fn idle(&self) -> bool {
        // SAFETY: as above.
        unsafe { rtl_idle(self.machine.as_ptr()) != 0 }
    }

    /// Cycles of idle waits that were counted, not evaluated.
    pub(crate) fn skipped(&self) -> u64 {
        // SAFETY: reads a field of a living machine.
        unsafe { rtl_skipped(self.machine.as_ptr()) }
    }

    /// Cycles of idle waits, counted or evaluated.
    pub(crate) fn idle_cycles(&self) -> u64 {
        // SAFETY: reads a field of a living machine.
        unsafe { rtl_idle_cycles(self.machine.as_ptr()) }
    }

    pub(crate) fn set_skips(&mut self, on: bool) {
        // SAFETY: writes a field of a living machine.
        unsafe { rtl_set_skips(self.machine.as_ptr(), on.into()) }
    }

    /// Cycles for which the machine has nothing to do.
    pub(crate) fn quiet_cycles(&self) -> u64 {
        // SAFETY: reads fields of a living machine.
        unsafe { rtl_quiet_cycles(self.machine.as_ptr()) }
    }

    pub(crate) fn set_switches(&mut self, value: u32) {
        // SAFETY: writes a port of a living machine.
        unsafe { rtl_set_switches(self.machine.as_ptr(), value) }
    }

    pub(crate) fn set_reset(&mut self, level: bool) {
        // SAFETY: as above.
        unsafe { rtl_set_reset(self.machine.as_ptr(), level.into()) }
    }

    pub(crate) fn set_radio_irq(&mut self, asserted: bool) {
        // SAFETY: as above.
        unsafe { rtl_set_radio_irq(self.machine.as_ptr(), asserted.into()) }
    }

    pub(crate) fn set_card_busy(&mut self, busy: bool) {
        // SAFETY: as above.
        unsafe { rtl_set_card_busy(self.machine.as_ptr(), busy.into()) }
    }

    pub(crate) fn set_waits(&mut self, i_wait: u32, d_wait: u32, irq: u32, seed: u64) {
        // SAFETY: writes fields of a living machine.
        unsafe { rtl_set_waits(self.machine.as_ptr(), i_wait, d_wait, irq, seed) }
    }

    pub(crate) fn interrupt_at(&mut self, cycle: u64) {
        // SAFETY: as above.
        unsafe { rtl_interrupt_at(self.machine.as_ptr(), cycle) }
    }

    pub(crate) fn set_trace(&mut self, on: bool, limit: u64) {
        // SAFETY: as above.
        unsafe { rtl_set_trace(self.machine.as_ptr(), on.into(), limit) }
    }

    /// Moves the recorded trace to the end of `records`.
    pub(crate) fn take_records(&mut self, records: &mut Vec<Record>) {
        let mut count = 0;
        // SAFETY: the shim's vector does not change before it is cleared; `Record` has the same layout
        // on both sides (repr(C), fixed-width fields).
        unsafe {
            let first = rtl_records(self.machine.as_ptr(), &raw mut count);
            if count > 0 {
                records.extend_from_slice(std::slice::from_raw_parts(first, count as usize));
            }
            rtl_clear_records(self.machine.as_ptr());
        }
    }

    pub(crate) fn set_baud(&mut self, bit_cycles: u64) {
        // SAFETY: writes a field of a living machine.
        unsafe { rtl_set_baud(self.machine.as_ptr(), bit_cycles) }
    }

    /// Characters with their stop bit in bit 8.
    pub(crate) fn send(&mut self, characters: &[u16]) {
        // SAFETY: the shim copies the characters before it returns.
        unsafe {
            rtl_send(self.machine.as_ptr(), characters.as_ptr(), characters.len() as u64);
        }
    }

    /// Characters from the machine that came without a stop bit.
    pub(crate) fn framing_errors(&self) -> u64 {
        // SAFETY: reads a field of a living machine.
        unsafe { rtl_framing_errors(self.machine.as_ptr()) }
    }

    /// Writes a waveform from now on, or ends it; false if the file cannot be written.
    pub(crate) fn waveform(&mut self, path: Option<&CStr>) -> bool {
        let path = path.map_or(std::ptr::null(), CStr::as_ptr);
        // SAFETY: the shim copies the name before it returns.
        unsafe { rtl_waveform(self.machine.as_ptr(), path) }
    }

    pub(crate) fn received(&mut self) -> Vec<u8> {
        let mut count = 0;
        // SAFETY: copied before the shim's vector is cleared.
        unsafe {
            let first = rtl_received(self.machine.as_ptr(), &raw mut count);
            let bytes = match count {
                0 => Vec::new(),
                _ => std::slice::from_raw_parts(first, count as usize).to_vec(),
            };
            rtl_clear_received(self.machine.as_ptr());
            bytes
        }
    }
}

impl<P: Pins> Drop for Verilated<P> {
    fn drop(&mut self) {
        // SAFETY: both come from `new` and are freed once, the machine first as it may call back.
        unsafe {
            rtl_free(self.machine.as_ptr());
            drop(Box::from_raw(self.pins.as_ptr()));
        }
    }
}

/// What a unit is asked: an instruction word with its operands, H and flags (N, Z, C, V from bit 3 down).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// Instruction; its fields choose unit, modifiers and condition.
    pub word: u32,
    /// First operand.
    pub b: u32,
    /// Second operand, whatever form the instruction has.
    pub n: u32,
    /// Register H.
    pub h: u32,
    /// Flags.
    pub flags: u32,
}

/// What the units make of a [`Question`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Result of the operation.
    pub result: u32,
    /// H of MUL and DIV.
    pub high: u32,
    /// The decoder's immediate operand.
    pub operand: u32,
    /// Cycle in which the result was there, from 1.
    pub cycles: u32,
    /// Carry of ADD, borrow of SUB.
    pub carry: u8,
    /// Overflow of ADD and SUB.
    pub overflow: u8,
    /// The condition in bits 27..24 holds.
    pub holds: u8,
    /// Operation, load, store, branch, from bit 3 down.
    pub classes: u8,
    /// Immediate, reads b, reads c, from bit 2 down.
    pub uses: u8,
    /// Jump relative, jump to a register, from bit 1 down.
    pub jumps: u8,
    /// Shift, MUL, DIV, FAD, FML, FDV, from bit 5 down.
    pub kinds: u8,
    /// 0 if the unit never said that it is done.
    pub done: u8,
}

unsafe extern "C" {
    fn units_new() -> *mut Opaque;
    fn units_free(units: *mut Opaque);
    fn units_ask(units: *mut Opaque, question: *const Question, answer: *mut Answer);
}

/// The core's units of `hdl/verilog/sim`, each by itself: decoder, ALU, condition, shifter, multiplier,
/// divider and the three of floating point.
pub struct Units {
    units: NonNull<Opaque>,
}

impl Units {
    /// Units at power-on.
    #[must_use]
    pub fn new() -> Self {
        // SAFETY: no arguments; the pointer is freed once, in `Drop`.
        match NonNull::new(unsafe { units_new() }) {
            Some(units) => Self { units },
            None => unreachable!("operator new does not return null"),
        }
    }

    /// Has the unit of an instruction compute.
    pub fn ask(&mut self, question: Question) -> Answer {
        let mut answer = Answer::default();
        // SAFETY: both structures have the same layout on both sides (repr(C), fixed-width fields), and
        // the shim keeps neither address.
        unsafe { units_ask(self.units.as_ptr(), &raw const question, &raw mut answer) };
        answer
    }
}

impl Default for Units {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Units {
    fn drop(&mut self) {
        // SAFETY: comes from `new` and is freed once.
        unsafe { units_free(self.units.as_ptr()) };
    }
}
