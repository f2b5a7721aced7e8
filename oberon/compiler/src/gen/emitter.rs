//! Writes instructions: labels, the fix-up chains that the loader follows, and what is known
//! about the flags.

use risc5_isa::Instruction;
use risc5_isa::opcode::{Cond, Op};
use risc5_isa::trap;

use crate::diagnostic::Span;

/// The distance field of a fix-up has 12 bits. A link that leads nowhere is put into a chain
/// before the distance gets longer than that.
const MAX_DISTANCE: usize = 4080;

/// A place in the code that branches lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(usize);

impl Label {
    /// One of those made together with it.
    pub(crate) fn plus(self, n: usize) -> Self {
        Self(self.0 + n)
    }
}

/// What a procedure value or call refers to, until the procedure is generated.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reference {
    /// Branch-and-link at this word.
    Call(usize),
    /// Immediate operand at this word: offset of the procedure from the data base.
    Short(usize),
    /// Two words, high and low half.
    Long(usize),
    /// Immediate operand at this word: distance from the word itself, for standalone modules.
    Relative(usize),
}

/// A state of the emitter to go back to.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    code: usize,
    references: usize,
    positions: usize,
    fix_p: usize,
    fix_d: usize,
}

pub(crate) struct Emitter {
    pub(crate) code: Vec<u32>,
    /// Last word of the chain of imported calls.
    pub(crate) fix_p: usize,
    /// Last word of the chain of data bases.
    pub(crate) fix_d: usize,
    /// First words of runs that come from the same part of the text, in their order.
    pub(crate) positions: Vec<(u32, Span)>,
    /// The part of the text that the next instructions come from.
    pub(crate) span: Span,
    /// References to procedures, with the number of each.
    pub(crate) references: Vec<(Reference, usize)>,
    pub(crate) checks: bool,
    imports: bool,
    chains: bool,
    labels: Vec<Option<usize>>,
    branches: Vec<(usize, Label)>,
    /// The register whose value N and Z describe.
    flags: Option<u8>,
    /// The current procedure overwrites the link register.
    pub(crate) calls: bool,
    /// The current procedure changes the H register.
    pub(crate) uses_high: bool,
}

impl Emitter {
    pub(crate) fn new(checks: bool, imports: bool, standalone: bool) -> Self {
        Self {
            code: Vec::new(),
            fix_p: 0,
            fix_d: 0,
            references: Vec::new(),
            positions: Vec::new(),
            span: Span::default(),
            checks,
            imports,
            chains: !standalone,
            labels: Vec::new(),
            branches: Vec::new(),
            flags: None,
            calls: false,
            uses_high: false,
        }
    }

    pub(crate) fn begin_procedure(&mut self) {
        self.labels.clear();
        self.branches.clear();
        self.flags = None;
        self.calls = false;
        self.uses_high = false;
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            code: self.code.len(),
            references: self.references.len(),
            positions: self.positions.len(),
            fix_p: self.fix_p,
            fix_d: self.fix_d,
        }
    }

    pub(crate) fn reset(&mut self, mark: &Mark) {
        self.code.truncate(mark.code);
        self.references.truncate(mark.references);
        self.positions.truncate(mark.positions);
        self.fix_p = mark.fix_p;
        self.fix_d = mark.fix_d;
    }

    pub(crate) fn here(&self) -> usize {
        self.code.len()
    }

    /// Appends a word and notes where it comes from.
    fn word(&mut self, word: u32) {
        if self.positions.last().is_none_or(|(_, span)| *span != self.span) {
            self.positions.push((self.code.len() as u32, self.span));
        }
        self.code.push(word);
    }

    pub(crate) fn raw(&mut self, word: u32) {
        self.word(word);
        self.flags = None;
    }

    /// Makes room for `words` instructions that must stand together, extending a fix-up chain
    /// that would get too long. The extra words are jumped over and change no flag.
    pub(crate) fn reserve(&mut self, words: usize) {
        if !self.chains {
            return;
        }
        let end = self.code.len() + words + 2;
        if end - self.fix_d > MAX_DISTANCE {
            self.skip_one();
            let distance = self.code.len() - self.fix_d;
            self.fix_d = self.code.len();
            self.word(0x8000_0000 | distance as u32);
        }
        if self.imports && end - self.fix_p > MAX_DISTANCE {
            self.skip_one();
            let distance = self.code.len() - self.fix_p;
            self.fix_p = self.code.len();
            // Import 1, entry 0 exists; the branch is never executed.
            self.word(0xF710_0000 | distance as u32);
        }
    }

    fn skip_one(&mut self) {
        let skip = Instruction::BranchRelative { link: false, cond: Cond::Always, offset: 1 };
        self.word(skip.encode());
    }

    fn push(&mut self, instruction: Instruction) {
        match instruction {
            Instruction::Register { op, a, .. } | Instruction::Immediate { op, a, .. } => {
                self.flags = Some(a);
                self.uses_high |= matches!(op, Op::Mul | Op::Div);
            }
            Instruction::Memory { store: false, a, .. } => self.flags = Some(a),
            Instruction::Memory { store: true, .. } => {}
            Instruction::BranchRegister { link, .. } | Instruction::BranchRelative { link, .. } => {
                if link {
                    self.flags = None;
                }
            }
        }
        self.word(instruction.encode());
    }

    pub(crate) fn put(&mut self, instruction: Instruction) {
        self.reserve(1);
        self.push(instruction);
    }

    /// `a := b op c`.
    pub(crate) fn register(&mut self, op: Op, a: u8, b: u8, c: u8) {
        self.put(Instruction::Register { op, u: false, v: false, a, b, c });
    }

    /// `a := b op c` with the modifier u.
    pub(crate) fn register_u(&mut self, op: Op, a: u8, b: u8, c: u8) {
        self.put(Instruction::Register { op, u: true, v: false, a, b, c });
    }

    /// `a := b op n`, n from 0 to FFFFH.
    pub(crate) fn immediate(&mut self, op: Op, a: u8, b: u8, imm: u16) {
        self.put(Instruction::Immediate { op, u: false, v: false, a, b, imm });
    }

    /// `a := b op value`, if the value fits an immediate operand.
    pub(crate) fn try_immediate(&mut self, op: Op, a: u8, b: u8, value: i32) -> bool {
        let fits = (-0x1_0000..=0xFFFF).contains(&value);
        if fits {
            self.put(Instruction::Immediate {
                op,
                u: false,
                v: value < 0,
                a,
                b,
                imm: value as u16,
            });
        }
        fits
    }

    /// `a := value`.
    pub(crate) fn constant(&mut self, a: u8, value: i32) {
        if self.try_immediate(Op::Mov, a, 0, value) {
            return;
        }
        self.put(Instruction::Immediate {
            op: Op::Mov,
            u: true,
            v: false,
            a,
            b: 0,
            imm: (value as u32 >> 16) as u16,
        });
        if value as u16 != 0 {
            self.immediate(Op::Ior, a, a, value as u16);
        }
    }

    fn memory(&mut self, store: bool, byte: bool, a: u8, b: u8, offset: i32) {
        self.put(Instruction::Memory { store, byte, a, b, offset });
    }

    pub(crate) fn load(&mut self, a: u8, b: u8, offset: i32) {
        self.memory(false, false, a, b, offset);
    }

    pub(crate) fn store(&mut self, a: u8, b: u8, offset: i32) {
        self.memory(true, false, a, b, offset);
    }

    pub(crate) fn load_sized(&mut self, byte: bool, a: u8, b: u8, offset: i32) {
        self.memory(false, byte, a, b, offset);
    }

    pub(crate) fn store_sized(&mut self, byte: bool, a: u8, b: u8, offset: i32) {
        self.memory(true, byte, a, b, offset);
    }

    /// Word 0 ends the chains, so it cannot be a link of one: a branch to the next word stands
    /// there instead.
    fn reserve_link(&mut self, words: usize) {
        if self.chains && self.code.is_empty() {
            self.word(0xE700_0000);
        }
        self.reserve(words);
    }

    /// `a :=` data base of this module.
    pub(crate) fn own_base(&mut self, a: u8) {
        self.reserve_link(1);
        self.data_link(a, 0);
    }

    /// `a :=` data base of module `module`, and an instruction whose low half the loader
    /// replaces by the offset of the object with the given number.
    pub(crate) fn imported(&mut self, a: u8, module: u8, then: Instruction) {
        self.reserve_link(2);
        self.data_link(a, module);
        self.push(then);
    }

    fn data_link(&mut self, a: u8, module: u8) {
        let distance = (self.code.len() - self.fix_d) as u32;
        self.fix_d = self.code.len();
        let word = 0x8000_0000 | u32::from(a) << 24 | u32::from(module) << 20 | distance;
        self.word(word);
        self.flags = Some(a);
    }

    /// Calls a procedure of another module.
    pub(crate) fn imported_call(&mut self, module: u8, entry: u8) {
        self.reserve_link(1);
        let distance = (self.code.len() - self.fix_p) as u32;
        self.fix_p = self.code.len();
        self.word(0xF700_0000 | u32::from(module) << 20 | u32::from(entry) << 12 | distance);
        self.calls = true;
        self.flags = None;
    }

    /// Calls a procedure of this module; the distance is filled in later.
    pub(crate) fn own_call(&mut self, procedure: usize) {
        self.reserve(1);
        self.references.push((Reference::Call(self.code.len()), procedure));
        self.word(0xF700_0000);
        self.calls = true;
        self.flags = None;
    }

    /// Calls through a register.
    pub(crate) fn register_call(&mut self, register: u8) {
        self.put(Instruction::BranchRegister {
            link: true,
            cond: Cond::Always,
            low: u32::from(register),
        });
        self.calls = true;
    }

    /// Traps if the condition holds.
    pub(crate) fn trap(&mut self, cond: Cond, number: u8, span: Span) {
        if self.checks {
            // A trap does not return, so the link register is not lost to the procedure.
            let (flags, outer) = (self.flags, self.span);
            self.span = span;
            self.put(trap::instruction(cond, number, span.start));
            self.span = outer;
            self.flags = flags;
        }
    }

    /// Asks the run-time system to allocate: a trap that returns.
    pub(crate) fn allocate(&mut self, span: Span) {
        self.put(trap::instruction(Cond::Always, trap::NEW, span.start));
        self.calls = true;
    }

    /// Makes N and Z describe a register.
    pub(crate) fn test(&mut self, register: u8) {
        if self.flags != Some(register) {
            self.register(Op::Mov, register, 0, register);
        }
    }

    /// N and Z no longer describe a value to be relied upon.
    pub(crate) fn forget_flags(&mut self) {
        self.flags = None;
    }

    /// So many labels; the first of them.
    pub(crate) fn labels(&mut self, count: usize) -> Label {
        let first = Label(self.labels.len());
        self.labels.resize(first.0 + count, None);
        first
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Places a label here.
    pub(crate) fn bind(&mut self, label: Label) {
        let here = self.code.len();
        self.labels[label.0] = Some(here);
        let code = &mut self.code;
        self.branches.retain(|(at, target)| {
            let found = *target == label;
            if found {
                patch_branch(code, *at, here);
            }
            !found
        });
        self.flags = None;
    }

    pub(crate) fn branch(&mut self, cond: Cond, label: Label) {
        self.reserve(1);
        let at = self.code.len();
        let instruction = Instruction::BranchRelative { link: false, cond, offset: 0 };
        self.word(instruction.encode());
        match self.labels[label.0] {
            Some(target) => patch_branch(&mut self.code, at, target),
            None => self.branches.push((at, label)),
        }
    }
}

fn patch_branch(code: &mut [u32], at: usize, target: usize) {
    let offset = target as i64 - at as i64 - 1;
    code[at] = code[at] & 0xFF00_0000 | (offset as u32 & 0xFF_FFFF);
}

impl Emitter {
    /// Fills in a reference to a procedure that starts at word `start`; `data_bytes` is the
    /// distance from the data base to the code. `false` if it does not fit.
    pub(crate) fn patch(&mut self, reference: Reference, start: usize, data_bytes: u32) -> bool {
        let offset = data_bytes + 4 * start as u32;
        match reference {
            Reference::Call(at) => patch_branch(&mut self.code, at, start),
            Reference::Short(at) => {
                if offset > 0xFFFF {
                    return false;
                }
                self.code[at] = self.code[at] & 0xFFFF_0000 | offset;
            }
            Reference::Long(at) => {
                self.code[at] = self.code[at] & 0xFFFF_0000 | offset >> 16;
                self.code[at + 1] = self.code[at + 1] & 0xFFFF_0000 | (offset & 0xFFFF);
            }
            Reference::Relative(at) => {
                let distance = 4 * (start as i64 - at as i64);
                if !(-0x1_0000..=0xFFFF).contains(&distance) {
                    return false;
                }
                let negative = u32::from(distance < 0) << 28;
                self.code[at] = self.code[at] & 0xEFFF_0000 | negative | (distance as u32 & 0xFFFF);
            }
        }
        true
    }
}
