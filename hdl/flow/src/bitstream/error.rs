//! Why there is no bitstream: each with headline, cause and remedy.

use std::path::PathBuf;

use kube_boards::constraints::ConstraintError;
use kube_boards::file::nearest;
use kube_boards::model;

use crate::{EnvironmentError, ToolError};

/// A clock that is too slow.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowClock {
    /// Name of its net.
    pub name: String,
    /// What it reaches, in MHz.
    pub fmax_mhz: f64,
    /// What it has to be, in MHz.
    pub wanted_mhz: f64,
}

impl std::fmt::Display for SlowClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, fmax_mhz, wanted_mhz } = self;
        write!(f, "{name} reaches {fmax_mhz:.2} MHz of {wanted_mhz:.2}")
    }
}

/// Why a bitstream was not made. Nothing was written where bitstreams lie.
#[derive(Debug, thiserror::Error)]
pub enum BitstreamError {
    /// No such model.
    #[error("there is no board {name:?}")]
    Board {
        /// The name given.
        name: String,
    },
    /// No such revision.
    #[error("{board} has no revision {revision:?}")]
    Revision {
        /// The model.
        board: String,
        /// The revision given.
        revision: String,
        /// Those that there are.
        known: String,
    },
    /// The top's Verilog is not there.
    #[error("there is no top {top} in {folder}")]
    Top {
        /// Name of the module.
        top: String,
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// The top does not carry the place of the build identity.
    #[error(
        "the top {top} cannot say which build it is: {places} places hold a build identity of 0"
    )]
    Identity {
        /// Name of the module.
        top: String,
        /// How many there are.
        places: usize,
    },
    /// The top does not fit the board.
    #[error("the top does not fit the board: {0}")]
    Constraint(#[from] ConstraintError),
    /// The circuit is larger than the die.
    #[error("the circuit does not fit {board}")]
    Size {
        /// The model.
        board: String,
        /// Kinds of cells of which there are too few, used and available.
        short: Vec<(String, u64, u64)>,
        /// What the tool said.
        words: String,
    },
    /// A clock is slower than it has to be.
    #[error("{board} misses its timing with seed {seed}")]
    Timing {
        /// The model.
        board: String,
        /// Seed of the placer.
        seed: u32,
        /// The clocks that are too slow.
        clocks: Vec<SlowClock>,
    },
    /// A clock has no frequency.
    #[error("nobody has said how fast {clocks} has to be")]
    Unconstrained {
        /// Names of the clocks.
        clocks: String,
    },
    /// A pad is too far from its register.
    #[error("{count} pads are too far from their registers")]
    Pads {
        /// How many.
        count: usize,
        /// The worst of them.
        worst: String,
    },
    /// The source tree has no report of the board.
    #[error("no report of {board} is kept")]
    Unkept {
        /// Where it would lie.
        path: PathBuf,
        /// Name of the board.
        board: String,
    },
    /// A kept report is not of these sources.
    #[error("{path} is of other sources")]
    Stale {
        /// The report.
        path: PathBuf,
        /// Inputs that differ.
        differ: Vec<String>,
        /// Name of the board.
        board: String,
    },
    /// A tool failed.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The tools are not there.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
}

impl BitstreamError {
    /// Why, where the headline does not say it.
    #[must_use]
    pub fn cause(&self) -> Option<String> {
        match self {
            Self::Size { short, words, .. } => Some(if short.is_empty() {
                words.clone()
            } else {
                let row = |(kind, used, there): &(String, u64, u64)| {
                    format!("{kind}: {used} wanted, {there} there")
                };
                short.iter().map(row).collect::<Vec<_>>().join("; ")
            }),
            Self::Timing { clocks, .. } => {
                Some(clocks.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
            }
            Self::Pads { worst, .. } => Some(worst.clone()),
            Self::Unkept { path, .. } => Some(format!("there is no {}", path.display())),
            Self::Stale { differ, .. } => Some(format!("changed since: {}", differ.join(", "))),
            _ => None,
        }
    }

    /// What helps.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            Self::Board { name } => {
                let known = model::names();
                let near = nearest(name, known.iter().map(String::as_str));
                let hint = near.map_or(String::new(), |near| format!("did you mean {near}? "));
                format!("{hint}boards: {}", known.join(", "))
            }
            Self::Revision { known, .. } => {
                format!("it stands on the board; known are {known}")
            }
            Self::Top { top, .. } => {
                format!("cargo run -p kube-hdl -- export --top {}", top.replace('_', "-"))
            }
            Self::Identity { .. } => {
                "the machine's bus holds it: localparam build = 32'h0".to_owned()
            }
            Self::Constraint(_) => "boards/*/board.toml says which ports a board has".to_owned(),
            Self::Size { .. } => {
                "take a board with a larger part, or smaller caches in hdl/src/soc".to_owned()
            }
            Self::Timing { .. } => {
                "try another --seed; the path stands in the log beside the netlist".to_owned()
            }
            Self::Unconstrained { .. } => {
                "a clock comes from the board's clock port or from a PLL".to_owned()
            }
            Self::Pads { .. } => {
                "register the signal at its pad, or correct [[timing]] in board.toml".to_owned()
            }
            Self::Stale { board, .. } | Self::Unkept { board, .. } => {
                format!("cargo xtask bitstream --board {board} --record")
            }
            Self::Tool(_) | Self::Environment(_) => "see the message; nothing was written".into(),
        }
    }

    /// Whether the question was wrong, not the answer.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        matches!(self, Self::Board { .. } | Self::Revision { .. })
    }
}
