//! Whether rules hold.

use super::{Condition, Rule, Subject, Unwanted, When};
use crate::cluster::{Cluster, Said};
use crate::decoder::Heard;
use crate::source::pcap::UNHEARD;
use crate::span;
use crate::statistics::LATE_NS;
use kube_proto::layout::HEARTBEAT;
use kube_proto::replay::Verdict as Window;
use std::collections::BTreeMap;

/// Frames that are named as evidence, the latest.
const EVIDENCE: usize = 8;

/// A frame by its number among those that could be heard, or among those that nobody could.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameNumber {
    /// Nobody could hear it.
    pub unheard: bool,
    /// From 1.
    pub number: u64,
}

impl FrameNumber {
    /// Of a frame.
    #[must_use]
    pub fn of(heard: &Heard) -> Self {
        Self { unheard: heard.interface == UNHEARD, number: heard.number }
    }
}

/// Why a rule does not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breach {
    /// In words.
    pub reason: String,
    /// The frames that contradict it; none if it is their absence.
    pub frames: Vec<FrameNumber>,
}

/// How a rule stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing against it so far.
    Open,
    /// It holds, whatever comes.
    Held,
    /// It does not.
    Broken(Breach),
}

impl Verdict {
    fn broken(reason: String, frames: impl IntoIterator<Item = FrameNumber>) -> Self {
        Self::Broken(Breach { reason, frames: frames.into_iter().collect() })
    }
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
    /// The frames that were counted last.
    counted: Vec<FrameNumber>,
    /// Fewest and most so far, of what is counted.
    range: Option<(u64, u64)>,
    /// Last frame of each node, for rules about time.
    last: BTreeMap<String, (u64, FrameNumber)>,
}

/// What is known when rules are judged.
#[derive(Clone, Debug, Default)]
struct Known {
    /// By what could be heard.
    cluster: Cluster,
    /// By all that was sent.
    sent: Cluster,
    /// Last heartbeat of each node.
    heartbeats: BTreeMap<String, u64>,
}

/// A list of a node that differs from the one before.
struct Change {
    kind: &'static str,
    node: String,
    before: u64,
}

/// Judges rules while frames are heard.
#[derive(Clone, Debug, Default)]
pub struct Judge {
    findings: Vec<Finding>,
    start_ns: Option<u64>,
    now_ns: u64,
    known: Known,
}

impl Judge {
    /// With these rules and their texts.
    #[must_use]
    pub fn new(rules: impl IntoIterator<Item = (String, Rule)>) -> Self {
        Self { findings: findings(rules), ..Self::default() }
    }

    /// Other rules from now on, with what is known of the cluster.
    #[must_use]
    pub fn go_on(&self, rules: impl IntoIterator<Item = (String, Rule)>) -> Self {
        let mut judge = Self::new(rules);
        judge.known = self.known.clone();
        judge.pass(self.now_ns);
        judge
    }

    /// The rules as they stand.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What the cluster looks like.
    #[must_use]
    pub const fn cluster(&self) -> &Cluster {
        &self.known.cluster
    }

    /// The frames by which it is known how a finding of this judge stands.
    #[must_use]
    pub fn evidence(&self, finding: &Finding) -> Vec<FrameNumber> {
        finding.evidence(&self.known.cluster)
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
        self.known.cluster.pass(self.now_ns);
        let since_ns = self.now_ns - start_ns;
        for finding in &mut self.findings {
            finding.pass(self.now_ns, since_ns, &self.known.cluster);
        }
    }

    /// Takes a frame in.
    pub fn hear(&mut self, heard: &Heard) {
        self.pass(heard.at_ns);
        let since_ns = heard.at_ns.saturating_sub(self.start_ns.unwrap_or(heard.at_ns));
        let unheard = heard.interface == UNHEARD;
        let change = self.known.sent.change(heard);
        let change = if unheard { change } else { self.known.cluster.change(heard) };
        let mut late = false;
        if let (false, Some(node)) = (unheard, heartbeat_of(heard)) {
            let before_ns = self.known.heartbeats.insert(node.to_owned(), heard.at_ns);
            late = before_ns.is_some_and(|at_ns| heard.at_ns.saturating_sub(at_ns) > LATE_NS);
        }
        for finding in &mut self.findings {
            finding.hear(heard, since_ns, late, change.as_ref());
            finding.pass(self.now_ns, since_ns, &self.known.cluster);
        }
    }

    /// Nothing more comes: what must hold at the end is judged.
    pub fn finish(&mut self) {
        let since_ns = self.now_ns.saturating_sub(self.start_ns.unwrap_or(self.now_ns));
        for finding in &mut self.findings {
            finding.finish(since_ns, &self.known.cluster);
        }
    }
}

fn findings(rules: impl IntoIterator<Item = (String, Rule)>) -> Vec<Finding> {
    let finding = |(text, rule)| Finding {
        text,
        rule,
        verdict: Verdict::Open,
        count: 0,
        counted: Vec::new(),
        range: None,
        last: BTreeMap::new(),
    };
    rules.into_iter().map(finding).collect()
}

impl Cluster {
    /// Takes a frame in and says whether its list differs from the one before.
    fn change(&mut self, heard: &Heard) -> Option<Change> {
        let Some(node) = heard.reading().and_then(|reading| reading.node()) else {
            self.hear(heard);
            return None;
        };
        let node = node.to_owned();
        let said = |cluster: &Self| {
            let view = cluster.nodes().get(&node)?;
            let said = match heard.kind() {
                "heartbeat" => &view.reported,
                "assignment" => &view.assigned,
                _ => &None,
            };
            said.as_ref().map(|said: &Said| (said.number, said.since_ns))
        };
        let before = said(self);
        self.hear(heard);
        let (number, since_ns) = before?;
        let changed = said(self).is_some_and(|(_, since)| since != since_ns);
        changed.then(|| Change { kind: heard.kind(), node, before: number })
    }
}

fn heartbeat_of(heard: &Heard) -> Option<&str> {
    let reading = heard.reading().filter(|reading| reading.layout.typ == HEARTBEAT.typ)?;
    if heard.credible() && heard.counts() { reading.node() } else { None }
}

fn concerns(heard: &Heard, node: Option<&String>) -> bool {
    node.is_none_or(|node| heard.concerns(node))
}

/// The frames that say how a node stands.
fn numbers<'a>(said: impl IntoIterator<Item = Option<&'a Said>>) -> Vec<FrameNumber> {
    let said = said.into_iter().flatten();
    said.map(|said| FrameNumber { unheard: false, number: said.number }).collect()
}

impl Subject {
    /// How much there is of it in the cluster; nothing for what is counted frame by frame.
    fn amount(&self, cluster: &Cluster) -> Option<u64> {
        let pods = |count: usize| Some(count as u64);
        match self {
            Subject::Frames { .. } | Subject::Changed { .. } => None,
            Subject::Pods { image, node: None } => pods(cluster.running(image.as_deref())),
            Subject::Pods { image, node: Some(node) } => {
                let of_image = |id: &&u8| {
                    image.as_deref().is_none_or(|image| cluster.image(**id) == Some(image))
                };
                pods(cluster.recent(node).unwrap_or_default().iter().filter(of_image).count())
            }
            Subject::Missing { reason } => {
                let count = |(_, view, _): (&str, &crate::cluster::NodeView, &Said)| {
                    let why = |id: u8| view.troubles.iter().find(|trouble| trouble.0 == id);
                    let fits = |id: &u8| {
                        reason.as_ref().is_none_or(|reason| {
                            why(*id).is_some_and(|trouble| trouble.1 == *reason)
                        })
                    };
                    view.missing().filter(fits).count()
                };
                pods(cluster.live().map(count).sum())
            }
            Subject::Nodes => pods(cluster.reporting()),
            Subject::Silent { node: None } => pods(cluster.silent().count()),
            Subject::Silent { node: Some(node) } => Some(u64::from(cluster.recent(node).is_none())),
            Subject::Agree => Some(u64::from(cluster.agree())),
            Subject::Spread => {
                let counts = || cluster.live().map(|(.., said)| said.ids.len());
                pods(counts().max().unwrap_or(0) - counts().min().unwrap_or(0))
            }
        }
    }

    /// The frames by which that is known.
    fn evidence(&self, cluster: &Cluster) -> Vec<FrameNumber> {
        let both = |view: &'_ crate::cluster::NodeView| {
            numbers([view.assigned.as_ref(), view.reported.as_ref()])
        };
        match self {
            Subject::Frames { .. } | Subject::Changed { .. } => Vec::new(),
            Subject::Pods { node: Some(node), .. } | Subject::Silent { node: Some(node) } => {
                let view = cluster.nodes().get(node);
                numbers([view.and_then(|view| view.reported.as_ref())])
            }
            Subject::Silent { node: None } => {
                numbers(cluster.silent().map(|node| cluster.nodes()[node].reported.as_ref()))
            }
            Subject::Pods { .. } | Subject::Nodes | Subject::Spread => {
                numbers(cluster.live().map(|(.., said)| Some(said)))
            }
            Subject::Agree | Subject::Missing { .. } => {
                cluster.live().flat_map(|(_, view, _)| both(view)).collect()
            }
        }
    }
}

impl Finding {
    /// How much there is of what it counts, the last time that it was looked at.
    #[must_use]
    pub const fn amount(&self) -> u64 {
        self.count
    }

    /// Fewest and most of what it counts, so far.
    #[must_use]
    pub const fn range(&self) -> Option<(u64, u64)> {
        self.range
    }

    fn count(&mut self, amount: u64) {
        self.count = amount;
        let (least, most) = self.range.unwrap_or((amount, amount));
        self.range = Some((least.min(amount), most.max(amount)));
    }

    fn note(&mut self, numbers: impl IntoIterator<Item = FrameNumber>) {
        self.counted.extend(numbers);
        let surplus = self.counted.len().saturating_sub(EVIDENCE);
        self.counted.drain(..surplus);
    }

    fn hear(&mut self, heard: &Heard, since_ns: u64, late: bool, change: Option<&Change>) {
        let (this, unheard) = (FrameNumber::of(heard), heard.interface == UNHEARD);
        match &self.rule {
            _ if self.verdict != Verdict::Open => {}
            Rule::Cadence { kind, node, least_ns, most_ns, after_ns } => {
                let wanted = heard.kind() == kind && heard.credible() && heard.counts() && !unheard;
                if !wanted || !concerns(heard, node.as_ref()) || since_ns < *after_ns {
                    return;
                }
                let named = heard.reading().and_then(|reading| reading.node());
                let subject = named.or(heard.from.as_deref()).unwrap_or_default().to_owned();
                self.count += 1;
                if let Some((before_ns, before)) =
                    self.last.insert(subject.clone(), (heard.at_ns, this))
                {
                    let gap_ns = heard.at_ns.saturating_sub(before_ns);
                    if !(*least_ns..=*most_ns).contains(&gap_ns) {
                        let (gap, number) = (span::show(gap_ns), heard.number);
                        let reason =
                            format!("frame {number} of {subject} came {gap} after the one before");
                        self.verdict = Verdict::broken(reason, [before, this]);
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
                if found && !unheard && concerns(heard, node.as_ref()) && since_ns >= *after_ns {
                    let (number, kind) = (heard.number, heard.kind());
                    let at = span::show(since_ns);
                    let reason = format!("frame {number}, {kind}, {at} from the beginning");
                    self.verdict = Verdict::broken(reason, [this]);
                }
            }
            Rule::Amount { condition: Condition { subject, .. }, .. } => match subject {
                Subject::Frames { kind, node, unheard: wanted } => {
                    let of_kind = kind.as_ref().is_none_or(|kind| heard.kind() == kind);
                    // Named kinds are messages that somebody vouches for; all frames are all.
                    let good = kind.is_none() || heard.reading().is_none() || heard.credible();
                    let ours = of_kind && good && heard.counts() && *wanted == unheard;
                    if ours && concerns(heard, node.as_ref()) {
                        self.count(self.count + 1);
                        self.note([this]);
                    }
                }
                Subject::Changed { kind, node, unheard: wanted } => {
                    if let Some(Change { kind: of, node: who, before }) = change
                        && (kind, *wanted) == (&(*of).to_owned(), unheard)
                        && node.as_ref().is_none_or(|node| node == who)
                    {
                        let before = FrameNumber { unheard: false, number: *before };
                        self.count(self.count + 1);
                        self.note(if unheard { vec![this] } else { vec![before, this] });
                    }
                }
                _ => {}
            },
        }
    }

    fn pass(&mut self, now_ns: u64, since_ns: u64, cluster: &Cluster) {
        if self.verdict != Verdict::Open {
            return;
        }
        match &self.rule {
            Rule::Cadence { most_ns, .. } => {
                let silent = self.last.iter().find(|(_, at)| now_ns - at.0 > *most_ns);
                if let Some((subject, (at_ns, last))) = silent {
                    let gap = span::show(now_ns - at_ns);
                    self.verdict =
                        Verdict::broken(format!("{subject} is silent for {gap}"), [*last]);
                }
            }
            Rule::Never { .. } => {}
            Rule::Amount { condition, when } => {
                let (condition, when) = (condition.clone(), *when);
                self.count(condition.subject.amount(cluster).unwrap_or(self.count));
                let amount = self.count;
                match when {
                    When::End => {}
                    When::Within(limit_ns) if since_ns > limit_ns => {
                        self.verdict = self.breach(format!("{amount} by then"), cluster);
                    }
                    When::Within(_) if condition.holds(amount) => self.verdict = Verdict::Held,
                    When::After(from_ns) if since_ns > from_ns && !condition.holds(amount) => {
                        let at = span::show(since_ns);
                        let reason = format!("{amount} at {at} from the beginning");
                        self.verdict = self.breach(reason, cluster);
                    }
                    When::Within(_) | When::After(_) => {}
                }
            }
        }
    }

    /// Broken by what is counted.
    fn breach(&self, reason: String, cluster: &Cluster) -> Verdict {
        Verdict::broken(reason, self.evidence(cluster))
    }

    fn evidence(&self, cluster: &Cluster) -> Vec<FrameNumber> {
        let mut frames = self.counted.clone();
        if let Rule::Amount { condition, .. } = &self.rule {
            frames.extend(condition.subject.evidence(cluster));
        }
        frames.sort_unstable();
        frames.dedup();
        frames
    }

    fn finish(&mut self, since_ns: u64, cluster: &Cluster) {
        if self.verdict != Verdict::Open {
            return;
        }
        let too_short = |from_ns: u64| {
            let (end, from) = (span::show(since_ns), span::show(from_ns));
            Verdict::broken(format!("it was over after {end}, before {from}"), [])
        };
        self.verdict = match &self.rule {
            Rule::Cadence { .. } if self.count < 2 => {
                let frames = self.last.values().map(|last| last.1);
                Verdict::broken(format!("{} heard, and it takes two", self.count), frames)
            }
            Rule::Cadence { .. } => Verdict::Held,
            Rule::Never { after_ns, .. } if since_ns < *after_ns => too_short(*after_ns),
            Rule::Never { .. } => Verdict::Held,
            Rule::Amount { condition, when } => {
                let amount = condition.subject.amount(cluster).unwrap_or(self.count);
                match when {
                    When::After(from_ns) if since_ns < *from_ns => too_short(*from_ns),
                    _ if condition.holds(amount) => Verdict::Held,
                    When::Within(_) => self.breach(format!("{amount} when it was over"), cluster),
                    _ => self.breach(format!("{amount} at the end"), cluster),
                }
            }
        };
    }
}

impl Condition {
    /// Whether it holds for that many.
    #[must_use]
    pub fn holds(&self, amount: u64) -> bool {
        self.comparison.holds(amount, self.bound)
    }
}
