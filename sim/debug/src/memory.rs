//! The machine as a debugger sees it.

use kube_emu::{Machine, SpiDevice};
use obc::link::{DESCRIPTOR_BYTES, MAX_MODULES, MODULE_TABLE};
use obc::positions::Table;
use risc5_isa::map;

use crate::tables::Tables;

/// Offsets in a module descriptor: 80 bytes before the module's data.
mod at {
    pub const KEY: u32 = 36;
    pub const NUMBER: u32 = 40;
    pub const SIZE: u32 = 44;
    pub const CODE: u32 = 56;
    pub const IMPORTS: u32 = 60;
}

/// Memory and registers.
pub trait Memory {
    /// The word at a byte address in RAM; 0 beyond it.
    fn word(&self, address: u32) -> u32;
    /// Register 0 to 15.
    fn register(&self, number: usize) -> u32;
    /// Byte address of the next instruction.
    fn pc(&self) -> u32;

    /// The byte at an address in RAM; 0 beyond it.
    fn byte(&self, address: u32) -> u8 {
        self.word(address & !3).to_le_bytes()[address as usize % 4]
    }
}

impl<R: SpiDevice> Memory for Machine<R> {
    fn word(&self, address: u32) -> u32 {
        if address < map::RAM_BYTES { Machine::word(self, address) } else { 0 }
    }

    fn register(&self, number: usize) -> u32 {
        Machine::register(self, number)
    }

    fn pc(&self) -> u32 {
        Machine::pc(self)
    }
}

/// A module in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Its name; empty for one that was unloaded.
    pub name: String,
    /// Key of its symbol file.
    pub key: u32,
    /// Its number in the module table.
    pub number: u32,
    /// Address of its data.
    pub data: u32,
    /// Address of its code.
    pub code: u32,
    /// Address behind its code.
    pub end: u32,
}

impl Loaded {
    /// Whether an address is in the module's code.
    #[must_use]
    pub fn holds(&self, address: u32) -> bool {
        (self.code..self.end).contains(&address)
    }
}

/// The modules in memory, by number. A loader enters a module before its code is there.
pub fn modules(memory: &impl Memory) -> Vec<Loaded> {
    (1..=MAX_MODULES as u32).filter_map(|number| module(memory, number)).collect()
}

fn module(memory: &impl Memory, number: u32) -> Option<Loaded> {
    let data = memory.word(MODULE_TABLE + 4 * number);
    let descriptor = data.checked_sub(DESCRIPTOR_BYTES)?;
    let word = |offset: u32| memory.word(descriptor.wrapping_add(offset));
    let end_of_block = descriptor.checked_add(word(at::SIZE))?;
    let (code, end) = (word(at::CODE), word(at::IMPORTS));
    let sane = descriptor >= obc::link::FIRST_MODULE
        && end_of_block <= map::RAM_BYTES
        && word(at::NUMBER) == number
        && data <= code
        && code <= end
        && end <= end_of_block;
    if !sane {
        return None;
    }
    let name: Vec<u8> =
        (0..32).map(|i| memory.byte(descriptor + i)).take_while(|b| *b != 0).collect();
    Some(Loaded {
        name: String::from_utf8_lossy(&name).into_owned(),
        key: word(at::KEY),
        number,
        data,
        code,
        end,
    })
}

/// Loaded modules with their tables.
#[derive(Clone, Debug, Default)]
pub struct Map {
    modules: Vec<Loaded>,
}

/// What stands at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The address.
    pub address: u32,
    /// Module, empty outside of all.
    pub module: String,
    /// Procedure, if the module's table is at hand.
    pub procedure: Option<String>,
    /// Source file, line and column, if the module's table is at hand.
    pub place: Option<(String, u32, u32)>,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.procedure, &self.place) {
            (Some(procedure), Some((file, line, column))) => {
                let name = qualified(&self.module, procedure);
                write!(f, "{name} {file}:{line}:{column} ({:05X}H)", self.address)
            }
            _ if self.module.is_empty() => write!(f, "no module ({:05X}H)", self.address),
            _ => write!(f, "{} ({:05X}H, no position table)", self.module, self.address),
        }
    }
}

/// A procedure with its module; the body is the module itself.
#[must_use]
pub fn qualified(module: &str, procedure: &str) -> String {
    if procedure == module { module.to_string() } else { format!("{module}.{procedure}") }
}

impl Map {
    /// The modules in memory now.
    pub fn new(memory: &impl Memory) -> Self {
        Self { modules: modules(memory) }
    }

    /// All of them.
    #[must_use]
    pub fn modules(&self) -> &[Loaded] {
        &self.modules
    }

    /// The module whose code holds an address.
    #[must_use]
    pub fn at(&self, address: u32) -> Option<&Loaded> {
        self.modules.iter().find(|m| m.holds(address))
    }

    /// A module by name.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<&Loaded> {
        self.modules.iter().find(|m| m.name == name)
    }

    /// The table of a loaded module, if it is the one of this very object file.
    #[must_use]
    pub fn table<'t>(&self, loaded: &Loaded, tables: &'t Tables) -> Option<&'t Table> {
        let table = tables.get(&loaded.name)?;
        let same = table.key == loaded.key && 4 * table.words == loaded.end - loaded.code;
        same.then_some(table)
    }

    /// What stands at an address.
    #[must_use]
    pub fn locate(&self, address: u32, tables: &Tables) -> Location {
        let mut location =
            Location { address, module: String::new(), procedure: None, place: None };
        let Some(loaded) = self.at(address) else {
            return location;
        };
        location.module.clone_from(&loaded.name);
        if let Some(table) = self.table(loaded, tables) {
            let word = (address - loaded.code) / 4;
            location.procedure = table.procedure(word).map(|p| p.name.clone());
            location.place = table.place(word).map(|p| (table.source.clone(), p.line, p.column));
        }
        location
    }
}
