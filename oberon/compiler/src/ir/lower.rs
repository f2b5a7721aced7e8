//! Typed tree to blocks. Traps, calls and effects come in the order of the text; nothing is clever
//! here except where it costs nothing.

mod calls;
mod conditions;
mod copies;
mod places;
pub(crate) use places::is_forged;
mod statements;
mod values;

use super::passes::{Pass, Passes};
use super::scan::Scan;
use super::{
    Alu, B, Base, Cmp, Extent, Function, Inst, Op, Operand, Region, Relation, Term, V, fits,
};
use crate::diagnostic::Span;
use crate::r#gen::Body;
use crate::tree::Module;

/// Lowers a procedure. `None` if it talks to the processor's registers or flags, or is too large for
/// tables that grow with the square of its size: such a procedure is generated directly.
pub(crate) fn lower(
    module: &Module,
    body: &Body<'_>,
    scan: &Scan,
    forged: bool,
    (checks, passes): (bool, Passes),
    f: &mut Function,
) -> Option<()> {
    if scan.bare || body.interrupt || module.standalone {
        return None;
    }
    f.restart();
    let mut lower = Lower {
        module,
        checks,
        forged,
        passes,
        f,
        locals: Vec::new(),
        here: B(0),
        span: body.span,
        depth: 0,
        arguments: Vec::new(),
        bounds: Vec::new(),
    };
    lower.variables(scan, body);
    let entry = lower.block();
    lower.start(entry);
    lower.parameters(scan, body);
    lower.statements(body.statements);
    lower.span = body.end;
    let result = body.result.map(|result| lower.register(result));
    lower.finish(Term::Return(result));
    (lower.f.values < MAX_VALUES).then_some(())
}

/// More virtual registers than that are not worth their tables.
const MAX_VALUES: u32 = 6000;

struct Lower<'a> {
    module: &'a Module<'a>,
    checks: bool,
    /// The module makes pointers out of numbers.
    forged: bool,
    passes: Passes,
    f: &'a mut Function,
    /// Frame offsets of the variables that live in registers, in ascending order.
    locals: Vec<(u32, V)>,
    here: B,
    span: Span,
    depth: u8,
    /// Actual parameters of the calls that are being lowered, the outermost first.
    arguments: Vec<Operand>,
    /// Variables of the FOR loops around, with their bounds.
    bounds: Vec<(V, u32)>,
}

impl Lower<'_> {
    fn variables(&mut self, scan: &Scan, body: &Body<'_>) {
        let promote = self.passes.has(Pass::Registers);
        for (offset, local) in &scan.locals {
            if local.memory || !promote {
                self.f.frame_bytes = body.variables;
            } else {
                let v = self.f.new_value();
                self.f.bytes.push(local.byte);
                self.locals.push((*offset, v));
            }
        }
        self.f.variables = self.f.values;
    }

    /// Parameters arrive in registers; one that is used goes to its variable or its place.
    fn parameters(&mut self, scan: &Scan, body: &Body<'_>) {
        let mut stores = Vec::new();
        for word in 0..body.parameter_words {
            let offset = 4 * word;
            let Some(local) = scan.local(offset) else { continue };
            match self.variable(offset) {
                Some(v) if !local.byte || local.boolean => self.emit(Op::Param(v, word as u8)),
                variable => {
                    let t = self.f.new_value();
                    self.emit(Op::Param(t, word as u8));
                    stores.push((variable, t, offset));
                }
            }
        }
        for (variable, t, offset) in stores {
            let op = match variable {
                // What is passed may have more bits than the parameter.
                Some(v) => Op::Alu(Alu::And, v, t, Operand::Imm(0xFF)),
                None => Op::Store {
                    s: t,
                    base: Base::Frame,
                    offset: offset as i32,
                    byte: false,
                    extent: Extent {
                        region: Region::Frame,
                        low: offset as i32,
                        high: offset as i32 + 4,
                    },
                },
            };
            self.emit(op);
        }
    }

    /// The variable at an offset of the frame, if it lives in a register.
    fn variable(&self, offset: u32) -> Option<V> {
        let at = self.locals.binary_search_by_key(&offset, |(offset, _)| *offset).ok()?;
        Some(self.locals[at].1)
    }

    fn emit(&mut self, op: Op) {
        let inst = Inst { op, span: self.span };
        self.f.blocks[self.here.at()].insts.push(inst);
    }

    /// Emits an operation that assigns a new temporary.
    fn put(&mut self, op: impl FnOnce(V) -> Op) -> V {
        let t = self.f.new_value();
        self.emit(op(t));
        t
    }

    /// A new block, which has no place yet.
    fn block(&mut self) -> B {
        self.f.new_block(self.span, self.depth)
    }

    /// What follows goes to the block, which has its place here.
    fn start(&mut self, block: B) {
        self.here = block;
        self.f.order.push(block);
        for at in 0..self.bounds.len() {
            let (v, bound) = self.bounds[at];
            self.emit(Op::Below(v, bound));
        }
    }

    fn finish(&mut self, term: Term) {
        let block = &mut self.f.blocks[self.here.at()];
        block.term = term;
        block.span = self.span;
    }

    /// Ends the block with a jump to the one that follows it.
    fn flow(&mut self, next: B) {
        self.finish(Term::Jump(next));
        self.start(next);
    }

    fn constant(&mut self, n: i32) -> V {
        self.put(|t| Op::Const(t, n))
    }

    /// An operand in a register.
    fn in_register(&mut self, operand: Operand) -> V {
        match operand {
            Operand::V(v) => v,
            Operand::Imm(n) => self.constant(n),
        }
    }

    /// An operand that an instruction takes.
    fn fitting(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Imm(n) if !fits(n) => Operand::V(self.constant(n)),
            other => other,
        }
    }

    fn alu(&mut self, op: Alu, a: Operand, b: Operand) -> V {
        let a = self.in_register(a);
        let b = match op {
            Alu::Fad
            | Alu::Fsb
            | Alu::Fml
            | Alu::Fdv
            | Alu::Floor
            | Alu::Float
            | Alu::MulUnsigned => Operand::V(self.in_register(b)),
            _ => self.fitting(b),
        };
        self.put(|t| Op::Alu(op, t, a, b))
    }

    /// `a op n`, for a known n.
    fn alu_n(&mut self, op: Alu, a: V, n: i32) -> V {
        self.alu(op, Operand::V(a), Operand::Imm(n))
    }

    fn compare(&mut self, relation: Relation, a: Operand, b: Operand) -> Cmp {
        let a = self.in_register(a);
        let b = self.fitting(b);
        Cmp { relation, a, b }
    }

    fn trap(&mut self, cmp: Cmp, number: u8, span: Span) {
        let outer = std::mem::replace(&mut self.span, span);
        self.emit(Op::Trap(cmp, number));
        self.span = outer;
    }

    /// Assigns a variable that lives in a register. A value that the last operation computed for
    /// nothing else is computed there at once.
    fn set(&mut self, variable: V, value: Operand, is_byte: bool) {
        let narrow = self.f.bytes[variable.at()] && !is_byte;
        match value {
            Operand::Imm(n) => self.emit(Op::Const(variable, if narrow { n & 0xFF } else { n })),
            Operand::V(v) if narrow => {
                self.emit(Op::Alu(Alu::And, variable, v, Operand::Imm(0xFF)));
            }
            Operand::V(v) => {
                let temporary = !self.f.is_variable(v);
                let last = self.f.blocks[self.here.at()].insts.last_mut();
                match last {
                    Some(last) if temporary && last.op.def() == Some(v) => {
                        last.op.set_def(variable)
                    }
                    _ => self.emit(Op::Copy(variable, v)),
                }
            }
        }
    }
}
