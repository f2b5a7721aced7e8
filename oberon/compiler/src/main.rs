//! `obc`: compiles, links and lists Oberon modules.
//!
//! Results go to files or stdout, errors to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};

use obc::listing::Listing;
use obc::object::ObjectFile;
use obc::{Options, Source, SymbolSource, link, project, standalone_words};

/// Oberon-07 compiler for RISC5.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile modules, each after those it imports; writes .rsc and .smb files.
    Build {
        /// Source files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Folder for the results.
        #[arg(short, long, default_value = ".")]
        output: PathBuf,
        /// Folder with symbol files of modules that are imported but not given; may be repeated.
        #[arg(long)]
        symbols: Vec<PathBuf>,
        /// Leave out the run-time checks.
        #[arg(long)]
        no_checks: bool,
        /// Say nothing but errors.
        #[arg(short, long)]
        quiet: bool,
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
    /// Show an object file.
    Disasm {
        /// The object file.
        file: PathBuf,
    },
}

/// Symbol files in folders.
struct Folders(Vec<PathBuf>);

impl SymbolSource for Folders {
    fn symbol_file(&self, module: &str) -> Option<Vec<u8>> {
        self.0.iter().find_map(|folder| fs::read(folder.join(format!("{module}.smb"))).ok())
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Build { files, output, symbols, no_checks, quiet } => {
            build(&files, &output, symbols, !no_checks, quiet)
        }
        Command::Link { files, output } => link_files(&files, &output),
        Command::Disasm { file } => disassemble(&file),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::print_stderr, reason = "a tool talks on stderr")]
fn say(text: &str) {
    eprintln!("{text}");
}

fn read_source(path: &Path) -> Result<Source> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    // Texts of Project Oberon may hold bytes that are no UTF-8, in comments.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(Source::new(path.display().to_string(), text))
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn build(
    files: &[PathBuf],
    output: &Path,
    mut symbols: Vec<PathBuf>,
    checks: bool,
    quiet: bool,
) -> Result<()> {
    let sources = files.iter().map(|f| read_source(f)).collect::<Result<Vec<_>>>()?;
    symbols.push(output.to_path_buf());
    let built = match project::build_with(&sources, &Folders(symbols), &Options { checks }) {
        Ok(built) => built,
        Err(errors) => {
            for error in &errors {
                say(&format!("{error}\n"));
            }
            bail!("{} errors, nothing was written", errors.len());
        }
    };
    fs::create_dir_all(output)
        .with_context(|| format!("cannot create the folder {}", output.display()))?;
    for module in &built {
        let path = |suffix: &str| output.join(format!("{}.{suffix}", module.module));
        write(&path("rsc"), &module.object.to_bytes())?;
        if module.standalone {
            let words = standalone_words(module);
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            write(&path("bin"), &bytes)?;
        } else {
            write(&path("smb"), &module.symbol_file)?;
        }
        if !quiet {
            say(&format!(
                "{}: {} code words, {} data bytes, key {:08X}",
                module.module,
                module.object.code.len(),
                module.object.data_bytes(),
                module.key
            ));
        }
    }
    Ok(())
}

fn read_object(path: &Path) -> Result<ObjectFile> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    ObjectFile::parse(&bytes).with_context(|| path.display().to_string())
}

fn link_files(files: &[PathBuf], output: &Path) -> Result<()> {
    let objects = files.iter().map(|f| read_object(f)).collect::<Result<Vec<_>>>()?;
    write(output, &link::boot_image(&objects)?)
}

#[allow(clippy::print_stdout, reason = "a listing is data")]
fn disassemble(file: &Path) -> Result<()> {
    let object = read_object(file)?;
    print!("{}", Listing(&object));
    Ok(())
}
