//! Addresses: variables, what pointers point to, fields, elements, type descriptors.

use risc5_isa::Instruction;
use risc5_isa::opcode::{Cond, Op};
use risc5_isa::register::STACK;
use risc5_isa::trap;

use super::registers::Value;
use super::{Generator, STANDALONE_VARIABLES};
use crate::diagnostic::Span;
use crate::tree::{Expr, ExprKind, Length, Place, PlaceKind};
use crate::types::TypeId;

/// Offsets of memory instructions are signed and have 20 bits.
const MAX_OFFSET: i32 = 0x7_FFFF;
/// Procedure values carry this mark in the number of the object.
pub(super) const PROCEDURE_MARK: u16 = 0x100;

/// An address as a memory instruction can use it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Address {
    /// At an offset of the frame.
    Frame(i32),
    /// At an offset of this module's data.
    Own(u32),
    /// An object of another module.
    Imported(u8, u8),
    /// At an offset from a register.
    Register(Value, i32),
}

impl Generator<'_, '_, '_> {
    pub(super) fn frame(&self, offset: u32) -> i32 {
        (self.layout.base + offset) as i32
    }

    fn variable(&self, offset: u32) -> Address {
        if self.module.standalone {
            Address::Own(STANDALONE_VARIABLES + offset)
        } else {
            Address::Own(self.module.descriptor_bytes + offset)
        }
    }

    /// The address of a place. Whatever has to be checked on the way is checked.
    pub(super) fn place(&mut self, place: &Place) -> Address {
        match &place.kind {
            PlaceKind::Global(offset) => self.variable(*offset),
            PlaceKind::Imported { module, entry } => Address::Imported(*module, *entry),
            PlaceKind::Local(offset) => Address::Frame(self.frame(*offset)),
            PlaceKind::String(offset) => {
                Address::Own(self.module.descriptor_bytes + self.module.variable_bytes + offset)
            }
            PlaceKind::Reference(slot) => {
                let value = self.alloc();
                let (register, offset) = (self.reg(value), self.frame(*slot));
                self.out.load(register, STACK, offset);
                Address::Register(value, 0)
            }
            PlaceKind::Deref(pointer) => {
                let value = self.value(pointer);
                self.check_nil(value, place.span);
                Address::Register(value, 0)
            }
            PlaceKind::Field(record, offset) => {
                let offset = *offset as i32;
                match self.place(record) {
                    Address::Frame(at) => Address::Frame(at + offset),
                    Address::Own(at) => Address::Own(at + offset as u32),
                    Address::Register(value, at) => Address::Register(value, at + offset),
                    imported @ Address::Imported(..) => {
                        Address::Register(self.address(imported), offset)
                    }
                }
            }
            PlaceKind::Index { array, index, length, size } => {
                self.element(array, index, *length, *size)
            }
            PlaceKind::Guard(inner, record) => self.guarded(inner, *record, place.span),
        }
    }

    fn element(&mut self, array: &Place, index: &Expr, length: Length, size: u32) -> Address {
        let array = self.place(array);
        let index_value = self.value(index);
        self.check_index(index_value, index, length);
        let ri = self.reg(index_value);
        self.multiply(index_value, ri, size as i32);
        match array {
            Address::Frame(at) => {
                let ri = self.reg(index_value);
                self.out.register(Op::Add, ri, STACK, ri);
                Address::Register(index_value, at)
            }
            Address::Own(at) if self.module.standalone => Address::Register(index_value, at as i32),
            Address::Own(at) => {
                let base = self.alloc();
                let (rb, ri) = self.regs2(base, index_value);
                self.out.own_base(rb);
                self.out.register(Op::Add, ri, rb, ri);
                self.free(base);
                Address::Register(index_value, at as i32)
            }
            Address::Imported(..) => {
                let base = self.address(array);
                let (rb, ri) = self.regs2(base, index_value);
                self.out.register(Op::Add, rb, rb, ri);
                self.free(index_value);
                Address::Register(base, 0)
            }
            Address::Register(base, at) => {
                let (rb, ri) = self.regs2(base, index_value);
                self.out.register(Op::Add, rb, rb, ri);
                self.free(index_value);
                Address::Register(base, at)
            }
        }
    }

    fn check_index(&mut self, value: Value, index: &Expr, length: Length) {
        if !self.out.checks {
            return;
        }
        // The unsigned comparison finds negative indexes too.
        let limit = self.alloc();
        let (rl, ri) = self.regs2(limit, value);
        match length {
            Length::Fixed(n) => {
                if !self.out.try_immediate(Op::Sub, rl, ri, n as i32) {
                    self.out.constant(rl, n as i32);
                    self.out.register(Op::Sub, rl, ri, rl);
                }
            }
            Length::Slot(slot) => {
                let offset = self.frame(slot);
                self.out.load(rl, STACK, offset);
                self.out.register(Op::Sub, rl, ri, rl);
            }
        }
        self.out.trap(Cond::Cc, trap::INDEX, index.span);
        self.free(limit);
    }

    /// `value := value * factor`, in its register.
    pub(super) fn multiply(&mut self, value: Value, register: u8, factor: i32) {
        match factor {
            1 => {}
            0 => self.out.immediate(Op::Mov, register, 0, 0),
            n if n > 0 && n & (n - 1) == 0 => {
                let shift = n.trailing_zeros() as u16;
                self.out.immediate(Op::Lsl, register, register, shift);
            }
            n => {
                if !self.out.try_immediate(Op::Mul, register, register, n) {
                    let factor = self.alloc();
                    let (rf, rv) = self.regs2(factor, value);
                    self.out.constant(rf, n);
                    self.out.register(Op::Mul, rv, rv, rf);
                    self.free(factor);
                }
            }
        }
    }

    pub(super) fn check_nil(&mut self, pointer: Value, span: Span) {
        if self.out.checks {
            let register = self.reg(pointer);
            self.out.test(register);
            self.out.trap(Cond::Eq, trap::NIL, span);
        }
    }

    fn guarded(&mut self, inner: &Place, record: TypeId, span: Span) -> Address {
        if self.module.types.record(inner.ty).is_some() {
            if self.out.checks {
                let tag = self.tag(inner);
                self.compare_tag(tag, record);
                self.out.trap(Cond::Ne, trap::GUARD, span);
            }
            return self.place(inner);
        }
        let address = self.place(inner);
        if self.out.checks {
            let pointer = self.load_from(address, false, true);
            self.check_pointer(pointer, record, span);
            self.free(pointer);
        }
        address
    }

    /// Traps unless a pointer is NIL or points to the record type.
    pub(super) fn check_pointer(&mut self, pointer: Value, record: TypeId, span: Span) {
        let tag = self.alloc();
        let spare = self.alloc();
        let (rt, rp) = self.regs2(tag, pointer);
        let passed = self.out.label();
        self.out.test(rp);
        self.out.branch(Cond::Eq, passed);
        self.out.load(rt, rp, -8);
        self.free(spare);
        self.compare_tag(tag, record);
        self.out.trap(Cond::Ne, trap::GUARD, span);
        self.out.bind(passed);
    }

    /// Sets Z if a tag is that of the record type or of an extension. Uses up the tag; needs
    /// one more register.
    pub(super) fn compare_tag(&mut self, tag: Value, record: TypeId) {
        let level = self.module.types.record(record).map_or(0, |r| r.level);
        let rt = self.pin(tag);
        let descriptor = self.descriptor(record);
        let rd = self.reg(descriptor);
        // Level 0 is not stored: there is nothing it could be an extension of.
        if level > 0 {
            self.out.load(rt, rt, 4 * level as i32);
        }
        self.out.register(Op::Sub, rt, rt, rd);
        self.unpin(tag);
        self.free(descriptor);
        self.free(tag);
    }

    /// The address of a record type's descriptor.
    pub(super) fn descriptor(&mut self, record: TypeId) -> Value {
        let ty = self.module.types.get(record);
        let address = match ty.module {
            0 => {
                let offset = self.module.types.record(record).and_then(|r| r.descriptor);
                Address::Own(offset.unwrap_or(0))
            }
            module => Address::Imported(module, ty.entry as u8),
        };
        self.address(address)
    }

    /// The type descriptor that goes with a record: its own one where it carries one.
    pub(super) fn tag(&mut self, place: &Place) -> Value {
        match &place.kind {
            PlaceKind::Reference(slot) => {
                let value = self.alloc();
                let (register, offset) = (self.reg(value), self.frame(*slot + 4));
                self.out.load(register, STACK, offset);
                value
            }
            PlaceKind::Guard(inner, _) => self.tag(inner),
            _ => self.descriptor(place.ty),
        }
    }

    /// Puts an address into a register.
    pub(super) fn address(&mut self, address: Address) -> Value {
        match address {
            Address::Register(value, 0) => value,
            Address::Register(value, offset) => {
                let register = self.reg(value);
                self.add_constant(value, register, offset);
                value
            }
            Address::Frame(offset) => {
                let value = self.alloc();
                let register = self.reg(value);
                self.out.immediate(Op::Add, register, STACK, offset as u16);
                value
            }
            Address::Own(offset) => {
                let value = self.alloc();
                let register = self.reg(value);
                if self.module.standalone {
                    self.out.constant(register, offset as i32);
                } else {
                    self.out.own_base(register);
                    self.add_constant(value, register, offset as i32);
                }
                value
            }
            Address::Imported(module, entry) => {
                let value = self.alloc();
                let register = self.reg(value);
                self.imported_object(register, module, u16::from(entry));
                value
            }
        }
    }

    /// `register := address of` an object of another module.
    pub(super) fn imported_object(&mut self, register: u8, module: u8, number: u16) {
        let add = Instruction::Immediate {
            op: Op::Add,
            u: false,
            v: false,
            a: register,
            b: register,
            imm: number,
        };
        self.out.imported(register, module, add);
    }

    fn add_constant(&mut self, value: Value, register: u8, constant: i32) {
        if constant == 0 || self.out.try_immediate(Op::Add, register, register, constant) {
            return;
        }
        let spare = self.alloc();
        let (rs, rv) = self.regs2(spare, value);
        self.out.constant(rs, constant);
        self.out.register(Op::Add, rv, rv, rs);
        self.free(spare);
    }

    /// Base register and offset of an address, for a memory instruction; the base may be a
    /// temporary that the caller frees. Not for imported objects.
    fn base(&mut self, address: Address) -> (Option<Value>, u8, i32) {
        match address {
            Address::Frame(offset) => (None, STACK, offset),
            Address::Own(offset) if offset as i32 <= MAX_OFFSET => {
                let value = self.alloc();
                let register = self.reg(value);
                if self.module.standalone {
                    self.out.immediate(Op::Mov, register, 0, 0);
                } else {
                    self.out.own_base(register);
                }
                (Some(value), register, offset as i32)
            }
            Address::Register(value, offset) if (-MAX_OFFSET..=MAX_OFFSET).contains(&offset) => {
                let register = self.reg(value);
                (Some(value), register, offset)
            }
            far => {
                let value = self.address(far);
                let register = self.reg(value);
                (Some(value), register, 0)
            }
        }
    }

    /// Loads what stands at an address. With `keep` the address is used again afterwards.
    pub(super) fn load_from(&mut self, address: Address, byte: bool, keep: bool) -> Value {
        if let Address::Imported(module, entry) = address {
            let value = self.alloc();
            let register = self.reg(value);
            let load = Instruction::Memory {
                store: false,
                byte,
                a: register,
                b: register,
                offset: i32::from(entry),
            };
            self.out.imported(register, module, load);
            return value;
        }
        let shared = keep && matches!(address, Address::Register(..));
        let (base, register, offset) = self.base(address);
        match base {
            Some(base) if !shared => {
                self.out.load_sized(byte, register, register, offset);
                base
            }
            _ => {
                if let Some(base) = base {
                    self.pin(base);
                }
                let value = self.alloc();
                let target = self.reg(value);
                self.out.load_sized(byte, target, register, offset);
                if let Some(base) = base {
                    self.unpin(base);
                }
                value
            }
        }
    }

    /// Stores a value, and lets both the value and the address go.
    pub(super) fn store_to(&mut self, address: Address, value: Value, byte: bool) {
        self.store_keeping(address, value, byte);
        self.free(value);
        self.free_address(address);
    }

    /// Stores a value that is used again, at an address that is used again.
    pub(super) fn store_keeping(&mut self, address: Address, value: Value, byte: bool) {
        let source = self.pin(value);
        if let Address::Imported(module, entry) = address {
            // Other modules' variables are read-only to the language, but not to NEW and others
            // that might come; keep it general.
            let base = self.alloc();
            let register = self.reg(base);
            let store = Instruction::Memory {
                store: true,
                byte,
                a: source,
                b: register,
                offset: i32::from(entry),
            };
            self.out.imported(register, module, store);
            self.free(base);
        } else {
            let (base, register, offset) = self.base(address);
            self.out.store_sized(byte, source, register, offset);
            if let (Some(base), Address::Own(_)) = (base, address) {
                self.free(base);
            }
        }
        self.unpin(value);
    }

    pub(super) fn free_address(&mut self, address: Address) {
        if let Address::Register(value, _) = address {
            self.free(value);
        }
    }

    /// An address computed by an expression, with constant parts left to the instruction.
    pub(super) fn computed(&mut self, address: &Expr) -> Address {
        use crate::tree::Binary;
        let mut offset: i32 = 0;
        let mut rest = address;
        while let ExprKind::Binary(op, left, right) = &rest.kind {
            let Some(part) = right.constant().filter(|n| n.unsigned_abs() < 0x1_0000) else {
                break;
            };
            match op {
                Binary::Add => offset += part,
                Binary::Sub => offset -= part,
                _ => break,
            }
            if offset.abs() > MAX_OFFSET / 2 {
                let value = self.value(address);
                return Address::Register(value, 0);
            }
            rest = left;
        }
        if let ExprKind::Address(place) = &rest.kind {
            return match self.place(place) {
                Address::Register(value, at) => Address::Register(value, at + offset),
                Address::Frame(at) if at + offset >= 0 => Address::Frame(at + offset),
                other => {
                    let value = self.address(other);
                    Address::Register(value, offset)
                }
            };
        }
        let value = self.value(rest);
        Address::Register(value, offset)
    }
}
