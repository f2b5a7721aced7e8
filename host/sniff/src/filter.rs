//! Which frames are wanted.

use crate::decoder::{Heard, State};
use crate::oberon_net;
use kube_proto::layout::MESSAGES;

/// Kinds beside those of the message table.
const OTHER_KINDS: [&str; 6] = ["ack", "packet", "continued", "cut", "unknown", "data"];

/// Wanted frames; an empty list wants all.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// From or about one of these nodes.
    pub nodes: Vec<String>,
    /// Of one of these kinds.
    pub kinds: Vec<String>,
    /// In one of these states.
    pub states: Vec<State>,
    /// On one of these channels.
    pub channels: Vec<u8>,
}

impl Filter {
    /// Whether the frame is wanted.
    #[must_use]
    pub fn wants(&self, heard: &Heard) -> bool {
        let any = |list: &[String], holds: &dyn Fn(&str) -> bool| {
            list.is_empty() || list.iter().any(|entry| holds(entry))
        };
        any(&self.nodes, &|node| heard.concerns(node))
            && any(&self.kinds, &|kind| heard.kind() == kind)
            && (self.states.is_empty() || self.states.contains(&heard.state))
            && (self.channels.is_empty() || self.channels.contains(&heard.frame.channel))
    }
}

/// A word that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {what} is called {word:?}{}; there are {}", meant(.near), .known.join(", "))]
pub struct UnknownWord {
    /// What it should have been.
    pub what: &'static str,
    /// The word.
    pub word: String,
    /// A known one that is much like it.
    pub near: Option<String>,
    /// All known ones.
    pub known: Vec<String>,
}

fn meant(near: &Option<String>) -> String {
    near.as_ref().map_or(String::new(), |near| format!(" (did you mean {near}?)"))
}

fn unknown(what: &'static str, word: &str, known: &[&str]) -> UnknownWord {
    let near = known
        .iter()
        .map(|known| (distance(known, word), *known))
        .filter(|&(distance, _)| distance <= 2)
        .min()
        .map(|(_, known)| known.to_owned());
    let known = known.iter().map(|&known| known.to_owned()).collect();
    UnknownWord { what, word: word.to_owned(), near, known }
}

/// Letters to change, add or leave out.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, from) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = at + 1;
        for (place, &to) in b.iter().enumerate() {
            let changed = corner + usize::from(from != to);
            corner = row[place + 1];
            row[place + 1] = changed.min(corner + 1).min(row[place] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

/// All kinds by name.
#[must_use]
pub fn kinds() -> Vec<&'static str> {
    let net = (0x08..=0xff).filter_map(oberon_net::name);
    let mut kinds: Vec<_> =
        MESSAGES.iter().map(|layout| layout.name).chain(OTHER_KINDS).chain(net).collect();
    let mut seen = std::collections::BTreeSet::new();
    kinds.retain(|kind| seen.insert(*kind));
    kinds
}

/// Reads a kind.
///
/// # Errors
/// [`UnknownWord`].
pub fn kind(text: &str) -> Result<String, UnknownWord> {
    let kinds = kinds();
    match kinds.contains(&text) {
        true => Ok(text.to_owned()),
        false => Err(unknown("kind of frame", text, &kinds)),
    }
}

/// Reads a state.
///
/// # Errors
/// [`UnknownWord`].
pub fn state(text: &str) -> Result<State, UnknownWord> {
    let found = State::ALL.iter().find(|(_, word)| *word == text);
    let words = State::ALL.map(|(_, word)| word);
    found.map(|(state, _)| *state).ok_or_else(|| unknown("state", text, &words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_not_known_are_named_with_a_neighbour() {
        assert_eq!(kind("heartbeat"), Ok("heartbeat".to_owned()));
        let error = kind("hartbeat").expect_err("misspelt");
        assert_eq!(error.near.as_deref(), Some("heartbeat"));
        assert!(error.to_string().contains("did you mean heartbeat?"), "{error}");
        assert_eq!(state("bad"), Ok(State::Bad));
        assert!(state("badly").expect_err("no state").known.contains(&"foreign".to_owned()));
        assert_eq!(kind("xyzzy").expect_err("nothing like it").near, None);
    }
}
