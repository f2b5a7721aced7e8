use std::path::PathBuf;

use super::*;
use crate::fleet::{Card, Keys};

const GOOD: &str = r#"
[cluster]
name = "kube"
key = "0123456789abcdff"
[boards.node1]
role = "node"
[boards.plane]
role = "plane"
start = ["Kube.Ensure web 4 Ticker"]
"#;

fn written(main: &str, local: Option<&str>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FLEET_FILE);
    std::fs::write(&path, main).unwrap();
    if let Some(local) = local {
        std::fs::write(folder.path().join(LOCAL_FILE), local).unwrap();
    }
    (folder, path)
}

/// Line, column, message and help of the error that a file gives.
fn fault(main: &str, local: Option<&str>) -> (usize, usize, String) {
    let (_folder, path) = written(main, local);
    match read(&path).unwrap_err() {
        FleetFileError::Place(found) => {
            (found.line, found.column, format!("{}; {}", found.message, found.help))
        }
        other => panic!("{other}"),
    }
}

#[test]
fn the_committed_fleet_is_that_of_the_lab() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FLEET_FILE);
    let file = read(&path).unwrap();
    assert!(file.key_is_public);
    let lab = Fleet::new(2, "kube", "00c0ffee00c0ffee").unwrap();
    let commands = |fleet: &Fleet| -> Vec<_> {
        fleet.machines().into_iter().map(|machine| (machine.name, machine.commands)).collect()
    };
    assert_eq!(commands(&file.fleet), commands(&lab));
}

#[test]
fn a_fleet_is_read_with_the_plane_first() {
    let (_folder, path) = written(GOOD, None);
    let file = read(&path).unwrap();
    let names: Vec<_> = file.fleet.boards.iter().map(|board| board.name.as_str()).collect();
    assert_eq!(names, ["plane", "node1"]);
    assert!(!file.key_is_public);
    assert_eq!(file.fleet.keys, Keys::Shared);
}

#[test]
fn the_local_file_counts_first() {
    let local = r#"
[tool]
board = "node1"
[cluster]
keys = "per-node"
[boards.node1]
sd = { serial = "4C530001" }
uart = "D00123"
"#;
    let (folder, path) = written(GOOD, Some(local));
    let file = read(&path).unwrap();
    let local = folder.path().join(LOCAL_FILE);
    assert_eq!(file.default_board, Some(("node1".into(), local)));
    assert_eq!(file.fleet.keys, Keys::PerNode);
    let node = &file.fleet.board("node1").unwrap().hardware;
    assert_eq!(node.sd, Some(Card::Serial("4C530001".into())));
    assert_eq!(node.uart.as_deref(), Some("D00123"));
}

#[test]
fn faults_are_found_at_their_place() {
    let change = |from: &str, to: &str| {
        assert!(GOOD.contains(from));
        GOOD.replacen(from, to, 1)
    };
    // A change of the good file, and where and what the error must be.
    let cases = [
        (change("role = \"node\"", "rol = \"node\""), 6, 1, "unknown field `rol`"),
        (change("role = \"node\"", "role = \"nod\""), 6, 8, "unknown variant `nod`"),
        (change("role = \"node\"", ""), 5, 9, "has no role"),
        (change("boards.node1", "boards.number1"), 5, 9, "1 to 6 letters"),
        (change("name = \"kube\"", "name = \"kubernetes\""), 3, 8, "give 1 to 8"),
        (change("0123456789abcdff", "xyz"), 4, 7, "no hex digit"),
        (change("0123456789abcdff", "0123456789abcdff00"), 4, 7, "give at most 16"),
        (change("key = \"0123456789abcdff\"", ""), 1, 1, "has no key"),
        (
            change("[boards.node1]", "[boards.node1]\npods = [\"Tiker\"]"),
            6,
            9,
            "did you mean Ticker?",
        ),
        (
            change("[boards.node1]", "[boards.node1]\npods = [\"a/B.Mod\"]"),
            6,
            9,
            "there is no file",
        ),
        (
            change("[boards.node1]", "[boards.node1]\nmodel = \"ulx3s-58f\""),
            6,
            9,
            "did you mean ulx3s-85f?",
        ),
        (
            change("[boards.node1]", "[boards.node1]\nmodel = \"ulx3s-85f\"\nrevision = \"2\""),
            7,
            12,
            "there is no revision",
        ),
        (
            change("[boards.node1]", "[boards.node1]\nrevision = \"4\""),
            6,
            12,
            "there is no revision",
        ),
        (change("[boards.node1]", "[boards.node1]\nsd = { }"), 6, 6, "a path or a serial"),
        (change("Kube.Ensure", "Ensure"), 9, 10, "no start command"),
        (
            change("[boards.plane]", "[radio]\nchannel = 90\n[boards.plane]"),
            8,
            11,
            "outside of the band",
        ),
        (change("[boards.plane]", "[radio]\nrate = \"3M\"\n[boards.plane]"), 8, 8, "no rate"),
        (
            change("[boards.plane]", "[radio]\naddress = \"E7\"\n[boards.plane]"),
            8,
            11,
            "five bytes",
        ),
        (change("role = \"node\"", "role = \"plane\""), 1, 1, "are all planes"),
        (change("[cluster]", "[cluster"), 2, 9, ""),
    ];
    for (text, line, column, message) in cases {
        let found = fault(&text, None);
        assert_eq!((found.0, found.1), (line, column), "{}\n{text}", found.2);
        assert!(found.2.contains(message), "{}", found.2);
    }
}

#[test]
fn faults_of_the_local_file_are_found_there() {
    let found = fault(GOOD, Some("[boards.nod1]\nuart = \"x\"\n"));
    assert_eq!((found.0, found.1), (1, 9));
    assert!(found.2.contains("did you mean node1?"), "{}", found.2);
    let found = fault(GOOD, Some("[tool]\nboard = \"nobody\"\n"));
    assert_eq!((found.0, found.1), (2, 9));
}

#[cfg(unix)]
#[test]
fn a_key_file_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path) =
        written(&GOOD.replace("key = \"0123456789abcdff\"", "key-file = \"kube.key\""), None);
    let key = folder.path().join("kube.key");
    assert!(matches!(read(&path), Err(FleetFileError::Read { .. })));
    std::fs::write(&key, "0123456789abcdff\n").unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o640)).unwrap();
    let error = read(&path).unwrap_err();
    assert!(matches!(error, FleetFileError::KeyMode { mode: 0o640, .. }), "{error}");
    assert!(error.help().starts_with("chmod 600 "));
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    let fleet = read(&path).unwrap().fleet;
    assert_eq!(fleet.key(), kube_proto::key::Key::parse("0123456789abcdff").unwrap());
}

#[test]
fn a_fleet_file_is_found_from_below() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(find(&root.join("src/file")), Some(root.join(FLEET_FILE)));
    assert_eq!(find(root.parent().unwrap()), Some(root.join(FLEET_FILE)));
    assert_eq!(find(Path::new("/")), None);
}

/// Damaged files give an error at a place that the file has, or a fleet; `KUBE_SEED` repeats a run.
#[test]
fn damaged_files_are_refused_at_a_place_that_they_have() {
    use rand::{RngExt, SeedableRng};
    let seed = std::env::var("KUBE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut chance = rand_pcg::Pcg64::seed_from_u64(seed);
    let example = include_str!("../../fleet.toml");
    let pieces =
        ["\u{e9}", "\"", "[", "]", "=", "\n", "boards", "-1", "\t", "#", "\0", "99999999999"];
    for round in 0..400 {
        let mut text: Vec<char> = example.chars().collect();
        for _ in 0..chance.random_range(1..4) {
            let at = chance.random_range(0..text.len());
            let end = text.len().min(at + chance.random_range(0..12));
            let piece = pieces[chance.random_range(0..pieces.len())];
            text.splice(at..end, piece.chars());
        }
        let text: String = text.into_iter().collect();
        let (_folder, path) = written(&text, None);
        if let Err(FleetFileError::Place(found)) = read(&path) {
            let lines = text.lines().count().max(1);
            let fits =
                (1..=lines + 1).contains(&found.line) && found.column >= 1 && found.width >= 1;
            assert!(fits, "seed {seed}, round {round}: {found}\n{text}");
            assert!(
                !found.help.is_empty() && !found.message.is_empty(),
                "seed {seed}, round {round}"
            );
        }
    }
}

#[test]
fn the_operators_key_is_its_own_and_may_stand_in_the_local_file() {
    let with = |key: &str| {
        GOOD.replace("[boards.node1]", &format!("operator-key = \"{key}\"\n[boards.node1]"))
    };
    let (_folder, path) = written(&with("8d2f61c07be4935a"), None);
    let fleet = read(&path).unwrap().fleet;
    let open = "Operator.Open 8d2f61c07be4935a".to_owned();
    assert!(fleet.machines().iter().all(|machine| machine.commands.contains(&open)));
    let (_folder, path) = written(GOOD, Some("[cluster]\noperator-key = \"8d2f61c07be4935a\"\n"));
    assert!(read(&path).unwrap().fleet.operator.is_some());
    let (_folder, path) = written(GOOD, None);
    assert!(read(&path).unwrap().fleet.operator.is_none());
    for (key, words) in [
        ("0123456789abcdff", "the operator has the cluster's key"),
        ("0000", "a key of zeros is none"),
        ("8d2f61c07be4935g", "no hex digit"),
    ] {
        let (line, _, text) = fault(&with(key), None);
        assert!(line == 5 && text.contains(words), "{line}: {text}");
    }
}
