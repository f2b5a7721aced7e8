//! Addresses, loads and stores.

use risc5_isa::trap;

use super::Lower;
use crate::ir::{Alu, Base, Cmp, Extent, Op, Operand, Region, Relation, V};
use crate::tree::{Binary, Expr, ExprKind, Length, Place, PlaceKind};
use crate::types::{Form, TypeId};

/// Offsets of memory instructions are signed and have 20 bits.
const MAX_OFFSET: i32 = 0x7_FFFF;
/// Words of the I/O space are reached from here.
const IO_BASE: i32 = -64;

/// Where an address starts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    Frame,
    Own,
    Imported(u8, u8),
    V(V),
}

/// An address as a memory operation can use it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub(super) origin: Origin,
    pub(super) offset: i32,
    pub(super) extent: Extent,
    /// The extent is that of exactly this place, not of an array around it.
    exact: bool,
}

impl Address {
    fn new(origin: Origin, offset: i32, region: Region, size: u32) -> Self {
        let extent = Extent { region, low: offset, high: offset.saturating_add(size as i32) };
        Self { origin, offset, extent, exact: true }
    }

    fn anywhere(v: V, offset: i32, region: Region) -> Self {
        Self { origin: Origin::V(v), offset, extent: Extent::whole(region), exact: false }
    }

    /// A part at an offset.
    fn part(mut self, offset: u32, size: u32) -> Self {
        self.offset = self.offset.wrapping_add(offset as i32);
        if self.exact {
            self.extent.low = self.extent.low.saturating_add(offset as i32);
            self.extent.high = self.extent.low.saturating_add(size as i32);
        }
        self
    }

    pub(super) fn plus(mut self, offset: i32) -> Self {
        self.offset = self.offset.wrapping_add(offset);
        self
    }
}

impl Lower<'_> {
    pub(super) fn is_byte(&self, ty: TypeId) -> bool {
        self.module.types.size(ty) == 1
    }

    /// The variable, if the place is one that lives in a register.
    pub(super) fn local(&self, place: &Place) -> Option<V> {
        match place.kind {
            PlaceKind::Local(offset) => self.variable(offset),
            _ => None,
        }
    }

    /// A word of the parameters: an address, a tag or a length.
    pub(super) fn word(&mut self, slot: u32) -> V {
        if let Some(v) = self.variable(slot) {
            return v;
        }
        let address = Address::new(Origin::Frame, slot as i32, Region::Frame, 4);
        self.load(address, false)
    }

    /// The address of a place. Whatever has to be checked on the way is checked.
    pub(super) fn place(&mut self, place: &Place) -> Address {
        let size = self.module.types.size(place.ty);
        match &place.kind {
            PlaceKind::Global(offset) => {
                let at = self.module.descriptor_bytes + offset;
                Address::new(Origin::Own, at as i32, Region::Own, size)
            }
            PlaceKind::Imported { module, entry } => Address {
                origin: Origin::Imported(*module, *entry),
                offset: 0,
                extent: Extent::whole(Region::Imported),
                exact: false,
            },
            PlaceKind::Local(offset) => {
                Address::new(Origin::Frame, *offset as i32, Region::Frame, size)
            }
            PlaceKind::String(offset) => {
                let at = self.module.descriptor_bytes + self.module.variable_bytes + offset;
                Address::new(Origin::Own, at as i32, Region::Fixed, size)
            }
            PlaceKind::Reference(slot) => {
                let v = self.word(*slot);
                Address::anywhere(v, 0, Region::Outer)
            }
            PlaceKind::Deref(pointer) => {
                let v = self.register(pointer);
                self.check_nil(v, place);
                if self.forged {
                    Address::anywhere(v, 0, Region::Wild)
                } else {
                    Address::new(Origin::V(v), 0, Region::Heap, size)
                }
            }
            PlaceKind::Field(record, offset) => self.place(record).part(*offset, size),
            PlaceKind::Index { array, index, length, size } => {
                self.element(array, index, *length, *size)
            }
            PlaceKind::Guard(inner, record) => {
                if self.module.types.record(inner.ty).is_some() {
                    if self.checks {
                        let tag = self.tag(inner);
                        let cmp = self.compare_tag(tag, *record);
                        self.trap(cmp.invert(), trap::GUARD, place.span);
                    }
                    return self.place(inner);
                }
                let address = self.place(inner);
                if self.checks {
                    let pointer = self.load(address, false);
                    self.check_pointer(pointer, *record, place);
                }
                address
            }
        }
    }

    fn check_nil(&mut self, pointer: V, place: &Place) {
        if self.checks {
            let cmp = Cmp { relation: Relation::Eq, a: pointer, b: Operand::Imm(0) };
            self.trap(cmp, trap::NIL, place.span);
        }
    }

    fn element(&mut self, array: &Place, index: &Expr, length: Length, size: u32) -> Address {
        let mut address = self.place(array);
        if let (Some(n), Length::Fixed(count)) = (index.constant(), length)
            && (n as u32) < count
        {
            return address.part(n as u32 * size, size);
        }
        let value = self.value(index);
        if self.checks {
            let limit = match length {
                Length::Fixed(n) => Operand::Imm(n as i32),
                Length::Slot(slot) => Operand::V(self.word(slot)),
            };
            // The unsigned comparison finds negative indexes too.
            let cmp = self.compare(Relation::Above, value, limit);
            self.trap(cmp, trap::INDEX, index.span);
        }
        let scaled = match value {
            Operand::Imm(n) => Operand::Imm(n.wrapping_mul(size as i32)),
            value if size == 1 => value,
            value => Operand::V(self.alu(Alu::Mul, value, Operand::Imm(size as i32))),
        };
        address.exact = false;
        let base = match address.origin {
            Origin::V(v) => v,
            Origin::Own => self.put(Op::DataBase),
            Origin::Frame => self.put(|t| Op::FrameAddress(t, 0)),
            Origin::Imported(module, entry) => {
                self.put(|t| Op::Global(t, module, u16::from(entry)))
            }
        };
        let sum = self.alu(Alu::Add, Operand::V(base), scaled);
        Address { origin: Origin::V(sum), ..address }
    }

    /// Traps unless a pointer is NIL or points to the record type.
    pub(super) fn check_pointer(&mut self, pointer: V, record: TypeId, place: &Place) {
        let level = self.module.types.record(record).map_or(0, |r| r.level);
        let descriptor = self.descriptor(record);
        let outer = std::mem::replace(&mut self.span, place.span);
        self.emit(Op::Guard { pointer, descriptor, level, present: false });
        self.span = outer;
    }

    /// The condition that a tag is that of the record type or of an extension.
    pub(super) fn compare_tag(&mut self, tag: V, record: TypeId) -> Cmp {
        let level = self.module.types.record(record).map_or(0, |r| r.level);
        let descriptor = self.descriptor(record);
        // Level 0 is not stored: there is nothing it could be an extension of.
        let own = if level > 0 { self.fixed(tag, 4 * level as i32) } else { tag };
        Cmp { relation: Relation::Eq, a: own, b: Operand::V(descriptor) }
    }

    /// A word that never changes.
    pub(super) fn fixed(&mut self, base: V, offset: i32) -> V {
        let extent = Extent::whole(Region::Fixed);
        self.put(|d| Op::Load { d, base: Base::V(base), offset, byte: false, extent })
    }

    /// The address of a record type's descriptor.
    pub(super) fn descriptor(&mut self, record: TypeId) -> V {
        let ty = self.module.types.get(record);
        match ty.module {
            0 => {
                let offset = self.module.types.record(record).and_then(|r| r.descriptor);
                let offset = offset.unwrap_or(0) as i32;
                self.address(Address::new(Origin::Own, offset, Region::Fixed, 4))
            }
            module => {
                let entry = ty.entry as u8;
                self.put(|t| Op::Global(t, module, u16::from(entry)))
            }
        }
    }

    /// The type descriptor that goes with a record: its own one where it carries one.
    pub(super) fn tag(&mut self, place: &Place) -> V {
        match &place.kind {
            PlaceKind::Reference(slot) => self.word(*slot + 4),
            PlaceKind::Guard(inner, _) => self.tag(inner),
            _ => self.descriptor(place.ty),
        }
    }

    /// Puts an address into a register.
    pub(super) fn address(&mut self, address: Address) -> V {
        let base = match address.origin {
            Origin::Frame => return self.put(|t| Op::FrameAddress(t, address.offset)),
            _ => self.base_of(address),
        };
        if address.offset == 0 {
            return base;
        }
        self.alu_n(Alu::Add, base, address.offset)
    }

    fn base_of(&mut self, address: Address) -> V {
        match address.origin {
            Origin::V(v) => v,
            Origin::Own => self.put(Op::DataBase),
            Origin::Imported(module, entry) => {
                self.put(|t| Op::Global(t, module, u16::from(entry)))
            }
            Origin::Frame => self.put(|t| Op::FrameAddress(t, 0)),
        }
    }

    /// Base and offset for memory operations.
    pub(super) fn resolve(&mut self, address: Address) -> (Base, i32) {
        if address.offset.abs() > MAX_OFFSET - 64 {
            return (Base::V(self.address(address)), 0);
        }
        match address.origin {
            Origin::Frame => (Base::Frame, address.offset),
            _ => (Base::V(self.base_of(address)), address.offset),
        }
    }

    pub(super) fn load(&mut self, address: Address, byte: bool) -> V {
        if let (Origin::Imported(module, entry), 0) = (address.origin, address.offset) {
            return self.put(|d| Op::LoadGlobal { d, module, entry, byte });
        }
        let (base, offset) = self.resolve(address);
        self.put(|d| Op::Load { d, base, offset, byte, extent: address.extent })
    }

    pub(super) fn store(&mut self, address: Address, s: V, byte: bool) {
        let (base, offset) = self.resolve(address);
        self.emit(Op::Store { s, base, offset, byte, extent: address.extent });
    }

    /// A variable that is loaded and stored again: its base is computed once.
    pub(super) fn resolved(&mut self, place: &Place) -> Address {
        let address = self.place(place);
        match self.resolve(address) {
            (Base::V(v), offset) => Address { origin: Origin::V(v), offset, ..address },
            (Base::Frame, _) => address,
        }
    }

    /// The scalar in a place.
    pub(super) fn load_place(&mut self, place: &Place) -> V {
        if let Some(v) = self.local(place) {
            return v;
        }
        // A guarded pointer is loaded once, for the check and as the value.
        if let PlaceKind::Guard(inner, record) = &place.kind
            && self.module.types.record(inner.ty).is_none()
        {
            let pointer = self.load_place(inner);
            if self.checks {
                self.check_pointer(pointer, *record, place);
            }
            return pointer;
        }
        let byte = self.is_byte(place.ty);
        let address = self.place(place);
        self.load(address, byte)
    }

    /// An address computed by an expression, with constant parts left to the instruction.
    pub(super) fn computed(&mut self, address: &Expr) -> Address {
        if let Some(n) = address.constant() {
            let near = (IO_BASE..0).contains(&n);
            let base = self.constant(if near { IO_BASE } else { n });
            return Address::anywhere(base, if near { n - IO_BASE } else { 0 }, Region::Volatile);
        }
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
                let v = self.register(address);
                return Address::anywhere(v, 0, Region::Volatile);
            }
            rest = left;
        }
        if let ExprKind::Address(place) = &rest.kind {
            let mut at = self.place(place).plus(offset);
            at.extent = Extent::whole(Region::Volatile);
            at.exact = false;
            if let Origin::Imported(..) = at.origin {
                let base = self.base_of(at);
                at.origin = Origin::V(base);
            }
            return at;
        }
        let v = self.register(rest);
        Address::anywhere(v, offset, Region::Volatile)
    }

    pub(super) fn points_to_heap(place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Deref(_) => true,
            PlaceKind::Guard(inner, _) => Self::points_to_heap(inner),
            _ => false,
        }
    }
}

/// Whether an expression of a pointer type is a number in truth.
pub(crate) fn is_forged(module: &crate::tree::Module, e: &Expr) -> bool {
    let pointer = |ty| matches!(module.types.form(ty), Form::Pointer { .. });
    pointer(e.ty)
        && match &e.kind {
            ExprKind::Load(place) => !pointer(place.ty),
            ExprKind::Call(_) => false,
            ExprKind::Const(n) => *n != 0,
            _ => true,
        }
}

impl Lower<'_> {
    /// A string constant of this module.
    pub(super) fn string(&self, offset: u32) -> Address {
        let at = self.module.descriptor_bytes + self.module.variable_bytes + offset;
        Address::new(Origin::Own, at as i32, Region::Fixed, 4)
    }
}
