//! The text of a rule.

use super::{Comparison, Condition, Rule, Subject, Unwanted, When};
use crate::filter;
use crate::span;
use kube_proto::message::REASONS;

/// Why a text is no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rule {rule:?}: {reason}")]
pub struct RuleError {
    /// The text.
    pub rule: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Reads a rule.
///
/// # Errors
/// [`RuleError`].
///
/// ```
/// use kube_sniff::expect::parse;
/// assert!(parse("heartbeat node1 every 1s±20%").is_ok());
/// assert!(parse("heartbeat node1 sometimes").is_err());
/// ```
pub fn parse(text: &str) -> Result<Rule, RuleError> {
    whole(text, rule)
}

/// Reads what holds or not at a moment: a count without a time.
///
/// # Errors
/// [`RuleError`].
///
/// ```
/// use kube_sniff::expect::condition;
/// assert!(condition("pods on node1 = 4").is_ok());
/// assert!(condition("pods on node1 = 4 within 5s").is_err());
/// ```
pub fn condition(text: &str) -> Result<Condition, RuleError> {
    whole(text, |words| {
        let (first, subject) = counted(words)?;
        compared(words, &first, subject)
    })
}

/// Reads what can be counted.
///
/// # Errors
/// [`RuleError`].
///
/// ```
/// use kube_sniff::expect::subject;
/// assert!(subject("pods Ticker2").is_ok());
/// ```
pub fn subject(text: &str) -> Result<Subject, RuleError> {
    whole(text, |words| counted(words).map(|(_, subject)| subject))
}

fn whole<T>(
    text: &str,
    read: impl Fn(&mut Words<'_>) -> Result<T, String>,
) -> Result<T, RuleError> {
    let spaced = spaced(text);
    let mut words = Words { words: spaced.split_whitespace().collect(), at: 0 };
    let found = read(&mut words).and_then(|found| words.end().map(|()| found));
    found.map_err(|reason| RuleError { rule: text.to_owned(), reason })
}

/// Comparisons with blanks around them.
fn spaced(text: &str) -> String {
    let mut spaced = String::new();
    let mut before = ' ';
    for ch in text.chars() {
        let is = |ch: char| matches!(ch, '<' | '>' | '=');
        if is(ch) != is(before) {
            spaced.push(' ');
        }
        spaced.push(ch);
        before = ch;
    }
    spaced
}

struct Words<'a> {
    words: Vec<&'a str>,
    at: usize,
}

impl<'a> Words<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'a str> {
        let word = self.peek();
        self.at += 1;
        word
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        self.at += usize::from(found);
        found
    }

    /// A name, if what follows is none of the language's own words.
    fn name(&mut self) -> Option<String> {
        let word = self.peek()?;
        if KEYWORDS.contains(&word) || comparison(word).is_some() {
            return None;
        }
        self.at += 1;
        (word != "*").then(|| word.to_owned())
    }

    fn span(&mut self, what: &str) -> Result<u64, String> {
        let word = self.next().ok_or_else(|| format!("a time must follow {what}, such as 10s"))?;
        span::parse(word).map_err(|error| error.to_string())
    }

    fn end(&self) -> Result<(), String> {
        match self.peek() {
            None => Ok(()),
            Some(word) => Err(format!("{word:?} is not understood there")),
        }
    }
}

const KEYWORDS: [&str; 6] = ["every", "within", "after", "always", "on", "no"];

fn comparison(word: &str) -> Option<Comparison> {
    Some(match word {
        "<" => Comparison::Less,
        "<=" => Comparison::AtMost,
        "=" | "==" => Comparison::Equal,
        ">=" => Comparison::AtLeast,
        ">" => Comparison::More,
        _ => return None,
    })
}

fn rule(words: &mut Words<'_>) -> Result<Rule, String> {
    if words.take("no") {
        let what = words.next().ok_or("say what must not be, such as `no bad`")?;
        let what = unwanted(what)?;
        let node = words.name();
        let after_ns = after(words)?;
        return Ok(Rule::Never { what, node, after_ns });
    }
    let (first, subject) = counted(words)?;
    if words.take("every") {
        let Subject::Frames { kind: Some(kind), node, unheard: false } = subject else {
            return Err(format!("{first} cannot keep time: name a kind of frame"));
        };
        let word = words.next().ok_or("a time must follow every, such as 1s±20%")?;
        let (least_ns, most_ns) = cadence(word)?;
        let after_ns = after(words)?;
        return Ok(Rule::Cadence { kind, node, least_ns, most_ns, after_ns });
    }
    let condition = compared(words, &first, subject)?;
    let when = if words.take("within") {
        When::Within(words.span("within")?)
    } else if words.take("after") {
        When::After(words.span("after")?)
    } else if words.take("always") {
        When::After(0)
    } else {
        When::End
    };
    Ok(Rule::Amount { condition, when })
}

/// What is counted, with its first word.
fn counted(words: &mut Words<'_>) -> Result<(String, Subject), String> {
    let first = words.next().ok_or("there is nothing in it")?;
    let subject = match first {
        "pods" => {
            let image = words.name();
            let node = if words.take("on") {
                Some(words.name().ok_or("a node must follow on, such as `pods on node1 = 2`")?)
            } else {
                None
            };
            Subject::Pods { image, node }
        }
        "missing" => Subject::Missing { reason: words.name().map(|r| reason(&r)).transpose()? },
        "nodes" => Subject::Nodes,
        "silent" => Subject::Silent { node: words.name() },
        "agree" => Subject::Agree,
        "spread" => Subject::Spread,
        "changed" => {
            let unheard = words.take("unheard");
            let kind = words.next().filter(|kind| LISTS.contains(kind));
            let kind = kind.ok_or("say what changed: heartbeat or assignment")?.to_owned();
            Subject::Changed { kind, node: words.name(), unheard }
        }
        "unheard" => {
            let kind = words.next().ok_or("say what was unheard, such as `unheard assignment`")?;
            frames(kind, words, true)?
        }
        kind => frames(kind, words, false)?,
    };
    Ok((first.to_owned(), subject))
}

/// Kinds of frames that carry a list of pods.
const LISTS: [&str; 2] = ["heartbeat", "assignment"];

fn frames(kind: &str, words: &mut Words<'_>, unheard: bool) -> Result<Subject, String> {
    let kind = match kind {
        "frames" => None,
        kind => Some(filter::kind(kind).map_err(|error| error.to_string())?),
    };
    Ok(Subject::Frames { kind, node: words.name(), unheard })
}

/// A reason by its words, with - for blanks.
fn reason(word: &str) -> Result<String, String> {
    let words = REASONS.map(|(_, words)| words.replace(' ', "-"));
    match words.iter().position(|known| known.eq_ignore_ascii_case(word)) {
        Some(at) => Ok(REASONS[at].1.to_owned()),
        None => Err(format!("no reason is called {word:?}; there are {}", words.join(", "))),
    }
}

fn compared(words: &mut Words<'_>, first: &str, subject: Subject) -> Result<Condition, String> {
    let plain = match &subject {
        Subject::Frames { .. } | Subject::Agree => true,
        Subject::Silent { node } => node.is_some(),
        _ => false,
    };
    let (comparison, bound) = match words.peek().and_then(comparison) {
        Some(comparison) => {
            words.next();
            let number = words.next().and_then(|word| word.parse().ok());
            (comparison, number.ok_or("a number must follow the comparison")?)
        }
        None if plain => (Comparison::AtLeast, 1),
        None => return Err(format!("say how many {first}, such as `{first} >= 2`")),
    };
    Ok(Condition { subject, comparison, bound })
}

fn after(words: &mut Words<'_>) -> Result<u64, String> {
    if words.take("after") { words.span("after") } else { Ok(0) }
}

fn unwanted(word: &str) -> Result<Unwanted, String> {
    Ok(match word {
        "lost" => Unwanted::Lost,
        "late" => Unwanted::Late,
        "replayed" => Unwanted::Replayed,
        "repeated" => Unwanted::Repeated,
        word => match filter::state(word) {
            Ok(state) => Unwanted::State(state),
            Err(states) => Unwanted::Kind(filter::kind(word).map_err(|kinds| {
                format!("{kinds}; or a state of them: {}", states.known.join(", "))
            })?),
        },
    })
}

/// `1s±20%`, `1s+-20%`, `1s+20%` or `1s`: shortest and longest.
fn cadence(word: &str) -> Result<(u64, u64), String> {
    let (span, tolerance, below) = match (word.split_once('±'), word.split_once("+-")) {
        (Some((span, tolerance)), _) | (None, Some((span, tolerance))) => (span, tolerance, true),
        (None, None) => match word.split_once('+') {
            Some((span, tolerance)) => (span, tolerance, false),
            None => (word, "20%", true),
        },
    };
    let period_ns = span::parse(span).map_err(|error| error.to_string())?;
    let percent = tolerance.strip_suffix('%').and_then(|digits| digits.parse::<u32>().ok());
    let percent = percent.filter(|&percent| percent <= 1_000);
    let percent = percent.ok_or_else(|| format!("{tolerance:?} is no tolerance, such as 20%"))?;
    let slack_ns = (period_ns as f64 * f64::from(percent) / 100.0).round() as u64;
    let least_ns = if below { period_ns.saturating_sub(slack_ns) } else { 0 };
    Ok((least_ns, period_ns + slack_ns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoder::State;

    const S: u64 = 1_000_000_000;

    #[test]
    fn every_form_of_the_language_is_read() {
        let cadence = |node: Option<&str>, least_ns, most_ns, after_ns| Rule::Cadence {
            kind: "heartbeat".to_owned(),
            node: node.map(str::to_owned),
            least_ns,
            most_ns,
            after_ns,
        };
        let amount = |subject, comparison, bound, when| Rule::Amount {
            condition: Condition { subject, comparison, bound },
            when,
        };
        let node1 = || Some("node1".to_owned());
        let pods = |image: Option<&str>, node: Option<&str>| Subject::Pods {
            image: image.map(str::to_owned),
            node: node.map(str::to_owned),
        };
        let frames = |kind: &str, unheard| Subject::Frames {
            kind: Some(kind.to_owned()),
            node: node1(),
            unheard,
        };
        let (low, high) = (800_000_000, 1_200_000_000);
        for (text, rule) in [
            ("heartbeat node1 every 1s±20%", cadence(Some("node1"), low, high, 0)),
            ("heartbeat node1 every 1s+-20%", cadence(Some("node1"), low, high, 0)),
            ("heartbeat every 1s", cadence(None, low, high, 0)),
            ("heartbeat * every 1s+20% after 3s", cadence(None, 0, high, 3 * S)),
            ("no bad", Rule::Never { what: Unwanted::State(State::Bad), node: None, after_ns: 0 }),
            (
                "no query node1 after 10s",
                Rule::Never {
                    what: Unwanted::Kind("query".to_owned()),
                    node: Some("node1".to_owned()),
                    after_ns: 10 * S,
                },
            ),
            ("no lost", Rule::Never { what: Unwanted::Lost, node: None, after_ns: 0 }),
            (
                "pods Ticker>=4 within 10s",
                amount(pods(Some("Ticker"), None), Comparison::AtLeast, 4, When::Within(10 * S)),
            ),
            (
                "nodes = 2 after 1m",
                amount(Subject::Nodes, Comparison::Equal, 2, When::After(60 * S)),
            ),
            (
                "assignment node1",
                amount(frames("assignment", false), Comparison::AtLeast, 1, When::End),
            ),
            (
                "pods on node1 < 3 always",
                amount(pods(None, Some("node1")), Comparison::Less, 3, When::After(0)),
            ),
            ("agree", amount(Subject::Agree, Comparison::AtLeast, 1, When::End)),
            (
                "silent node1",
                amount(Subject::Silent { node: node1() }, Comparison::AtLeast, 1, When::End),
            ),
            (
                "missing no-module = 2",
                amount(
                    Subject::Missing { reason: Some("no module".to_owned()) },
                    Comparison::Equal,
                    2,
                    When::End,
                ),
            ),
            (
                "unheard assignment node1 > 4",
                amount(frames("assignment", true), Comparison::More, 4, When::End),
            ),
            (
                "changed unheard assignment = 0",
                amount(
                    Subject::Changed { kind: "assignment".to_owned(), node: None, unheard: true },
                    Comparison::Equal,
                    0,
                    When::End,
                ),
            ),
        ] {
            assert_eq!(parse(text).expect(text), rule, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("", "nothing in it"),
            ("hartbeat node1 every 1s", "did you mean heartbeat?"),
            ("heartbeat every", "a time must follow every"),
            ("heartbeat every soon", "is no time"),
            ("heartbeat every 1s±x%", "is no tolerance"),
            ("pods", "say how many pods"),
            ("pods >= many", "a number must follow"),
            ("pods every 1s", "cannot keep time"),
            ("nodes >= 2 soon", "\"soon\" is not understood"),
            ("no", "say what must not be"),
            ("no trouble", "or a state of them: good, bad"),
            ("no bad within 3s", "\"within\" is not understood"),
            ("pods on = 2", "a node must follow on"),
            ("changed spec = 0", "say what changed"),
            ("missing luck = 1", "there are no-module, key-mismatch"),
            ("spread", "say how many spread"),
            ("unheard every 1s", "no kind of frame is called"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
