//! Verbs that change one object by one command, and the word about it.

use serde_json::json;

use super::answer::{Node, list};
use super::codes;
use super::manifest::{check_labels, ordered};
use super::name;
use super::plane::done;
use super::reach::Reach;
use crate::failure::{Failure, Outcome};
use crate::flags::Format;
use crate::flash::codes::DIFFERENT;
use crate::program::Session;

/// What has been done to an object.
pub struct Done<'a> {
    /// Its kind.
    pub kind: &'static str,
    /// Its name.
    pub name: &'a str,
    /// The word, such as `scaled`.
    pub word: &'a str,
    /// What else is to be said for people.
    pub more: &'a str,
}

/// Says it on standard output.
///
/// # Errors
/// `kube::io`.
pub fn say(session: &Session, done: &Done<'_>) -> Outcome {
    let Done { kind, name, word, more } = done;
    let dry = session.flags.dry_run;
    if session.output.structured() {
        let fields = json!({"object": format!("{kind}/{name}"), "action": word, "dry_run": dry});
        return session.output.object("change", fields);
    }
    if session.output.format() == Format::Name {
        return session.output.line(&format!("{kind}/{name}"));
    }
    let dry = if dry { " (dry run)" } else { "" };
    session.output.line(&format!("{kind}/{name} {word}{more}{dry}"))
}

/// One command about one object; with --dry-run only what it would be.
pub fn one(session: &Session, reach: &Reach, command: &str, change: &Done<'_>) -> Outcome {
    if session.flags.dry_run {
        say(session, change)?;
        return Err(Failure::new(&DIFFERENT, format!("would run {command}")).answered());
    }
    let mut way = reach.plane(session)?;
    let lines = done(way.as_mut(), command)?;
    lines.iter().for_each(|line| session.talk.detail(line));
    say(session, change)
}

/// Flags of `scale`.
#[derive(clap::Args, Clone, Debug)]
pub struct Scale {
    /// The deployment.
    #[arg(value_name = "DEPLOYMENT")]
    name: String,
    /// How many pods it is to have.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(0..=9999))]
    replicas: u32,
}

/// `kube scale`.
pub fn scale(session: &Session, reach: &Reach, flags: &Scale) -> Outcome {
    let name = name::of("deployment", &flags.name)?;
    let command = format!("Kube.Scale {name} {}", flags.replicas);
    one(
        session,
        reach,
        &command,
        &Done { kind: "deployment", name: &name, word: "scaled", more: "" },
    )
}

/// A node.
#[derive(clap::Args, Clone, Debug)]
pub struct OfNode {
    /// The node.
    #[arg(value_name = "NODE")]
    pub node: String,
}

/// `kube cordon` and `kube uncordon`.
pub fn cordon(session: &Session, reach: &Reach, flags: &OfNode, on: bool) -> Outcome {
    let node = name::of("node", &flags.node)?;
    let (command, word) = if on { ("Cordon", "cordoned") } else { ("Uncordon", "uncordoned") };
    let command = format!("Kube.{command} {node}");
    one(session, reach, &command, &Done { kind: "node", name: &node, word, more: "" })
}

/// Flags of `delete`.
#[derive(clap::Args, Clone, Debug)]
pub struct Delete {
    /// Kind and name, as `deployment web`, `pod/web-rs-0` or `node node2`.
    #[arg(value_name = "KIND NAME", required = true, num_args = 1..=2)]
    object: Vec<String>,
}

/// `kube delete`.
pub fn delete(session: &Session, reach: &Reach, flags: &Delete) -> Outcome {
    let (kind, name) = match flags.object.as_slice() {
        [both] => both.split_once('/').unwrap_or((both, "")),
        [kind, name, ..] => (kind.as_str(), name.as_str()),
        [] => ("", ""),
    };
    let kinds = [("deployment", "Delete"), ("pod", "DeletePod"), ("node", "DeleteNode")];
    let Some((kind, command)) = kinds.into_iter().find(|(known, _)| name::is_kind(known, kind))
    else {
        return Err(Failure::new(&codes::OBJECT_NAME, format!("{kind:?} is no kind of object"))
            .cause("what can be deleted: a deployment, a pod or a node that is switched off")
            .help("kube delete deployment web"));
    };
    let name = name::of(kind, name)?;
    let command = format!("Kube.{command} {name}");
    one(session, reach, &command, &Done { kind, name: &name, word: "deleted", more: "" })
}

/// Flags of `label`.
#[derive(clap::Args, Clone, Debug)]
pub struct Label {
    /// A node, and labels: key=value sets one, key- takes one off.
    #[arg(value_name = "NODE KEY=VALUE", required = true, num_args = 2..)]
    words: Vec<String>,
    /// Let labels that are there get another value.
    #[arg(long)]
    overwrite: bool,
}

/// `kube label`.
pub fn label(session: &Session, reach: &Reach, flags: &Label) -> Outcome {
    // As in kubectl the kind may stand before the name.
    let words = match flags.words.as_slice() {
        [kind, rest @ ..] if name::is_kind("node", kind) && rest.len() > 1 => rest,
        words => words,
    };
    let Some((name, changes)) = words.split_first() else {
        return Err(Failure::new(&codes::OBJECT_NAME, "no node was named"));
    };
    let name = name::of("node", name)?;
    let mut way = reach.plane(session)?;
    let nodes: Vec<Node> = list(way.as_mut())?;
    let Some(node) = nodes.iter().find(|node| node.name == name) else {
        return Err(Failure::new(&codes::OBJECT_MISSING, format!("there is no node {name}"))
            .help("kube get nodes shows them"));
    };
    let labels = changed(&node.labels, changes, flags.overwrite)
        .and_then(|labels| check_labels(&labels).map(|()| labels))
        .map_err(|why| {
            Failure::new(&codes::OBJECT_NAME, why)
                .cause(format!("the labels of {name} are: {}", node.labels))
                .help(format!("kube label {name} zone=a old-; --overwrite gives another value"))
        })?;
    if labels == ordered(node.labels.split_whitespace().map(str::to_owned)) {
        return say(session, &Done { kind: "node", name: &name, word: "unchanged", more: "" });
    }
    let command = format!("Kube.Label {name} {labels}").trim_end().to_owned();
    if session.flags.dry_run {
        say(session, &Done { kind: "node", name: &name, word: "labeled", more: "" })?;
        return Err(Failure::new(&DIFFERENT, format!("would run {command}")).answered());
    }
    done(way.as_mut(), &command)?;
    say(session, &Done { kind: "node", name: &name, word: "labeled", more: "" })
}

/// Labels after some changes.
fn changed(labels: &str, changes: &[String], overwrite: bool) -> Result<String, String> {
    let mut words: Vec<String> = labels.split_whitespace().map(str::to_owned).collect();
    for change in changes {
        let key = match change.split_once('=') {
            Some((key, _)) => key,
            None => change.strip_suffix('-').ok_or(format!("{change:?} is no label: key=value"))?,
        };
        let of_key = |word: &String| word.split_once('=').is_some_and(|(known, _)| known == key);
        let there = words.iter().find(|word| of_key(word));
        if there.is_some_and(|there| change.contains('=') && there != change) && !overwrite {
            return Err(format!("label {key} is there already with another value"));
        }
        words.retain(|word| !of_key(word));
        if change.contains('=') {
            words.push(change.clone());
        }
    }
    Ok(ordered(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_set_changed_and_taken_off_one_by_one() {
        let change = |words: &[&str], overwrite| {
            let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
            changed("zone=a disk=big", &words, overwrite)
        };
        assert_eq!(change(&["tier=1"], false).as_deref(), Ok("disk=big tier=1 zone=a"));
        assert_eq!(change(&["zone-"], false).as_deref(), Ok("disk=big"));
        assert_eq!(change(&["zone=a"], false).as_deref(), Ok("disk=big zone=a"));
        assert!(change(&["zone=b"], false).is_err_and(|why| why.contains("already")));
        assert_eq!(change(&["zone=b"], true).as_deref(), Ok("disk=big zone=b"));
        assert!(change(&["zone"], false).is_err());
    }
}
