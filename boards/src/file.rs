//! `fleet.toml`, and `fleet.local.toml` beside it, which holds what is true of one desk only. A value
//! of the local file counts before that of the other.

mod raw;

use std::path::{Path, PathBuf};

use crate::diagnostic::Diagnostic;
use crate::fleet::{Board, Fleet, Radio, Role};
use raw::{RawFile, Text};

/// Name of a fleet file.
pub const FLEET_FILE: &str = "fleet.toml";
/// Name of the file beside it that git ignores.
pub const LOCAL_FILE: &str = "fleet.local.toml";
/// Keys that everybody knows: those of the example and of the lab.
const PUBLIC_KEYS: [&str; 2] = ["00c0ffee00c0ffee", "0123456789abcdef"];

/// A fleet with the files that it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetFile {
    /// The fleet file.
    pub path: PathBuf,
    /// The local file, if there is one.
    pub local: Option<PathBuf>,
    /// What they say.
    pub fleet: Fleet,
    /// The board that is meant when none is named, and the file that says so.
    pub default_board: Option<(String, PathBuf)>,
    /// Whether the key is one that everybody knows.
    pub key_is_public: bool,
}

/// Why a fleet cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FleetFileError {
    /// A file cannot be opened.
    #[error("{path} cannot be read: {source}", path = .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: std::io::Error,
    },
    /// Something in a file is wrong.
    #[error("{0}")]
    Place(Box<Diagnostic>),
    /// A key file can be read by others.
    #[error("key file {path} has mode {mode:04o}: others than its owner can read it", path = .path.display())]
    KeyMode {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
}

impl FleetFileError {
    /// What helps.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Read { .. } => {
                "name a fleet file with --fleet, or write one with kube-flash init".to_owned()
            }
            Self::Place(diagnostic) => diagnostic.help.clone(),
            Self::KeyMode { path, .. } => format!("chmod 600 {}", path.display()),
        }
    }
}

/// The nearest of a list of names, for a hint.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = |other: &&str| strsim::jaro_winkler(name, other);
    let best = known.into_iter().max_by(|a, b| near(a).total_cmp(&near(b)))?;
    (near(&best) > 0.75).then_some(best)
}

/// Looks for a fleet file in a folder and those above it: `fleet.toml` or `boards/fleet.toml`.
#[must_use]
pub fn find(from: &Path) -> Option<PathBuf> {
    let places = |folder: &Path| [folder.join(FLEET_FILE), folder.join("boards").join(FLEET_FILE)];
    from.ancestors().flat_map(places).find(|path| path.is_file())
}

/// Reads a fleet file and the local file beside it.
///
/// # Errors
/// [`FleetFileError`] with file, line and column.
pub fn read(path: &Path) -> Result<FleetFile, FleetFileError> {
    let main = Text::read(path)?;
    let local_path = path.with_file_name(LOCAL_FILE);
    let local = if local_path.exists() { Some(Text::read(&local_path)?) } else { None };
    let mut file = main.parse()?;
    let mut default_board = board_of(&file, &main);
    if let Some(local) = &local {
        let over = local.parse()?;
        default_board = board_of(&over, local).or(default_board);
        file.overlay(over, &main, local)?;
    }
    let reader = Reader { main: &main };
    let (fleet, key_is_public) = reader.fleet(file)?;
    if let Some((at, name)) = &default_board
        && fleet.board(name.as_ref()).is_none()
    {
        let names: Vec<_> = fleet.boards.iter().map(|board| board.name.as_str()).collect();
        let help = format!("boards: {}", names.join(", "));
        let message = format!("there is no board {:?}", name.as_ref());
        return Err(at.error(name.span(), message, help));
    }
    Ok(FleetFile {
        path: path.to_owned(),
        local: local.map(|text| text.path),
        fleet,
        default_board: default_board.map(|(at, name)| (name.into_inner(), at.path)),
        key_is_public,
    })
}

type Named = toml::Spanned<String>;

fn board_of(file: &RawFile, text: &Text) -> Option<(Text, Named)> {
    let board = file.tool.as_ref()?.board.clone()?;
    Some((text.clone(), board))
}

/// Turns what a file says into a fleet.
struct Reader<'a> {
    main: &'a Text,
}

impl Reader<'_> {
    fn fleet(&self, file: RawFile) -> Result<(Fleet, bool), FleetFileError> {
        let whole = 0..0;
        let Some(cluster) = file.cluster else {
            let help = "add [cluster] with name and key; kube-flash init writes a whole file";
            return Err(self.main.error(whole, "there is no cluster".to_owned(), help.to_owned()));
        };
        let (name, key) = (cluster.name(self.main)?, cluster.key(self.main)?);
        let public = PUBLIC_KEYS.contains(&key.as_str());
        // Both have been checked where they stand.
        let mut fleet = Fleet::empty(&name, &key).map_err(|error| {
            self.main.error(whole.clone(), error.to_string(), "see [cluster]".to_owned())
        })?;
        fleet.keys = cluster.keys.unwrap_or_default();
        fleet.operator = cluster.operator(self.main, &key)?;
        fleet.radio = match file.radio {
            Some(radio) => radio.read(self.main)?,
            None => Radio::default(),
        };
        let mut boards: Vec<_> = file.boards.into_iter().collect();
        boards.sort_by_key(|(name, _)| name.span().start);
        for (name, board) in boards {
            fleet.boards.push(board.read(&name, self.main)?);
        }
        self.roles(&fleet)?;
        fleet.boards.sort_by_key(|board| board.role != Role::Plane);
        Ok((fleet, public))
    }

    fn roles(&self, fleet: &Fleet) -> Result<(), FleetFileError> {
        let of = |role| fleet.boards.iter().filter(move |board: &&Board| board.role == role);
        let fault =
            |message: String, help: &str| Err(self.main.error(0..0, message, help.to_owned()));
        let nodes = of(Role::Node).count();
        let planes: Vec<_> = of(Role::Plane).map(|board| board.name.as_str()).collect();
        if planes.len() > 1 {
            let names = planes.join(" and ");
            return fault(format!("{names} are all planes"), "a cluster has one plane");
        }
        if fleet.boards.is_empty() {
            return fault(
                "there are no boards".to_owned(),
                "add [boards.plane] and [boards.node1]",
            );
        }
        if nodes > Fleet::NODES_MAX {
            return fault(format!("there are {nodes} nodes"), "one air carries at most 200");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
