//! Virtual registers to registers, by colouring their interference graph.
//!
//! A value takes the register it has to be in anyway (of a parameter, an argument, a result, a copy), if
//! that is free, else the lowest one that no neighbour wants. Values for which there is none go to the
//! frame, and the graph is coloured anew.

use super::bits::{Members, Set};
use super::lists::Lists;
use super::live::Live;
use super::split::{ALL, Clobbers};
use super::{Arguments, Function, Inst, Op, Operand, Target, Term, V};

/// Registers 0 to 11 hold values.
const COUNT: u32 = 12;
/// Rounds after which a procedure is given up.
const ROUNDS: usize = 10;

/// The register of each virtual register.
pub(crate) struct Colours(Vec<u8>);

impl Colours {
    pub(crate) fn of(&self, v: V) -> u8 {
        self.0[v.at()]
    }
}

/// Colours a procedure. `None` if no way was found.
pub(crate) fn colour(
    f: &mut Function,
    clobbers: &Clobbers<'_>,
    live: &mut Live,
    tables: &mut Tables,
) -> Option<Colours> {
    // Virtual registers that exist only to carry a value from or to the frame.
    let mut carriers = Vec::new();
    for _ in 0..ROUNDS {
        live.update(f);
        tables.graph.build(f, clobbers, live, &carriers);
        match tables.graph.colour(&mut tables.work) {
            Ok(colours) => return Some(Colours(colours)),
            Err(spilled) => {
                spill(f, &spilled, &mut carriers);
                live.changed();
            }
        }
    }
    None
}

/// Memory of the colouring.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    graph: Graph,
    work: Work,
}

/// Who is alive together. Nodes are the virtual registers that occur, in the order in which they do.
#[derive(Debug, Default)]
struct Graph {
    names: Vec<V>,
    /// The node of each virtual register.
    nodes: Vec<u32>,
    edges: Edges,
    forbidden: Vec<u16>,
    costs: Vec<f32>,
    /// Registers that a value wants to be in, and other values with which it wants to share one.
    wishes: Lists<(f32, u8)>,
    friends: Lists<(f32, u32)>,
    needed: Set,
}

fn weight(depth: u8) -> f32 {
    10_f32.powi(i32::from(depth.min(6)))
}

/// No node.
const NONE: u32 = u32::MAX;

/// Pairs of nodes that cannot share a register.
#[derive(Debug, Default)]
struct Edges {
    /// For each virtual register a row of bits, one for each other.
    known: Vec<u64>,
    /// Words of a row.
    words: usize,
    pairs: Vec<(u32, u32)>,
    /// How many neighbours each node has.
    degrees: Vec<u32>,
    neighbours: Lists<u32>,
}

impl Edges {
    fn reset(&mut self, values: usize, nodes: usize) {
        self.words = values.div_ceil(64);
        self.known.clear();
        self.known.resize(values * self.words, 0);
        self.pairs.clear();
        self.degrees.clear();
        self.degrees.resize(nodes, 0);
    }

    /// Edges from a virtual register to those of a set, in which it is not, but one.
    fn add(&mut self, v: V, others: &[u64], except: V, nodes: &[u32]) {
        let node = nodes[v.at()];
        for (index, others) in others.iter().enumerate() {
            let mut new = others & !self.known[v.at() * self.words + index];
            while new != 0 {
                let other = index * 64 + new.trailing_zeros() as usize;
                new &= new - 1;
                if other == except.at() {
                    continue;
                }
                self.known[v.at() * self.words + index] |= 1 << (other % 64);
                self.known[other * self.words + v.at() / 64] |= 1 << (v.at() % 64);
                let other = nodes[other];
                self.pairs.push((node, other));
                self.degrees[node as usize] += 1;
                self.degrees[other as usize] += 1;
            }
        }
    }

    /// Makes the lists of neighbours.
    fn sort(&mut self) {
        let both = self.pairs.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
        self.neighbours.fill(&self.degrees, both);
    }
}

impl Graph {
    fn node(&self, v: V) -> usize {
        self.nodes[v.at()] as usize
    }

    fn name(&mut self, f: &Function) {
        self.names.clear();
        self.nodes.clear();
        self.nodes.resize(f.values as usize, NONE);
        let mut name = |v: V| {
            if self.nodes[v.at()] == NONE {
                self.nodes[v.at()] = self.names.len() as u32;
                self.names.push(v);
            }
        };
        for b in &f.order {
            let block = &f.blocks[b.at()];
            for inst in &block.insts {
                inst.op.uses(&f.args, &mut name);
                if let Some(d) = inst.op.def() {
                    name(d);
                }
            }
            block.term.uses(&mut name);
        }
    }

    fn build(&mut self, f: &Function, clobbers: &Clobbers<'_>, live: &Live, carriers: &[bool]) {
        self.name(f);
        let count = self.names.len();
        self.edges.reset(f.values as usize, count);
        self.forbidden.clear();
        self.forbidden.resize(count, 0);
        self.costs.clear();
        self.costs.resize(count, 0.0);
        self.wishes.clear();
        self.friends.clear();
        for b in &f.order {
            let block = &f.blocks[b.at()];
            let heavy = weight(block.depth);
            self.needed.copy(live.flow.end(*b));
            block.term.uses(|v| self.used(v, heavy));
            if let Term::Return(Some(v)) = block.term {
                self.wishes.push(self.node(v), (heavy, 0));
            }
            for inst in block.insts.iter().rev() {
                if let Some(d) = inst.op.def() {
                    self.defined(d, &inst.op, heavy);
                }
                self.wish(&inst.op, &f.args, heavy);
                if let Op::Call { target, args, .. } = &inst.op {
                    let mask = clobbers.of(target, args.len());
                    let (nodes, forbidden) = (&self.nodes, &mut self.forbidden);
                    self.needed.each(|v| forbidden[nodes[v] as usize] |= mask);
                    if let Target::Value(v) = target {
                        let node = self.node(*v);
                        self.forbidden[node] |= (1 << args.len()) - 1;
                    }
                }
                inst.op.uses(&f.args, |v| self.used(v, heavy));
            }
        }
        for (cost, v) in self.costs.iter_mut().zip(&self.names) {
            if carriers.get(v.at()).copied().unwrap_or(false) {
                *cost = f32::INFINITY;
            }
        }
        self.edges.sort();
        self.wishes.sort(count);
        self.friends.sort(count);
        for node in 0..count {
            self.wishes.of_mut(node).sort_by(|a, b| b.0.total_cmp(&a.0));
            self.friends.of_mut(node).sort_by(|a, b| b.0.total_cmp(&a.0));
        }
    }

    fn used(&mut self, v: V, heavy: f32) {
        self.needed.add(v.at());
        let node = self.node(v);
        self.costs[node] += heavy;
    }

    /// A definition interferes with what is needed behind it; a copy not with what it copies.
    fn defined(&mut self, d: V, op: &Op, heavy: f32) {
        self.needed.remove(d.at());
        let same = match op {
            Op::Copy(_, s) => *s,
            _ => d,
        };
        self.edges.add(d, &self.needed, same, &self.nodes);
        let node = self.node(d);
        self.costs[node] += heavy;
    }

    fn wish(&mut self, op: &Op, all: &Arguments, heavy: f32) {
        match op {
            Op::Copy(d, s) => {
                let (d, s) = (self.node(*d), self.node(*s));
                self.friends.push(d, (heavy, s as u32));
                self.friends.push(s, (heavy, d as u32));
            }
            Op::Alu(_, d, a, _) => {
                // No need, but nothing is lost: the flags of the result serve a later test.
                self.friends.push(self.node(*d), (heavy * 0.01, self.nodes[a.at()]));
            }
            Op::Param(d, n) => self.wishes.push(self.node(*d), (heavy, *n)),
            Op::Call { args, result, .. } => {
                if let Some(d) = result {
                    self.wishes.push(self.node(*d), (heavy, 0));
                }
                for (n, arg) in all.of(*args).iter().enumerate() {
                    if let Operand::V(v) = arg {
                        self.wishes.push(self.node(*v), (heavy, n as u8));
                    }
                }
            }
            _ => {}
        }
    }
}

/// What the colouring of a graph works with.
#[derive(Debug, Default)]
struct Work {
    degrees: Vec<u32>,
    removed: Vec<bool>,
    stack: Vec<u32>,
    easy: Vec<u32>,
    hard: Vec<u32>,
    colours: Vec<Option<u8>>,
}

impl Graph {
    /// The colours, or the virtual registers that have to go to the frame.
    fn colour(&self, work: &mut Work) -> Result<Vec<u8>, Vec<V>> {
        let count = self.names.len();
        self.take_apart(work);
        let Work { stack, colours, .. } = work;
        colours.clear();
        colours.resize(count, None);
        let mut spilled = Vec::new();
        while let Some(at) = stack.pop() {
            let at = at as usize;
            let mut taken = self.forbidden[at];
            let mut wanted = 0_u16;
            for n in self.edges.neighbours.of(at) {
                match colours[*n as usize] {
                    Some(colour) => taken |= 1 << colour,
                    None => {
                        if let Some((_, wish)) = self.wishes.of(*n as usize).first() {
                            wanted |= 1 << wish;
                        }
                    }
                }
            }
            let free = ALL & !taken;
            if free == 0 {
                spilled.push(self.names[at]);
                continue;
            }
            colours[at] = Some(self.choose(at, free, wanted, colours));
        }
        if !spilled.is_empty() {
            return Err(spilled);
        }
        let mut all = vec![0; self.nodes.len()];
        for (v, colour) in self.names.iter().zip(colours) {
            all[v.at()] = colour.unwrap_or(0);
        }
        Ok(all)
    }

    /// Stacks the nodes, those first for which there is a register whatever their neighbours take.
    fn take_apart(&self, work: &mut Work) {
        let Work { degrees, removed, stack, easy, hard, .. } = work;
        let count = self.names.len();
        degrees.clear();
        degrees.extend_from_slice(&self.edges.degrees);
        removed.clear();
        removed.resize(count, false);
        stack.clear();
        let room = |at: u32| COUNT - (self.forbidden[at as usize] & ALL).count_ones();
        let is_easy = |at: &u32| degrees[*at as usize] < room(*at);
        easy.clear();
        easy.extend((0..count as u32).rev().filter(is_easy));
        hard.clear();
        hard.extend((0..count as u32).filter(|at| !is_easy(at)));
        while stack.len() < count {
            let next = match easy.pop() {
                Some(at) if removed[at as usize] => continue,
                Some(at) => at,
                None => {
                    hard.retain(|at| !removed[*at as usize]);
                    let ratio = |at: &u32| {
                        let at = *at as usize;
                        self.costs[at] / (degrees[at] + 1) as f32
                    };
                    let chosen = hard.iter().copied().min_by(|a, b| ratio(a).total_cmp(&ratio(b)));
                    match chosen {
                        Some(at) => at,
                        None => break,
                    }
                }
            };
            removed[next as usize] = true;
            stack.push(next);
            for n in self.edges.neighbours.of(next as usize) {
                let degree = &mut degrees[*n as usize];
                *degree -= 1;
                if !removed[*n as usize] && *degree + 1 == room(*n) {
                    easy.push(*n);
                }
            }
        }
    }

    fn choose(&self, at: usize, free: u16, wanted: u16, colours: &[Option<u8>]) -> u8 {
        let is_free = |colour: &u8| free >> colour & 1 != 0;
        let own = self.wishes.of(at).iter().map(|(w, r)| (*w, *r));
        let shared = self
            .friends
            .of(at)
            .iter()
            .filter_map(|(w, friend)| Some((*w, colours[*friend as usize]?)));
        let best = own
            .chain(shared)
            .filter(|(_, colour)| is_free(colour))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((weight, colour)) = best
            && (weight >= 1.0 || wanted >> colour & 1 == 0)
        {
            return colour;
        }
        // What a friend without a register yet wishes for, else whatever nobody else wants.
        let hoped = self
            .friends
            .of(at)
            .iter()
            .filter(|(weight, friend)| *weight >= 1.0 && colours[*friend as usize].is_none())
            .filter_map(|(_, friend)| Some(self.wishes.of(*friend as usize).first()?.1))
            .find(is_free);
        if let Some(colour) = hoped {
            return colour;
        }
        let quiet = free & !wanted;
        (if quiet != 0 { quiet } else { free }).trailing_zeros() as u8
    }
}

/// Rewrites uses and definitions of values without a register through the frame.
fn spill(f: &mut Function, spilled: &[V], carriers: &mut Vec<bool>) {
    let mut defs = vec![0_u32; f.values as usize];
    let mut makers: Vec<Option<Op>> = vec![None; f.values as usize];
    for b in &f.order {
        for inst in &f.blocks[b.at()].insts {
            if let Some(d) = inst.op.def() {
                defs[d.at()] += 1;
                let again = matches!(
                    inst.op,
                    Op::Const(..) | Op::DataBase(_) | Op::FrameAddress(..) | Op::Global(..)
                );
                makers[d.at()] = again.then_some(inst.op);
            }
        }
    }
    let mut chosen = Set::default();
    chosen.reset(f.values as usize);
    let mut slots = vec![0; f.values as usize];
    for v in spilled {
        chosen.add(v.at());
        let again = defs[v.at()] == 1 && makers[v.at()].is_some();
        if !again {
            makers[v.at()] = None;
            slots[v.at()] = f.new_slot();
        }
    }
    let limit = f.values;
    let is_chosen = |v: V| v.0 < limit && chosen.has(v.at());
    let mut args = std::mem::take(&mut f.args);
    for b in f.order.clone() {
        let insts = std::mem::take(&mut f.blocks[b.at()].insts);
        let mut out: Vec<Inst> = Vec::with_capacity(insts.len() + 8);
        let mut behind = Vec::new();
        for mut inst in insts {
            if !matches!(inst.op, Op::Param(..)) {
                out.append(&mut behind);
            }
            let span = inst.span;
            let mut loaded: Vec<(V, V)> = Vec::new();
            inst.op.map_uses(&mut args, |v| {
                fetch(f, v, &is_chosen, &makers, &slots, &mut loaded, &mut out, span)
            });
            if let Some(d) = inst.op.def().filter(|d| is_chosen(*d)) {
                if makers[d.at()].is_some() {
                    continue;
                }
                let t = f.new_value();
                inst.op.set_def(t);
                let store = Inst { op: Op::Spill(t, slots[d.at()]), span };
                if matches!(inst.op, Op::Param(..)) {
                    behind.push(store);
                    out.push(inst);
                } else {
                    out.push(inst);
                    out.push(store);
                }
                continue;
            }
            out.push(inst);
        }
        out.append(&mut behind);
        let mut term = f.blocks[b.at()].term;
        let span = f.blocks[b.at()].span;
        let mut loaded = Vec::new();
        term.map_uses(|v| fetch(f, v, &is_chosen, &makers, &slots, &mut loaded, &mut out, span));
        f.blocks[b.at()].term = term;
        f.blocks[b.at()].insts = out;
    }
    f.args = args;
    carriers.resize(limit as usize, false);
    carriers.resize(f.values as usize, true);
}

#[allow(clippy::too_many_arguments, reason = "the state of the rewriting")]
fn fetch(
    f: &mut Function,
    v: V,
    is_chosen: &impl Fn(V) -> bool,
    makers: &[Option<Op>],
    slots: &[u32],
    loaded: &mut Vec<(V, V)>,
    out: &mut Vec<Inst>,
    span: crate::Span,
) -> V {
    if !is_chosen(v) {
        return v;
    }
    if let Some((_, t)) = loaded.iter().find(|(from, _)| *from == v) {
        return *t;
    }
    let t = f.new_value();
    let op = match makers[v.at()] {
        Some(mut op) => {
            op.set_def(t);
            op
        }
        None => Op::Reload(t, slots[v.at()]),
    };
    out.push(Inst { op, span });
    loaded.push((v, t));
    t
}
