//! The modules for a genuine Project Oberon 2013: compiled against the symbol files of its disk.
//!
//! The radio driver, Kube, the kubelet and the pods are the same sources as on our system; what
//! they need beyond Project Oberon comes from another `Host` (`oberon/genuine`). SCC takes the place
//! of the system's own, which acknowledges broadcasts. `System` is compiled from the disk's own
//! source with one call added, so that the machine runs the commands of `Boot.Cmd` at start.

use include_dir::{Dir, include_dir};
use obc::{Source, SymbolSource, project};

use crate::BuildError;

static GENUINE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/genuine");

/// Modules of `oberon/system` that go with Kube.
const DRIVERS: [&str; 4] = [
    "oberon/system/NRF24.Mod",
    "oberon/system/SCC.Mod",
    "oberon/system/Radio.Mod",
    "oberon/system/Numbers.Mod",
];

/// Commands over the air go to the console of our system.
const OPERATOR: &str = "oberon/kube/Operator.Mod";

/// The sources, without `System`.
#[must_use]
pub fn sources() -> Vec<Source> {
    let shared = crate::sources().into_iter().filter(|source| {
        let name = source.name.as_str();
        (name.starts_with("oberon/kube/") && name != OPERATOR)
            || name.starts_with("oberon/pods/")
            || DRIVERS.contains(&name)
    });
    shared.chain(crate::modules_of("genuine", &GENUINE)).collect()
}

/// Text of a genuine `System.Mod` whose body ends with a call of `Boot.Run`. A machine without
/// `Boot` starts as ever.
///
/// # Errors
/// [`BuildError::System`] if the text has no body.
pub fn system_that_starts_boot(text: &str) -> Result<String, BuildError> {
    const CALL: &str = "  PROCEDURE RunBoot;\r    VAR res: INTEGER;\r  \
        BEGIN Oberon.Call(\"Boot.Run\", res)\r  END RunBoot;\r\r";
    let split =
        |text: &str, mark: &str| text.rfind(mark).ok_or(BuildError::System(mark.to_owned()));
    let end = split(text, "END System.")?;
    let body = split(&text[..end], "BEGIN")?;
    let (head, rest) = text.split_at(body);
    let (body, end) = rest.split_at(end - body);
    let body = body.trim_end().trim_end_matches(';');
    Ok(format!("{head}{CALL}{body}; RunBoot\r{end}"))
}

/// Object and symbol files for a genuine disk, by file name. `symbols` gives its symbol files, `system` is the text of its
/// `System.Mod`, `extra` are further modules (a user's pods).
///
/// # Errors
/// [`BuildError`] with every diagnostic of every module.
pub fn build(
    symbols: &dyn SymbolSource,
    system: &str,
    extra: &[Source],
) -> Result<Vec<(String, Vec<u8>)>, BuildError> {
    let mut sources = sources();
    sources.push(Source::new("System.Mod", system_that_starts_boot(system)?));
    sources.extend_from_slice(extra);
    let compiled = project::build_with(&sources, symbols, &obc::Options::default())
        .map_err(|diagnostics| BuildError::compile(&diagnostics))?;
    let files = |c: obc::Compiled| {
        let object = (format!("{}.rsc", c.module), c.object.to_bytes());
        [object, (format!("{}.smb", c.module), c.symbol_file)]
    };
    Ok(compiled.into_iter().flat_map(files).collect())
}
