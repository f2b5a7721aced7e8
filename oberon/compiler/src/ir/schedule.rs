//! Loads away from the first use of what they load: our core waits a cycle for a value that the
//! instruction before has loaded.
//!
//! Works on registers that are known already. Between a load and its use comes the operation in front of
//! the load, or one of the next few behind the use, where neither needs the other. Nothing moves across
//! a call or an effect; loads do not move to before a check, which may be what makes them safe.

use super::colour::Colours;
use super::{Arguments, Block, Function, Inst, Op, Operand, Region, Relation, Term, V};

/// How far behind the use an operation is looked for.
const REACH: usize = 4;

pub(crate) fn schedule(f: &mut Function, colours: &Colours) {
    for b in &f.order {
        let block = &mut f.blocks[b.at()];
        block
            .insts
            .retain(|inst| !matches!(inst.op, Op::Copy(d, s) if colours.of(d) == colours.of(s)));
        let mut at = 0;
        while at < block.insts.len() {
            if let Some(register) = loaded(&block.insts[at].op, colours)
                && needed_next(block, &f.args, at, register, colours)
            {
                fill(&mut block.insts, &block.term, &f.args, at, colours);
            }
            at += 1;
        }
    }
}

/// The register that a load writes.
fn loaded(op: &Op, colours: &Colours) -> Option<u8> {
    match op {
        Op::Load { d, .. } | Op::LoadGlobal { d, .. } | Op::Reload(d, _) | Op::DataBase(d) => {
            Some(colours.of(*d))
        }
        _ => None,
    }
}

/// Whether the next operation waits for the register. A test for zero does not count: right behind
/// the load it costs no instruction.
fn needed_next(
    block: &Block,
    args: &Arguments,
    at: usize,
    register: u8,
    colours: &Colours,
) -> bool {
    let tests = |relation: Relation, a: V, b: Operand| {
        b == Operand::Imm(0)
            && colours.of(a) == register
            && matches!(relation, Relation::Eq | Relation::Ne | Relation::Lt | Relation::Ge)
    };
    let mut needed = false;
    let mut each = |v: V| needed |= colours.of(v) == register;
    match block.insts.get(at + 1) {
        Some(Inst { op: Op::Trap(cmp, _), .. }) if tests(cmp.relation, cmp.a, cmp.b) => {}
        Some(Inst { op: Op::Guard { present: false, pointer, .. }, .. })
            if colours.of(*pointer) == register => {}
        Some(inst) => inst.op.uses(args, &mut each),
        None => match &block.term {
            Term::Branch(cmp, ..) if tests(cmp.relation, cmp.a, cmp.b) => {}
            term => term.uses(&mut each),
        },
    }
    needed
}

/// Puts an operation between the load at `at` and the use behind it, if one can go there.
fn fill(insts: &mut Vec<Inst>, term: &Term, args: &Arguments, at: usize, colours: &Colours) {
    for from in at + 2..insts.len().min(at + 2 + REACH) {
        if movable(&insts[from].op)
            && !is_tested(insts, term, from, colours)
            && insts[at + 1..from]
                .iter()
                .all(|over| passes(&insts[from].op, &over.op, args, colours))
        {
            let inst = insts.remove(from);
            insts.insert(at + 1, inst);
            return;
        }
    }
    if at > 0
        && movable(&insts[at - 1].op)
        && loaded(&insts[at - 1].op, colours).is_none()
        && passes(&insts[at].op, &insts[at - 1].op, args, colours)
    {
        insts.swap(at - 1, at);
    }
}

/// Whether the flags of the operation serve the next one.
fn is_tested(insts: &[Inst], term: &Term, at: usize, colours: &Colours) -> bool {
    let Some(register) = insts[at].op.def().map(|d| colours.of(d)) else { return true };
    let zero = |a: V, b: Operand| b == Operand::Imm(0) && colours.of(a) == register;
    match insts.get(at + 1) {
        Some(Inst { op: Op::Trap(cmp, _), .. }) => zero(cmp.a, cmp.b),
        Some(Inst { op: Op::Guard { pointer, .. }, .. }) => colours.of(*pointer) == register,
        Some(_) => false,
        None => matches!(term, Term::Branch(cmp, ..) if zero(cmp.a, cmp.b)),
    }
}

fn movable(op: &Op) -> bool {
    op.is_pure() && !matches!(op, Op::Param(..))
}

/// Whether an operation may go to before another.
fn passes(op: &Op, over: &Op, args: &Arguments, colours: &Colours) -> bool {
    let reads = matches!(op, Op::Load { .. } | Op::LoadGlobal { .. } | Op::Reload(..));
    let free = match over {
        Op::Trap(..) | Op::Guard { .. } => !reads,
        Op::Store { extent, .. } => match op {
            Op::Load { extent: other, .. } => !other.meets(extent),
            Op::LoadGlobal { .. } => matches!(extent.region, Region::Frame | Region::Own),
            _ => true,
        },
        Op::Spill(..) => !matches!(op, Op::Reload(..)),
        over => over.is_pure(),
    };
    if !free {
        return false;
    }
    let (written, over_written) =
        (op.def().map(|d| colours.of(d)), over.def().map(|d| colours.of(d)));
    let mut apart = written.is_none() || written != over_written;
    op.uses(args, |v| apart &= Some(colours.of(v)) != over_written);
    over.uses(args, |v| apart &= Some(colours.of(v)) != written);
    apart
}
