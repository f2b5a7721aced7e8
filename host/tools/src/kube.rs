//! `kube`: the cluster from the desk, with the habits of kubectl. What can be heard is heard, what is
//! not on the air is asked of the plane.
//!
//! | module | holds |
//! |---|---|
//! | [`reach`] | the ways to the cluster: the plane's serial line, a source of frames |
//! | [`plane`] | commands to the plane and what it says |
//! | [`answer`] | what the plane lists, as objects |
//! | [`air`] | the cluster as it is heard |
//! | [`manifest`] | deployments as they should be, in YAML or TOML |
//! | [`name`] | names of objects on the command line |
//! | `get`, `top` | what there is, and who uses what |
//! | `watch` | a table that is shown once, or whenever something changes |
//! | `apply`, `change`, `rollout`, `drain` | what changes something |
//! | [`radio`] | commands over the air |
//! | `backup`, `key` | the plane's store to a file and back, new keys |
//! | `look` | an object in the plane's words, a machine's log |
//! | [`codes`] | error codes |

pub mod air;
pub mod answer;
mod apply;
mod backup;
mod change;
pub mod codes;
mod drain;
mod get;
mod key;
mod look;
pub mod manifest;
pub mod name;
pub mod plane;
pub mod radio;
pub mod reach;
mod rollout;
mod rotate;
mod top;
mod watch;

use clap::{Parser, Subcommand};

use crate::failure::Outcome;
use crate::flags::Shared;
use crate::program::{Program, Session};
use reach::Reach;

/// Shows and changes what runs in the cluster.
///
/// Commands go to the plane over its serial line: that of the fleet's plane, another one with --board or
/// --port, or a machine of a running lab (sim:plane). With --source the air is heard, and what can be
/// heard is not asked.
#[derive(Parser, Debug)]
#[command(name = "kube")]
pub struct Arguments {
    #[command(flatten)]
    shared: Shared,
    #[command(flatten)]
    reach: Reach,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Nodes, pods, deployments, replicasets or events.
    Get(get::Flags),
    /// Make deployments what a manifest says.
    Apply(apply::Flags),
    /// Show what apply would change; ends with 1 if anything would.
    Diff(apply::Flags),
    /// Give a deployment another number of pods.
    Scale(change::Scale),
    /// Follow a rollout, hold it, take it back.
    #[command(subcommand)]
    Rollout(rollout::Verb),
    /// A node gets no new pods.
    Cordon(change::OfNode),
    /// A node gets pods again.
    Uncordon(change::OfNode),
    /// A node's pods go elsewhere, one at a time; then it is cordoned.
    Drain(drain::Flags),
    /// Delete a deployment, a pod (another takes its place) or a node that is switched off.
    Delete(change::Delete),
    /// Set or take off labels of a node.
    Label(change::Label),
    /// An object, what it lacks, and what happened to it.
    Describe(look::Describe),
    /// What a machine has written on its log, as far as it keeps it.
    Logs(look::Logs),
    /// Write the plane's store to a file, encrypted for age recipients if there are some.
    Backup(backup::Flags),
    /// Put a backup onto a plane, or onto another machine that takes its place.
    Restore(backup::RestoreFlags),
    /// Make new keys.
    #[command(subcommand)]
    Key(key::Verb),
    /// Who uses what.
    Top(top::Flags),
}

impl Program for Arguments {
    fn shared(&self) -> &Shared {
        &self.shared
    }

    fn run(self, session: &Session) -> Outcome {
        let reach = &self.reach;
        match self.verb {
            Verb::Get(flags) => get::run(session, reach, &flags),
            Verb::Apply(flags) => apply::run(session, reach, &flags),
            Verb::Diff(flags) => apply::diff(session, reach, &flags),
            Verb::Scale(flags) => change::scale(session, reach, &flags),
            Verb::Rollout(verb) => rollout::run(session, reach, &verb),
            Verb::Cordon(flags) => change::cordon(session, reach, &flags, true),
            Verb::Uncordon(flags) => change::cordon(session, reach, &flags, false),
            Verb::Drain(flags) => drain::run(session, reach, &flags),
            Verb::Delete(flags) => change::delete(session, reach, &flags),
            Verb::Label(flags) => change::label(session, reach, &flags),
            Verb::Describe(flags) => look::describe(session, reach, &flags),
            Verb::Logs(flags) => look::logs(session, reach, &flags),
            Verb::Backup(flags) => backup::run(session, reach, &flags),
            Verb::Restore(flags) => backup::restore(session, reach, &flags),
            Verb::Key(verb) => key::run(session, reach, &verb),
            Verb::Top(flags) => top::run(session, reach, &flags),
        }
    }
}
