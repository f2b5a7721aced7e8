//! Virtual registers to registers, by colouring their interference graph.
//!
//! A value takes the register it has to be in anyway (of a parameter, an argument, a result, a copy), if
//! that is free, else the lowest one that no neighbour wants. Values for which there is none go to the
//! frame, and the graph is coloured anew.

use super::live::{Set, live};
use super::split::{ALL, Clobbers};
use super::{Function, Inst, Op, Operand, Target, Term, V};

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
pub(crate) fn colour(f: &mut Function, clobbers: &Clobbers<'_>) -> Option<Colours> {
    // Virtual registers that exist only to carry a value from or to the frame.
    let mut carriers = vec![false; f.values as usize];
    for _ in 0..ROUNDS {
        let graph = Graph::new(f, clobbers, &carriers);
        match graph.colour() {
            Ok(colours) => return Some(Colours(colours)),
            Err(spilled) => {
                spill(f, &spilled, &mut carriers);
            }
        }
    }
    None
}

struct Graph {
    /// Virtual registers that occur, and the place of each in that list.
    names: Vec<V>,
    neighbours: Vec<Vec<u32>>,
    forbidden: Vec<u16>,
    costs: Vec<f32>,
    /// Registers that a value wants to be in, and other values with which it wants to share one.
    wishes: Vec<Vec<(f32, u8)>>,
    friends: Vec<Vec<(f32, u32)>>,
    values: usize,
}

fn weight(depth: u8) -> f32 {
    10_f32.powi(i32::from(depth.min(6)))
}

struct Edges {
    matrix: Vec<u64>,
    lists: Vec<Vec<u32>>,
    count: usize,
}

impl Edges {
    fn add(&mut self, a: u32, b: u32) {
        if a == b {
            return;
        }
        let (low, high) = (a.min(b) as usize, a.max(b) as usize);
        let bit = low * self.count + high;
        if self.matrix[bit / 64] >> (bit % 64) & 1 == 0 {
            self.matrix[bit / 64] |= 1 << (bit % 64);
            self.lists[a as usize].push(b);
            self.lists[b as usize].push(a);
        }
    }
}

impl Graph {
    fn new(f: &Function, clobbers: &Clobbers<'_>, carriers: &[bool]) -> Self {
        let values = f.values as usize;
        let mut place = vec![u32::MAX; values];
        let mut names = Vec::new();
        let mut name = |v: V| {
            if place[v.at()] == u32::MAX {
                place[v.at()] = names.len() as u32;
                names.push(v);
            }
        };
        for b in &f.order {
            let block = &f.blocks[b.at()];
            for inst in &block.insts {
                inst.op.uses(&mut name);
                if let Some(d) = inst.op.def() {
                    name(d);
                }
            }
            block.term.uses(&mut name);
        }
        let count = names.len();
        let mut edges = Edges {
            matrix: vec![0; (count * count).div_ceil(64)],
            lists: vec![Vec::new(); count],
            count,
        };
        let mut graph = Self {
            forbidden: vec![0; count],
            costs: vec![0.0; count],
            wishes: vec![Vec::new(); count],
            friends: vec![Vec::new(); count],
            neighbours: Vec::new(),
            values,
            names,
        };
        let (_, ends) = live(f);
        for b in &f.order {
            let block = &f.blocks[b.at()];
            let heavy = weight(block.depth);
            let mut needed = ends[b.at()].clone();
            block.term.uses(|v| {
                needed.insert(v.at());
                graph.costs[place[v.at()] as usize] += heavy;
            });
            if let Term::Return(Some(v)) = block.term {
                graph.wishes[place[v.at()] as usize].push((heavy, 0));
            }
            for inst in block.insts.iter().rev() {
                if let Some(d) = inst.op.def() {
                    let at = place[d.at()];
                    needed.remove(d.at());
                    let except = match inst.op {
                        Op::Copy(_, s) => Some(s),
                        _ => None,
                    };
                    for other in needed.iter() {
                        if except != Some(V(other as u32)) {
                            edges.add(at, place[other]);
                        }
                    }
                    graph.costs[at as usize] += heavy;
                }
                graph.wish(&inst.op, &place, heavy);
                if let Op::Call { target, args, .. } = &inst.op {
                    let mask = clobbers.of(target, args.len());
                    for v in needed.iter() {
                        graph.forbidden[place[v] as usize] |= mask;
                    }
                    if let Target::Value(v) = target {
                        graph.forbidden[place[v.at()] as usize] |= (1 << args.len()) - 1;
                    }
                }
                inst.op.uses(|v| {
                    needed.insert(v.at());
                    graph.costs[place[v.at()] as usize] += heavy;
                });
            }
        }
        for (at, v) in graph.names.iter().enumerate() {
            if carriers.get(v.at()).copied().unwrap_or(false) {
                graph.costs[at] = f32::INFINITY;
            }
        }
        for wishes in &mut graph.wishes {
            wishes.sort_by(|a, b| b.0.total_cmp(&a.0));
        }
        for friends in &mut graph.friends {
            friends.sort_by(|a, b| b.0.total_cmp(&a.0));
        }
        graph.neighbours = edges.lists;
        graph
    }

    fn wish(&mut self, op: &Op, place: &[u32], heavy: f32) {
        match op {
            Op::Copy(d, s) => {
                let (d, s) = (place[d.at()], place[s.at()]);
                self.friends[d as usize].push((heavy, s));
                self.friends[s as usize].push((heavy, d));
            }
            Op::Alu(_, d, a, _) => {
                // No need, but nothing is lost: the flags of the result serve a later test.
                let (d, a) = (place[d.at()], place[a.at()]);
                self.friends[d as usize].push((heavy * 0.01, a));
            }
            Op::Param(d, n) => self.wishes[place[d.at()] as usize].push((heavy, *n)),
            Op::Call { args, result, .. } => {
                if let Some(d) = result {
                    self.wishes[place[d.at()] as usize].push((heavy, 0));
                }
                for (n, arg) in args.iter().enumerate() {
                    if let Operand::V(v) = arg {
                        self.wishes[place[v.at()] as usize].push((heavy, n as u8));
                    }
                }
            }
            _ => {}
        }
    }

    /// The colours, or the virtual registers that have to go to the frame.
    fn colour(&self) -> Result<Vec<u8>, Vec<V>> {
        let count = self.names.len();
        let mut degrees: Vec<u32> = self.neighbours.iter().map(|n| n.len() as u32).collect();
        let mut removed = vec![false; count];
        let mut stack = Vec::with_capacity(count);
        let room = |at: usize| COUNT - (self.forbidden[at] & ALL).count_ones();
        let mut easy: Vec<usize> = (0..count).rev().filter(|at| degrees[*at] < room(*at)).collect();
        let mut hard: Vec<usize> = (0..count).filter(|at| degrees[*at] >= room(*at)).collect();
        while stack.len() < count {
            let next = match easy.pop() {
                Some(at) if removed[at] => continue,
                Some(at) => at,
                None => {
                    hard.retain(|at| !removed[*at]);
                    let ratio = |at: &usize| self.costs[*at] / (degrees[*at] + 1) as f32;
                    let chosen = hard.iter().copied().min_by(|a, b| ratio(a).total_cmp(&ratio(b)));
                    match chosen {
                        Some(at) => at,
                        None => break,
                    }
                }
            };
            removed[next] = true;
            stack.push(next);
            for n in &self.neighbours[next] {
                let n = *n as usize;
                degrees[n] -= 1;
                if !removed[n] && degrees[n] + 1 == room(n) {
                    easy.push(n);
                }
            }
        }
        let mut colours: Vec<Option<u8>> = vec![None; count];
        let mut spilled = Vec::new();
        while let Some(at) = stack.pop() {
            let mut taken = self.forbidden[at];
            let mut wanted = 0_u16;
            for n in &self.neighbours[at] {
                match colours[*n as usize] {
                    Some(colour) => taken |= 1 << colour,
                    None => {
                        if let Some((_, wish)) = self.wishes[*n as usize].first() {
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
            colours[at] = Some(self.choose(at, free, wanted, &colours));
        }
        if !spilled.is_empty() {
            return Err(spilled);
        }
        let mut all = vec![0; self.values];
        for (at, v) in self.names.iter().enumerate() {
            all[v.at()] = colours[at].unwrap_or(0);
        }
        Ok(all)
    }

    fn choose(&self, at: usize, free: u16, wanted: u16, colours: &[Option<u8>]) -> u8 {
        let is_free = |colour: &u8| free >> colour & 1 != 0;
        let own = self.wishes[at].iter().map(|(w, r)| (*w, *r));
        let shared = self.friends[at]
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
        let hoped = self.friends[at]
            .iter()
            .filter(|(weight, friend)| *weight >= 1.0 && colours[*friend as usize].is_none())
            .filter_map(|(_, friend)| Some(self.wishes[*friend as usize].first()?.1))
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
                makers[d.at()] = again.then(|| inst.op.clone());
            }
        }
    }
    let mut chosen = Set::new(f.values as usize);
    let mut slots = vec![0; f.values as usize];
    for v in spilled {
        chosen.insert(v.at());
        let again = defs[v.at()] == 1 && makers[v.at()].is_some();
        if !again {
            makers[v.at()] = None;
            slots[v.at()] = f.new_slot();
        }
    }
    let limit = f.values;
    let is_chosen = |v: V| v.0 < limit && chosen.has(v.at());
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
            let mut op = inst.op.clone();
            op.map_uses(|v| fetch(f, v, &is_chosen, &makers, &slots, &mut loaded, &mut out, span));
            inst.op = op;
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
        let mut term = f.blocks[b.at()].term.clone();
        let span = f.blocks[b.at()].span;
        let mut loaded = Vec::new();
        term.map_uses(|v| fetch(f, v, &is_chosen, &makers, &slots, &mut loaded, &mut out, span));
        f.blocks[b.at()].term = term;
        f.blocks[b.at()].insts = out;
    }
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
    let op = match &makers[v.at()] {
        Some(op) => {
            let mut op = op.clone();
            op.set_def(t);
            op
        }
        None => Op::Reload(t, slots[v.at()]),
    };
    out.push(Inst { op, span });
    loaded.push((v, t));
    t
}
