//! `kube` as a program, with a cluster in the emulator beside it.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod lab;

use std::io::{Read, Write};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kube_boards::fleet::{Board, KeyText, Role};
use kube_lab::line::Rig;
use kube_lab::terminal::Terminal;
use lab::{Lab, Said};

/// The words of each line, numbers as `#`: what does not depend on time.
fn shape(text: &str) -> String {
    let word = |word: &str| {
        let mut out = String::new();
        for ch in word.chars() {
            match ch {
                '0'..='9' | '.' if out.ends_with('#') => {}
                '0'..='9' => out.push('#'),
                ch => out.push(ch),
            }
        }
        out
    };
    let line = |line: &str| line.split_whitespace().map(word).collect::<Vec<_>>().join(" ");
    text.lines().map(|text| line(text) + "\n").collect()
}

#[test]
fn what_there_is_in_every_format_asked_and_heard() {
    let lab = Lab::new(&["Kube.Ensure web 3 Ticker"]);
    lab.ready("web");
    let get = |words: &str| lab.kube(&format!("get {words}")).done();
    assert_eq!(
        shape(&get("nodes").out),
        "NAME STATUS PODS MARK LAST FROM\nnode# Ready # - # s plane\nnode# Ready # - # s plane\n"
    );
    assert_eq!(
        shape(&get("nodes -o wide").out),
        "NAME STATUS PODS MARK LAST FROM ASSIGNED STOPPING LABELS\n\
         node# Ready # - # s plane # # -\nnode# Ready # - # s plane # # -\n"
    );
    assert_eq!(
        shape(&get("pods").out),
        "NAME ID STATUS RESTARTS NODE MODULE LAST FROM REASON\n".to_owned()
            + &"web-rs-# # Running # node# Ticker - plane -\n".repeat(3)
    );
    assert_eq!(
        shape(&get("deploy").out),
        "NAME READY REPLICAS MODULE REVISION STATE\nweb # # Ticker # complete\n"
    );
    assert_eq!(
        shape(&get("rs").out),
        "NAME DEPLOYMENT REPLICAS MODULE REVISION\nweb-rs web # Ticker #\n"
    );
    let events = get("events web").out;
    assert!(shape(&events).contains("# s web-rs-# Normal bound to node#\n"), "{events}");
    assert_eq!(get("pods -o name").out, "web-rs-0\nweb-rs-1\nweb-rs-2\n");
    let json = get("pods --json").json();
    assert_eq!((&json["schema"], &json["kind"]), (&"kube/v1".into(), &"pods".into()));
    assert_eq!(
        json["items"][0],
        serde_json::json!({
            "name": "web-rs-0", "id": 1, "status": "Running", "restarts": 0, "node": "node1",
            "module": "Ticker", "last": null, "from": "plane", "reason": null,
        })
    );
    assert!(get("deployments -o yaml").out.contains("  - idle: \"0 s\"\n    module: \"Ticker\"\n"));
    assert_eq!(get("pods web-rs-1 -o name").out, "web-rs-1\n");
    let said = lab.kube("get pods web-rs-7").fails(1, "kube::object::missing");
    assert!(said.err.contains("there are: web-rs-0, web-rs-1, web-rs-2"), "{}", said.err);
    // Heard: names of pods are not on the air.
    let heard = lab.heard("get pods --listen 4s").done();
    assert_eq!(
        shape(&heard.out),
        "ID STATUS NODE MODULE LAST FROM REASON\n".to_owned()
            + &"# Running node# Ticker # s air -\n".repeat(3)
    );
    let heard = lab.heard("get nodes").done();
    assert_eq!(
        shape(&heard.out),
        "NAME STATUS PODS MARK LAST FROM\nnode# Ready # - # s air\nnode# Ready # - # s air\n"
    );
    // Both: names by the plane's word, whether they run from the air.
    let both = lab.kube("--source sim: get pods").done();
    assert_eq!(
        shape(&both.out),
        "NAME ID STATUS RESTARTS NODE MODULE LAST FROM REASON\n".to_owned()
            + &"web-rs-# # Running # node# Ticker # s air -\n".repeat(3)
    );
    // Nodes tell in turn what their pods and their radio use, something every 2 s.
    lab.pass(8_000);
    let told = "NAME SENT HEARD DROPPED LAST FROM\nnode# # # # - plane\nnode# # # # - plane\n";
    assert_eq!(shape(&lab.kube("top nodes").done().out), told);
    assert_eq!(
        shape(&lab.kube("top pods").done().out),
        "NAME NODE MODULE TIME HEAP FROM\n".to_owned()
            + &"web-rs-# node# Ticker # ms # plane\n".repeat(3)
    );
    let top = lab.heard("top nodes -o wide").done().out;
    assert!(top.starts_with("NAME   SENT") && top.contains("\nplane "), "{top}");
    assert_eq!(
        shape(&lab.heard("top pods --listen 9s").done().out),
        "ID NODE MODULE TIME HEAP LAST FROM\n".to_owned()
            + &"# node# Ticker # ms # # s air\n".repeat(3)
    );
    // A narrow terminal cuts lines, nothing else.
    let line = format!(
        "stty rows 20 cols 24; {} --board sim:plane get pods",
        assert_cmd::cargo::cargo_bin("kube").display()
    );
    let mut command = assert_cmd::Command::new("script");
    lab::at(&mut command, &lab.path(""));
    let said: Said = command.args(["-qec", &line, "/dev/null"]).output().unwrap().into();
    let widths: Vec<_> = said.out.lines().map(|line| line.trim_end().chars().count()).collect();
    assert_eq!(widths.len(), 4, "{}", said.out);
    assert!(widths.iter().all(|&width| width <= 24), "{}", said.out);
}

#[test]
fn a_manifest_is_applied_and_only_what_differs_is_done() {
    let lab = Lab::new(&[]);
    lab.write(
        "web.yaml",
        "deployments:\n- name: web\n  replicas: 2\n  module: Ticker\n- name: api\n  replicas: 1\n  \
         module: Ticker2\n  select: {zone: a}\n  paused: true\n",
    );
    let said = lab.kube("apply -f web.yaml --dry-run").fails(1, "kube::different");
    assert_eq!(said.out, "deployment/web created (dry run)\ndeployment/api created (dry run)\n");
    assert_eq!(lab.kube("get deployments").done().out.lines().count(), 1, "nothing was done");
    let said = lab.kube("apply -f web.yaml").done();
    assert_eq!(said.out, "deployment/web created\ndeployment/api created\n");
    let said = lab.kube("apply -f web.yaml").done();
    assert_eq!(said.out, "deployment/web unchanged\ndeployment/api unchanged\n");
    assert_eq!(lab.kube("diff -f web.yaml").done().out, "");
    // What the plane lists is a manifest too.
    lab.write("is.yaml", &lab.kube("get deployments -o yaml").done().out);
    let said = lab.kube("apply -f is.yaml -n").done();
    assert_eq!(
        said.out,
        "deployment/web unchanged (dry run)\ndeployment/api unchanged (dry run)\n"
    );
    lab.write(
        "web.toml",
        "[[deployments]]\nname = \"web\"\nreplicas = 4\nmodule = \"Ticker\"\n[[deployments]]\nname \
         = \"api\"\nreplicas = 1\nmodule = \"Ticker2\"\n",
    );
    let said = lab.kube("diff -f web.toml").fails(1, "kube::different");
    assert_eq!(
        said.out,
        "deployment/web\n- replicas: 2\n+ replicas: 4\ndeployment/api\n- select: zone=a\n- paused: \
         true\n+ paused: false\n"
    );
    let said = lab.kube("apply -f web.toml -o json").done();
    assert_eq!(said.json()["action"], "configured");
    lab.ready("web");
    lab.ready("api");
    lab.write("bad.yaml", "deployments:\n- name: web\n  image: Ticker\n");
    let said = lab.kube("apply -f bad.yaml").fails(2, "error[kube::manifest]: bad.yaml");
    assert!(
        said.err.contains("unknown field `image`") && said.err.contains("help: "),
        "{}",
        said.err
    );
    lab.kube("apply -f nope.yaml").fails(1, "nope.yaml cannot be read");
    assert_eq!(lab.kube("scale deployment/web --replicas 1").done().out, "deployment/web scaled\n");
    assert_eq!(lab.kube("delete deployment web").done().out, "deployment/web deleted\n");
    lab.kube("scale web --replicas 3").fails(1, "there is no deployment web");
}

#[test]
fn a_rollout_is_followed_to_its_end_or_to_the_pod_that_keeps_it() {
    let lab = Lab::new(&["Kube.Ensure web 2 Ticker"]);
    let said = lab.kube("rollout status web").done();
    assert_eq!(
        said.out,
        "deployment/web rolled out: 2 pods of Ticker, revision 1, by the plane's word\n"
    );
    lab.write("v2.yaml", "deployments: [{name: web, replicas: 2, module: Ticker2}]");
    assert_eq!(lab.kube("apply -f v2.yaml").done().out, "deployment/web configured\n");
    // With a source the air has the last word.
    let said = lab.kube("--source sim: rollout status web").done();
    assert_eq!(
        said.out,
        "deployment/web rolled out: 2 pods of Ticker2, revision 2, heard on the air\n"
    );
    assert_eq!(
        shape(&lab.kube("rollout history web").done().out),
        "REVISION MODULE\n# Ticker#\n# Ticker\n"
    );
    assert_eq!(lab.kube("rollout undo web").done().out, "deployment/web rolled back\n");
    let json = lab.kube("rollout status web --json").done().json();
    assert_eq!((&json["module"], &json["revision"]), (&"Ticker".into(), &3.into()));
    lab.kube("rollout undo web --to-revision 99").fails(1, "no such revision of web");
    assert_eq!(lab.kube("rollout pause web").done().out, "deployment/web paused\n");
    lab.write("v4.yaml", "deployments: [{name: web, replicas: 2, module: Nope, paused: true}]");
    lab.kube("apply -f v4.yaml").done();
    assert_eq!(lab.kube("rollout resume web").done().out, "deployment/web resumed\n");
    // No node has that module: the pods that run are left alone, and the one that cannot is named.
    lab.pass(5_000);
    let said = lab.kube("rollout status web --timeout 1").fails(124, "kube::rollout::timeout");
    let reason = "cause: pod web-rs4-";
    assert!(said.err.contains(reason) && said.err.contains("(Nope): no module"), "{}", said.err);
    let said = lab.kube("rollout status web").fails(1, "the rollout of web stands still");
    assert!(said.err.contains(reason) && said.err.contains("no module"), "{}", said.err);
    assert!(said.err.contains("help: kube describe web; kube rollout undo web"), "{}", said.err);
    let said = lab.kube("describe deployment/web").done();
    assert!(said.out.starts_with("deployment web  replicas=2  image=Nope  stands still\n"));
    lab.kube("rollout status nope").fails(1, "there is no deployment nope");
}

#[test]
fn nodes_are_cordoned_drained_labelled_and_their_logs_read() {
    let lab = Lab::new(&["Kube.Ensure web 2 Ticker"]);
    lab.ready("web");
    assert_eq!(lab.kube("label node node1 zone=a disk=big").done().out, "node/node1 labeled\n");
    lab.kube("label node1 zone=b").fails(2, "--overwrite");
    assert_eq!(lab.kube("label node1 zone=b disk- --overwrite").done().out, "node/node1 labeled\n");
    let json = lab.kube("get nodes node1 --json").done().json();
    assert_eq!(json["items"][0]["labels"], "zone=b");
    assert_eq!(lab.kube("cordon node2").done().out, "node/node2 cordoned\n");
    lab.kube("drain node1 --timeout 1").fails(124, "kube::drain::timeout");
    assert_eq!(lab.kube("uncordon node2").done().out, "node/node2 uncordoned\n");
    let said = lab.kube("drain node/node1").done();
    assert_eq!(said.out, "node/node1 drained\n", "{}", said.err);
    let json = lab.kube("get nodes --json").done().json();
    assert_eq!(
        (&json["items"][0]["mark"], &json["items"][1]["pods"]),
        (&"cordoned".into(), &2.into())
    );
    lab.kube("delete node node1").fails(1, "plane refused: node node1 is Ready");
    lab.kube("cordon nope").fails(1, "there is no node nope");
    assert_eq!(
        lab.kube("cordon node1 -n").fails(1, "would run Kube.Cordon node1").out,
        "node/node1 cordoned (dry run)\n"
    );
    let logs = lab.kube("logs node2").done().out;
    assert!(logs.contains("kubenet: node node2 of kube joined the air\n"), "{logs}");
    assert!(logs.contains("Ticker v1: started pod "), "{logs}");
    assert_eq!(lab.kube("logs node2 --tail 1").done().out.lines().count(), 1);
    let said = lab.kube("logs nod2").fails(3, "did you mean --board node2?");
    assert_eq!(said.out, "");
    // Two at the same time: the second waits for the first.
    let mut one = lab.program();
    let second = std::thread::spawn(move || -> Said {
        one.args(["--board", "sim:plane", "--wait", "30", "get", "pods"]).output().unwrap().into()
    });
    lab.kube("--wait 30 get events").done();
    second.join().unwrap().done();
}

#[test]
fn slips_silence_and_interrupts() {
    let lab = Lab::new(&["Kube.Ensure web 2 Ticker"]);
    for (words, code, part) in [
        ("get servces", 2, "possible values: nodes, pods, deployments, replicasets, events"),
        ("gets pods", 2, "tip: a similar subcommand exists: 'get'"),
        ("scale web", 2, "--replicas"),
        ("scale web --replicas ten", 2, "ten"),
        ("scale pod/web --replicas 1", 2, "kube::object::name"),
        ("delete service web", 2, "what can be deleted"),
        ("rollout", 2, "Usage: kube rollout"),
        ("get pods --source tcp:x", 2, "is no source"),
        ("--board sim:node9 get pods", 2, "cannot be used multiple times"),
        ("--timeout soon get pods", 2, "expected a number of seconds"),
    ] {
        let said = lab.kube(words).fails(code, part);
        assert_eq!(said.out, "", "{words}");
    }
    // A node has no Kube running: it is no plane, but answers as one without objects.
    let mut command = lab.program();
    let said: Said = command
        .args(["--board", "sim:node1", "scale", "web", "--replicas", "2"])
        .output()
        .unwrap()
        .into();
    said.fails(1, "there is no deployment web");
    // --watch says what changes, until it is interrupted.
    lab.ready("web");
    let mut watch = std::process::Command::new(assert_cmd::cargo::cargo_bin("kube"));
    watch.args(["--board", "sim:plane", "--wait", "30", "get", "pods", "-w", "-o", "name"]);
    watch.current_dir(lab.path("")).env("XDG_RUNTIME_DIR", lab.path(""));
    let child = watch.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1_500));
    lab.kube("--wait 30 scale web --replicas 3").done();
    std::thread::sleep(Duration::from_millis(2_500));
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, 130, "{}", said.err);
    assert!(
        said.out.starts_with("web-rs-0\nweb-rs-1\nweb-rs-0\nweb-rs-1\nweb-rs-2\n"),
        "{}",
        said.out
    );
    // As get does, top shows what changes until the time is over.
    let said = lab.kube("top nodes --watch --duration 3 -o name").done();
    assert!(
        said.out.lines().count() >= 4 && said.out.starts_with("node1\nnode2\nnode1"),
        "{}",
        said.out
    );
    lab.kube("top --duration 3").fails(2, "--watch");
    let path = lab.path("kube-lab.sock");
    drop(lab);
    let mut command = assert_cmd::Command::cargo_bin("kube").unwrap();
    command.args(["--source", &format!("sim:{}", path.display()), "get", "pods"]);
    let said: Said = command.output().unwrap().into();
    assert!(said.code != 0 && said.err.contains("error["), "{}", said.err);
}

/// Names and nodes of the pods, by the plane on a machine.
fn placed(lab: &Lab, name: &str) -> Vec<(String, String)> {
    let mut command = lab.program();
    let fleet = if name == "spare" { "spare.toml" } else { "fleet.toml" };
    let board = format!("sim:{name}");
    command.args(["--fleet", fleet, "--board", &board, "--wait", "20", "get", "pods", "--json"]);
    let json = Said::from(command.output().unwrap()).done().json();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
    let items = json["items"].as_array().unwrap();
    items.iter().map(|pod| (text(&pod["name"]), text(&pod["node"]))).collect()
}

#[test]
fn another_machine_takes_the_planes_place_with_its_backup() {
    use age::secrecy::ExposeSecret;
    let lab = Lab::of(&["Kube.Ensure web 4 Ticker"], |fleet| {
        fleet.boards.push(Board::new("spare", Role::Plane));
    });
    lab.ready("web");
    let identity = age::x25519::Identity::generate();
    lab.write("key.txt", identity.to_string().expose_secret());
    lab.write("other.txt", age::x25519::Identity::generate().to_string().expose_secret());
    lab.write("recipients.txt", &format!("# the desk\n{}\n", identity.to_public()));
    let said = lab.kube("backup plain.backup").done();
    assert!(said.err.contains("of cluster kube to plain.backup, not encrypted"), "{}", said.err);
    let said = lab.kube("backup web.backup --recipients-file recipients.txt --json").done();
    assert_eq!(
        (&said.json()["encrypted"], &said.json()["cluster"]),
        (&true.into(), &"kube".into())
    );
    lab.kube("backup web.backup --recipient age1nonsense").fails(1, "is no recipient");
    lab.kube("backup nowhere/web.backup").fails(1, "nowhere/web.backup cannot be written");
    // Refused, and nothing done: wrong identity, cut short, changed, another cluster, nobody asked.
    let plain = std::fs::read(lab.path("plain.backup")).unwrap();
    std::fs::write(lab.path("cut.backup"), &plain[..plain.len() - 40]).unwrap();
    let text = String::from_utf8_lossy(&plain).replace("cluster kube", "cluster cube");
    lab.write("changed.backup", &text);
    lab.write(
        "prod.toml",
        "[cluster]\nname = \"prod\"\nkey = \"1\"\n[boards.plane]\nrole = \"plane\"\n",
    );
    let before = placed(&lab, "plane");
    for (words, code, part) in [
        ("restore web.backup", 1, "web.backup is encrypted"),
        (
            "restore web.backup --identity other.txt",
            1,
            "error[kube::backup::keys]: web.backup does not open",
        ),
        ("restore cut.backup", 1, "cause: it is cut short"),
        (
            "restore changed.backup",
            1,
            "error[kube::backup::file]: changed.backup cannot be restored",
        ),
        ("restore fleet.toml", 1, "it has no head"),
        ("restore none.backup", 1, "none.backup cannot be read"),
        ("--fleet prod.toml restore plain.backup", 4, "the backup is of cluster kube"),
        ("restore plain.backup", 4, "kube::question"),
        ("restore plain.backup -n", 1, "would restore"),
    ] {
        let said = lab.kube(words).fails(code, part);
        assert!(
            said.err.contains("help: ") || words.contains("-n") || words.contains("none"),
            "{}",
            said.err
        );
    }
    assert_eq!(placed(&lab, "plane"), before);
    // The plane is lost; the other machine is given its store before its start commands.
    let changes = lab.changes();
    lab.switch("plane", false);
    lab.pass(8_000);
    lab.pace(lab::SLOW_US);
    let mut restore = lab.program();
    restore.args([
        "--fleet",
        "spare.toml",
        "--board",
        "sim:spare",
        "restore",
        "web.backup",
        "-i",
        "key.txt",
        "--at-start",
    ]);
    let restore = std::thread::spawn(move || Said::from(restore.output().unwrap()));
    std::thread::sleep(Duration::from_millis(1_000));
    lab.switch("spare", true);
    let said = restore.join().unwrap().done();
    assert!(said.err.contains("Restore done: "), "{}", said.err);
    lab.pace(500);
    lab.pass(15_000);
    assert_eq!(placed(&lab, "spare"), before);
    assert_eq!(lab.changes(), changes, "assignments changed");
    let mut status = lab.program();
    status.args([
        "--fleet",
        "spare.toml",
        "--board",
        "sim:spare",
        "--source",
        "sim:",
        "rollout",
        "status",
        "web",
    ]);
    assert!(Said::from(status.output().unwrap()).done().out.ends_with("heard on the air\n"));
    // Onto a plane that has something, if one says so.
    let on_spare = |words: &str| {
        let mut command = lab.program();
        command
            .args(["--fleet", "spare.toml", "--board", "sim:spare"])
            .args(words.split_whitespace());
        Said::from(command.output().unwrap())
    };
    on_spare("scale web --replicas 6").done();
    on_spare("rollout status web -q").done();
    on_spare("--yes restore plain.backup").done();
    on_spare("rollout status web -q").done();
    assert_eq!(placed(&lab, "spare"), before);
}

#[test]
fn commands_go_over_the_air_with_an_operators_key_only() {
    let lab = Lab::of(&["Kube.Ensure web 2 Ticker"], |fleet| {
        fleet.operator = Some(KeyText::new("8d2f61c07be4935a").unwrap());
    });
    lab.pace(1_000);
    let air = |words: &str| lab.heard(&format!("--by-air {words}"));
    air("rollout status web -q").done();
    assert_eq!(air("get deployments -o name").done().out, "web\n");
    assert_eq!(air("scale web --replicas 3").done().out, "deployment/web scaled\n");
    let said = air("scale nope --replicas 3").fails(1, "there is no deployment nope");
    assert!(said.err.contains("plane (by air) says: kube: no deployment nope"), "{}", said.err);
    assert!(air("logs node1").done().out.contains("joined the air"));
    lab.kube("--by-air get pods").fails(2, "kube::air::needed");
    let mut command = lab.program();
    command.args(["--source", "pcap:fleet.toml", "--by-air", "get", "events"]);
    Said::from(command.output().unwrap()).fails(3, "cannot be sent to");
    let fleet = std::fs::read_to_string(lab.path("fleet.toml")).unwrap();
    let kept: Vec<_> = fleet.lines().filter(|line| !line.starts_with("operator")).collect();
    lab.write("fleet.toml", &kept.join("\n"));
    air("get events").fails(4, "error[kube::air::key]: the fleet has no operator's key");
    // A key of another operator: nobody answers, and nothing is done.
    let key =
        |words: &str| Said::from(lab.program().args(words.split_whitespace()).output().unwrap());
    key("key new --operator").done();
    let said = air("--timeout 2 scale web --replicas 9").fails(124, "does not answer");
    assert_eq!(said.out, "");
    assert_eq!(lab.kube("get pods -o name").done().out.lines().count(), 3);
    key("key new --operator").fails(4, "it has an operator-key already");
    assert_eq!(key("key new own.key").done().out, "");
    use std::os::unix::fs::PermissionsExt;
    for name in ["own.key", "fleet.local.toml"] {
        let mode = std::fs::metadata(lab.path(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    key("key new own.key").fails(4, "own.key is not overwritten");
    assert_eq!(key("key new --print").done().out.trim().len(), 16);
    key("key new").fails(2, "--operator");
}

#[test]
fn a_running_cluster_gets_a_new_key_and_no_pod_moves() {
    let lab = Lab::of(&["Kube.Ensure web 4 Ticker"], |_| ());
    lab.ready("web");
    let before = placed(&lab, "plane");
    let kube = |words: &str| lab.kube(words);
    kube("key new next.key").done();
    lab.write("short.key", "xyz\n");
    kube("key rotate short.key").fails(4, "may be read by others");
    kube("key rotate nowhere.key").fails(1, "kube key new FILE makes a key");
    kube("key rotate next.key --without nobody").fails(2, "there is no such board");
    lab.heard("--by-air key rotate next.key").fails(2, "on the air they could be read");
    let said = kube("key rotate next.key --dry-run").done();
    assert!(said.err.contains("would run Keys.Drop on node2"), "{}", said.err);
    let said = kube("backup before.backup --json").done();
    assert_eq!(said.json()["fleet_key"], true);
    assert!(!said.err.contains("warning"), "{}", said.err);
    let changes = lab.changes();
    let said = kube("key rotate next.key").done();
    assert!(said.err.contains("Drop done: only the new key counts, 3 machines"), "{}", said.err);
    let digits = std::fs::read_to_string(lab.path("next.key")).unwrap();
    assert!(!said.err.contains(digits.trim()) && !said.out.contains(digits.trim()));
    // Again: each machine says that it is done already.
    kube("key rotate next.key").done();
    lab.pass(6_000);
    assert_eq!((lab.changes(), placed(&lab, "plane")), (changes, before));
    // No backup has the new key: as long as the fleet file does not name it, that is told.
    let said = kube("backup after.backup --json").done();
    assert_eq!(said.json()["fleet_key"], false);
    assert!(said.err.contains("warning: the plane signs with another key"), "{}", said.err);
    let fleet = std::fs::read_to_string(lab.path("fleet.toml")).unwrap();
    let named: Vec<_> = fleet
        .lines()
        .map(|line| if line.starts_with("key = ") { "key-file = \"next.key\"" } else { line })
        .collect();
    lab.write("fleet.toml", &named.join("\n"));
    let said = kube("backup named.backup").done();
    assert!(!said.err.contains("warning"), "{}", said.err);
    lab.write("fleet.toml", &fleet);
    // Who has the old key only hears nothing that he can check.
    let heard = lab.heard("get nodes").done();
    assert!(!heard.out.contains("Ready"), "{}", heard.out);
}

/// What a person sees who has nothing but a terminal, and the same through the tool.
#[test]
fn the_same_typed_by_hand_and_through_the_tool() {
    let mut terminal = Terminal::new().unwrap();
    let port = terminal.path().to_owned();
    let over = Arc::new(AtomicBool::new(false));
    let machine = std::thread::spawn({
        let over = over.clone();
        move || {
            let system = kube_modules::build().unwrap();
            let mut rig = Rig::switched_on(&system, &["Kube.Start local"]).unwrap();
            rig.serve(&mut terminal, || over.load(Ordering::Relaxed)).unwrap();
        }
    });
    let mut by_hand = std::fs::OpenOptions::new().read(true).write(true).open(&port).unwrap();
    let mut transcript = String::new();
    for (typed, last) in [
        ("", "store on disk\n"),
        ("Kube.Apply web 2 Ticker\r", "done: Kube.Apply web 2 Ticker\n"),
        ("Kube.Scale web\r", "see the log\n"),
        ("Kube.Scale wep 3\r", "see the log\n"),
    ] {
        by_hand.write_all(typed.as_bytes()).unwrap();
        if !typed.is_empty() {
            transcript.push_str(&format!("> {}\n", typed.trim()));
        }
        let (from, mut bytes) = (transcript.len(), [0; 256]);
        while !transcript[from..].contains(last) {
            let len = by_hand.read(&mut bytes).unwrap();
            transcript.push_str(&String::from_utf8_lossy(&bytes[..len]).replace('\r', ""));
        }
    }
    let said = transcript.split_once("boot number ").unwrap().1;
    assert_eq!(
        said,
        "1; on this line one command a line, such as System.Watch\nboot: Kube.Start local\n\
         kube: 3 controllers installed (deploy, replicaset, node), store on disk\n\
         > Kube.Apply web 2 Ticker\nboot: Kube.Apply web 2 Ticker\n\
         deployment web applied, replicas=2\ndone: Kube.Apply web 2 Ticker\n\
         > Kube.Scale web\nboot: Kube.Scale web\nkube: the form is Kube.Scale deployment count\n\
         failed: Kube.Scale web: refused, see the log\n\
         > Kube.Scale wep 3\nboot: Kube.Scale wep 3\nkube: no deployment wep\n\
         failed: Kube.Scale wep 3: refused, see the log\n"
    );
    let folder = tempfile::tempdir().unwrap();
    let tool = |words: &str| {
        let mut command = assert_cmd::Command::cargo_bin("kube").unwrap();
        lab::at(&mut command, folder.path());
        command.arg("--port").arg(&port).args(words.split_whitespace());
        Said::from(command.output().unwrap())
    };
    std::fs::write(
        folder.path().join("web.yaml"),
        "deployments: [{name: web, replicas: 2, module: Ticker}]",
    )
    .unwrap();
    assert_eq!(tool("apply -f web.yaml").done().out, "deployment/web unchanged\n");
    let said = tool("scale web").fails(2, "--replicas <NUMBER>");
    assert!(said.err.contains("Usage: kube"), "{}", said.err);
    tool("scale wep --replicas 3").fails(1, "there is no deployment wep");
    assert_eq!(tool("scale web --replicas 3").done().out, "deployment/web scaled\n");
    over.store(true, Ordering::Relaxed);
    machine.join().unwrap();
}
