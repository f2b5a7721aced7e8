//! Names of objects as they stand on the command line.

use super::codes;
use crate::failure::{Failure, Outcome};

/// Longest name that the plane reads.
const CHARS: usize = 31;

/// Checks a name.
///
/// # Errors
/// What is wrong with it.
pub fn check(name: &str) -> Result<(), String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if first && name.len() <= CHARS && name.bytes().all(plain) {
        return Ok(());
    }
    Err(format!("{name:?} cannot be the name of an object"))
}

/// A name before which its kind may stand, as in `deployment/web`.
///
/// # Errors
/// `kube::object::name`.
pub fn of(kind: &str, text: &str) -> Outcome<String> {
    let name = match text.split_once('/') {
        None => text,
        Some((given, name)) if is_kind(kind, given) => name,
        Some((given, _)) => {
            let headline = format!("{given} is not what this is done to");
            return Err(Failure::new(&codes::OBJECT_NAME, headline)
                .help(format!("name a {kind}, as in {kind}/NAME or NAME alone")));
        }
    };
    check(name).map_err(|why| {
        Failure::new(&codes::OBJECT_NAME, why)
            .help("letters, digits, hyphens and dots, at most 31; kube get shows the names")
    })?;
    Ok(name.to_owned())
}

/// Whether a word means a kind of object; plurals and short forms are those of kubectl.
pub fn is_kind(kind: &str, word: &str) -> bool {
    let short = match kind {
        "deployment" => "deploy",
        "node" => "no",
        "pod" => "po",
        _ => return false,
    };
    word == kind || word == short || word.strip_suffix('s') == Some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_may_stand_before_a_name_and_must_be_the_right_one() {
        for text in ["web", "deployment/web", "deploy/web", "deployments/web"] {
            assert_eq!(of("deployment", text).expect(text), "web");
        }
        for text in ["pod/web", "deployment/", "-web", "we b", "web;x", &"x".repeat(32)] {
            let failure = of("deployment", text).expect_err(text);
            assert_eq!(failure.code, &codes::OBJECT_NAME, "{text}");
        }
    }
}
