//! Whether rules hold.

use super::{Rule, Subject, Unwanted, When};
use crate::cluster::Cluster;
use crate::decoder::Heard;
use crate::span;
use crate::statistics::LATE_NS;
use kube_proto::layout::HEARTBEAT;
use kube_proto::replay::Verdict as Window;
use std::collections::BTreeMap;

/// How a rule stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing against it so far.
    Open,
    /// It holds, whatever comes.
    Held,
    /// It does not.
    Broken(String),
}

/// A rule with its verdict.
#[derive(Clone, Debug)]
pub struct Finding {
    /// As it was written.
    pub text: String,
    rule: Rule,
    /// How it stands.
    pub verdict: Verdict,
    count: u64,
    /// Last frame of each node, for rules about time.
    last: BTreeMap<String, u64>,
}

/// Judges rules while frames are heard.
#[derive(Clone, Debug, Default)]
pub struct Judge {
    findings: Vec<Finding>,
    start_ns: Option<u64>,
    now_ns: u64,
    cluster: Cluster,
    /// Last heartbeat of each node.
    heartbeats: BTreeMap<String, u64>,
}

impl Judge {
    /// With these rules and their texts.
    #[must_use]
    pub fn new(rules: impl IntoIterator<Item = (String, Rule)>) -> Self {
        let finding = |(text, rule)| Finding {
            text,
            rule,
            verdict: Verdict::Open,
            count: 0,
            last: BTreeMap::new(),
        };
        Self { findings: rules.into_iter().map(finding).collect(), ..Self::default() }
    }

    /// The rules as they stand.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// There are rules, and no frame can change a verdict any more.
    #[must_use]
    pub fn decided(&self) -> bool {
        let open = self.findings.iter().any(|finding| finding.verdict == Verdict::Open);
        !self.findings.is_empty() && (self.broken() || !open)
    }

    /// Some rule is broken.
    #[must_use]
    pub fn broken(&self) -> bool {
        self.findings.iter().any(|finding| matches!(finding.verdict, Verdict::Broken(_)))
    }

    /// Time has come so far.
    pub fn pass(&mut self, now_ns: u64) {
        let start_ns = *self.start_ns.get_or_insert(now_ns);
        self.now_ns = self.now_ns.max(now_ns);
        self.cluster.pass(self.now_ns);
        let since_ns = self.now_ns - start_ns;
        for finding in &mut self.findings {
            finding.pass(self.now_ns, since_ns, &self.cluster);
        }
    }

    /// Takes a frame in.
    pub fn hear(&mut self, heard: &Heard) {
        self.pass(heard.at_ns);
        let since_ns = heard.at_ns.saturating_sub(self.start_ns.unwrap_or(heard.at_ns));
        self.cluster.hear(heard);
        let mut late = false;
        if let Some(node) = heartbeat_of(heard) {
            let before_ns = self.heartbeats.insert(node.to_owned(), heard.at_ns);
            late = before_ns.is_some_and(|at_ns| heard.at_ns.saturating_sub(at_ns) > LATE_NS);
        }
        for finding in &mut self.findings {
            finding.hear(heard, since_ns, late);
            finding.pass(self.now_ns, since_ns, &self.cluster);
        }
    }

    /// Nothing more comes: what must hold at the end is judged.
    pub fn finish(&mut self) {
        let since_ns = self.now_ns.saturating_sub(self.start_ns.unwrap_or(self.now_ns));
        for finding in &mut self.findings {
            finding.finish(since_ns, &self.cluster);
        }
    }
}

fn heartbeat_of(heard: &Heard) -> Option<&str> {
    let reading = heard.reading().filter(|reading| reading.layout.typ == HEARTBEAT.typ)?;
    if heard.credible() && heard.counts() { reading.node() } else { None }
}

fn concerns(heard: &Heard, node: Option<&String>) -> bool {
    node.is_none_or(|node| heard.concerns(node))
}

impl Finding {
    fn hear(&mut self, heard: &Heard, since_ns: u64, late: bool) {
        if self.verdict != Verdict::Open {
            return;
        }
        match &self.rule {
            Rule::Cadence { kind, node, least_ns, most_ns, after_ns } => {
                let wanted = heard.kind() == kind && heard.credible() && heard.counts();
                if !wanted || !concerns(heard, node.as_ref()) || since_ns < *after_ns {
                    return;
                }
                let named = heard.reading().and_then(|reading| reading.node());
                let subject = named.or(heard.from.as_deref()).unwrap_or_default().to_owned();
                self.count += 1;
                if let Some(before_ns) = self.last.insert(subject.clone(), heard.at_ns) {
                    let gap_ns = heard.at_ns.saturating_sub(before_ns);
                    if !(*least_ns..=*most_ns).contains(&gap_ns) {
                        let gap = span::show(gap_ns);
                        self.verdict = Verdict::Broken(format!(
                            "frame {} of {subject} came {gap} after the one before",
                            heard.number
                        ));
                    }
                }
            }
            Rule::Never { what, node, after_ns } => {
                let found = match what {
                    Unwanted::Kind(kind) => heard.kind() == kind,
                    Unwanted::State(state) => heard.state == *state,
                    Unwanted::Lost => heard.lost > 0,
                    Unwanted::Late => late,
                    Unwanted::Replayed => heard.window == Some(Window::Replayed),
                    Unwanted::Repeated => heard.repeated,
                };
                if found && concerns(heard, node.as_ref()) && since_ns >= *after_ns {
                    let (number, kind) = (heard.number, heard.kind());
                    let at = span::show(since_ns);
                    self.verdict =
                        Verdict::Broken(format!("frame {number}, {kind}, {at} from the beginning"));
                }
            }
            Rule::Amount { subject: Subject::Frames { kind, node }, .. } => {
                let of_kind = kind.as_ref().is_none_or(|kind| heard.kind() == kind);
                // Named kinds are messages that somebody vouches for; all frames are all.
                let good = kind.is_none() || heard.reading().is_none() || heard.credible();
                if of_kind && good && heard.counts() && concerns(heard, node.as_ref()) {
                    self.count += 1;
                }
            }
            Rule::Amount { .. } => {}
        }
    }

    fn amount(&self, subject: &Subject, cluster: &Cluster) -> u64 {
        match subject {
            Subject::Frames { .. } => self.count,
            Subject::Pods { image } => cluster.running(image.as_deref()) as u64,
            Subject::Nodes => cluster.reporting() as u64,
        }
    }

    fn pass(&mut self, now_ns: u64, since_ns: u64, cluster: &Cluster) {
        if self.verdict != Verdict::Open {
            return;
        }
        match &self.rule {
            Rule::Cadence { most_ns, .. } => {
                let silent = self.last.iter().find(|(_, at_ns)| now_ns - **at_ns > *most_ns);
                if let Some((subject, at_ns)) = silent {
                    let gap = span::show(now_ns - at_ns);
                    self.verdict = Verdict::Broken(format!("{subject} is silent for {gap}"));
                }
            }
            Rule::Never { .. } => {}
            Rule::Amount { subject, comparison, bound, when } => {
                let amount = self.amount(subject, cluster);
                let holds = comparison.holds(amount, *bound);
                match when {
                    When::End => {}
                    When::Within(limit_ns) if since_ns > *limit_ns => {
                        self.verdict = Verdict::Broken(format!("{amount} by then"));
                    }
                    When::Within(_) if holds => self.verdict = Verdict::Held,
                    When::After(from_ns) if since_ns > *from_ns && !holds => {
                        let at = span::show(since_ns);
                        self.verdict =
                            Verdict::Broken(format!("{amount} at {at} from the beginning"));
                    }
                    When::Within(_) | When::After(_) => {}
                }
            }
        }
    }

    fn finish(&mut self, since_ns: u64, cluster: &Cluster) {
        if self.verdict != Verdict::Open {
            return;
        }
        let too_short = |from_ns: u64| {
            let (end, from) = (span::show(since_ns), span::show(from_ns));
            Verdict::Broken(format!("it was over after {end}, before {from}"))
        };
        self.verdict = match &self.rule {
            Rule::Cadence { .. } if self.count < 2 => {
                Verdict::Broken(format!("{} heard, and it takes two", self.count))
            }
            Rule::Cadence { .. } => Verdict::Held,
            Rule::Never { after_ns, .. } if since_ns < *after_ns => too_short(*after_ns),
            Rule::Never { .. } => Verdict::Held,
            Rule::Amount { subject, comparison, bound, when } => {
                let amount = self.amount(subject, cluster);
                match when {
                    When::After(from_ns) if since_ns < *from_ns => too_short(*from_ns),
                    _ if comparison.holds(amount, *bound) => Verdict::Held,
                    When::Within(_) => Verdict::Broken(format!("{amount} when it was over")),
                    _ => Verdict::Broken(format!("{amount} at the end")),
                }
            }
        };
    }
}
