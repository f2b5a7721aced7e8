//! Typed tree to RISC5 instructions and the run-time tables of an object file.
//!
//! Most procedures go through the intermediate form ([`crate::ir`]). What cannot, or is asked not to,
//! is generated here straight from the tree.
//!
//! Conventions (those of Project Oberon, so that modules of both compilers call each other):
//!
//! | what | where |
//! |---|---|
//! | expressions | registers 0 to 11, lowest free first; spilled into the frame when they run out |
//! | scratch of the conventions | 12 module table, 14 stack, 15 link; 13 is scratch of the intermediate form |
//! | frame | link word, parameters, local variables, spilled values |
//! | parameters | registers 0, 1, ... in their order; records and open arrays take two |
//! | result | register 0 |
//! | globals | base loaded from the module table at each access |
//!
//! Straight from the tree, the stack pointer moves only on entry and exit: values that live across a call go to slots of
//! the frame. A procedure that calls nothing keeps its return address in the link register.

mod calls;
mod conditions;
mod copies;
pub(crate) mod emitter;
mod places;
mod registers;
mod statements;
mod tables;
mod values;

use risc5_isa::Instruction;
use risc5_isa::instruction::RETURN_FROM_INTERRUPT;
use risc5_isa::opcode::{Cond, Op};
use risc5_isa::register::{LINK, STACK};

use crate::Options;
use crate::diagnostic::{Report, Span};
use crate::ir::passes::{Pass, Passes};
use crate::ir::scan::{Scan, scan};
use crate::ir::split::Clobbers;
use crate::ir::{self, lower};
use crate::object::ObjectFile;
use crate::tree::{Expr, Module, Procedure, Stmt};
use emitter::Emitter;
use registers::Registers;

/// Global variables of a standalone module start here.
pub(crate) const STANDALONE_VARIABLES: u32 = 8;
/// A standalone module starts with its stack here, below the I/O words.
const STANDALONE_STACK: u16 = -64_i16 as u16;
/// Instructions before which a standalone module's code starts: branch to the body and vectors.
const STANDALONE_HEADER: usize = 8;

/// Code generator of one module.
struct Generator<'a, 'r, 's> {
    module: &'a Module<'a>,
    report: &'r mut Report<'s>,
    out: Emitter,
    regs: Registers,
    /// Word indexes of the procedures, once generated.
    starts: Vec<Option<usize>>,
    layout: Layout,
    passes: Passes,
    /// Registers that calls of procedures may change, where known.
    clobbered: Vec<Option<u16>>,
    /// Some pointer of the module is a number in truth.
    forged: bool,
    /// The procedure that is being generated, and memory of the passes over it.
    function: ir::Function,
    space: ir::Workspace,
}

/// How the frame of the current procedure looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Layout {
    /// Bytes before the parameters: the link word, or saved registers.
    base: u32,
    /// Bytes of parameters and local variables.
    variables: u32,
    /// Bytes of spilled values.
    spills: u32,
    /// The link register is saved, because calls overwrite it.
    saves_link: bool,
    /// Registers that an interrupt procedure saves.
    saved: Vec<u8>,
}

impl Layout {
    fn size(&self) -> u32 {
        self.base + self.variables + self.spills
    }
}

/// Frame offsets of the variables of a procedure that stay in memory when others are kept in
/// registers.
pub(crate) fn in_memory(module: &Module, procedure: &Procedure) -> Vec<u32> {
    let scan = scan(module, &Body::of(procedure));
    scan.locals.iter().filter(|(_, local)| local.memory).map(|(offset, _)| *offset).collect()
}

/// What stands between the entry and the exit of a procedure.
pub(crate) struct Body<'a> {
    /// Words of the parameters.
    pub(crate) parameter_words: u32,
    /// Bytes of parameters and local variables.
    pub(crate) variables: u32,
    /// It is an interrupt handler.
    pub(crate) interrupt: bool,
    pub(crate) statements: &'a [Stmt<'a>],
    pub(crate) result: Option<&'a Expr<'a>>,
    /// Place of the heading.
    pub(crate) span: Span,
    /// Place of the end.
    pub(crate) end: Span,
}

impl<'a> Body<'a> {
    fn of(procedure: &'a Procedure<'a>) -> Self {
        Self {
            parameter_words: procedure.parameter_words,
            variables: procedure.frame_bytes,
            interrupt: procedure.interrupt,
            statements: procedure.body,
            result: procedure.result.as_ref(),
            span: procedure.span,
            end: procedure.end,
        }
    }

    fn of_module(module: &'a Module<'a>) -> Self {
        Self {
            parameter_words: 0,
            variables: 0,
            interrupt: false,
            statements: module.body,
            result: None,
            span: module.end,
            end: module.end,
        }
    }
}

/// Generates the object file of a module whose symbol file has the key `key`, and where its code
/// comes from (as [`crate::Compiled::positions`]).
pub fn generate(
    module: &Module,
    key: u32,
    options: &Options,
    report: &mut Report<'_>,
) -> (ObjectFile, Vec<(u32, Span)>) {
    let checks = options.checks && !module.standalone;
    let (function, space) = ir::take_space();
    let mut generator = Generator {
        module,
        report,
        out: Emitter::new(checks, !module.imports.is_empty(), module.standalone),
        regs: Registers::default(),
        starts: vec![None; module.procedures.len()],
        layout: Layout::default(),
        passes: options.passes,
        clobbered: vec![None; module.procedures.len()],
        forged: false,
        function,
        space,
    };
    // Of each procedure, and at the end of the module's body.
    let mut scans = Vec::new();
    if !options.passes.is_none() {
        let bodies = module.procedures.iter().map(Body::of).chain([Body::of_module(module)]);
        scans.extend(bodies.map(|body| scan(module, &body)));
        generator.forged = scans.iter().any(|scan| scan.forged);
    }
    if module.standalone {
        for _ in 0..STANDALONE_HEADER {
            generator.out.raw(0);
        }
    }
    // In the order of their ends a procedure stands behind those it calls, recursion excepted.
    let mut order: Vec<_> = module.procedures.iter().enumerate().collect();
    order.sort_by_key(|(_, procedure)| procedure.end.start);
    for (index, procedure) in order {
        generator.starts[index] = Some(generator.out.here());
        generator.procedure(index, procedure, scans.get(index));
    }
    let body = generator.out.here();
    generator.module_body(scans.last());
    generator.patch_procedures();
    let positions = std::mem::take(&mut generator.out.positions);
    ir::put_back((std::mem::take(&mut generator.function), std::mem::take(&mut generator.space)));
    (generator.object(key, body), positions)
}

impl Generator<'_, '_, '_> {
    /// Bytes of descriptors, variables and strings: the code stands behind them.
    fn data_bytes(&self) -> u32 {
        self.module.descriptor_bytes + self.module.variable_bytes + self.module.strings.len() as u32
    }

    fn procedure(&mut self, index: usize, procedure: &Procedure, scan: Option<&Scan>) {
        let body = Body::of(procedure);
        if let Some(clobbered) = self.improved(&body, scan) {
            self.clobbered[index] = Some(clobbered);
        } else {
            self.body(&body);
        }
    }

    fn module_body(&mut self, scan: Option<&Scan>) {
        let module = self.module;
        let body = Body::of_module(module);
        if module.standalone {
            self.standalone_body(&body);
        } else if self.improved(&body, scan).is_none() {
            self.body(&body);
        }
    }

    /// Generates a procedure by way of the intermediate form; the registers that a call of it may
    /// change. `None`, and nothing generated, where that is not possible or not wanted.
    fn improved(&mut self, body: &Body<'_>, scan: Option<&Scan>) -> Option<u16> {
        let scan = scan?;
        let none = Vec::new();
        let known = if self.passes.has(Pass::Clobbers) { &self.clobbered } else { &none };
        let clobbers = Clobbers { known };
        let checks = self.out.checks;
        let data_bytes = self.data_bytes() as usize;
        let function = &mut self.function;
        let how = (checks, self.passes);
        lower::lower(self.module, body, scan, self.forged, how, function)?;
        let colours = ir::improve(function, self.passes, &clobbers, &mut self.space)?;
        if function.frame_bytes + 4 * function.slots + 4 > 0xFFFF {
            return None;
        }
        self.out.begin_procedure();
        let spans = (body.span, body.end);
        let out = &mut self.out;
        let tables = &mut self.space.emission;
        Some(ir::emit::emit(function, &colours, out, &clobbers, data_bytes, spans, tables))
    }

    /// Generates a procedure. What its frame must hold is known only afterwards, so it is
    /// generated again until its layout fits; the second time is the last in practice.
    fn body(&mut self, body: &Body<'_>) {
        let start = self.out.mark();
        let mut layout = Layout {
            base: if body.interrupt { 12 } else { 0 },
            variables: body.variables,
            saved: if body.interrupt { vec![0, 1, 2] } else { Vec::new() },
            ..Layout::default()
        };
        for _ in 0..4 {
            self.layout = layout.clone();
            self.regs = Registers::default();
            self.out.begin_procedure();
            self.out.span = body.span;
            self.enter(body);
            self.block(body.statements);
            self.out.span = body.end;
            self.leave(body);
            let fitting = self.fitting_layout(body);
            if fitting == layout {
                break;
            }
            layout = fitting;
            self.out.reset(&start);
        }
        if self.regs.exhausted {
            self.report.error_with_help(
                body.span,
                "an expression in this procedure needs more registers than there are",
                "split it with variables",
            );
        }
        if body.interrupt && self.out.uses_high {
            self.report.error_with_help(
                body.span,
                "an interrupt procedure cannot multiply or divide",
                "it would change the H register of the program it interrupts, which cannot be \
                 saved; powers of 2 are shifted and allowed",
            );
        }
        if self.layout.size() > 0xFFFF {
            self.report.error(body.span, "the frame of this procedure is larger than 64 KB");
        }
    }

    /// The layout that the procedure just generated would have needed.
    fn fitting_layout(&self, body: &Body<'_>) -> Layout {
        let saves_link = self.out.calls && !body.interrupt;
        let saved = if body.interrupt { self.regs.used() } else { Vec::new() };
        Layout {
            base: 4 * (u32::from(saves_link) + saved.len() as u32),
            variables: body.variables,
            spills: self.regs.spill_bytes(),
            saves_link,
            saved,
        }
    }

    fn enter(&mut self, body: &Body<'_>) {
        let size = self.layout.size();
        if size > 0 {
            self.out.immediate(Op::Sub, STACK, STACK, size as u16);
        }
        for (index, register) in self.layout.saved.clone().into_iter().enumerate() {
            self.out.store(register, STACK, 4 * index as i32);
        }
        if self.layout.saves_link {
            self.out.store(LINK, STACK, 0);
        }
        if !body.interrupt {
            for word in 0..body.parameter_words {
                let offset = self.layout.base + 4 * word;
                self.out.store(word as u8, STACK, offset as i32);
            }
        }
    }

    fn leave(&mut self, body: &Body<'_>) {
        if let Some(result) = body.result {
            let value = self.value(result);
            self.move_to(value, 0);
            self.free(value);
        }
        for (index, register) in self.layout.saved.clone().into_iter().enumerate() {
            self.out.load(register, STACK, 4 * index as i32);
        }
        if self.layout.saves_link {
            self.out.load(LINK, STACK, 0);
        }
        let size = self.layout.size();
        if size > 0 {
            self.out.immediate(Op::Add, STACK, STACK, size as u16);
        }
        if body.interrupt {
            self.out.raw(RETURN_FROM_INTERRUPT);
        } else {
            self.out.put(Instruction::BranchRegister {
                link: false,
                cond: Cond::Always,
                low: u32::from(LINK),
            });
        }
    }

    /// The body of a standalone module: sets its own stack, and in the end jumps to address 0.
    fn standalone_body(&mut self, body: &Body<'_>) {
        let start = self.out.mark();
        let mut spills = 0;
        for _ in 0..4 {
            self.layout = Layout { spills, ..Layout::default() };
            self.regs = Registers::default();
            self.out.begin_procedure();
            self.out.span = body.span;
            self.out.put(Instruction::Immediate {
                op: Op::Mov,
                u: false,
                v: true,
                a: STACK,
                b: 0,
                imm: STANDALONE_STACK.wrapping_sub(spills as u16),
            });
            self.block(body.statements);
            self.out.immediate(Op::Mov, 0, 0, 0);
            self.out.put(Instruction::BranchRegister { link: false, cond: Cond::Always, low: 0 });
            if self.regs.spill_bytes() == spills {
                break;
            }
            spills = self.regs.spill_bytes();
            self.out.reset(&start);
        }
    }
}

#[cfg(test)]
mod tests;
