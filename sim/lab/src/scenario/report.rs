//! A run as one page for a browser: what held, the frames over time, assignments and pods of each
//! node. The page needs no network and no script.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use kube_sniff::decoder::{Heard, State};
use kube_sniff::expect::FrameNumber;
use kube_sniff::line::{LineStyle, Printer};
use kube_sniff::reading::Value;

use super::judge::{Ruled, seconds};
use super::outcome::Outcome;
use crate::world::UNHEARD;

/// Width of a picture in its own units, and what stands at its left.
const WIDTH: f64 = 1_000.0;
const LEFT: f64 = 70.0;
/// Height of a lane of frames, and of a lane of pods.
const LANE: f64 = 26.0;
const PODS: f64 = 44.0;
/// Most frames of which each has a stroke and a text of its own. Of more, those that are as they
/// should be share strokes, and so a page stays small however long a run was.
const OWN_STROKES: usize = 4_000;
/// Height of the names of the steps above the lanes.
const HEAD: f64 = 30.0;

const STYLE: &str = "
:root{color-scheme:light dark}
body{font:15px/1.45 system-ui,sans-serif;margin:0 auto;padding:1em;max-width:72em}
h1{font-size:1.4em;margin:.2em 0}h2{font-size:1.1em;margin:1.4em 0 .4em}
.held{color:#17803d}.broken{color:#c01c28;font-weight:600}.quiet{opacity:.7}
.wide{overflow-x:auto;border:1px solid #8884;border-radius:6px}
svg{display:block;width:100%;min-width:44em}
svg text{font:11px system-ui,sans-serif;fill:currentColor}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;vertical-align:top;padding:.25em .6em .25em 0;border-top:1px solid #8883}
code,pre{font:13px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
pre{white-space:pre-wrap;margin:.3em 0}
.band{fill:#8881}.band.odd{fill:#8882}.band.bad{fill:#c01c2833}
.axis{stroke:#8886;stroke-width:1}
.frame{stroke-width:1.6;stroke:#888}.heartbeat{stroke:#17803d}.assignment{stroke:#1a5fb4}
.spec{stroke:#9141ac}.status{stroke:#c64600}.query{stroke:#e5a50a}.hail,.welcome{stroke:#0b8793}
.badly{stroke:#c01c28;stroke-width:2.4}.unheard{stroke-dasharray:2 2;opacity:.75}
.named{stroke-width:4}
.reported{fill:#17803d55;stroke:#17803d}.assigned{fill:none;stroke:#1a5fb4;stroke-dasharray:4 2}
@media (max-width:40em){
th{display:none}tr{display:block;border-top:1px solid #8883;padding:.4em 0}
td{display:block;border:0;padding:0}}
";

/// The page.
#[must_use]
pub fn page(outcome: &Outcome<'_>) -> String {
    let Outcome { scenario, plan, run, engine, seed, .. } = *outcome;
    let verdict = if outcome.held() { "held" } else { "broken" };
    let title = escape(&outcome.title());
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{title}: {verdict}</title><style>{STYLE}</style></head>\n<body>\n\
         <h1>{} <span class=\"{verdict}\">{verdict}</span></h1>\n<p>{}</p>\n\
         <p class=\"quiet\">{title}, {} machines ({}), {} of machine time, {} frames. \
         Seed {seed} gives trace <code>{}</code>.</p>\n",
        escape(&scenario.title),
        escape(&scenario.about),
        plan.fleet.boards.len(),
        engine.name(),
        seconds(run.machine_ns),
        run.heard.len(),
        escape(&run.trace),
    );
    let named: BTreeSet<FrameNumber> =
        outcome.faults().into_iter().flat_map(|fault| fault.frames).collect();
    let canvas = Canvas { outcome, named };
    let crowded = if run.heard.len() > OWN_STROKES { CROWDED } else { "" };
    let frames = format!("<div class=\"wide\">{}</div>{LEGEND}{crowded}", canvas.frames());
    section(&mut page, "Frames", &frames);
    let pods = format!("<div class=\"wide\">{}</div>{PODS_LEGEND}", canvas.pods());
    section(&mut page, "Pods of each node", &pods);
    section(&mut page, "What must hold", &rules(outcome));
    let figures: Vec<_> = outcome
        .figures()
        .map(|(name, value)| {
            format!("<tr><td><code>{}</code></td><td>{value}</td></tr>", escape(name))
        })
        .collect();
    if !figures.is_empty() {
        section(&mut page, "Figures", &format!("<table>{}</table>", figures.join("")));
    }
    for log in &run.logs {
        let title = format!("Last words of {}", log.machine);
        section(&mut page, &title, &format!("<pre>{}</pre>", escape(&log.tail.join("\n"))));
    }
    page.push_str("</body></html>\n");
    page
}

const LEGEND: &str = "<p class=\"quiet\">Each stroke is a frame, in the lane of its sender: \
    heartbeats green, assignments blue, specs violet, reasons orange, queries yellow, greetings teal; \
    red does not fit; dashed strokes nobody could hear; thick ones contradict a rule.</p>";
const CROWDED: &str = "<p class=\"quiet\">So many frames share strokes: those of a kind in a lane \
    have one for each thousandth of the time. What does not fit keeps a stroke of its own.</p>";
const PODS_LEGEND: &str = "<p class=\"quiet\">Filled: pods that the node reports. Dashed: pods that it \
    is assigned.</p>";

fn section(page: &mut String, title: &str, body: &str) {
    let _ = writeln!(page, "<section><h2>{}</h2>{body}</section>", escape(title));
}

/// A text within a page.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for ch in text.chars() {
        match ch {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            ch if ch.is_control() && ch != '\n' => escaped.push('\u{fffd}'),
            ch => escaped.push(ch),
        }
    }
    escaped
}

/// The table of steps and rules.
fn rules(outcome: &Outcome<'_>) -> String {
    let mut table =
        "<table><tr><th>Step</th><th>Rule</th><th>Verdict</th><th>Why</th></tr>".to_owned();
    for (at, step) in outcome.plan.steps.iter().enumerate() {
        let Some(record) = outcome.run.steps.get(at) else {
            row(&mut table, &step.name, "", "not run", "");
            continue;
        };
        let took = seconds(record.reached_ns.unwrap_or(record.end_ns) - record.begin_ns);
        let (verdict, why) = match &record.failed {
            Some((reason, frames)) => ("broken", evidence(outcome, reason, frames)),
            None => ("held", String::new()),
        };
        let name = format!("{} (line {})", step.name, step.line);
        row(&mut table, &name, &format!("ends after {took}"), verdict, &why);
        for rule in &record.rules {
            ruled(&mut table, outcome, "", rule);
        }
    }
    for rule in &outcome.run.rules {
        ruled(&mut table, outcome, "whole run", rule);
    }
    table.push_str("</table>");
    table
}

fn ruled(table: &mut String, outcome: &Outcome<'_>, step: &str, rule: &Ruled) {
    let (verdict, why) = match (&rule.broken, rule.range) {
        (Some((reason, frames)), _) => ("broken", evidence(outcome, reason, frames)),
        (None, Some((least, most))) if least == most => ("held", least.to_string()),
        (None, Some((least, most))) => ("held", format!("{least} to {most}")),
        (None, None) => ("held", String::new()),
    };
    row(table, step, &rule.text, verdict, &why);
}

/// A reason, and the frames that say so.
fn evidence(outcome: &Outcome<'_>, reason: &str, frames: &[FrameNumber]) -> String {
    let lines: Vec<_> = frames.iter().map(|number| escape(&outcome.line(*number))).collect();
    let frames =
        if lines.is_empty() { String::new() } else { format!("<pre>{}</pre>", lines.join("\n")) };
    format!("{}{frames}", escape(reason))
}

/// A row; `why` is part of the page already.
fn row(table: &mut String, step: &str, rule: &str, verdict: &str, why: &str) {
    let (step, rule) = (escape(step), escape(rule));
    let _ = write!(
        table,
        "<tr><td>{step}</td><td><code>{rule}</code></td>\
         <td class=\"{verdict}\">{verdict}</td><td>{why}</td></tr>"
    );
}

/// What the pictures have in common.
struct Canvas<'a> {
    outcome: &'a Outcome<'a>,
    /// Frames that contradict a rule.
    named: BTreeSet<FrameNumber>,
}

impl Canvas<'_> {
    fn x(&self, at_ns: u64) -> f64 {
        let whole = self.outcome.run.machine_ns.max(1) as f64;
        LEFT + (WIDTH - LEFT) * (at_ns as f64 / whole).min(1.0)
    }

    /// The steps as bands with their names, and the seconds below.
    fn stage(&self, height: f64) -> String {
        let mut svg = String::new();
        for (at, record) in self.outcome.run.steps.iter().enumerate() {
            let (from, to) = (self.x(record.begin_ns), self.x(record.end_ns));
            let odd = if at % 2 == 1 { " odd" } else { "" };
            let bad = if record.held() { "" } else { " bad" };
            let name = escape(&self.outcome.plan.steps[at].name);
            let chars = ((to - from) / 6.0) as usize;
            let short: String = self.outcome.plan.steps[at].name.chars().take(chars).collect();
            let _ = write!(
                svg,
                "<rect class=\"band{odd}{bad}\" x=\"{from:.1}\" y=\"0\" width=\"{:.1}\" \
                 height=\"{height}\"><title>{name}</title></rect>\
                 <text x=\"{:.1}\" y=\"14\">{}</text>",
                (to - from).max(0.5),
                from + 2.0,
                escape(&short)
            );
        }
        let whole_s = self.outcome.run.machine_ns / 1_000_000_000;
        let step = [1, 2, 5, 10, 20, 60, 300, 600, 3_600].into_iter();
        let step = step.clone().find(|step| whole_s / step <= 12).unwrap_or(86_400);
        for second in (0..=whole_s).step_by(step as usize) {
            let x = self.x(second * 1_000_000_000);
            let y = height + 14.0;
            let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{y}\">{second} s</text>");
        }
        svg
    }

    fn svg(&self, height: f64, label: &str, body: &str) -> String {
        let (whole, stage) = (height + 20.0, self.stage(height));
        format!(
            "<svg viewBox=\"0 0 {WIDTH} {whole}\" role=\"img\" aria-label=\"{label}\">{stage}{body}</svg>"
        )
    }

    /// A lane for each machine, and one for everybody else.
    fn frames(&self) -> String {
        let boards = self.outcome.plan.fleet.boards.iter().map(|board| board.name.as_str());
        let lanes: Vec<&str> = boards.chain(["others"]).collect();
        let mut body = String::new();
        for (at, name) in lanes.iter().enumerate() {
            let y = HEAD + LANE * (at as f64 + 1.0);
            let name = escape(name);
            let _ = write!(
                body,
                "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{y}\" y2=\"{y}\"/>\
                 <text x=\"2\" y=\"{:.1}\">{name}</text>",
                y - 6.0
            );
        }
        let mut printer = Printer::new(LineStyle::default());
        let mut own = OWN_STROKES;
        // Of a lane and a kind, where strokes are that frames share, and how many frames.
        let mut shared: BTreeMap<(usize, String), BTreeMap<u64, u64>> = BTreeMap::new();
        let crowded = self.outcome.run.heard.len() > OWN_STROKES;
        for heard in &self.outcome.run.heard {
            let sender = sender(heard);
            let lane = lanes.iter().position(|lane| Some(*lane) == sender);
            let lane = lane.unwrap_or(lanes.len() - 1);
            let (x, y) = (self.x(heard.at_ns), HEAD + LANE * (lane as f64 + 1.0));
            let number = FrameNumber::of(heard);
            let mut class = heard.kind().to_owned();
            let plain = class.len();
            for (holds, word) in [
                (matches!(heard.state, State::Bad | State::Foreign | State::Damaged), " badly"),
                (number.unheard, " unheard"),
                (self.named.contains(&number), " named"),
            ] {
                if holds {
                    class.push_str(word);
                }
            }
            // Times of a line are told from the one before: all frames pass by the printer.
            let line = printer.frame(heard);
            if crowded && (class.len() == plain || own == 0) {
                *shared.entry((lane, class)).or_default().entry(x as u64).or_default() += 1;
                continue;
            }
            own = own.saturating_sub(1);
            let title = escape(&format!("{} {line}", number.number));
            let _ = write!(
                body,
                "<path class=\"frame {class}\" d=\"M{x:.1} {:.1}V{y:.1}\"><title>{title}</title></path>",
                y - LANE + 6.0
            );
        }
        for ((lane, class), strokes) in shared {
            let y = HEAD + LANE * (lane as f64 + 1.0);
            let line = strokes.keys().map(|x| format!("M{x} {:.0}V{y:.0}", y - LANE + 6.0));
            let (line, sum) = (line.collect::<String>(), strokes.values().sum::<u64>());
            let _ = write!(
                body,
                "<path class=\"frame {class}\" d=\"{line}\"><title>{}: {sum} frames, {class}</title></path>",
                escape(lanes[lane])
            );
        }
        self.svg(HEAD + LANE * lanes.len() as f64 + 2.0, "frames over time", &body)
    }

    /// Pods that each node reports and is assigned, over time.
    fn pods(&self) -> String {
        let mut lists: BTreeMap<(&str, &str), Vec<(u64, usize)>> = BTreeMap::new();
        for heard in &self.outcome.run.heard {
            let good = heard.credible() && heard.counts() && heard.interface != UNHEARD;
            let Some(reading) = heard.reading().filter(|_| good) else { continue };
            if let (Some(node), Some(Value::Ids(ids))) = (reading.node(), reading.get("ids"))
                && matches!(heard.kind(), "heartbeat" | "assignment")
            {
                lists.entry((node, heard.kind())).or_default().push((heard.at_ns, ids.len()));
            }
        }
        let most = lists.values().flatten().map(|(_, pods)| *pods).max().unwrap_or(1).max(1);
        let mut body = String::new();
        let nodes: Vec<&str> = self.outcome.plan.fleet.node_names().collect();
        for (at, node) in nodes.iter().enumerate() {
            let floor = HEAD + PODS * (at as f64 + 1.0);
            let name = escape(node);
            let _ = write!(
                body,
                "<g><line class=\"axis\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{floor}\" y2=\"{floor}\"/>\
                 <text x=\"2\" y=\"{:.1}\">{name}</text>",
                floor - 12.0
            );
            let y = |pods: usize| floor - (PODS - 10.0) * pods as f64 / most as f64;
            for (kind, class) in [("heartbeat", "reported"), ("assignment", "assigned")] {
                let Some(said) = lists.get(&(*node, kind)) else { continue };
                let first = self.x(said.first().map_or(0, |entry| entry.0));
                let mut line = format!("M{first:.1} {floor:.1}");
                // A corner for each change: what a node repeats is on the line already.
                let mut before = None;
                for (at_ns, pods) in said {
                    if before.replace(*pods) != Some(*pods) {
                        let _ = write!(line, "H{:.1}V{:.1}", self.x(*at_ns), y(*pods));
                    }
                }
                // A silent node shows nothing further.
                let last = self.x(said.last().map_or(0, |entry| entry.0));
                let _ = write!(line, "H{last:.1}V{floor:.1}");
                let now = said.last().map_or(0, |entry| entry.1);
                let title = format!("{name}, {class}: {now} at the end");
                let _ = write!(
                    body,
                    "<path class=\"{class}\" d=\"{line}\"><title>{title}</title></path>"
                );
            }
            body.push_str("</g>");
        }
        self.svg(HEAD + PODS * nodes.len() as f64 + 2.0, "pods over time", &body)
    }
}

/// Whose frame it is, as far as it is known.
fn sender(heard: &Heard) -> Option<&str> {
    match heard.state {
        State::Good | State::Unchecked => heard.from.as_deref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use kube_sniff::forge::{self, Order};

    use super::*;
    use crate::scenario::play::Run;

    /// A run of many nodes and hours is a page that a browser still opens, and what does not fit
    /// can still be told from it.
    #[test]
    fn a_page_stays_small_however_much_was_heard() {
        let text = "title = 'x'\n[fleet]\nnodes = 100\n[[step]]\nname = 'all'\nfor = '1h'\n";
        let scenario = crate::scenario::file::parse("many.toml".as_ref(), text).expect("right");
        let plan = &scenario.plans[0];
        let (tag, key) = (plan.fleet.tag(), plan.fleet.key());
        let keyring = kube_sniff::keyring::Keyring::new(Some(tag), Some(key), plan.fleet.keys);
        let mut observer = kube_sniff::observer::Observer::new(keyring);
        let mut heard = Vec::new();
        let mut send = |at_ns: u64, node: &str, counter, key| {
            let order = Order {
                kind: "heartbeat".to_owned(),
                node: Some(node.to_owned()),
                ids: vec![1, 2],
                id: None,
                image: None,
                counter,
                session: None,
                sadr: 7,
                channel: 5,
            };
            let frame = forge::message(&order, tag, key, plan.fleet.keys).expect("complete");
            heard.push(observer.hear(at_ns, crate::world::AIR, &frame));
        };
        let nodes: Vec<_> = plan.fleet.node_names().collect();
        for second in 0..600_u32 {
            for (place, node) in (1..).zip(&nodes) {
                let at_ns = u64::from(second) * 6_000_000_000 + u64::from(place) * 9_000_000;
                send(at_ns, node, second * 100 + place, &key);
            }
        }
        send(3_599_000_000_000, nodes[0], 99_999, &kube_proto::key::Key::default());
        let run = Run {
            steps: Vec::new(),
            rules: Vec::new(),
            marks: Vec::new(),
            heard,
            trace: String::new(),
            machine_ns: 3_600_000_000_000,
            instructions: 0,
            cycles_at_work: None,
            logs: Vec::new(),
        };
        let outcome =
            Outcome { scenario: &scenario, plan, seed: 1, engine: plan.engine, run: &run };
        let page = page(&outcome);
        assert!(page.len() < 4_000_000, "{} bytes", page.len());
        assert_eq!(page.matches(" badly\"").count(), 1);
        for part in ["n100: 600 frames, heartbeat", "n100, reported: 2 at the end"] {
            assert!(page.contains(part), "{part}");
        }
    }

    #[test]
    fn nothing_of_a_text_becomes_part_of_the_page() {
        assert_eq!(escape("<b a=\"1\">&\u{7}"), "&lt;b a=&quot;1&quot;&gt;&amp;\u{fffd}");
    }
}
