//! What is needed where, and removal of what is needed nowhere.

use super::{Function, Op, Term, V};

/// A set of virtual registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Set(Vec<u64>);

impl Set {
    pub(crate) fn new(values: usize) -> Self {
        Self(vec![0; values.div_ceil(64)])
    }

    pub(crate) fn full(values: usize) -> Self {
        Self(vec![u64::MAX; values.div_ceil(64)])
    }

    pub(crate) fn has(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 != 0
    }

    pub(crate) fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    pub(crate) fn remove(&mut self, at: usize) {
        self.0[at / 64] &= !(1 << (at % 64));
    }

    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    pub(crate) fn join(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }

    pub(crate) fn meet(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= b;
        }
    }

    /// Becomes `end` without `defs` and with `uses`; whether that is a change.
    fn flow(&mut self, end: &Self, defs: &Self, uses: &Self) -> bool {
        let mut changed = false;
        let parts = end.0.iter().zip(&defs.0).zip(&uses.0);
        for (start, ((end, def), used)) in self.0.iter_mut().zip(parts) {
            let new = end & !def | used;
            changed |= *start != new;
            *start = new;
        }
        changed
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(index * 64 + bit)
            })
        })
    }
}

/// Solves a backward problem over the blocks: what each block uses before it defines it, and what it
/// defines, give what is needed at its start and at its end.
pub(crate) fn backward(
    f: &Function,
    uses: &[Set],
    defs: &[Set],
    size: usize,
) -> (Vec<Set>, Vec<Set>) {
    let mut starts = vec![Set::new(size); f.blocks.len()];
    let mut ends = starts.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for b in f.order.iter().rev() {
            let end = &mut ends[b.at()];
            for s in f.blocks[b.at()].term.successors() {
                end.join(&starts[s.at()]);
            }
            changed |= starts[b.at()].flow(end, &defs[b.at()], &uses[b.at()]);
        }
    }
    (starts, ends)
}

/// What is needed at the start and at the end of each block.
pub(crate) fn live(f: &Function) -> (Vec<Set>, Vec<Set>) {
    let size = f.values as usize;
    let mut uses = vec![Set::new(size); f.blocks.len()];
    let mut defs = uses.clone();
    for b in &f.order {
        let (used, defined) = (&mut uses[b.at()], &mut defs[b.at()]);
        let block = &f.blocks[b.at()];
        let mut each = |v: V, defined: &Set| {
            if !defined.has(v.at()) {
                used.insert(v.at());
            }
        };
        for inst in &block.insts {
            inst.op.uses(|v| each(v, defined));
            if let Some(d) = inst.op.def() {
                defined.insert(d.at());
            }
        }
        block.term.uses(|v| each(v, defined));
    }
    backward(f, &uses, &defs, size)
}

/// Leaves out blocks that nothing leads to, jumps to jumps, and operations whose result nobody needs.
/// Bounds stay with `bounds`.
pub(crate) fn sweep(f: &mut Function, bounds: bool) {
    reach(f, true);
    loop {
        let (_, ends) = live(f);
        let mut changed = false;
        for b in f.order.clone() {
            let mut needed = ends[b.at()].clone();
            let block = &mut f.blocks[b.at()];
            block.term.uses(|v| needed.insert(v.at()));
            let mut kept = Vec::with_capacity(block.insts.len());
            for mut inst in std::mem::take(&mut block.insts).into_iter().rev() {
                let dead = inst.op.def().is_some_and(|d| !needed.has(d.at()));
                let nothing = !bounds && matches!(inst.op, Op::Below(..))
                    || matches!(inst.op, Op::Copy(d, s) if d == s);
                if nothing || dead && inst.op.is_pure() {
                    changed |= !nothing;
                    continue;
                }
                if dead && let Op::Call { result, .. } = &mut inst.op {
                    *result = None;
                }
                if let Some(d) = inst.op.def() {
                    needed.remove(d.at());
                }
                inst.op.uses(|v| needed.insert(v.at()));
                kept.push(inst);
            }
            kept.reverse();
            block.insts = kept;
        }
        // What is left over after one round is left over by the last sweep alone.
        if !changed || bounds {
            return;
        }
    }
}

/// Leaves out blocks that nothing leads to, and jumps to blocks that only jump; with `keep` not those
/// in front of a loop, where loads may go.
pub(crate) fn reach(f: &mut Function, keep: bool) {
    let fronts: Vec<_> = f.loops.iter().filter(|_| keep).map(|l| l.before.at()).collect();
    let forward: Vec<_> = (0..f.blocks.len())
        .map(|at| match &f.blocks[at] {
            block
                if !fronts.contains(&at)
                    && block.insts.iter().all(|i| matches!(i.op, Op::Below(..))) =>
            {
                match block.term {
                    Term::Jump(to) if to.at() != at => Some(to),
                    _ => None,
                }
            }
            _ => None,
        })
        .collect();
    let follow = |mut b: super::B| {
        // An endless loop of jumps ends somewhere.
        for _ in 0..32 {
            match forward[b.at()] {
                Some(to) => b = to,
                None => break,
            }
        }
        b
    };
    for block in &mut f.blocks {
        match &mut block.term {
            Term::Jump(to) => *to = follow(*to),
            Term::Branch(_, yes, no) => {
                (*yes, *no) = (follow(*yes), follow(*no));
                if yes == no {
                    block.term = Term::Jump(*yes);
                }
            }
            Term::Return(_) => {}
        }
    }
    let mut seen = vec![false; f.blocks.len()];
    let mut todo = vec![f.order[0]];
    while let Some(b) = todo.pop() {
        if !std::mem::replace(&mut seen[b.at()], true) {
            todo.extend(f.blocks[b.at()].term.successors());
        }
    }
    let mut moved = Vec::with_capacity(f.order.len() + 1);
    let mut kept = Vec::new();
    for b in &f.order {
        moved.push(kept.len());
        if seen[b.at()] {
            kept.push(*b);
        }
    }
    moved.push(kept.len());
    for l in &mut f.loops {
        (l.from, l.to) = (moved[l.from], moved[l.to]);
    }
    f.loops.retain(|l| l.from < l.to && seen[l.before.at()] && seen[l.head.at()]);
    f.order = kept;
}
