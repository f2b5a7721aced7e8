//! The pipelined RISC5 core.
//!
//! Purpose: executes Wirth's RISC5 of 31.8.2018. Four stages with separate instruction and data
//! ports; results, flags, H, traps and interrupts as software expects them.
//!
//! | stage | work | ends in |
//! |---|---|---|
//! | F | address of the next instruction | the memory's address register |
//! | D | decode, read registers, take results from X and M; start a load; follow a jump | operand registers, the memory's registers |
//! | X | ALU, first half of a shift, branch, store, a load that could not start in D, long operations | result register |
//! | M | loaded word, second half of a shift, or result into its register, flags N and Z | register file |
//!
//! # Why each stage ends where it does
//!
//! - The memory's registered output is the instruction register: block RAM is slow behind its clock,
//!   so decoding, a LUT RAM read and one adder follow it, no ALU.
//! - A load starts in D, out of the register file or M's result, if its base is known there and X does not
//!   need the data port. Its word is then X's result, and the next instruction does not wait for it. A
//!   base that X is just computing would put the ALU in front of the memory: such a load starts in X.
//! - Branches that need no flags are followed in D, with no instruction lost. The others are decided in X:
//!   their flags are registered or follow from M's registered result, so the path into the instruction
//!   address is the end of a zero detector and a few gates, without a carry chain. Deciding those in D too
//!   would put memory output, decoder, flags of the ALU's result and the address into one period.
//! - The loop from operand register through ALU and forwarding back to the operand register bounds every
//!   core of this kind. The ALU therefore has no shifter in it: a shift ends in M, as a late load does.
//!   The exception is ROR by an immediate 1, the common way to bring a BOOLEAN into the flags.
//! - The long units have operand registers of their own, one cycle later: as a load on X's they would pull
//!   the loop apart.
//! - Zero is found in groups of four bits before a register and joined behind it, for results of X and of M. In
//!   the reference zero closes the longest integer path (register, operand, ALU, result, zero: 16 ns).
//! - Two things are late and therefore choose last. A loaded word comes out of block RAM: where one of several values
//!   goes into a register, the others are gathered first. A branch's condition only says whether the next
//!   address is the one it leads to, or any other.
//! - A stored value is taken in X, late, so that a late result may stand right before its store.
//! - What holds the pipeline (`step`, which enables nearly every register) waits for nothing but the ports and
//!   the long units; comparing addresses for stores into code is not among it.
//!
//! # Ports
//!
//! Instruction and data port have the same rules. A request (`i_valid`, `d_valid` with address and, for
//! the data port, direction, lanes and data) is taken at the rising edge at which it is valid; it is
//! only made while `ready` of both ports is high. From then on `ready` low means that the answer is not
//! there yet; the core stands still. `ready` high means that the answer (`i_data`, `d_rdata`) is valid
//! and stays until the next request. `valid` follows `ready` combinationally, `ready` must not follow
//! `valid`. A store must be seen by every request made at a later edge.
//!
//! # Hazards
//!
//! "Late" is a shift (except ROR by an immediate 1), and a load that starts in X: because the instruction
//! before it makes its base, is a store or a late load, or because a late result two before it is its base.
//!
//! | case | cost in cycles |
//! |---|---|
//! | branch taken | 1 |
//! | jump (condition "always", relative, or to a register without link that X does not write) | 0 |
//! | operand, or address in X, is the late result of the instruction just before | 1 |
//! | conditional branch right after a late result | 1 |
//! | flags into a register, right after an instruction that sets them | 1 |
//! | MUL / DIV | 3 / 19 |
//! | FAD, FSB / FML / FDV | 6 / 4 / 16 |
//! | store into one of the next two instructions | 2 |
//! | interrupt, watchdog | 1 |
//!
//! # Corner cases
//!
//! - A store is seen by the next instruction: M compares its address with the instructions in X and D,
//!   and on a match throws them away and fetches again. Twelve address bits are compared: with eighteen, the
//!   megabyte, this was the longest path of all, and a false match, one in 4096, only costs time. Memory
//!   that repeats is covered too. A long operation thrown away like this runs to its end first.
//! - An interrupt, or the watchdog's abort, takes the place of the instruction in X, which is fetched
//!   again after the return. A long operation is abandoned for it. A load that has started in D goes first:
//!   reading an I/O word twice is not the same as reading it once. A load starts in D only in the cycle
//!   in which it moves to X, so no instruction before it can undo it.
//! - The link register's value, a byte address, has 24 bits.
//! - Return from interrupt restores flags even against a result that M writes in the same cycle.
//!
//! # What it does not do
//!
//! No caches, no memory map: PROM window and I/O words belong to the machine around it.
//!
//! # Source
//!
//! The RISC5 architecture; RISC5.v of 31.8.2018; the project's notes on RISC5, divergences D1 to D14.

use rust_hdl::prelude::*;

use crate::leaf::{Reg, RegEn};
use crate::units::{
    Alu, Condition, Decoder, Divider, FloatAdder, FloatDivider, FloatMultiplier, Interrupts,
    Multiplier, RegisterFile, Shifter, Zeros,
};

/// RISC5 in four stages.
#[derive(LogicBlock, Default)]
pub struct Core {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Starts again at the reset address; registers stay. At least one cycle with both ports ready.
    pub reset: Signal<In, Bit>,
    /// Word address of the first instruction.
    pub reset_pc: Signal<In, Bits<22>>,

    /// Instruction port: a request is made.
    pub i_valid: Signal<Out, Bit>,
    /// Instruction port: word address.
    pub i_addr: Signal<Out, Bits<22>>,
    /// Instruction port: the address does not follow the one before it.
    pub i_turn: Signal<Out, Bit>,
    /// Instruction port: word address of a turn; as `i_addr` then, without the one that follows in its way.
    pub i_target: Signal<Out, Bits<22>>,
    /// Instruction port: the answer is there.
    pub i_ready: Signal<In, Bit>,
    /// Instruction port: the instruction.
    pub i_data: Signal<In, Bits<32>>,

    /// Data port: a request is made.
    pub d_valid: Signal<Out, Bit>,
    /// Data port: byte address.
    pub d_addr: Signal<Out, Bits<24>>,
    /// Data port: byte address of a store; as `d_addr` then, without the addresses of loads in its way.
    pub s_addr: Signal<Out, Bits<24>>,
    /// Data port: store, else load.
    pub d_write: Signal<Out, Bit>,
    /// Data port: byte lanes of a store.
    pub d_lanes: Signal<Out, Bits<4>>,
    /// Data port: word to store; a byte is in its lane, the other lanes are 0.
    pub d_wdata: Signal<Out, Bits<32>>,
    /// Data port: value of a store; as `d_wdata`, but a byte is in lane 0, and the others are not 0.
    pub s_value: Signal<Out, Bits<32>>,
    /// Data port: the answer is there.
    pub d_ready: Signal<In, Bit>,
    /// Data port: the loaded word.
    pub d_rdata: Signal<In, Bits<32>>,

    /// Interrupt edge, high for one cycle.
    pub irq: Signal<In, Bit>,
    /// An enabled interrupt waits: ends an idle wait.
    pub wakes: Signal<Out, Bit>,
    /// The watchdog has expired; held until `aborted`.
    pub abort: Signal<In, Bit>,
    /// The abort is taken in this cycle.
    pub aborted: Signal<Out, Bit>,
    /// Word address of the instruction in X, which an abort keeps from executing.
    pub pc: Signal<Out, Bits<22>>,

    /// An instruction leaves the pipeline in this cycle; the other `trace` signals belong to it.
    pub trace_valid: Signal<Out, Bit>,
    /// Its word address.
    pub trace_pc: Signal<Out, Bits<22>>,
    /// It writes a register.
    pub trace_write: Signal<Out, Bit>,
    /// Number of that register.
    pub trace_number: Signal<Out, Bits<4>>,
    /// Value of that register.
    pub trace_value: Signal<Out, Bits<32>>,
    /// N, Z, C, V after it.
    pub trace_flags: Signal<Out, Bits<4>>,
    /// H after it.
    pub trace_h: Signal<Out, Bits<32>>,
    /// It loads (bit 0) or stores (bit 1).
    pub trace_memory: Signal<Out, Bits<2>>,
    /// Address of the load or store.
    pub trace_addr: Signal<Out, Bits<24>>,
    /// An interrupt (bit 0) or abort (bit 1) is taken in this cycle, after the instruction above.
    pub trace_event: Signal<Out, Bits<2>>,
    /// Why no instruction enters X in this cycle: bit 0 a port is not ready, 1 long operation,
    /// 2 late operand, 3 late flags, 4 branch taken, 5 store into the pipeline, 6 event.
    pub trace_stall: Signal<Out, Bits<7>>,

    decoder: Decoder,
    registers: RegisterFile,
    alu: Alu,
    shifter: Shifter,
    x_other_zeros: Zeros,
    d_zeros: Zeros,
    m_other_zeros: Zeros,
    condition: Condition,
    multiplier: Multiplier,
    divider: Divider,
    float_adder: FloatAdder,
    float_multiplier: FloatMultiplier,
    float_divider: FloatDivider,
    interrupts: Interrupts,

    // Stage D.
    d_live: RegEn<Bit>,
    d_pc: RegEn<Bits<22>>,
    // Stage X.
    x_valid: Reg<Bit>,
    x_pc: RegEn<Bits<22>>,
    ir: RegEn<Bits<32>>,
    x_b: RegEn<Bits<32>>,
    x_n: RegEn<Bits<32>>,
    x_a: RegEn<Bits<32>>,
    x_dest: RegEn<Bits<4>>,
    x_target: RegEn<Bits<22>>,
    x_writer: RegEn<Bit>,
    x_forwards: RegEn<Bit>,
    x_delayed: RegEn<Bit>,
    x_early: RegEn<Bit>,
    x_jumped: RegEn<Bit>,
    x_operation: RegEn<Bit>,
    x_load: RegEn<Bit>,
    x_store: RegEn<Bit>,
    x_branch: RegEn<Bit>,
    x_mul: RegEn<Bit>,
    x_div: RegEn<Bit>,
    x_fad: RegEn<Bit>,
    x_fml: RegEn<Bit>,
    x_fdv: RegEn<Bit>,
    x_long: RegEn<Bit>,
    x_late: RegEn<Bit>,
    // Operands of the long operations, one cycle later.
    l_run: Reg<Bit>,
    l_b: Reg<Bits<32>>,
    l_n: Reg<Bits<32>>,
    // The load whose word is on the data port.
    lane: RegEn<Bits<2>>,
    lane_only: RegEn<Bit>,
    // Stage M.
    m_valid: Reg<Bit>,
    m_pc: RegEn<Bits<22>>,
    m_next: RegEn<Bits<22>>,
    m_write: Reg<Bit>,
    m_load: Reg<Bit>,
    m_store: Reg<Bit>,
    m_delayed: Reg<Bit>,
    m_number: RegEn<Bits<4>>,
    m_result: RegEn<Bits<32>>,
    m_zeros: RegEn<Bits<8>>,
    m_addr: RegEn<Bits<24>>,
    // What software sees.
    n: RegEn<Bit>,
    /// Z in eight parts, see [`Zeros`].
    z: RegEn<Bits<8>>,
    c: RegEn<Bit>,
    v: RegEn<Bit>,
    h: RegEn<Bits<32>>,

    step: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    hold: Signal<Local, Bit>,
    redirect: Signal<Local, Bit>,
    start: Signal<Local, Bit>,

    lane_byte: Signal<Local, Bits<8>>,
    loaded: Signal<Local, Bits<32>>,
    m_value: Signal<Local, Bits<32>>,
    m_loads: Signal<Local, Bit>,
    m_other: Signal<Local, Bits<32>>,
    lane_others: Signal<Local, Bits<8>>,
    loaded_zeros: Signal<Local, Bits<8>>,
    m_value_zeros: Signal<Local, Bits<8>>,
    m_n: Signal<Local, Bit>,
    m_z: Signal<Local, Bit>,
    z_flag: Signal<Local, Bit>,
    m_flags_known: Signal<Local, Bit>,
    m_result_zero: Signal<Local, Bit>,
    x_flag_n: Signal<Local, Bit>,
    x_flag_z: Signal<Local, Bit>,
    flags: Signal<Local, Bits<4>>,

    x_u: Signal<Local, Bit>,
    x_v: Signal<Local, Bit>,
    x_op: Signal<Local, Bits<4>>,
    x_number: Signal<Local, Bits<4>>,
    x_conditional: Signal<Local, Bit>,
    x_reads_flags: Signal<Local, Bit>,
    x_moves_flags: Signal<Local, Bit>,
    x_event: Signal<Local, Bit>,
    x_wait: Signal<Local, Bit>,
    x_control: Signal<Local, Bit>,
    x_return: Signal<Local, Bit>,
    x_enable: Signal<Local, Bit>,
    x_writes: Signal<Local, Bit>,
    branches: Signal<Local, Bit>,
    long_wait: Signal<Local, Bit>,
    x_uses_port: Signal<Local, Bit>,
    word_addr: Signal<Local, Bits<12>>,
    x_word: Signal<Local, Bits<12>>,
    d_word: Signal<Local, Bits<12>>,
    hit_x: Signal<Local, Bit>,
    hit_d: Signal<Local, Bit>,
    refetch: Signal<Local, Bit>,
    preempt: Signal<Local, Bit>,
    x_acts: Signal<Local, Bit>,
    x_diverts: Signal<Local, Bit>,
    execute: Signal<Local, Bit>,
    long_done: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    target: Signal<Local, Bits<22>>,
    next_pc: Signal<Local, Bits<22>>,
    link_value: Signal<Local, Bits<32>>,
    long_result: Signal<Local, Bits<32>>,
    x_other: Signal<Local, Bits<32>>,
    x_result: Signal<Local, Bits<32>>,
    offset: Signal<Local, Bits<24>>,
    addr: Signal<Local, Bits<24>>,
    store_value: Signal<Local, Bits<32>>,
    store_byte: Signal<Local, Bits<32>>,
    store_lane: Signal<Local, Bits<2>>,
    y_operand: Signal<Local, Bits<32>>,
    sum_op: Signal<Local, Bit>,
    sequential: Signal<Local, Bits<22>>,
    diverted: Signal<Local, Bits<22>>,
    turn: Signal<Local, Bits<22>>,
    fetch: Signal<Local, Bits<22>>,

    number_a: Signal<Local, Bits<4>>,
    number_b: Signal<Local, Bits<4>>,
    number_c: Signal<Local, Bits<4>>,
    x_is_a: Signal<Local, Bit>,
    x_is_b: Signal<Local, Bit>,
    x_is_c: Signal<Local, Bit>,
    m_is_a: Signal<Local, Bit>,
    m_is_b: Signal<Local, Bit>,
    m_is_c: Signal<Local, Bit>,
    x_gives_a: Signal<Local, Bit>,
    loads_a: Signal<Local, Bit>,
    other_a: Signal<Local, Bits<32>>,
    x_gives_b: Signal<Local, Bit>,
    loads_b: Signal<Local, Bit>,
    other_b: Signal<Local, Bits<32>>,
    x_gives_c: Signal<Local, Bit>,
    loads_c: Signal<Local, Bit>,
    other_c: Signal<Local, Bits<32>>,
    operand_wait: Signal<Local, Bit>,
    base: Signal<Local, Bits<24>>,
    base_known: Signal<Local, Bit>,
    early: Signal<Local, Bit>,
    early_offset: Signal<Local, Bits<24>>,
    early_addr: Signal<Local, Bits<24>>,
    moves: Signal<Local, Bit>,
    jump_base: Signal<Local, Bits<22>>,
    jump_known: Signal<Local, Bit>,
    jump: Signal<Local, Bit>,
    jump_target: Signal<Local, Bits<22>>,
    relative: Signal<Local, Bits<22>>,
    x_en: Signal<Local, Bit>,
    d_en: Signal<Local, Bit>,
}

impl Logic for Core {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, registers, multiplier, divider, float_adder, float_multiplier);
        clock!(self, clock, float_divider, interrupts, d_live, d_pc, x_valid, x_pc, ir, x_b);
        clock!(self, clock, x_n, x_a, x_target, x_operation, x_load, x_store, x_branch, x_mul);
        clock!(self, clock, x_div, x_fad, x_fml, x_fdv, x_long, x_late, m_valid, m_pc, m_next);
        clock!(self, clock, m_write, m_load, m_store, m_delayed, m_number, m_result, m_addr);
        clock!(self, clock, x_dest, x_writer, x_forwards, x_delayed, x_early, x_jumped, shifter);
        clock!(self, clock, l_run, l_b, l_n, lane, lane_only, m_zeros);
        clock!(self, clock, n, z, c, v, h);

        // ---- M: the value that is written, and the flags it sets ----
        self.lane_byte.next = self.d_rdata.val().get_bits::<8>(0);
        if self.lane.q.val() == 1 {
            self.lane_byte.next = self.d_rdata.val().get_bits::<8>(8);
        } else if self.lane.q.val() == 2 {
            self.lane_byte.next = self.d_rdata.val().get_bits::<8>(16);
        } else if self.lane.q.val() == 3 {
            self.lane_byte.next = self.d_rdata.val().get_bits::<8>(24);
        }
        self.loaded.next = self.d_rdata.val();
        if self.lane_only.q.val() {
            self.loaded.next = bit_cast::<32, 8>(self.lane_byte.val());
        }
        // A loaded word is late, so it comes last wherever one of several values is chosen: what else the
        // instruction in M, in X may give is `m_other`, `x_other`.
        self.m_loads.next = self.m_delayed.q.val() & self.m_load.q.val();
        self.m_other.next = self.m_result.q.val();
        if self.m_delayed.q.val() {
            self.m_other.next = self.shifter.result.val();
        }
        self.m_value.next = self.m_other.val();
        if self.m_loads.val() {
            self.m_value.next = self.loaded.val();
        }
        self.m_n.next = self.m_value.val().get_bit(31);
        // Its zeros do not wait until its byte is chosen: the other bytes count as zero.
        self.d_zeros.value.next = self.d_rdata.val();
        self.lane_others.next = 0.into();
        if self.lane_only.q.val() {
            self.lane_others.next = 0xFC.into();
            if self.lane.q.val() == 1 {
                self.lane_others.next = 0xF3.into();
            } else if self.lane.q.val() == 2 {
                self.lane_others.next = 0xCF.into();
            } else if self.lane.q.val() == 3 {
                self.lane_others.next = 0x3F.into();
            }
        }
        self.loaded_zeros.next = self.d_zeros.groups.val() | self.lane_others.val();
        self.m_other_zeros.value.next = self.m_other.val();
        self.m_value_zeros.next = self.m_other_zeros.groups.val();
        if self.m_loads.val() {
            self.m_value_zeros.next = self.loaded_zeros.val();
        }
        self.m_z.next = self.m_value_zeros.val().all();
        self.z_flag.next = self.z.q.val().all();

        // Flags as the instruction in X sees them; those of a delayed result in M are waited for.
        self.m_flags_known.next = self.m_write.q.val() & (!self.m_delayed.q.val());
        self.m_result_zero.next = self.m_zeros.q.val().all();
        self.x_flag_n.next = self.n.q.val();
        self.x_flag_z.next = self.z_flag.val();
        if self.m_flags_known.val() {
            self.x_flag_n.next = self.m_result.q.val().get_bit(31);
            self.x_flag_z.next = self.m_result_zero.val();
        }
        self.flags.next = (bit_cast::<4, 1>(self.x_flag_n.val().into()) << 3)
            | (bit_cast::<4, 1>(self.x_flag_z.val().into()) << 2)
            | (bit_cast::<4, 1>(self.c.q.val().into()) << 1)
            | bit_cast::<4, 1>(self.v.q.val().into());

        // ---- X: what may execute ----
        self.start.next = self.reset.val() | (!self.d_live.q.val());
        self.x_u.next = self.ir.q.val().get_bit(29);
        self.x_v.next = self.ir.q.val().get_bit(28);
        self.x_op.next = self.ir.q.val().get_bits::<4>(16);
        self.x_number.next = self.ir.q.val().get_bits::<4>(24);
        self.x_conditional.next = !self.ir.q.val().get_bits::<3>(24).all();
        self.x_control.next = self.x_branch.q.val() & (!self.x_u.val()) & (!self.x_v.val());
        self.x_return.next = self.x_control.val() & self.ir.q.val().get_bit(4);
        self.x_enable.next = self.x_control.val() & self.ir.q.val().get_bit(5);
        self.x_reads_flags.next = self.x_branch.q.val() & self.x_conditional.val();
        self.x_moves_flags.next = self.x_operation.q.val()
            & (!self.ir.q.val().get_bit(30))
            & self.x_u.val()
            & self.x_v.val()
            & (self.x_op.val() == 0);
        // A load that is under way already must not be made twice: it is no place for an event.
        self.x_event.next =
            (self.interrupts.due.val() | self.abort.val()) & (!self.x_early.q.val());
        self.x_wait.next = self.x_valid.q.val()
            & ((self.m_delayed.q.val() & (self.x_reads_flags.val() | self.x_event.val()))
                | (self.m_write.q.val() & self.x_moves_flags.val()));

        // A store in M into an instruction that is in X or D already: both are fetched again.
        self.word_addr.next = self.m_addr.q.val().get_bits::<12>(2);
        self.x_word.next = self.x_pc.q.val().get_bits::<12>(0);
        self.d_word.next = self.d_pc.q.val().get_bits::<12>(0);
        self.hit_x.next = self.x_valid.q.val() & (self.word_addr.val() == self.x_word.val());
        self.hit_d.next = self.d_live.q.val() & (self.word_addr.val() == self.d_word.val());
        self.refetch.next = self.m_store.q.val() & (self.hit_x.val() | self.hit_d.val());

        // What may happen in X but for such a store; the store also overrides where to fetch.
        self.x_acts.next = self.x_valid.q.val() & (!self.x_wait.val()) & (!self.reset.val());
        self.x_diverts.next = self.x_acts.val() & self.x_event.val();
        self.preempt.next = self.x_diverts.val() & (!self.refetch.val());
        self.execute.next = self.x_acts.val() & (!self.x_event.val()) & (!self.refetch.val());
        self.long_done.next = (self.x_mul.q.val() & self.multiplier.done.val())
            | (self.x_div.q.val() & self.divider.done.val())
            | (self.x_fad.q.val() & self.float_adder.done.val())
            | (self.x_fml.q.val() & self.float_multiplier.done.val())
            | (self.x_fdv.q.val() & self.float_divider.done.val());
        // A long operation that a store has made stale goes on to its end and is then thrown away: what
        // holds the pipeline must not wait for the comparison of addresses.
        self.long_wait.next = self.x_valid.q.val()
            & self.x_long.q.val()
            & (!self.x_event.val())
            & (!self.reset.val());
        self.busy.next = self.long_wait.val() & (!self.long_done.val());
        self.step.next = self.i_ready.val() & self.d_ready.val() & (!self.busy.val());
        self.registers.write.next = self.step.val() & self.m_write.q.val();
        self.registers.number.next = self.m_number.q.val();
        self.registers.value.next = self.m_value.val();

        // ---- X: results ----
        self.alu.op.next = self.x_op.val();
        self.alu.q.next = self.ir.q.val().get_bit(30);
        self.alu.u.next = self.x_u.val();
        self.alu.v.next = self.x_v.val();
        self.alu.b.next = self.x_b.q.val();
        self.alu.operand.next = self.x_n.q.val();
        self.alu.h.next = self.h.q.val();
        self.alu.flags.next = (bit_cast::<4, 1>(self.n.q.val().into()) << 3)
            | (bit_cast::<4, 1>(self.z_flag.val().into()) << 2)
            | (bit_cast::<4, 1>(self.c.q.val().into()) << 1)
            | bit_cast::<4, 1>(self.v.q.val().into());
        self.shifter.en.next = self.step.val();
        self.shifter.b.next = self.x_b.q.val();
        self.shifter.distance.next = self.x_n.q.val().get_bits::<5>(0);
        self.shifter.left.next = self.x_op.val().get_bits::<2>(0) == 1;
        self.shifter.arithmetic.next = self.x_op.val().get_bits::<2>(0) == 2;

        self.l_run.d.next = self.long_wait.val() & (!self.step.val());
        self.l_b.d.next = self.x_b.q.val();
        self.l_n.d.next = self.x_n.q.val();
        self.multiplier.run.next = self.l_run.q.val() & (self.x_mul.q.val() | self.x_fml.q.val());
        self.multiplier.clear.next = self.step.val();
        self.multiplier.u.next = self.x_u.val() & self.x_mul.q.val();
        self.multiplier.a.next = self.l_b.q.val();
        self.multiplier.b.next = self.l_n.q.val();
        if self.x_fml.q.val() {
            self.multiplier.a.next = self.float_multiplier.x_mantissa.val();
            self.multiplier.b.next = self.float_multiplier.y_mantissa.val();
        }
        self.divider.run.next = self.l_run.q.val() & self.x_div.q.val();
        self.divider.clear.next = self.step.val();
        self.divider.u.next = self.x_u.val();
        self.divider.dividend.next = self.l_b.q.val();
        self.divider.divisor.next = self.l_n.q.val();
        self.y_operand.next = self.l_n.q.val();
        if self.x_op.val() == 13 {
            self.y_operand.next = self.l_n.q.val() ^ 0x8000_0000_u32.to_bits();
        }
        self.float_adder.run.next = self.l_run.q.val() & self.x_fad.q.val();
        self.float_adder.clear.next = self.step.val();
        self.float_adder.u.next = self.x_u.val();
        self.float_adder.v.next = self.x_v.val();
        self.float_adder.x.next = self.l_b.q.val();
        self.float_adder.y.next = self.y_operand.val();
        self.float_multiplier.ready.next =
            self.l_run.q.val() & self.x_fml.q.val() & self.multiplier.done.val();
        self.float_multiplier.x.next = self.l_b.q.val();
        self.float_multiplier.y.next = self.l_n.q.val();
        self.float_multiplier.product.next = self.multiplier.product.val().get_bits::<48>(0);
        self.float_divider.run.next = self.l_run.q.val() & self.x_fdv.q.val();
        self.float_divider.clear.next = self.step.val();
        self.float_divider.x.next = self.l_b.q.val();
        self.float_divider.y.next = self.l_n.q.val();

        self.next_pc.next = self.x_pc.q.val() + 1;
        self.link_value.next = bit_cast::<32, 22>(self.next_pc.val()) << 2;
        // Results of long operations come from registers; gathered first, they are off the ALU's path.
        self.long_result.next = self.multiplier.product.val().get_bits::<32>(0);
        if self.x_div.q.val() {
            self.long_result.next = self.divider.quotient.val();
        } else if self.x_fad.q.val() {
            self.long_result.next = self.float_adder.result.val();
        } else if self.x_fml.q.val() {
            self.long_result.next = self.float_multiplier.result.val();
        } else if self.x_fdv.q.val() {
            self.long_result.next = self.float_divider.result.val();
        }
        if self.x_branch.q.val() {
            self.long_result.next = self.link_value.val();
        }
        self.x_other.next = self.alu.result.val();
        if self.x_long.q.val() | self.x_branch.q.val() {
            self.x_other.next = self.long_result.val();
        }
        self.x_result.next = self.x_other.val();
        if self.x_early.q.val() {
            self.x_result.next = self.loaded.val();
        }

        // ---- X: branch ----
        self.condition.code.next = self.x_number.val();
        self.condition.n.next = self.x_flag_n.val();
        self.condition.z.next = self.x_flag_z.val();
        self.condition.c.next = self.c.q.val();
        self.condition.v.next = self.v.q.val();
        self.branches.next =
            self.x_branch.q.val() & (self.condition.holds.val() | self.x_return.val());
        self.taken.next = self.x_acts.val()
            & (!self.x_event.val())
            & (!self.x_jumped.q.val())
            & self.branches.val();
        self.target.next = self.x_n.q.val().get_bits::<22>(2);
        if self.x_u.val() {
            self.target.next = self.x_target.q.val();
        } else if self.x_return.val() {
            self.target.next = self.interrupts.saved_pc.val();
        }

        // ---- X: load and store ----
        self.offset.next = bit_cast::<24, 20>(self.ir.q.val().get_bits::<20>(0));
        if self.ir.q.val().get_bit(19) {
            self.offset.next = bit_cast::<24, 20>(self.ir.q.val().get_bits::<20>(0)) | 0xF0_0000;
        }
        self.addr.next = self.x_b.q.val().get_bits::<24>(0) + self.offset.val();
        self.s_addr.next = self.addr.val();
        self.store_lane.next = self.addr.val().get_bits::<2>(0);
        self.store_value.next = self.x_a.q.val();
        if self.x_late.q.val() {
            self.store_value.next = self.m_value.val();
        }
        self.s_value.next = self.store_value.val();
        self.store_byte.next = bit_cast::<32, 8>(self.store_value.val().get_bits::<8>(0));
        self.d_lanes.next = 15.into();
        self.d_wdata.next = self.store_value.val();
        if self.x_v.val() & (self.store_lane.val() == 0) {
            self.d_lanes.next = 1.into();
            self.d_wdata.next = self.store_byte.val();
        } else if self.x_v.val() & (self.store_lane.val() == 1) {
            self.d_lanes.next = 2.into();
            self.d_wdata.next = self.store_byte.val() << 8;
        } else if self.x_v.val() & (self.store_lane.val() == 2) {
            self.d_lanes.next = 4.into();
            self.d_wdata.next = self.store_byte.val() << 16;
        } else if self.x_v.val() {
            self.d_lanes.next = 8.into();
            self.d_wdata.next = self.store_byte.val() << 24;
        }
        self.x_uses_port.next = self.x_valid.q.val()
            & (self.x_store.q.val() | (self.x_load.q.val() & (!self.x_early.q.val())));

        // ---- X to M, flags, H, interrupts ----
        self.x_writes.next = self.execute.val()
            & (self.x_operation.q.val()
                | self.x_load.q.val()
                | (self.branches.val() & self.x_v.val()));
        self.m_valid.d.next = self.m_valid.q.val();
        self.m_write.d.next = self.m_write.q.val();
        self.m_load.d.next = self.m_load.q.val();
        self.m_delayed.d.next = self.m_delayed.q.val();
        self.m_store.d.next = self.m_store.q.val();
        if self.step.val() {
            self.m_valid.d.next = self.execute.val();
            self.m_write.d.next = self.x_writes.val();
            self.m_load.d.next = self.execute.val() & self.x_load.q.val();
            self.m_delayed.d.next = self.execute.val() & self.x_delayed.q.val();
            self.m_store.d.next = self.execute.val() & self.x_store.q.val();
        }
        self.m_pc.en.next = self.step.val();
        self.m_pc.d.next = self.x_pc.q.val();
        self.m_next.en.next = self.step.val();
        self.m_next.d.next = self.next_pc.val();
        self.m_number.en.next = self.step.val();
        self.m_number.d.next = self.x_dest.q.val();
        self.m_result.en.next = self.step.val();
        self.m_result.d.next = self.x_result.val();
        // Zero is found in groups of four bits before the register and joined behind it.
        self.x_other_zeros.value.next = self.x_other.val();
        self.m_zeros.en.next = self.step.val();
        self.m_zeros.d.next = self.x_other_zeros.groups.val();
        if self.x_early.q.val() {
            self.m_zeros.d.next = self.loaded_zeros.val();
        }
        self.m_addr.en.next = self.step.val();
        self.m_addr.d.next = self.addr.val();

        self.n.en.next = self.step.val() & self.m_write.q.val();
        self.z.en.next = self.step.val() & self.m_write.q.val();
        self.n.d.next = self.m_n.val();
        self.z.d.next = self.m_value_zeros.val();
        self.sum_op.next = self.x_operation.q.val() & (self.ir.q.val().get_bits::<3>(17) == 4);
        self.c.en.next = self.step.val() & self.execute.val() & self.sum_op.val();
        self.v.en.next = self.step.val() & self.execute.val() & self.sum_op.val();
        self.c.d.next = self.alu.carry.val();
        self.v.d.next = self.alu.overflow.val();
        if self.execute.val() & self.x_return.val() {
            self.n.en.next = self.step.val();
            self.z.en.next = self.step.val();
            self.c.en.next = self.step.val();
            self.v.en.next = self.step.val();
            self.n.d.next = self.interrupts.saved_flags.val().get_bit(3);
            self.z.d.next = 0.into();
            if self.interrupts.saved_flags.val().get_bit(2) {
                self.z.d.next = 0xFF.into();
            }
            self.c.d.next = self.interrupts.saved_flags.val().get_bit(1);
            self.v.d.next = self.interrupts.saved_flags.val().get_bit(0);
        }
        self.h.en.next =
            self.step.val() & self.execute.val() & (self.x_mul.q.val() | self.x_div.q.val());
        self.h.d.next = self.multiplier.product.val().get_bits::<32>(32);
        if self.x_div.q.val() {
            self.h.d.next = self.divider.remainder.val();
        }
        self.aborted.next = self.step.val() & self.preempt.val() & self.abort.val();
        self.interrupts.reset.next = self.reset.val() | self.aborted.val();
        self.interrupts.edge_seen.next = self.irq.val();
        self.interrupts.executed.next = self.step.val() & self.execute.val();
        self.interrupts.set_enable.next = self.x_enable.val();
        self.interrupts.enable.next = self.ir.q.val().get_bit(0);
        self.interrupts.return_from.next = self.x_return.val();
        self.interrupts.accept.next = self.step.val() & self.preempt.val() & (!self.abort.val());
        self.interrupts.pc.next = self.x_pc.q.val();
        self.interrupts.flags.next = self.flags.val();
        self.wakes.next = self.interrupts.wakes.val();
        self.pc.next = self.x_pc.q.val();

        // ---- D: decode and read ----
        self.sequential.next = self.d_pc.q.val() + 1;
        self.decoder.ir.next = self.i_data.val();
        self.number_a.next = self.i_data.val().get_bits::<4>(24);
        self.number_b.next = self.i_data.val().get_bits::<4>(20);
        self.number_c.next = self.i_data.val().get_bits::<4>(0);
        self.registers.a.next = self.number_a.val();
        self.registers.b.next = self.number_b.val();
        self.registers.c.next = self.number_c.val();
        self.x_is_a.next = self.x_valid.q.val() & (self.number_a.val() == self.x_dest.q.val());
        self.x_is_b.next = self.x_valid.q.val() & (self.number_b.val() == self.x_dest.q.val());
        self.x_is_c.next = self.x_valid.q.val() & (self.number_c.val() == self.x_dest.q.val());
        self.m_is_a.next = self.m_write.q.val() & (self.number_a.val() == self.m_number.q.val());
        self.m_is_b.next = self.m_write.q.val() & (self.number_b.val() == self.m_number.q.val());
        self.m_is_c.next = self.m_write.q.val() & (self.number_c.val() == self.m_number.q.val());
        self.x_gives_a.next = self.x_forwards.q.val() & self.x_is_a.val();
        self.loads_a.next = (self.x_gives_a.val() & self.x_early.q.val())
            | ((!self.x_gives_a.val()) & self.m_is_a.val() & self.m_loads.val());
        self.other_a.next = self.registers.a_value.val();
        if self.x_gives_a.val() {
            self.other_a.next = self.x_other.val();
        } else if self.m_is_a.val() {
            self.other_a.next = self.m_other.val();
        }
        self.x_gives_b.next = self.x_forwards.q.val() & self.x_is_b.val();
        self.loads_b.next = (self.x_gives_b.val() & self.x_early.q.val())
            | ((!self.x_gives_b.val()) & self.m_is_b.val() & self.m_loads.val());
        self.other_b.next = self.registers.b_value.val();
        if self.x_gives_b.val() {
            self.other_b.next = self.x_other.val();
        } else if self.m_is_b.val() {
            self.other_b.next = self.m_other.val();
        }
        self.x_gives_c.next = self.x_forwards.q.val() & self.x_is_c.val();
        self.loads_c.next = (self.x_gives_c.val() & self.x_early.q.val())
            | ((!self.x_gives_c.val()) & self.m_is_c.val() & self.m_loads.val());
        self.other_c.next = self.registers.c_value.val();
        if self.x_gives_c.val() {
            self.other_c.next = self.x_other.val();
        } else if self.m_is_c.val() {
            self.other_c.next = self.m_other.val();
        }
        self.operand_wait.next = self.x_delayed.q.val()
            & ((self.decoder.reads_b.val() & self.x_is_b.val())
                | (self.decoder.reads_c.val() & self.x_is_c.val()));
        self.hold.next = self.x_wait.val() | self.operand_wait.val();
        self.redirect.next =
            self.start.val() | self.refetch.val() | self.x_diverts.val() | self.taken.val();
        self.moves.next = (!self.redirect.val()) & (!self.hold.val());

        // ---- D: a load starts here if its base is known and X leaves the data port free ----
        self.base.next = self.registers.b_value.val().get_bits::<24>(0);
        if self.m_is_b.val() {
            self.base.next = self.m_result.q.val().get_bits::<24>(0);
        }
        self.base_known.next = (!(self.x_is_b.val() & self.x_writer.q.val()))
            & (!(self.m_is_b.val() & self.m_delayed.q.val()));
        self.early.next =
            self.decoder.load.val() & self.base_known.val() & (!self.x_uses_port.val());
        self.early_offset.next = bit_cast::<24, 20>(self.i_data.val().get_bits::<20>(0));
        if self.i_data.val().get_bit(19) {
            self.early_offset.next =
                bit_cast::<24, 20>(self.i_data.val().get_bits::<20>(0)) | 0xF0_0000;
        }
        self.early_addr.next = self.base.val() + self.early_offset.val();

        self.d_addr.next = self.early_addr.val();
        self.lane_only.d.next = self.i_data.val().get_bit(28);
        if self.x_uses_port.val() {
            self.d_addr.next = self.addr.val();
            self.lane_only.d.next = self.x_v.val();
        }
        self.lane_only.en.next = self.step.val();
        self.lane.en.next = self.step.val();
        self.lane.d.next = self.d_addr.val().get_bits::<2>(0);
        self.d_write.next = self.x_uses_port.val() & self.x_store.q.val();
        self.d_valid.next = self.step.val()
            & ((self.execute.val() & self.x_uses_port.val())
                | (self.early.val() & self.moves.val()));

        // ---- D: a branch that needs no flags is followed here if its target is known ----
        self.jump_base.next = self.registers.c_value.val().get_bits::<22>(2);
        if self.m_is_c.val() {
            self.jump_base.next = self.m_result.q.val().get_bits::<22>(2);
        }
        self.jump_known.next = (!(self.x_is_c.val() & self.x_writer.q.val()))
            & (!(self.m_is_c.val() & self.m_delayed.q.val()));
        self.jump.next = self.decoder.jump_relative.val()
            | (self.decoder.jump_register.val() & self.jump_known.val());
        self.relative.next = self.sequential.val() + self.i_data.val().get_bits::<22>(0);
        self.jump_target.next = self.jump_base.val();
        if self.decoder.jump_relative.val() {
            self.jump_target.next = self.relative.val();
        }

        // ---- F: what comes next; a branch's condition comes last and only chooses ----
        self.diverted.next = self.target.val();
        if self.start.val() {
            self.diverted.next = self.reset_pc.val();
        } else if self.refetch.val() {
            self.diverted.next = self.m_next.q.val();
        } else if self.x_diverts.val() & self.abort.val() {
            self.diverted.next = 0.into();
        } else if self.x_diverts.val() {
            self.diverted.next = 1.into();
        }
        self.turn.next = self.jump_target.val();
        if self.redirect.val() {
            self.turn.next = self.diverted.val();
        }
        self.i_turn.next = self.redirect.val() | self.jump.val();
        self.i_target.next = self.turn.val();
        self.fetch.next = self.sequential.val();
        if self.i_turn.val() {
            self.fetch.next = self.turn.val();
        }
        self.i_addr.next = self.fetch.val();
        self.d_en.next = self.step.val() & (self.redirect.val() | (!self.hold.val()));
        self.i_valid.next = self.d_en.val();
        self.d_live.en.next = self.d_en.val();
        self.d_live.d.next = true;
        self.d_pc.en.next = self.d_en.val();
        self.d_pc.d.next = self.fetch.val();

        self.x_en.next = self.step.val() & (!self.x_wait.val());
        self.x_valid.d.next = self.x_valid.q.val();
        if self.step.val() & self.redirect.val() {
            self.x_valid.d.next = false;
        } else if self.x_en.val() {
            self.x_valid.d.next = !self.operand_wait.val();
        }
        self.x_pc.en.next = self.x_en.val();
        self.x_pc.d.next = self.d_pc.q.val();
        self.ir.en.next = self.x_en.val();
        self.ir.d.next = self.i_data.val();
        self.x_b.en.next = self.x_en.val();
        self.x_b.d.next = self.other_b.val();
        if self.loads_b.val() {
            self.x_b.d.next = self.loaded.val();
        }
        self.x_n.en.next = self.x_en.val();
        self.x_n.d.next = self.other_c.val();
        if self.decoder.immediate.val() {
            self.x_n.d.next = self.decoder.operand.val();
        } else if self.loads_c.val() {
            self.x_n.d.next = self.loaded.val();
        }
        self.x_a.en.next = self.x_en.val();
        self.x_a.d.next = self.other_a.val();
        if self.loads_a.val() {
            self.x_a.d.next = self.loaded.val();
        }
        self.x_late.en.next = self.x_en.val();
        self.x_late.d.next = self.x_delayed.q.val() & self.x_is_a.val();
        self.x_dest.en.next = self.x_en.val();
        self.x_dest.d.next = self.number_a.val();
        if self.decoder.branch.val() {
            self.x_dest.d.next = 15.into();
        }
        self.x_writer.en.next = self.x_en.val();
        self.x_writer.d.next = self.decoder.operation.val()
            | self.decoder.load.val()
            | (self.decoder.branch.val() & self.i_data.val().get_bit(28));
        self.x_forwards.en.next = self.x_en.val();
        self.x_forwards.d.next = (self.decoder.operation.val() & (!self.decoder.shift.val()))
            | self.early.val()
            | (self.decoder.jump_relative.val() & self.i_data.val().get_bit(28));
        self.x_delayed.en.next = self.x_en.val();
        self.x_delayed.d.next =
            self.decoder.shift.val() | (self.decoder.load.val() & (!self.early.val()));
        self.x_early.en.next = self.x_en.val();
        self.x_early.d.next = self.early.val();
        self.x_jumped.en.next = self.x_en.val();
        self.x_jumped.d.next = self.jump.val();
        self.x_target.en.next = self.x_en.val();
        self.x_target.d.next = self.relative.val();
        self.x_operation.en.next = self.x_en.val();
        self.x_operation.d.next = self.decoder.operation.val();
        self.x_load.en.next = self.x_en.val();
        self.x_load.d.next = self.decoder.load.val();
        self.x_store.en.next = self.x_en.val();
        self.x_store.d.next = self.decoder.store.val();
        self.x_branch.en.next = self.x_en.val();
        self.x_branch.d.next = self.decoder.branch.val();
        self.x_mul.en.next = self.x_en.val();
        self.x_mul.d.next = self.decoder.mul.val();
        self.x_div.en.next = self.x_en.val();
        self.x_div.d.next = self.decoder.div.val();
        self.x_fad.en.next = self.x_en.val();
        self.x_fad.d.next = self.decoder.fad.val();
        self.x_fml.en.next = self.x_en.val();
        self.x_fml.d.next = self.decoder.fml.val();
        self.x_fdv.en.next = self.x_en.val();
        self.x_fdv.d.next = self.decoder.fdv.val();
        self.x_long.en.next = self.x_en.val();
        self.x_long.d.next = self.decoder.mul.val()
            | self.decoder.div.val()
            | self.decoder.fad.val()
            | self.decoder.fml.val()
            | self.decoder.fdv.val();

        // ---- what a harness sees ----
        self.trace_valid.next = self.step.val() & self.m_valid.q.val();
        self.trace_pc.next = self.m_pc.q.val();
        self.trace_write.next = self.m_write.q.val();
        self.trace_number.next = self.m_number.q.val();
        self.trace_value.next = self.m_value.val();
        self.trace_flags.next = (bit_cast::<4, 1>(self.n.q.val().into()) << 3)
            | (bit_cast::<4, 1>(self.z_flag.val().into()) << 2)
            | (bit_cast::<4, 1>(self.c.q.val().into()) << 1)
            | bit_cast::<4, 1>(self.v.q.val().into());
        if self.m_write.q.val() {
            self.trace_flags.next = (bit_cast::<4, 1>(self.m_n.val().into()) << 3)
                | (bit_cast::<4, 1>(self.m_z.val().into()) << 2)
                | (bit_cast::<4, 1>(self.c.q.val().into()) << 1)
                | bit_cast::<4, 1>(self.v.q.val().into());
        }
        self.trace_h.next = self.h.q.val();
        self.trace_memory.next = (bit_cast::<2, 1>(self.m_store.q.val().into()) << 1)
            | bit_cast::<2, 1>(self.m_load.q.val().into());
        self.trace_addr.next = self.m_addr.q.val();
        self.trace_event.next = (bit_cast::<2, 1>(self.aborted.val().into()) << 1)
            | bit_cast::<2, 1>(self.interrupts.accept.val().into());
        self.trace_stall.next = 0.into();
        if !(self.i_ready.val() & self.d_ready.val()) {
            self.trace_stall.next = 1.into();
        } else if self.busy.val() {
            self.trace_stall.next = 2.into();
        } else if self.start.val() {
            self.trace_stall.next = 0.into();
        } else if self.refetch.val() {
            self.trace_stall.next = 32.into();
        } else if self.preempt.val() {
            self.trace_stall.next = 64.into();
        } else if self.taken.val() {
            self.trace_stall.next = 16.into();
        } else if self.x_wait.val() {
            self.trace_stall.next = 8.into();
        } else if self.operand_wait.val() {
            self.trace_stall.next = 4.into();
        }
    }
}
