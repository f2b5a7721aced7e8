//! `board.toml`: the models of boards, their parts and how they are loaded. The files stand in
//! folders beside this crate's sources and are embedded.

use std::path::Path;

use serde::Deserialize;

use crate::diagnostic::Diagnostic;

/// The embedded files.
const FILES: [(&str, &str); 1] = [("boards/ulx3s/board.toml", include_str!("../ulx3s/board.toml"))];

/// A family of boards that differ in their FPGA only.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BoardFamily {
    /// Name.
    pub name: String,
    /// Revisions of the circuit board that are known.
    pub revisions: Vec<String>,
    /// Clock that reaches the FPGA, in Hz.
    pub clock_hz: u32,
    /// Name of the board to openFPGALoader.
    pub loader: String,
    /// USB vendor and product of its serial line and JTAG adapter, as `0403:6015`.
    pub usb: Vec<String>,
    /// The models.
    pub models: Vec<Model>,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Name in a fleet file.
    pub name: String,
    /// Part.
    pub part: String,
    /// What the part answers to the question who it is.
    pub idcode: u32,
}

/// Reads a `board.toml`.
///
/// # Errors
/// A [`Diagnostic`] at the line and column.
pub fn parse(path: &Path, text: &str) -> Result<BoardFamily, Box<Diagnostic>> {
    toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let help = "boards/ulx3s/board.toml shows every key".to_owned();
        Box::new(Diagnostic::new(path, text, span, error.message().to_owned(), help))
    })
}

/// All families.
#[must_use]
pub fn families() -> Vec<BoardFamily> {
    FILES.iter().filter_map(|(path, text)| parse(Path::new(path), text).ok()).collect()
}

/// The model of that name, and its family.
#[must_use]
pub fn find(name: &str) -> Option<(BoardFamily, Model)> {
    families().into_iter().find_map(|family| {
        let model = family.models.iter().find(|model| model.name == name)?.clone();
        Some((family, model))
    })
}

/// Names of all models.
#[must_use]
pub fn names() -> Vec<String> {
    families().into_iter().flat_map(|family| family.models).map(|model| model.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_file_is_read() {
        for (path, text) in FILES {
            parse(Path::new(path), text).unwrap_or_else(|error| panic!("{error}"));
        }
        let (family, model) = find("ulx3s-85f").unwrap();
        assert_eq!((family.loader.as_str(), model.idcode), ("ulx3s", 0x4111_3043));
    }

    #[test]
    fn an_error_names_its_place() {
        let error = parse(Path::new("b.toml"), "name = \"x\"\nclok-hz = 5\n").unwrap_err();
        assert_eq!((error.line, error.column), (2, 1), "{error}");
    }
}
