//! Flags that the documents name are flags of the tools, and what `kube-sniff` knows stands in its document.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kube_tools::{boot, flash, inject, kube, program, sniff};

/// Flags of other programs that stand alone in a text about these tools.
const OTHERS: [&str; 1] = ["--attach"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All flags of a program, long and short, whatever the verb.
fn flags(command: &clap::Command) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = ["--help", "-h", "--version", "-V"].map(str::to_owned).into();
    for argument in command.get_arguments() {
        all.extend(argument.get_long().map(|name| format!("--{name}")));
        all.extend(argument.get_short().map(|letter| format!("-{letter}")));
    }
    command.get_subcommands().for_each(|verb| all.extend(flags(verb)));
    all
}

fn tools() -> BTreeMap<&'static str, clap::Command> {
    [
        ("kube", program::command::<kube::Arguments>()),
        ("kube-boot", program::command::<boot::Arguments>()),
        ("kube-flash", program::command::<flash::Arguments>()),
        ("kube-inject", program::command::<inject::Arguments>()),
        ("kube-sniff", program::command::<sniff::Arguments>()),
    ]
    .into()
}

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if entry.file_type().unwrap().is_dir() {
            if !(name.starts_with('.') || name == "target" || name == "node_modules") {
                documents(&path, found);
            }
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// What is typed: lines of fenced blocks, and pieces between backticks.
fn typed(text: &str) -> Vec<String> {
    let (mut all, mut fenced) = (Vec::new(), false);
    let mut prose = String::new();
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            let line = line.split(" # ").next().unwrap_or_default();
            all.extend(line.split(['|', ';', '&']).map(str::to_owned));
        } else {
            prose.push_str(line);
            prose.push(' ');
        }
    }
    all.extend(prose.split('`').skip(1).step_by(2).map(str::to_owned));
    all
}

/// The program that is started, and the flags that follow it.
fn used<'a>(typed: &'a str, tools: &[&'static str]) -> (Option<&'static str>, Vec<&'a str>) {
    let mut words = typed.split_whitespace();
    let name = |word: &str| tools.iter().copied().find(|&tool| word == tool);
    let program = words.clone().find_map(name);
    if let Some(program) = program {
        words.find(|&word| word == program);
    }
    let is_flag = |word: &&str| {
        word.strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|ch: char| ch == '-' || ch.is_ascii_lowercase()))
    };
    let flag = |word: &'a str| {
        word.split('=').next().unwrap_or_default().trim_end_matches([',', '.', ')', ']', '"'])
    };
    let flags = words.take_while(|word| *word != "--").filter(is_flag).map(flag);
    (program, flags.filter(|flag| *flag != "--").collect())
}

#[test]
fn every_flag_in_the_documents_exists() {
    let tools = tools();
    let names: Vec<&'static str> = tools.keys().copied().collect();
    let known: BTreeMap<_, _> =
        tools.iter().map(|(name, command)| (*name, flags(command))).collect();
    let mut files = Vec::new();
    documents(&root(), &mut files);
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        // Where these tools are the subject, a flag alone is one of theirs.
        let theirs =
            ["docs/listening.md", "tools/README.md"].iter().any(|name| file.ends_with(name));
        for piece in typed(&text) {
            let (program, flags) = used(&piece, &names);
            for flag in flags {
                let exists = match program {
                    Some(program) => known[program].contains(flag),
                    None if theirs && piece.starts_with('-') => {
                        OTHERS.contains(&flag) || known.values().any(|flags| flags.contains(flag))
                    }
                    None => continue,
                };
                seen += 1;
                if !exists {
                    wrong.push(format!("{}: {flag} in `{}`", file.display(), piece.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "no such flags:\n{}", wrong.join("\n"));
    assert!(seen > 60, "only {seen} flags were looked at");
}

#[test]
fn every_flag_of_the_listener_is_in_its_document() {
    let tools = tools();
    let shared: Vec<_> = tools["kube-boot"].get_arguments().filter_map(|a| a.get_long()).collect();
    let text = std::fs::read_to_string(root().join("docs/listening.md")).unwrap();
    let named: BTreeSet<String> = typed(&text)
        .iter()
        .flat_map(|piece| piece.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let mut missing = BTreeSet::new();
    let all: [(&str, &[&str]); 2] = [
        ("kube-sniff", &["top", "diff", "extcap"]),
        ("kube-inject", &["message", "replay", "raw"]),
    ];
    for (tool, verbs) in all {
        let command = &tools[tool];
        let of_people = |verb: &&clap::Command| {
            verbs.contains(&verb.get_name()) || verb.get_name() == "install"
        };
        let verbs: Vec<_> = command.get_subcommands().filter(of_people).collect();
        // What Wireshark asks by itself (extcap run) is no flag for people.
        let inner = verbs.iter().flat_map(|verb| verb.get_subcommands().filter(of_people));
        let inner: Vec<_> = inner.collect();
        for place in std::iter::once(command).chain(verbs).chain(inner) {
            for flag in place.get_arguments().filter_map(|argument| argument.get_long()) {
                if !shared.contains(&flag) && !named.contains(&format!("--{flag}")) {
                    missing.insert(format!("{tool} --{flag}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "not in docs/listening.md: {missing:?}");
}
