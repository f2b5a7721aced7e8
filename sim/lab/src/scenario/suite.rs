//! The scenarios of the project: the six published labs, the recovery table and the load check.

use std::path::{Path, PathBuf};

use super::Scenario;
use super::file::{self, ScenarioError};
use include_dir::{Dir, include_dir};

static SCENARIOS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/scenarios");

/// Where a scenario comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file, or the name of one of the project's.
    pub path: PathBuf,
    /// Its text.
    pub source: String,
}

/// Names of the project's scenarios, in order.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let stem = |file: &include_dir::File<'static>| file.path().file_stem()?.to_str();
    let mut names: Vec<_> = SCENARIOS.files().filter_map(stem).collect();
    names.sort_unstable();
    names
}

fn text(name: &str) -> Option<&'static str> {
    SCENARIOS.get_file(format!("{name}.toml"))?.contents_utf8()
}

/// Finds a scenario by the path of a file, or by the name of one of the project's.
///
/// # Errors
/// [`ScenarioError::Read`] or [`ScenarioError::Unknown`].
pub fn find(name: &str) -> Result<Origin, ScenarioError> {
    let path = Path::new(name);
    if let (false, Some(source)) = (path.exists(), text(name)) {
        let path = PathBuf::from(format!("{name}.toml"));
        return Ok(Origin { path, source: source.to_owned() });
    }
    let named = path.extension().is_some_and(|extension| extension == "toml");
    if !path.exists() && !named && path.components().count() == 1 {
        // Half of a name will do: lab2 or rollout for lab2-rollout.
        let halves = |known: &str| {
            known.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'))
                || known.strip_suffix(name).is_some_and(|rest| rest.ends_with('-'))
        };
        let known = names();
        let mut fitting = known.iter().filter(|known| halves(known));
        if let (Some(one), None) = (fitting.next(), fitting.next()) {
            return find(one);
        }
        let known = known.into_iter().map(str::to_owned).collect();
        return Err(ScenarioError::Unknown { name: name.to_owned(), known });
    }
    Ok(Origin { path: path.to_owned(), source: file::text(path)? })
}

/// Finds and reads a scenario.
///
/// # Errors
/// [`ScenarioError`].
pub fn load(name: &str) -> Result<(Origin, Scenario), ScenarioError> {
    let origin = find(name)?;
    let scenario = file::parse(&origin.path, &origin.source)?;
    Ok((origin, scenario))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_of_the_project_can_be_played() {
        let names = names();
        assert!(names.len() >= 6, "{names:?}");
        for name in names {
            let (_, scenario) = load(name).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(scenario.name, name);
        }
    }

    #[test]
    fn an_unknown_name_gets_the_nearest() {
        let error = find("rolout").unwrap_err();
        assert!(error.help().contains("did you mean"), "{}", error.help());
    }
}
