//! `kube drain`: a node's pods go elsewhere, one at a time, and the tool waits for it.

use std::time::{Duration, Instant};

use super::answer::{Node, Pod, list};
use super::change::{Done, say};
use super::codes;
use super::name;
use super::plane::done;
use super::reach::Reach;
use crate::failure::{Failure, Outcome};
use crate::flash::codes::DIFFERENT;
use crate::program::Session;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(500);

/// Flags of `drain`.
#[derive(clap::Args, Clone, Debug)]
pub struct Flags {
    /// The node.
    #[arg(value_name = "NODE")]
    node: String,
    /// Do not wait until it is empty.
    #[arg(long)]
    no_wait: bool,
}

/// Drains a node.
pub fn run(session: &Session, reach: &Reach, flags: &Flags) -> Outcome {
    let node = name::of("node", &flags.node)?;
    let command = format!("Kube.Drain {node}");
    let drained = |word| say(session, &Done { kind: "node", name: &node, word, more: "" });
    if session.flags.dry_run {
        drained("draining")?;
        return Err(Failure::new(&DIFFERENT, format!("would run {command}")).answered());
    }
    let mut way = reach.plane(session)?;
    done(way.as_mut(), &command)?;
    if flags.no_wait {
        return drained("draining");
    }
    let limit = reach.timeout.filter(|&seconds| seconds > 0.0).map(Duration::from_secs_f64);
    let (begun, mut left) = (Instant::now(), usize::MAX);
    loop {
        let nodes: Vec<Node> = list(way.as_mut())?;
        let Some(state) = nodes.iter().find(|known| known.name == node) else {
            return Err(Failure::new(&codes::OBJECT_MISSING, format!("node {node} has gone")));
        };
        if state.pods == 0 && state.mark != "draining" {
            return drained("drained");
        }
        if state.pods != left {
            left = state.pods;
            session.talk.say(format!("{node}: {left} pods are left"));
        }
        if limit.is_some_and(|limit| begun.elapsed() >= limit) {
            let pods: Vec<Pod> = list(way.as_mut())?;
            let on = pods.iter().filter(|pod| pod.node == node).map(|pod| &pod.name);
            let failure =
                Failure::new(&codes::DRAIN_TIMEOUT, format!("{node} still has {left} pods"));
            return Err(on
                .fold(failure, |failure, pod| failure.cause(format!("pod {pod} has not left")))
                .help(
                    "kube get nodes -o wide shows which have room; kube uncordon takes it back",
                ));
        }
        way.rest();
        std::thread::sleep(LOOK);
    }
}
