//! What `Objects.List` says, as objects. The form of its lines stands in `oberon/kube/Objects.Mod`.

use kube_proto::message::Reason;

use super::codes;
use super::plane::{Way, done};
use crate::failure::{Failure, Outcome};

/// A list is begun anew so often when it does not end.
const PARTS_MAX: usize = 64;

/// A kind of object that the plane lists.
pub trait Object: Sized {
    /// Its word behind `Objects.List`.
    const KIND: &'static str;
    /// First letter of its line.
    const LETTER: &'static str;
    /// Reads the fields of a line.
    fn parse(fields: &mut Fields<'_>) -> Option<Self>;
}

/// The fields of a line, one after another.
pub struct Fields<'a>(&'a str);

impl<'a> Fields<'a> {
    fn word(&mut self) -> Option<&'a str> {
        let (word, rest) = self.0.split_once(' ').unwrap_or((self.0, ""));
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }

    fn text(&mut self) -> Option<String> {
        self.word().map(|word| if word == "-" { String::new() } else { word.to_owned() })
    }

    fn number<T: std::str::FromStr>(&mut self) -> Option<T> {
        self.word()?.parse().ok()
    }

    fn is(&mut self, yes: &str, no: &str) -> Option<bool> {
        let word = self.word()?;
        (word == yes || word == no).then(|| word == yes)
    }

    fn rest(&mut self) -> String {
        let rest = std::mem::take(&mut self.0).trim();
        if rest == "-" { String::new() } else { rest.to_owned() }
    }
}

/// A node as the plane sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Name.
    pub name: String,
    /// Whether its heartbeats come.
    pub ready: bool,
    /// Pods that are bound to it.
    pub pods: usize,
    /// Pods that it reports and must not run.
    pub stopping: usize,
    /// `cordoned`, `draining` or empty.
    pub mark: String,
    /// Milliseconds since it was last heard.
    pub heard_ms: u64,
    /// Labels.
    pub labels: String,
}

/// A deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// Name.
    pub name: String,
    /// Pods that are wanted.
    pub replicas: usize,
    /// Pods of the wanted image that run.
    pub ready: usize,
    /// Module that its pods run.
    pub image: String,
    /// Number of its last rollout.
    pub revision: u32,
    /// Whether rollouts are kept from going on.
    pub paused: bool,
    /// Whether it has taken no step for too long.
    pub stalled: bool,
    /// Seconds since its last step.
    pub idle_s: u64,
    /// Labels that its nodes must have.
    pub select: String,
}

/// The pods of one revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaSet {
    /// Name.
    pub name: String,
    /// Its deployment.
    pub owner: String,
    /// Pods that are wanted.
    pub replicas: usize,
    /// Module that they run.
    pub image: String,
    /// Revision of the deployment.
    pub revision: u32,
}

/// A pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pod {
    /// Name.
    pub name: String,
    /// Number on the air.
    pub id: u8,
    /// Its replica set.
    pub owner: String,
    /// Module that it runs.
    pub image: String,
    /// Node that it is bound to; empty: none.
    pub node: String,
    /// Whether its node reports it.
    pub running: bool,
    /// Why it does not run, if its node says so.
    pub trouble: Option<Trouble>,
}

/// Why a pod does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The reason in words, as `trap 7 at 78`.
    pub words: String,
    /// Starts after the first.
    pub restarts: u32,
    /// For so many seconds.
    pub seconds: u64,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// So many seconds ago.
    pub ago_s: u64,
    /// To which object; empty: to the cluster.
    pub object: String,
    /// What, in words.
    pub what: String,
    /// Whether it is a pod's failure.
    pub failure: bool,
}

/// A reason of message 63H in the words of the plane.
fn words(reason: u8, detail: u32, position: u32) -> String {
    match Reason::of(reason) {
        Reason::Trap => format!("trap {detail} at {position}"),
        Reason::BadModule => format!("bad module, res {detail}"),
        other => other.to_string(),
    }
}

impl Object for Node {
    const KIND: &'static str = "nodes";
    const LETTER: &'static str = "n";

    fn parse(fields: &mut Fields<'_>) -> Option<Self> {
        Some(Self {
            name: fields.text()?,
            ready: fields.is("ready", "silent")?,
            pods: fields.number()?,
            stopping: fields.number()?,
            mark: fields.text()?,
            heard_ms: fields.number()?,
            labels: fields.rest(),
        })
    }
}

impl Object for Deployment {
    const KIND: &'static str = "deployments";
    const LETTER: &'static str = "d";

    fn parse(fields: &mut Fields<'_>) -> Option<Self> {
        Some(Self {
            name: fields.text()?,
            replicas: fields.number()?,
            ready: fields.number()?,
            image: fields.text()?,
            revision: fields.number()?,
            paused: fields.is("paused", "rolling")?,
            stalled: fields.is("stalled", "moving")?,
            idle_s: fields.number()?,
            select: fields.rest(),
        })
    }
}

impl Object for ReplicaSet {
    const KIND: &'static str = "replicasets";
    const LETTER: &'static str = "s";

    fn parse(fields: &mut Fields<'_>) -> Option<Self> {
        Some(Self {
            name: fields.text()?,
            owner: fields.text()?,
            replicas: fields.number()?,
            image: fields.text()?,
            revision: fields.number()?,
        })
    }
}

impl Object for Pod {
    const KIND: &'static str = "pods";
    const LETTER: &'static str = "p";

    fn parse(fields: &mut Fields<'_>) -> Option<Self> {
        let (name, id, owner) = (fields.text()?, fields.number()?, fields.text()?);
        let (image, node) = (fields.text()?, fields.text()?);
        let running = fields.is("running", "pending")?;
        let (reason, detail, position) = (fields.number()?, fields.number()?, fields.number()?);
        let (restarts, seconds) = (fields.number()?, fields.number()?);
        let trouble = (reason != 0).then(|| {
            let words = words(reason, detail, position);
            Trouble { words, restarts, seconds }
        });
        Some(Self { name, id, owner, image, node, running, trouble })
    }
}

impl Object for Happening {
    const KIND: &'static str = "events";
    const LETTER: &'static str = "e";

    fn parse(fields: &mut Fields<'_>) -> Option<Self> {
        let (ago_s, object) = (fields.number()?, fields.text()?);
        let (reason, detail, position) = (fields.number()?, fields.number()?, fields.number()?);
        let said = fields.rest();
        let failure = reason != 0;
        let what = if failure { words(reason, detail, position) } else { said };
        Some(Self { ago_s, object, what, failure })
    }
}

/// One answer to `Objects.List`: its objects, and where the rest begins.
fn part<T: Object>(lines: &[String]) -> Option<(Vec<T>, Option<u32>)> {
    let (end, lines) = lines.split_last()?;
    let next = match end.strip_prefix("= ")? {
        "." => None,
        next => Some(next.parse().ok()?),
    };
    let object = |line: &String| {
        let (letter, rest) = line.split_once(' ')?;
        (letter == T::LETTER).then(|| T::parse(&mut Fields(rest))).flatten()
    };
    Some((lines.iter().map(object).collect::<Option<_>>()?, next))
}

/// All objects of a kind.
///
/// # Errors
/// `kube::plane::…`, and those of the way.
pub fn list<T: Object>(way: &mut dyn Way) -> Outcome<Vec<T>> {
    let (mut all, mut from) = (Vec::new(), 0);
    for _ in 0..PARTS_MAX {
        let lines = done(way, &format!("Objects.List {} {from}", T::KIND))?;
        let Some((objects, next)) = part(&lines) else {
            let headline = format!("{} answers in another form than expected", way.label());
            let failure = Failure::new(&codes::PLANE_VERSION, headline);
            return Err(lines
                .iter()
                .fold(failure, Failure::cause)
                .help("kube-flash writes an image of this version"));
        };
        all.extend(objects);
        match next {
            None => return Ok(all),
            Some(next) => from = next,
        }
    }
    Err(Failure::new(&codes::PLANE_VERSION, format!("the list of {} does not end", T::KIND)))
}

/// What a rollout is judged by, all asked at about the same time.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Deployments.
    pub deployments: Vec<Deployment>,
    /// Replica sets.
    pub sets: Vec<ReplicaSet>,
    /// Pods.
    pub pods: Vec<Pod>,
    /// Nodes.
    pub nodes: Vec<Node>,
}

impl State {
    /// Asks the plane.
    ///
    /// # Errors
    /// See [`list`].
    pub fn ask(way: &mut dyn Way) -> Outcome<Self> {
        Ok(Self { deployments: list(way)?, sets: list(way)?, pods: list(way)?, nodes: list(way)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn each_kind_is_read_with_empty_fields_and_labels() {
        let (nodes, next) =
            part::<Node>(&lines("n node1 ready 2 0 - 870 zone=a disk=big\n= .")).expect("nodes");
        assert_eq!(next, None);
        assert_eq!((nodes[0].mark.as_str(), nodes[0].labels.as_str()), ("", "zone=a disk=big"));
        let (pods, next) = part::<Pod>(&lines(
            "p web-rs-1 2 web-rs Ticker - pending 4 7 78 3 9\np a-rs-0 1 a-rs b n running 0 0 0 0 0\n= 41",
        ))
        .expect("pods");
        assert_eq!(next, Some(41));
        let trouble = Trouble { words: "trap 7 at 78".into(), restarts: 3, seconds: 9 };
        assert_eq!((pods[0].node.as_str(), &pods[0].trouble), ("", &Some(trouble)));
        assert_eq!((pods[1].running, &pods[1].trouble), (true, &None));
        let (deployments, _) =
            part::<Deployment>(&lines("d web 4 1 Ticker 2 paused moving 5 -\n= .")).expect("one");
        assert!(deployments[0].paused && !deployments[0].stalled);
        let (events, _) = part::<Happening>(&lines(
            "e 4 node1 0 0 0  cordoned\ne 3 web-rs-1 4 7 78 \ne 1 - 0 0 0 evictions paused\n= .",
        ))
        .expect("events");
        let said: Vec<_> =
            events.iter().map(|event| (event.object.as_str(), event.what.as_str())).collect();
        assert_eq!(
            said,
            [("node1", "cordoned"), ("web-rs-1", "trap 7 at 78"), ("", "evictions paused")]
        );
    }

    #[test]
    fn what_is_cut_or_of_another_form_is_no_list() {
        for text in [
            "",
            "n node1 ready 2 0 - 870 -",
            "n node1 ready 2 0 - 870 -\n= x",
            "n node1 well 2 0 - 870 -\n= .",
            "n node1 ready 2 0 -\n= .",
            "d web 4 1 Ticker 2 paused moving 5 -\n= .",
            "n\n= .",
        ] {
            assert!(part::<Node>(&lines(text)).is_none(), "{text:?}");
        }
    }
}
