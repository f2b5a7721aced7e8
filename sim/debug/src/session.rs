//! A machine under the debugger: breakpoints, steps, running on.
//!
//! The machine is stepped instruction by instruction while it runs here; waiting in the idle word is
//! skipped, so an idle machine costs nothing.

use kube_emu::{Machine, SpiDevice};
use obc::link::MODULE_TABLE;
use risc5_isa::register::{MODULE_TABLE as MODULE_TABLE_REGISTER, STACK};
use risc5_isa::{Instruction, map};

use crate::chain::{self, Frame};
use crate::memory::Map;
use crate::tables::Tables;
use crate::trap::{self, Trap};

/// Instructions between two looks at the module table: a module is entered there long before its
/// first instruction runs.
const LOOK: u64 = 256;

/// Where to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The first code of a line of a source file (or module), or of the next line with code.
    Line {
        /// File name as `X.Mod`, with or without folders, or the module's name.
        file: String,
        /// Line, from 1.
        line: u32,
    },
    /// The first statement of a procedure, or of a module's body.
    Procedure {
        /// Module name.
        module: String,
        /// Procedure; the module's own name for its body.
        procedure: String,
    },
    /// An address.
    Address(u32),
}

/// A breakpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// Its number.
    pub number: u32,
    /// What was asked for.
    pub target: Target,
    /// Where that is, as far as its module is loaded.
    pub addresses: Vec<u32>,
}

/// Why the machine stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A breakpoint, by number.
    Breakpoint(u32),
    /// A step is done.
    Step,
    /// A trap: its handler has not run yet.
    Trap(Trap),
    /// The program has come to its end.
    Halted,
    /// The time to run is over.
    Time,
}

/// A machine under the debugger.
pub struct Session<R> {
    machine: Machine<R>,
    tables: Tables,
    map: Map,
    breakpoints: Vec<Breakpoint>,
    next_number: u32,
    /// Stop at traps.
    pub stop_at_traps: bool,
    next_look: u64,
}

impl<R: SpiDevice> Session<R> {
    /// A session with a machine.
    pub fn new(machine: Machine<R>, tables: Tables) -> Self {
        let map = Map::new(&machine);
        Self {
            machine,
            tables,
            map,
            breakpoints: Vec::new(),
            next_number: 1,
            stop_at_traps: true,
            next_look: 0,
        }
    }

    /// The machine.
    pub fn machine(&self) -> &Machine<R> {
        &self.machine
    }

    /// The machine, to be changed.
    pub fn machine_mut(&mut self) -> &mut Machine<R> {
        &mut self.machine
    }

    /// The tables.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The modules in memory.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// All breakpoints.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.breakpoints
    }

    /// The call chain where the machine stands.
    pub fn chain(&self) -> Vec<Frame> {
        match trap::pending(&self.machine) {
            Some(trap) => trap::chain(&self.machine, &self.map, &self.tables, &trap),
            None => chain::chain(&self.machine, &self.map, &self.tables, false),
        }
    }

    /// Sets a breakpoint. It takes effect once its module is loaded.
    pub fn set(&mut self, target: Target) -> &Breakpoint {
        let addresses = self.addresses(&target);
        let number = self.next_number;
        self.next_number += 1;
        self.breakpoints.push(Breakpoint { number, target, addresses });
        &self.breakpoints[self.breakpoints.len() - 1]
    }

    /// Takes a breakpoint away; false if there is none of this number.
    pub fn clear(&mut self, number: u32) -> bool {
        let before = self.breakpoints.len();
        self.breakpoints.retain(|b| b.number != number);
        self.breakpoints.len() < before
    }

    fn addresses(&self, target: &Target) -> Vec<u32> {
        let (module, words) = match target {
            Target::Address(address) => return vec![*address],
            Target::Line { file, line } => match self.tables.of_file(file) {
                Some(table) => (table.module.clone(), table.words_of_line(*line)),
                None => return Vec::new(),
            },
            Target::Procedure { module, procedure } => {
                let Some(table) = self.tables.get(module) else {
                    return Vec::new();
                };
                let Some(found) = table.procedures.iter().find(|p| p.name == *procedure) else {
                    return Vec::new();
                };
                // Behind the entry code, so that parameters have their values.
                let end = found.start + found.words;
                let statements =
                    table.places.iter().map(|p| p.word).find(|w| *w > found.start && *w < end);
                (module.clone(), vec![statements.unwrap_or(found.start)])
            }
        };
        let loaded = self.map.by_name(&module);
        let belongs = loaded.filter(|l| self.map.table(l, &self.tables).is_some());
        belongs.map_or_else(Vec::new, |l| words.iter().map(|w| l.code + 4 * w).collect())
    }

    /// Looks at the module table and places breakpoints anew.
    fn look(&mut self) {
        let map = Map::new(&self.machine);
        if map.modules() == self.map.modules() {
            return;
        }
        self.map = map;
        let addresses: Vec<Vec<u32>> =
            self.breakpoints.iter().map(|b| self.addresses(&b.target)).collect();
        for (breakpoint, addresses) in self.breakpoints.iter_mut().zip(addresses) {
            breakpoint.addresses = addresses;
        }
    }

    /// Executes one instruction, or waits until the machine goes on.
    fn advance(&mut self, until_ns: u64) {
        let mut to = self.machine.now_ns() + 1;
        if self.machine.idle() {
            to = to.max(self.machine.next_wake_ns().unwrap_or(until_ns).min(until_ns));
        }
        self.machine.run_until(to);
        if self.machine.instructions() >= self.next_look {
            self.next_look = self.machine.instructions() + LOOK;
            self.look();
        }
    }

    /// Runs until `done` holds, a breakpoint or trap comes, or the time is over. The place where
    /// the machine stands does not count as a breakpoint.
    fn run_while(&mut self, until_ns: u64, mut done: impl FnMut(&Self, u32) -> bool) -> Stop {
        self.look();
        loop {
            if self.machine.halted() {
                return Stop::Halted;
            }
            if self.machine.now_ns() >= until_ns {
                return Stop::Time;
            }
            let before = self.machine.pc();
            self.advance(until_ns);
            let pc = self.machine.pc();
            if pc == MODULE_TABLE
                && self.stop_at_traps
                && let Some(trap) = trap::pending(&self.machine)
            {
                self.look();
                return Stop::Trap(trap);
            }
            if let Some(hit) = self.breakpoints.iter().find(|b| b.addresses.contains(&pc)) {
                return Stop::Breakpoint(hit.number);
            }
            if done(self, before) {
                self.look();
                return Stop::Step;
            }
        }
    }

    /// Runs on, at most up to a time of the machine.
    pub fn go(&mut self, until_ns: u64) -> Stop {
        self.run_while(until_ns, |_, _| false)
    }

    /// Executes one instruction.
    pub fn step_instruction(&mut self) -> Stop {
        self.run_while(u64::MAX, |_, _| true)
    }

    fn line(&self) -> Option<(String, u32)> {
        let location = self.map.locate(self.machine.pc(), &self.tables);
        location.place.map(|(file, line, _)| (file, line))
    }

    /// Runs to the next line that has a table, into calls.
    pub fn step(&mut self, until_ns: u64) -> Stop {
        let start = self.line();
        self.run_while(until_ns, |session, _| {
            let now = session.line();
            now.is_some() && now != start
        })
    }

    /// Runs to the next line of this procedure, or out of it; calls run through.
    pub fn next(&mut self, until_ns: u64) -> Stop {
        let start = self.line();
        // The call that is running: where it returns to, with which stack.
        let mut call: Option<(u32, u32)> = None;
        self.run_while(until_ns, |session, before| {
            let machine = &session.machine;
            let (pc, stack) = (machine.pc(), machine.register(usize::from(STACK)));
            if let Some((returns_to, outer)) = call {
                if pc != returns_to || stack < outer {
                    return false;
                }
                call = None;
            } else if links(machine.word(before)) && pc != before + 4 {
                call = Some((before + 4, stack));
                return false;
            }
            let now = session.line();
            now.is_some() && now != start
        })
    }

    /// Runs until the procedure has returned.
    pub fn finish(&mut self, until_ns: u64) -> Option<Stop> {
        let frames = self.chain();
        let frame = frames.first()?;
        let (returns_to, outer) = (frame.returns_to?, frame.outer_stack);
        Some(self.run_while(until_ns, |session, _| {
            session.machine.pc() == returns_to
                && session.machine.register(usize::from(STACK)) >= outer
        }))
    }
}

/// A branch that leaves its return address.
fn links(word: u32) -> bool {
    matches!(
        Instruction::decode(word),
        Instruction::BranchRegister { link: true, .. }
            | Instruction::BranchRelative { link: true, .. }
    )
}

/// Loads a boot image at address 0 and makes the machine start there as behind a boot loader: with
/// stack, module table, memory limit and stack origin in place.
pub fn start_core<R: SpiDevice>(machine: &mut Machine<R>, image: &[u8]) {
    machine.load(0, image);
    machine.load_words(map::MEM_LIM_AT, &[map::MEM_LIM]);
    machine.load_words(map::STACK_ORG_AT, &[map::STACK_ORG]);
    machine.set_register(usize::from(STACK), map::STACK_ORG);
    machine.set_register(usize::from(MODULE_TABLE_REGISTER), MODULE_TABLE);
    machine.set_pc(0);
}
