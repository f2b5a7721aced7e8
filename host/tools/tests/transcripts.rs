//! The commands in the README files give what stands below them. Numbers may differ, words may not.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod desk;
mod lab;

use std::path::Path;
use std::process::Command;

/// Commands with the lines that follow them, from all `console` blocks of a text.
fn examples(text: &str) -> Vec<(String, String)> {
    let mut examples: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match (line, line.strip_prefix("$ ")) {
            ("```console", _) => inside = true,
            ("```", _) => inside = false,
            (_, Some(command)) if inside => examples.push((command.to_owned(), String::new())),
            _ if inside => {
                let said = &mut examples.last_mut().unwrap().1;
                said.push_str(line);
                said.push('\n');
            }
            _ => {}
        }
    }
    examples
}

/// The text with every number, and every sum in hexadecimal, as `#`.
fn without_numbers(text: &str) -> String {
    let word = |word: &str| -> String {
        if word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return "#".to_owned();
        }
        let mut out = String::new();
        for ch in word.chars() {
            match ch {
                '0'..='9' if out.ends_with('#') => {}
                '0'..='9' => out.push('#'),
                _ => out.push(ch),
            }
        }
        out
    };
    let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ");
    text.lines().map(|text| line(text) + "\n").collect()
}

/// Runs the examples, those of `kube` at a lab.
fn run(readme: &str, lab: Option<&lab::Lab>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join(readme)).unwrap();
    let examples = examples(&text);
    assert!(examples.len() >= 2, "{readme} has {} examples", examples.len());
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("boards")).unwrap();
    std::fs::copy(root.join("boards/fleet.toml"), folder.path().join("boards/fleet.toml")).unwrap();
    let programs = assert_cmd::cargo::cargo_bin("kube-flash");
    let path =
        format!("{}:{}", programs.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let here = folder.path().canonicalize().unwrap().display().to_string() + "/";
    for (command, expected) in examples {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("{command} 2>&1")])
            .current_dir(folder.path())
            .env("PATH", &path);
        // No lab that happens to run on this computer is meant, and by other tools none at all.
        let lab = lab.filter(|_| command.starts_with("kube "));
        let runtime = lab.map_or_else(|| folder.path().to_owned(), |lab| lab.path(""));
        shell.env("XDG_RUNTIME_DIR", runtime);
        for variable in ["KUBE_FLEET", "KUBE_BOARD", "KUBE_HOST_ROOT"] {
            shell.env_remove(variable);
        }
        let output = shell.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap().replace(&here, "");
        // A loaded computer keeps a lab waiting.
        let kept = said.lines().filter(|line| !line.starts_with("warning: no reply for "));
        let said: String = kept.map(|line| line.to_owned() + "\n").collect();
        let (said, expected) = (without_numbers(&said), without_numbers(&expected));
        assert_eq!(said, expected, "{readme}: $ {command}");
    }
}

#[test]
fn the_commands_of_the_readme_give_what_it_shows() {
    run("README.md", None);
}

#[test]
fn the_commands_of_the_tools_readme_give_what_it_shows() {
    let lab = lab::Lab::new(&["Kube.Ensure web 4 Ticker"]);
    lab.ready("web");
    run("host/tools/README.md", Some(&lab));
}
