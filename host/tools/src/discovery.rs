//! Which fleet and which board are meant. The order is the same everywhere: flag, environment, local
//! file, project file, the only one there is; `-v` says who won.

use std::fmt;
use std::path::PathBuf;

use kube_boards::file::{self, FleetFile, nearest};
use kube_boards::fleet::{Board, Role};

use crate::code;
use crate::failure::{Failure, Outcome};
use crate::program::Session;

/// Who said which value counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A flag.
    Flag(&'static str),
    /// A variable of the environment.
    Env(&'static str),
    /// `fleet.local.toml` or `fleet.toml`.
    File(PathBuf),
    /// There is only one, or it was found.
    Auto(String),
    /// Somebody chose it from a menu.
    Menu,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "flag {name}"),
            Self::Env(name) => write!(f, "environment {name}"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Auto(why) => write!(f, "{why}"),
            Self::Menu => write!(f, "chosen"),
        }
    }
}

/// The board that a program works on.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The fleet that it belongs to.
    pub file: FleetFile,
    /// The board.
    pub board: Board,
    /// Whether its stand-in in the simulator is meant (`sim:NAME`).
    pub simulated: bool,
}

impl Chosen {
    /// Its name as it was given: `node1` or `sim:node1`.
    #[must_use]
    pub fn label(&self) -> String {
        let prefix = if self.simulated { SIMULATED } else { "" };
        format!("{prefix}{}", self.board.name)
    }
}

/// Prefix of boards in the simulator.
pub const SIMULATED: &str = "sim:";

impl Session {
    /// The fleet file.
    ///
    /// # Errors
    /// `kube::fleet::…`.
    pub fn fleet(&self) -> Outcome<FleetFile> {
        let (path, source) = match &self.flags.fleet {
            Some(path) => (path.clone(), self.source("fleet", "--fleet", "KUBE_FLEET")),
            None => {
                let here = std::env::current_dir().unwrap_or_default();
                let Some(path) = file::find(&here) else {
                    let from = format!("looked in {} and above", here.display());
                    return Err(Failure::new(&code::FLEET_MISSING, "there is no fleet file")
                        .cause(from)
                        .help("kube-flash init writes one here; --fleet FILE names another"));
                };
                (path, Source::Auto("found from here upward".to_owned()))
            }
        };
        self.talk.detail(format!("fleet {} ({source})", path.display()));
        let file = file::read(&path)?;
        if let Some(local) = &file.local {
            self.talk.detail(format!("fleet {} (beside it)", local.display()));
        }
        Ok(file)
    }

    /// The board meant.
    ///
    /// # Errors
    /// `kube::fleet::…`, `kube::board::…`.
    pub fn board(&self) -> Outcome<Chosen> {
        let file = self.fleet()?;
        let boards = &file.fleet.boards;
        let (name, source) = if let Some(name) = &self.flags.board {
            (name.clone(), self.source("board", "--board", "KUBE_BOARD"))
        } else if let Some((name, path)) = &file.default_board {
            (name.clone(), Source::File(path.clone()))
        } else if let [only] = boards.as_slice() {
            (only.name.clone(), Source::Auto("the only board of the fleet".to_owned()))
        } else {
            let choices: Vec<_> =
                boards.iter().map(|board| format!("{} ({})", board.name, board.role)).collect();
            let Some(at) = self.talk.choose("Which board?", &choices) else {
                let names: Vec<_> = boards.iter().map(|board| board.name.as_str()).collect();
                return Err(Failure::new(
                    &code::BOARD_AMBIGUOUS,
                    "which board is meant is not said",
                )
                .cause(format!("{} has {}", file.path.display(), names.join(", ")))
                .help(format!("--board {}", names.last().unwrap_or(&"NAME"))));
            };
            (boards[at].name.clone(), Source::Menu)
        };
        self.chosen(file, &name, &source)
    }

    /// The control plane's board, unless another one is named by flag or environment.
    ///
    /// # Errors
    /// `kube::fleet::…`, `kube::board::…`.
    pub fn plane(&self) -> Outcome<Chosen> {
        if self.flags.board.is_some() {
            return self.board();
        }
        let file = self.fleet()?;
        let planes = file.fleet.boards.iter().filter(|board| board.role == Role::Plane);
        let names: Vec<_> = planes.map(|board| board.name.clone()).collect();
        match names.as_slice() {
            [only] => self.chosen(file, only, &Source::Auto("the plane of the fleet".to_owned())),
            _ => self.board(),
        }
    }

    /// The board of that name, `sim:NAME` among them.
    ///
    /// # Errors
    /// `kube::board::unknown`.
    pub fn chosen(&self, file: FleetFile, name: &str, source: &Source) -> Outcome<Chosen> {
        let boards = &file.fleet.boards;
        self.talk.detail(format!("board {name} ({source})"));
        let (simulated, plain) = match name.strip_prefix(SIMULATED) {
            Some(plain) => (true, plain),
            None => (false, name),
        };
        match file.fleet.board(plain).cloned() {
            Some(board) => Ok(Chosen { file, board, simulated }),
            None => {
                let names: Vec<_> = boards.iter().map(|board| board.name.as_str()).collect();
                let failure =
                    Failure::new(&code::BOARD_UNKNOWN, format!("there is no board {plain}"))
                        .cause(format!("{} has {}", file.path.display(), names.join(", ")));
                Err(match nearest(plain, names.iter().copied()) {
                    Some(near) => failure.help(format!("did you mean --board {near}?")),
                    None => failure.help("add it to the fleet file, or name one of these"),
                })
            }
        }
    }

    /// Whether a flag was given by itself or by the environment.
    fn source(&self, id: &str, flag: &'static str, variable: &'static str) -> Source {
        match self.given_by_environment(id) {
            true => Source::Env(variable),
            false => Source::Flag(flag),
        }
    }
}
