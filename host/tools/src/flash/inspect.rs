//! `diff`, `info` and `check`: what an image holds, and whether it is what it should be.

use std::collections::BTreeMap;
use std::path::Path;

use kube_boards::image::BOOT_COMMANDS;
use kube_disk::{Image, Layout, Severity};
use obc::object::ObjectFile;
use serde_json::json;

use super::bitstream::{self, Bitstream};
use super::target::Target;
use super::{Form, build, codes, write};
use crate::failure::{Failure, Outcome};
use crate::host::Host;
use crate::program::Session;

/// Content of every file, by name.
fn contents(image: &Image) -> Outcome<BTreeMap<String, Vec<u8>>> {
    let read = |file: kube_disk::FileInfo| Ok((file.name.clone(), image.read(&file.name)?));
    let files = image.list().and_then(|files| files.into_iter().map(read).collect());
    files.map_err(|error| damaged(&error))
}

pub(super) fn damaged(error: &kube_disk::DiskError) -> Failure {
    Failure::new(&codes::IMAGE_DAMAGED, "the image cannot be read")
        .cause(error)
        .help("kube-flash check lists everything that is wrong with it")
}

/// Compares the image of the board with what is there.
///
/// # Errors
/// `kube::different` if they are not the same.
pub fn diff(session: &Session, named: Option<&Path>) -> Outcome {
    let host = Host::here();
    let target = session.target(&host, named)?;
    let chosen = session.board()?;
    let there = target.image(&host)?;
    let form = match there.layout() {
        Layout::Shortened => Form::Short,
        Layout::FullCard => Form::Card,
    };
    let fresh =
        Image::open(build::image(&session.talk, &chosen, form)?).map_err(|e| damaged(&e))?;
    let (wanted, found) = (contents(&fresh)?, contents(&there)?);
    let mut lines: Vec<(char, String)> = Vec::new();
    if fresh.boot_area() != there.boot_area() {
        lines.push(('~', "(boot area)".to_owned()));
    }
    for (name, bytes) in &wanted {
        match found.get(name) {
            None => lines.push(('+', name.clone())),
            Some(other) if other != bytes => lines.push(('~', name.clone())),
            Some(_) => {}
        }
    }
    let extra = found.keys().filter(|name| !wanted.contains_key(*name));
    lines.extend(extra.map(|name| ('-', name.clone())));
    let sectors = fresh.changed_sectors(&there).len();
    let changes: Vec<_> =
        lines.iter().map(|(sign, name)| json!({ "change": change(*sign), "file": name })).collect();
    let fields = json!({
        "board": chosen.board.name,
        "target": target.label(),
        "changes": changes,
        "changed_sectors": sectors,
    });
    session.output.object("diff", fields)?;
    if !session.output.structured() {
        lines.iter().try_for_each(|(sign, name)| session.output.line(&format!("{sign} {name}")))?;
    }
    if sectors == 0 {
        return Ok(());
    }
    let headline =
        format!("{} differs from {} in {sectors} sectors", target.label(), chosen.board.name);
    Err(Failure::new(&codes::DIFFERENT, headline).help(
        "+ would be added, - is there only, ~ would change; files that a machine writes differ too",
    ).answered())
}

fn change(sign: char) -> &'static str {
    match sign {
        '+' => "added",
        '-' => "removed",
        _ => "changed",
    }
}

/// Says what an image holds.
///
/// # Errors
/// `kube::image::…`.
pub fn info(session: &Session, named: Option<&Path>) -> Outcome {
    let host = Host::here();
    let target = session.target(&host, named)?;
    if let Target::File(path) = &target
        && let Ok(found) = bitstream::read(path)
    {
        return bitstream_info(session, path, &found);
    }
    let image = target.image(&host)?;
    let usage = image.usage().map_err(|error| damaged(&error))?;
    let files = contents(&image)?;
    let commands = files.get(BOOT_COMMANDS).map(|text| masked(&String::from_utf8_lossy(text)));
    let sources = files.iter().filter(|(name, _)| name.ends_with(".rsc"));
    let modules: Vec<(String, u32)> = sources
        .filter_map(|(_, bytes)| ObjectFile::parse(bytes).ok())
        .map(|object| (object.name, object.key))
        .collect();
    let ours =
        kube_modules::build().map_err(|error| Failure::new(&codes::BUILD, error.to_string()))?;
    let same = ours.objects.iter().filter(|(name, bytes)| files.get(name) == Some(bytes)).count();
    let boot = image.boot_image().map(|boot| (boot.len(), boot == ours.boot_image)).ok();
    let form = match image.layout() {
        Layout::Shortened => "the file system alone",
        Layout::FullCard => "a whole card",
    };
    let sha256 = write::sha256(image.bytes());
    let system = match boot {
        None => "none: it cannot start a machine".to_owned(),
        Some((bytes, true)) => format!("Kubestation {}, {bytes} bytes", env!("CARGO_PKG_VERSION")),
        Some((bytes, false)) => format!("another system, {bytes} bytes"),
    };
    let board = commands.as_ref().and_then(|text| identity(text));
    let fields = json!({
        "target": target.label(),
        "form": form,
        "board": board,
        "boot_image": system,
        "files": usage.files,
        "modules": modules.len(),
        "modules_of_this_tool": same,
        "free_sectors": usage.free_sectors,
        "sha256": sha256,
        "start": commands.as_ref().map(|text| text.lines().collect::<Vec<_>>()),
    });
    session.output.object("info", fields)?;
    if session.output.structured() {
        return Ok(());
    }
    let line = |name: &str, value: String| session.output.line(&format!("{name:<12} {value}"));
    line("image", format!("{}, {form}", target.label()))?;
    line("board", board.unwrap_or_else(|| "no board of a fleet".to_owned()))?;
    line("boot image", system)?;
    line("files", format!("{}, {} sectors free", usage.files, usage.free_sectors))?;
    line("modules", format!("{}, {same} as this tool builds them", modules.len()))?;
    line("sha256", sha256)?;
    for command in commands.iter().flat_map(|text| text.lines()) {
        line("start", command.to_owned())?;
    }
    Ok(())
}

fn bitstream_info(session: &Session, path: &Path, found: &Bitstream) -> Outcome {
    let models = found.models();
    let names: Vec<_> = models.iter().map(|model| model.name.as_str()).collect();
    let part = models.first().map_or("unknown", |model| model.part.as_str());
    let idcode = format!("{:08X}H", found.idcode);
    let fields = json!({
        "target": path,
        "form": "bitstream",
        "part": part,
        "idcode": idcode,
        "models": names,
        "design": found.text("Design"),
        "version": found.text("Version"),
        "revision": found.revision(),
        "build": found.text("Build"),
        "texts": found.texts,
    });
    session.output.object("info", fields)?;
    if session.output.structured() {
        return Ok(());
    }
    let line = |name: &str, value: &str| session.output.line(&format!("{name:<12} {value}"));
    line("bitstream", &path.display().to_string())?;
    line("part", &format!("{part} ({idcode})"))?;
    line("models", &names.join(", "))?;
    let named = [
        ("design", found.text("Design")),
        ("version", found.text("Version")),
        ("revision", found.revision()),
        ("build", found.text("Build")),
    ];
    for (name, text) in named {
        if let Some(text) = text {
            line(name, text)?;
        }
    }
    found.texts.iter().try_for_each(|text| line("text", text))
}

/// Start commands with the keys masked.
fn masked(commands: &str) -> String {
    let line = |line: &str| {
        let mut words: Vec<&str> = line.split(' ').collect();
        let key = match words.first() {
            Some(&"KubeNet.Serve") => 2,
            Some(&"KubeNet.Join") => 3,
            Some(&"Operator.Open") => 1,
            _ => usize::MAX,
        };
        if let Some(word) = words.get_mut(key) {
            *word = "(key)";
        }
        words.join(" ")
    };
    commands.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Which board of which cluster the start commands make of a machine.
fn identity(commands: &str) -> Option<String> {
    commands.lines().find_map(|line| match line.split(' ').collect::<Vec<_>>().as_slice() {
        ["KubeNet.Serve", cluster, ..] => Some(format!("plane of cluster {cluster}")),
        ["KubeNet.Join", node, cluster, ..] => Some(format!("{node} of cluster {cluster}")),
        _ => None,
    })
}

/// Checks an image.
///
/// # Errors
/// `kube::image::damaged` if anything is found that endangers files or the start.
pub fn check(session: &Session, named: Option<&Path>) -> Outcome {
    let host = Host::here();
    let target = session.target(&host, named)?;
    let image = target.image(&host)?;
    let findings = image.check();
    let errors = findings.iter().filter(|f| f.severity() == Severity::Error).count();
    let severity = |finding: &kube_disk::Finding| match finding.severity() {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let listed: Vec<_> = findings
        .iter()
        .map(|f| json!({ "severity": severity(f), "finding": f.to_string() }))
        .collect();
    let files = image.list().map_or(0, |files| files.len());
    let fields = json!({ "target": target.label(), "files": files, "findings": listed });
    session.output.object("check", fields)?;
    if !session.output.structured() {
        for finding in &findings {
            session.output.line(&format!("{}: {finding}", severity(finding)))?;
        }
    }
    if errors > 0 {
        let headline = format!("{} is damaged: {errors} findings", target.label());
        return Err(Failure::new(&codes::IMAGE_DAMAGED, headline)
            .help("write the image again, or do what the findings say")
            .answered());
    }
    session.talk.say(format!("Check done: {} is in order, {files} files", target.label()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_masked() {
        let text = "Kube.Start\nKubeNet.Serve kube 00c0ffee per-node\nKubeNet.Join node1 kube 00c0";
        let shown = masked(text);
        assert!(!shown.contains("00c0"), "{shown}");
        assert!(shown.ends_with("KubeNet.Join node1 kube (key)"), "{shown}");
        assert_eq!(identity(text).as_deref(), Some("plane of cluster kube"));
    }
}
