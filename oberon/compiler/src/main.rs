//! `obc`: compiles, checks, lays out, links and lists Oberon modules.
//!
//! Results go to files or stdout, talk to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage,
//! 5 a text does not have the layout that was asked about.

mod program;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use obc::ir::passes::Pass;

use program::{build, fmt, link, listings, traps};

/// Oberon-07 compiler for RISC5.
#[derive(Parser)]
#[command(version, about, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// How diagnostics are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MessageFormat {
    /// Text with the line and a caret, on stderr.
    Human,
    /// One JSON object a line on stdout, schema obc-message/v1.
    Json,
}

/// Extensions of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Extension {
    /// CASE on numbers and characters, with ranges and ELSE.
    Case,
    /// String constants of other modules.
    Strings,
}

/// What building and checking have in common.
#[derive(Args, Debug)]
struct Common {
    /// Source files, in any order.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Folder or disk image with symbol files of modules that are imported but not given; may be
    /// repeated.
    #[arg(long, value_name = "DIR|IMAGE")]
    symbols: Vec<PathBuf>,
    /// How diagnostics are written.
    #[arg(long, value_enum, default_value_t = MessageFormat::Human)]
    message_format: MessageFormat,
    /// Leave out the run-time checks.
    #[arg(long)]
    no_checks: bool,
    /// Leave out a pass of the compiler; may be repeated.
    #[arg(long, value_name = "NAME", value_parser = pass)]
    no_pass: Vec<Pass>,
    /// How much the code is improved: 0 not at all, 1 by all passes.
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(0..=1))]
    level: u8,
    /// Extensions of the language, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',')]
    ext: Vec<Extension>,
    /// Modules compiled at the same time; 0 means as many as there are processors.
    #[arg(short, long, default_value_t = 0)]
    jobs: usize,
    /// Say nothing but errors.
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Compile modules, each after those it imports; writes .rsc, .smb and .pos files. What has
    /// not changed since the last build is not compiled again.
    Build {
        #[command(flatten)]
        common: Common,
        /// Folder for the results.
        #[arg(short, long, default_value = ".")]
        output: PathBuf,
        /// Compile everything, changed or not.
        #[arg(long)]
        force: bool,
    },
    /// Report the errors of modules; writes nothing.
    Check {
        #[command(flatten)]
        common: Common,
    },
    /// Link object files into a boot image for address 0.
    Link {
        /// Object files, in any order.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// File for the image.
        #[arg(short, long)]
        output: PathBuf,
    },
    /// Show an object file: its tables, its code, and the source lines beside it.
    #[command(visible_alias = "disasm")]
    Dis {
        /// The object file; its position table stands beside it.
        file: PathBuf,
        /// Leave out the source lines.
        #[arg(long)]
        no_source: bool,
    },
    /// Show the interface of modules as text.
    Sym {
        /// Symbol files; or names of modules, if --symbols says where they are.
        #[arg(required = true)]
        modules: Vec<PathBuf>,
        /// Folder or disk image with symbol files.
        #[arg(long, value_name = "DIR|IMAGE")]
        symbols: Vec<PathBuf>,
    },
    /// Show how many bytes each procedure takes.
    Size {
        /// Object files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// One JSON object a module, schema obc-size/v1.
        #[arg(long)]
        json: bool,
    },
    /// Read a machine's log from stdin and add file and line to its trap lines.
    Trap {
        /// Folder with position tables; may be repeated.
        #[arg(long, value_name = "DIR", required = true)]
        tables: Vec<PathBuf>,
    },
    /// Lay texts out: two spaces a level, one between tokens; lines stay lines.
    Fmt {
        /// Source files; they are rewritten in place.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Change nothing, name the files that would change, and end with exit code 5 if any.
        #[arg(long)]
        check: bool,
        /// Write the text to stdout instead of the file.
        #[arg(long, conflicts_with = "check")]
        stdout: bool,
    },
}

fn pass(name: &str) -> Result<Pass, String> {
    Pass::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Pass::ALL.iter().map(|pass| pass.name()).collect();
        format!("there is no such pass; there are {}", names.join(", "))
    })
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Build { common, output, force } => build::build(&common, &output, force),
        Command::Check { common } => build::check(&common),
        Command::Link { files, output } => link::link(&files, &output),
        Command::Dis { file, no_source } => listings::disassemble(&file, !no_source),
        Command::Sym { modules, symbols } => listings::interfaces(&modules, &symbols),
        Command::Size { files, json } => listings::sizes(&files, json),
        Command::Trap { tables } => traps::explain(&tables),
        Command::Fmt { files, check, stdout } => fmt::format(&files, check, stdout),
    };
    outcome.unwrap_or_else(|error| {
        program::say(&format!("error: {error:#}"));
        ExitCode::FAILURE
    })
}
