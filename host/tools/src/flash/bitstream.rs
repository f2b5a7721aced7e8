//! What a bitstream is for, and its way to a board.
//!
//! An ECP5 bitstream file is: FF 00, texts that end with 0, FF; the preamble FF FF BD B3; commands of
//! a byte and three more, with FF between them. E2H, VERIFY_ID, is followed by the code of the part.
//! Source: Project Trellis, docs/architecture/bitstream_format; Lattice TN1260.

use std::path::Path;
use std::process::{Command, Stdio};

use kube_boards::fleet::Board;
use kube_boards::model::{self, BoardFamily, Model};

use super::{codes, trouble};
use crate::failure::{Failure, Outcome};
use crate::talk::Talk;

const PREAMBLE: [u8; 4] = [0xFF, 0xFF, 0xBD, 0xB3];
const VERIFY_ID: u8 = 0xE2;
/// Commands stand near the start; the configuration itself is never searched.
const SEARCHED_BYTES: usize = 4096;

/// What a bitstream says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitstream {
    /// Code of the part that it is for.
    pub idcode: u32,
    /// The texts at its start.
    pub texts: Vec<String>,
}

impl Bitstream {
    /// Reads the start of a bitstream; `None` if it is none.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let start = &bytes[..bytes.len().min(SEARCHED_BYTES)];
        let preamble = start.windows(4).position(|window| window == PREAMBLE)?;
        let texts = match start.strip_prefix(&[0xFF, 0x00]) {
            Some(rest) => {
                let end = rest.iter().position(|&byte| byte == 0xFF)?;
                let parts = rest[..end].split(|&byte| byte == 0);
                let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
                parts.filter(|part| !part.is_empty()).map(text).collect()
            }
            None => Vec::new(),
        };
        let mut commands = &start[preamble + 4..];
        loop {
            commands = &commands[commands.iter().position(|&byte| byte != 0xFF)?..];
            let (command, rest) = commands.split_at_checked(4)?;
            if command[0] == VERIFY_ID {
                let code = rest.first_chunk::<4>()?;
                return Some(Self { idcode: u32::from_be_bytes(*code), texts });
            }
            // LSC_RESET_CRC and others before it carry nothing.
            commands = rest;
        }
    }

    /// The text behind a word, as in `Design: ulx3s`. Bitstreams of `cargo xtask bitstream` have Design,
    /// Version, Board (model and revision), Build and Seed.
    #[must_use]
    pub fn text(&self, word: &str) -> Option<&str> {
        self.texts.iter().find_map(|text| text.strip_prefix(word)?.strip_prefix(": "))
    }

    /// Revision of the circuit board that it is for, if it says so.
    #[must_use]
    pub fn revision(&self) -> Option<&str> {
        self.text("Board")?.split_once(' ').map(|(_, revision)| revision)
    }

    /// The models with that part.
    #[must_use]
    pub fn models(&self) -> Vec<Model> {
        let all = model::families().into_iter().flat_map(|family| family.models);
        all.filter(|model| model.idcode == self.idcode).collect()
    }
}

/// Reads a bitstream file.
///
/// # Errors
/// `kube::target::…`, `kube::bitstream::kind`.
pub fn read(path: &Path) -> Outcome<Bitstream> {
    let bytes = std::fs::read(path)
        .map_err(|error| trouble::of(&error, &format!("{} cannot be read", path.display())))?;
    Bitstream::parse(&bytes).ok_or_else(|| {
        Failure::new(&codes::BITSTREAM_KIND, format!("{} is no bitstream", path.display()))
            .cause("the preamble FFFFBDB3H and the command VERIFY_ID are not there")
            .help("give the .bit file that ecppack has made")
    })
}

/// The command that loads a bitstream, after a look at what it is for.
///
/// # Errors
/// `kube::bitstream::…`.
pub fn command(board: &Board, path: &Path, persist: bool) -> Outcome<Vec<String>> {
    let Some((family, model)) = board.hardware.model.as_deref().and_then(model::find) else {
        return Err(Failure::new(&codes::BITSTREAM_MODEL, format!("{} has no model", board.name))
            .help(format!("model = \"ulx3s-85f\" in [boards.{}]", board.name)));
    };
    let bitstream = read(path)?;
    if bitstream.idcode != model.idcode {
        let made_for: Vec<_> = bitstream.models().into_iter().map(|model| model.part).collect();
        let part = match made_for.first() {
            Some(part) => part.clone(),
            None => format!("an unknown part, {:08X}H", bitstream.idcode),
        };
        return Err(Failure::new(
            &codes::BITSTREAM_PART,
            format!("{} is for another part than {}'s", path.display(), board.name),
        )
        .cause(format!("it is for {part}, the {} has {}", model.name, model.part))
        .help("make the bitstream for that part, or correct the model in the fleet file"));
    }
    same_revision(board, &family, path, &bitstream)?;
    let mut words = vec!["openFPGALoader".to_owned(), "--board".to_owned(), family.loader];
    if let Some(serial) = &board.hardware.jtag {
        words.extend(["--ftdi-serial".to_owned(), serial.clone()]);
    }
    if persist {
        words.push("--write-flash".to_owned());
    }
    words.push(path.display().to_string());
    Ok(words)
}

/// Refuses a bitstream that is for another revision, or for one that nobody has named.
fn same_revision(
    board: &Board,
    family: &BoardFamily,
    path: &Path,
    bitstream: &Bitstream,
) -> Outcome {
    let Some(made_for) = bitstream.revision() else { return Ok(()) };
    let path = path.display();
    let known = board.hardware.revision.as_deref();
    if known == Some(made_for) {
        return Ok(());
    }
    let (headline, cause) = match known {
        Some(known) => (
            format!("{path} is for another revision than {}'s", board.name),
            format!("it is for revision {made_for}, {} has {known}", board.name),
        ),
        None => (
            format!("nobody has said which revision {} has", board.name),
            format!("{path} is for revision {made_for}; there are {}", family.revisions.join(", ")),
        ),
    };
    Err(Failure::new(&codes::BITSTREAM_REVISION, headline).cause(cause).help(format!(
        "look at the board; revision = \"{made_for}\" in [boards.{}], or another bitstream",
        board.name
    )))
}

/// Loads a bitstream with a command of [`command`].
///
/// # Errors
/// `kube::loader`.
pub fn load(talk: &Talk, board: &str, words: &[String]) -> Outcome {
    let line = words.join(" ");
    talk.say(format!("Load {board}: {line}"));
    let failed = |why: String, help: &str| {
        Err(Failure::new(&codes::LOADER, "the bitstream was not loaded").cause(why).help(help))
    };
    // What it says goes where all talk goes; stdout is for results.
    let status = Command::new(&words[0])
        .args(&words[1..])
        .stdin(Stdio::null())
        .stdout(std::io::stderr())
        .status();
    match status {
        Ok(status) if status.success() => {
            talk.say(format!("Load done: {board}"));
            Ok(())
        }
        Ok(status) => failed(format!("openFPGALoader ended with {status}"), "kube-flash doctor"),
        Err(error) => failed(format!("openFPGALoader: {error}"), "sudo apt install openfpgaloader"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_is_found_behind_the_texts() {
        let mut bytes = b"\xFF\x00Part: LFE5U-85F-6CABGA381\0Date: never\0\xFF".to_vec();
        bytes.extend([0xFF, 0xFF, 0xBD, 0xB3, 0xFF, 0xFF, 0xFF, 0xFF, 0x3B, 0, 0, 0]);
        bytes.extend([0xE2, 0, 0, 0, 0x41, 0x11, 0x30, 0x43]);
        let found = Bitstream::parse(&bytes).unwrap();
        assert_eq!(found.idcode, 0x4111_3043);
        assert_eq!(found.texts, ["Part: LFE5U-85F-6CABGA381", "Date: never"]);
        assert_eq!(found.models()[0].name, "ulx3s-85f");
        for end in 0..bytes.len() - 1 {
            assert_eq!(Bitstream::parse(&bytes[..end]), None, "cut at {end}");
        }
    }
}
