//! The text of a rule.

use super::{Comparison, Rule, Subject, Unwanted, When};
use crate::filter;
use crate::span;

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
    let spaced = spaced(text);
    let mut words = Words { words: spaced.split_whitespace().collect(), at: 0 };
    rule(&mut words).map_err(|reason| RuleError { rule: text.to_owned(), reason })
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

const KEYWORDS: [&str; 4] = ["every", "within", "after", "no"];

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
    let first = words.next().ok_or("there is nothing in it")?;
    let subject = match first {
        "pods" => Subject::Pods { image: words.name() },
        "nodes" => Subject::Nodes,
        "frames" => Subject::Frames { kind: None, node: words.name() },
        kind => {
            let kind = filter::kind(kind).map_err(|error| error.to_string())?;
            Subject::Frames { kind: Some(kind), node: words.name() }
        }
    };
    if words.take("every") {
        let Subject::Frames { kind: Some(kind), node } = subject else {
            return Err(format!("{first} cannot keep time: name a kind of frame"));
        };
        let word = words.next().ok_or("a time must follow every, such as 1s±20%")?;
        let (least_ns, most_ns) = cadence(word)?;
        let after_ns = after(words)?;
        return Ok(Rule::Cadence { kind, node, least_ns, most_ns, after_ns });
    }
    let (comparison, bound) = match words.peek().and_then(comparison) {
        Some(comparison) => {
            words.next();
            let number = words.next().and_then(|word| word.parse().ok());
            (comparison, number.ok_or("a number must follow the comparison")?)
        }
        None if matches!(subject, Subject::Frames { .. }) => (Comparison::AtLeast, 1),
        None => return Err(format!("say how many {first}, such as `{first} >= 2`")),
    };
    let when = if words.take("within") {
        When::Within(words.span("within")?)
    } else if words.take("after") {
        When::After(words.span("after")?)
    } else {
        When::End
    };
    words.end()?;
    Ok(Rule::Amount { subject, comparison, bound, when })
}

fn after(words: &mut Words<'_>) -> Result<u64, String> {
    let after_ns = if words.take("after") { words.span("after")? } else { 0 };
    words.end()?;
    Ok(after_ns)
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
                Rule::Amount {
                    subject: Subject::Pods { image: Some("Ticker".to_owned()) },
                    comparison: Comparison::AtLeast,
                    bound: 4,
                    when: When::Within(10 * S),
                },
            ),
            (
                "nodes = 2 after 1m",
                Rule::Amount {
                    subject: Subject::Nodes,
                    comparison: Comparison::Equal,
                    bound: 2,
                    when: When::After(60 * S),
                },
            ),
            (
                "assignment node1",
                Rule::Amount {
                    subject: Subject::Frames {
                        kind: Some("assignment".to_owned()),
                        node: Some("node1".to_owned()),
                    },
                    comparison: Comparison::AtLeast,
                    bound: 1,
                    when: When::End,
                },
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
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
