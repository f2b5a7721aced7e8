//! The flags that mean the same in every program.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};

/// Flags of every program.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Flags of every tool")]
pub struct Shared {
    /// The board meant, a name of the fleet file; sim:NAME for its stand-in in the simulator.
    #[arg(long, short, global = true, env = "KUBE_BOARD", value_name = "NAME",
          add = ArgValueCandidates::new(board_names))]
    pub board: Option<String>,
    /// The fleet file; without it fleet.toml or boards/fleet.toml in this folder or above.
    #[arg(long, global = true, env = "KUBE_FLEET", value_name = "FILE")]
    pub fleet: Option<PathBuf>,
    /// Print JSON (schema kube/v1), the same as -o json.
    #[arg(long, global = true)]
    pub json: bool,
    /// How to print results.
    #[arg(long, short, global = true, value_name = "FORMAT", value_parser = FormatParser)]
    pub output: Option<Format>,
    /// Only errors on stderr.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Say what is decided and why.
    #[arg(long, short, global = true)]
    pub verbose: bool,
    /// Say what would be done and change nothing; ends with 0 if nothing would change, else 1.
    #[arg(long, short = 'n', global = true)]
    pub dry_run: bool,
    /// Answer questions with yes.
    #[arg(long, short, global = true)]
    pub yes: bool,
    /// Never ask: an open question is an error.
    #[arg(long, global = true)]
    pub non_interactive: bool,
    /// When to use colours; NO_COLOR in the environment switches them off.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: When,
    /// Run on another machine, through ssh.
    #[arg(long, global = true, value_name = "[USER@]HOST")]
    pub host: Option<String>,
    /// Seconds to wait for a board that another program works on.
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 0)]
    pub wait: u64,
    /// Explain an error code.
    #[arg(long, value_name = "CODE", add = ArgValueCandidates::new(code_names))]
    pub explain: Option<String>,
    /// Print the completions of a shell.
    #[arg(long, value_name = "SHELL", value_parser = SHELLS)]
    pub completions: Option<String>,
    /// Print the man page.
    #[arg(long)]
    pub man: bool,
}

/// Shells with completions.
const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For people with wide screens.
    Wide,
    /// One object, or one a line for streams.
    Json,
    /// The same as YAML.
    Yaml,
    /// Names only, one a line.
    Name,
}

/// Reads a [`Format`]; a file that somebody names here, as with other programs, is told where it belongs.
#[derive(Clone, Copy, Debug)]
struct FormatParser;

impl TypedValueParser for FormatParser {
    type Value = Format;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Format, clap::Error> {
        let parsed = EnumValueParser::<Format>::new().parse_ref(command, argument, value);
        parsed.map_err(|mut error| {
            if value.to_string_lossy().contains(['.', '/']) {
                let tip =
                    "-o is the form of what is printed; a file is named without it, or by --to";
                let tips = ContextValue::StyledStrs(vec![tip.into()]);
                error.insert(ContextKind::Suggested, tips);
            }
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = Format::value_variants().iter().filter_map(Format::to_possible_value);
        Some(Box::new(values))
    }
}

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Shared {
    /// How to print results.
    #[must_use]
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.output.unwrap_or_default() }
    }
}

/// For completions: the boards of the fleet file that would be found.
fn board_names() -> Vec<CompletionCandidate> {
    let named = std::env::var_os("KUBE_FLEET").map(PathBuf::from);
    let found = || kube_boards::file::find(&std::env::current_dir().ok()?);
    let file = named.or_else(found).and_then(|path| kube_boards::file::read(&path).ok());
    let boards = file.into_iter().flat_map(|file| file.fleet.boards);
    let candidates = boards.flat_map(|board| {
        let help = Some(board.role.to_string().into());
        let simulated = Some("in the simulator".into());
        [
            CompletionCandidate::new(&board.name).help(help),
            CompletionCandidate::new(format!("sim:{}", board.name)).help(simulated),
        ]
    });
    candidates.collect()
}

fn code_names() -> Vec<CompletionCandidate> {
    crate::code::all().iter().map(|code| CompletionCandidate::new(code.name)).collect()
}
