//! `kube-flash`: from a fleet file to images, cards and bitstreams.
//!
//! | module | holds |
//! |---|---|
//! | [`guard`] | which disks are never written |
//! | [`target`] | where an image is: a file, a card, the stand-in of a board in the simulator |
//! | [`machine`] | the card of a machine in a running lab |
//! | [`medium`] | bytes of a target, and of a simulated one that fails |
//! | [`write`](mod@write) | writing changed blocks and reading them back |
//! | [`mark`] | the mark of a write that has not come to its end |
//! | [`build`] | the image of a board |
//! | [`bitstream`] | what a bitstream is for, and its way to a board |
//! | [`codes`] | error codes |

pub mod bitstream;
pub mod build;
pub mod codes;
mod contents;
mod doctor;
pub mod guard;
mod init;
mod inspect;
mod list;
pub mod machine;
pub mod mark;
pub mod medium;
mod run;
pub mod target;
mod trouble;
pub mod write;
mod writing;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::failure::Outcome;
use crate::flags::Shared;
use crate::program::{Program, Session};

/// Builds the image of a board, writes it to a card or a file, and looks into images.
///
/// Without a verb the image of the board is built, written and read back: kube-flash --board node1.
/// Only blocks that differ are written.
#[derive(Parser, Debug)]
#[command(
    name = "kube-flash",
    subcommand_negates_reqs = true,
    args_conflicts_with_subcommands = false
)]
pub struct Arguments {
    #[command(flatten)]
    shared: Shared,
    #[command(flatten)]
    write: WriteFlags,
    #[command(subcommand)]
    verb: Option<Verb>,
}

/// Flags of writing.
#[derive(clap::Args, Clone, Debug)]
pub struct WriteFlags {
    /// Where to: a file, or a card such as /dev/sdb; without it the card of the board.
    #[arg(long, value_name = "FILE|CARD")]
    pub to: Option<PathBuf>,
    /// Write this image instead of one that is built.
    #[arg(long, value_name = "FILE")]
    pub image: Option<PathBuf>,
    /// Put Kube onto this genuine Project Oberon image instead of our own system.
    #[arg(long, value_name = "FILE", conflicts_with = "image")]
    pub genuine: Option<PathBuf>,
    /// Write the self-test instead of the board's system: it tries every part and prints a report.
    #[arg(long, conflicts_with_all = ["image", "genuine"])]
    pub self_test: bool,
    /// Form of an image file: the file system alone, or a whole card.
    #[arg(long, value_name = "FORM", default_value = "short")]
    pub layout: Form,
    /// Write blocks that are right already as well.
    #[arg(long)]
    pub no_skip: bool,
    /// Do not read back what was written.
    #[arg(long)]
    pub no_verify: bool,
    /// With --yes: the serial number that the card must have.
    #[arg(long, value_name = "SERIAL")]
    pub expect_serial: Option<String>,
    /// Load this bitstream as well, with openFPGALoader; without it that of the fleet file, if any.
    #[arg(long, value_name = "FILE")]
    pub bitstream: Option<PathBuf>,
    /// Write the bitstream into the board's flash, so that it is there after power comes back.
    #[arg(long)]
    pub persist: bool,
    /// Watch the board's serial line afterwards, with kube-boot.
    #[arg(long)]
    pub monitor: bool,
    /// Write to a disk although it is no removable card or larger than one.
    #[arg(long)]
    pub i_know_that_this_disk_is_no_card: bool,
}

/// Form of an image file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// The file system alone, from its directory on.
    Short,
    /// A whole card: the file system 256 MiB from its start.
    Card,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Write a first fleet file with a fresh key.
    Init(init::Flags),
    /// Compare an image with what would be written; ends with 0 if they are the same, else 1.
    Diff(Words),
    /// Say what an image or card holds.
    Info(Words),
    /// List the files of an image.
    Ls(Words),
    /// Copy files out of an image.
    Get(contents::GetFlags),
    /// Copy files into an image.
    Put(contents::PutFlags),
    /// Compile modules and put their object files into an image; .rsc files are taken as they are.
    Install(contents::InstallFlags),
    /// Check an image or card.
    Check(Words),
    /// Compile a module, start it on a board's stand-in in the emulator, and show what it says.
    Run(run::Flags),
    /// List the boards of the fleet.
    Boards,
    /// List cards, serial lines, JTAG adapters and radios.
    List(list::Flags),
    /// Say what is missing on this computer, and what helps.
    Doctor(doctor::Flags),
}

/// IMAGE, a file or card; left out where --board says which card is meant.
#[derive(clap::Args, Clone, Debug)]
pub struct Words {
    /// The image or card; left out, the card of --board.
    #[arg(value_name = "IMAGE")]
    image: Option<PathBuf>,
}

impl Program for Arguments {
    fn shared(&self) -> &Shared {
        &self.shared
    }

    fn run(self, session: &Session) -> Outcome {
        match self.verb {
            None => writing::run(session, &self.write),
            Some(Verb::Init(flags)) => init::run(session, &flags),
            Some(Verb::Diff(words)) => inspect::diff(session, words.image.as_deref()),
            Some(Verb::Info(words)) => inspect::info(session, words.image.as_deref()),
            Some(Verb::Ls(words)) => contents::list(session, words.image.as_deref()),
            Some(Verb::Get(flags)) => contents::get(session, &flags),
            Some(Verb::Put(flags)) => contents::put(session, &flags),
            Some(Verb::Install(flags)) => contents::install(session, &flags),
            Some(Verb::Run(flags)) => run::run(session, &flags),
            Some(Verb::Boards) => list::boards(session),
            Some(Verb::List(flags)) => list::run(session, &flags),
            Some(Verb::Doctor(flags)) => doctor::run(session, &flags),
            Some(Verb::Check(words)) => inspect::check(session, words.image.as_deref()),
        }
    }
}
