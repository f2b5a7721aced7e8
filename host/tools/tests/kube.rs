//! `kube` as a program, with a cluster in the emulator beside it.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod lab;

use std::process::Stdio;
use std::time::Duration;

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
    let path = lab.path("kube-lab.sock");
    drop(lab);
    let mut command = assert_cmd::Command::cargo_bin("kube").unwrap();
    command.args(["--source", &format!("sim:{}", path.display()), "get", "pods"]);
    let said: Said = command.output().unwrap().into();
    assert!(said.code != 0 && said.err.contains("error["), "{}", said.err);
}
