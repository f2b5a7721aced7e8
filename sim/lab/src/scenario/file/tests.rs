//! What a scenario may say, and what is said of a wrong one.

use super::{read as read_file, *};
use crate::scenario::forgery::Forgery;
use crate::scenario::{Action, Time};

const STEP: &str = "[[step]]\nfor = '1s'\n";

fn read(text: &str) -> Result<Scenario, ScenarioError> {
    parse(Path::new("own.toml"), text)
}

/// A file with these lines as its only step.
fn step(lines: &str) -> String {
    format!("title = 'x'\n[fleet]\nstart = ['Kube.Ensure web 4 Ticker']\n[[step]]\n{lines}\n")
}

#[test]
fn every_key_has_its_meaning() {
    let scenario = read(
        "
title = 'All of it'
about = 'More'
engine = 'compat'
seeds = '3..5'
loss = 0.1
expect = ['no bad']
[fleet]
nodes = 3
cluster = 'lab'
key = '0011'
keys = 'per-node'
start = ['Kube.Ensure web {pods} Ticker']
[[case]]
name = 'few'
set = { pods = 2 }
[[case]]
nodes = 4
keys = 'shared'
mbit = 2
seeds = [9, 11]
set = { pods = 8 }
[[step]]
name = 'form'
until = ['pods = {pods}', 'agree']
within = '2s..20s'
due = '3500ms'
measure = { form_ms = 'time', most_pods = 'most pods' }
[[step]]
power-off = ['node1', 'node2']
for = '1s..2s'
expect = ['silent node1 within 2s']
[[step]]
type = 'Kube.Get'
[[step]]
inject = 'raw'
to = 'node3'
times = 2
payload = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff'
",
    )
    .unwrap();
    let [few, many] = scenario.plans.as_slice() else { panic!("two cases") };
    assert_eq!((few.case.as_str(), many.case.as_str()), ("few", "2"));
    assert_eq!((&few.seeds[..], &many.seeds[..]), (&[3, 4, 5][..], &[9, 11][..]));
    assert_eq!((few.fleet.boards.len(), many.fleet.boards.len()), (4, 5));
    assert_eq!(few.fleet.boards[0].start, ["Kube.Ensure web 2 Ticker"]);
    let Time::Until { conditions, least_ns, most_ns, due_ns } = &many.steps[0].time else {
        panic!()
    };
    assert_eq!(conditions[0].0, "pods = 8");
    assert_eq!((*least_ns, *most_ns), (2_000_000_000, 20_000_000_000));
    assert_eq!(*due_ns, Some(3_500_000_000));
    assert_eq!((few.fleet.radio.mbit, many.fleet.radio.mbit), (1, 2));
    assert_eq!(
        few.steps[2].action,
        Some(Action::Type { on: "plane".into(), line: "Kube.Get".into() })
    );
    let Some(Action::Inject { forgery: Forgery::Raw(bytes), times: 2, .. }) = &few.steps[3].action
    else {
        panic!()
    };
    assert_eq!(bytes[1], 0x11);
    assert_eq!(few.steps[1].line, 29);
}

/// Text, line and column, and what is said.
#[test]
fn what_is_wrong_is_shown_at_its_place() {
    let raw = |payload: &str| step(&format!("inject = 'raw'\npayload = '{payload}'"));
    for (text, line, column, said) in [
        ("", 1, 1, "missing field `title`"),
        ("\u{7f}ELF", 1, 5, "key with no value"),
        ("title = 1", 1, 9, "expected a string"),
        ("title = 'x'", 1, 9, "no steps"),
        ("title = 'x'\n[[step]]\n", 2, 1, "does nothing"),
        (&step("powr-off = 'node1'"), 5, 1, "unknown field `powr-off`"),
        (&step("power-off = 'node3'"), 5, 13, "no machine \"node3\""),
        (&step("power-off = []"), 5, 13, "no machine is named"),
        (&step("for = '2 parsecs'"), 5, 7, "is no time"),
        (&step("for = 2"), 5, 7, "expected a string"),
        (&step("for = '2s..1s'"), 5, 7, "the shorter time comes first"),
        (&step("for = '90000s'"), 5, 7, "at most a day"),
        (&step("for = '1s'\nuntil = ['pods = 1']"), 6, 9, "not for both"),
        (&step("until = ['pods = 1']"), 5, 9, "might wait for ever"),
        (&step("within = '1s'"), 5, 10, "nothing is named"),
        (&step("until = []\nwithin = '1s'"), 5, 9, "nothing to wait for"),
        (&step("until = ['pods > lots']\nwithin = '1s'"), 5, 10, "a number must follow"),
        (&step("until = ['pods on plane = 1']\nwithin = '1s'"), 5, 10, "is the plane"),
        (&step("until = ['pods Tickr = 1']\nwithin = '1s'"), 5, 10, "an image \"Tickr\""),
        (&step("until = ['unheard spec']\nwithin = '1s'"), 5, 10, "nobody can hear"),
        (&step("for = '1s'\nair = 'of'"), 6, 7, "cannot be \"of\""),
        (&step("air = 'off'\nloss = 0.1"), 6, 8, "does one thing"),
        (&step("loss = 1.5"), 5, 8, "is no probability"),
        (&step("type = ''"), 5, 8, "no command line"),
        (&step("for = '1s'\non = 'plane'"), 6, 6, "belongs to \"type\""),
        (&step("inject = 'luck'"), 5, 10, "called \"luck\""),
        (&step("inject = 'node'"), 5, 10, "takes a key for each node"),
        (&step("inject = 'raw'"), 5, 10, "needs a payload"),
        (&raw("00"), 6, 11, "no payload of 32 bytes"),
        (&step("inject = 'signed'\nto = 'plane'"), 6, 6, "meant for a node"),
        (&step("inject = 'signed'\ntimes = 0"), 6, 9, "cannot be"),
        (&step("power-off = 'node1'\nexpect = ['agree']"), 6, 11, "no time passes"),
        (&step("for = '1s'\nexpect = ['agree within 2s']"), 6, 11, "takes at most 1 s"),
        (&step("for = '1s'\nexpect = ['unheard spec']"), 6, 11, "everybody can be heard"),
        (&step("for = '1s'\nexpect = ['hail']"), 6, 11, "nobody greets"),
        (&step("for = '1s'\nexpect = ['no bad node7']"), 6, 11, "no machine \"node7\""),
        (&step("for = '1s'\nexpect = ['{pods} = 1']"), 6, 11, "sets no \"pods\""),
        (&step("for = '1s'\nmeasure = { seed = 'time' }"), 6, 20, "cannot be called"),
        (&step("for = '1s'\nmeasure = { x = 'much' }"), 6, 17, "no kind of frame"),
        (&format!("title = 'x'\nseeds = 'x'\n{STEP}"), 2, 9, "no range"),
        (&format!("title = 'x'\nseeds = '5..3'\n{STEP}"), 2, 9, "no range"),
        (&format!("title = 'x'\nseeds = []\n{STEP}"), 2, 9, "at least one seed"),
        (&format!("title = 'x'\nseeds = -1\n{STEP}"), 2, 9, "not negative"),
        (&format!("title = 'x'\nseeds = [3, 3]\n{STEP}"), 2, 9, "3 twice"),
        (&format!("title = 'x'\n[fleet]\nmbit = 3\n{STEP}"), 3, 8, "3 Mbit/s"),
        (&step("for = '1s'\ndue = '1s'"), 6, 7, "belongs to \"until\""),
        (&step("until = ['agree']\nwithin = '1s'\ndue = '1s'"), 7, 7, "cannot be late"),
        (&step("until = ['nodes = 3']\nwithin = '1s'"), 5, 10, "the fleet has 2"),
        (&step("for = '1s'\nexpect = ['nodes > 2 within 1s']"), 6, 11, "the fleet has 2"),
        (&step("for = '1s'\nexpect = ['silent >= 3']"), 6, 11, "the fleet has 2"),
        (&step("for = '1s'\nexpect = ['frames >= 0']"), 6, 11, "always so"),
        (&step("for = '1s'\nexpect = ['pods < 0']"), 6, 11, "never so"),
        (
            &step(
                "for = '1s'\nmeasure = { x = 'pods' }\n[[step]]\nfor = '1s'\nmeasure = { x = 'nodes' }",
            ),
            9,
            17,
            "two figures",
        ),
        (&step("name = 'a'\nfor = '1s'\n[[step]]\nname = 'a'\nfor = '1s'"), 8, 8, "two steps"),
        (
            &step(
                "power-off = ['plane', 'node1', 'node2']\nfor = '6s'\nexpect = ['heartbeat >= 1']",
            ),
            7,
            11,
            "no machine has power",
        ),
        (
            &step("power-off = ['plane', 'node1', 'node2']\nuntil = ['pods = 4']\nwithin = '6s'"),
            6,
            10,
            "no machine has power",
        ),
        (&format!("title = 'x'\nengine = 'em'\n{STEP}"), 2, 10, "expected one of emu"),
        (&format!("title = 'x'\n[fleet]\nnodes = 0\n{STEP}"), 3, 9, "0 nodes"),
        (&format!("title = 'x'\n[fleet]\nkeys = 'own'\n{STEP}"), 3, 8, "unknown keys"),
        (&format!("title = 'x'\nexpect = ['pods = 1 after 2s']\n{STEP}"), 2, 11, "at most 1 s"),
        (
            &format!("title = 'x'\n[[case]]\nname = 'a'\n[[case]]\nname = 'a'\n{STEP}"),
            5,
            8,
            "two cases",
        ),
    ] {
        let error = read(text).expect_err(text);
        let ScenarioError::Place(place) = &error else { panic!("{error}") };
        assert_eq!((place.line, place.column), (line, column), "{text}: {error}");
        assert!(place.message.contains(said), "{text}: {error}");
    }
}

#[test]
fn what_was_meant_is_named() {
    for (text, help) in [
        (step("powr-off = 'node1'"), "did you mean \"power-off\"?"),
        (step("power-off = 'nod1'"), "did you mean \"node1\"?"),
        (step("inject = 'wrong-kye'"), "did you mean \"wrong-key\"?"),
        (step("until = ['pods Tiker = 1']\nwithin = '1s'"), "did you mean \"Ticker\"?"),
        (step("for = 2"), "\"2s\""),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.help().contains(help), "{text}: {error}: {}", error.help());
    }
}

#[test]
fn who_has_no_power_cannot_be_told_anything() {
    let text =
        format!("{}[[step]]\ntype = 'Kube.Get'\non = 'node1'\n", step("power-off = 'node1'"));
    let error = read(&text).unwrap_err();
    assert!(error.to_string().contains("node1 has no power at this step"), "{error}");
}

#[test]
fn what_is_no_text_is_shown_where_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.toml");
    let place = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        let error = read_file(&file).unwrap_err();
        let ScenarioError::Place(place) = error else { panic!("{error}") };
        (place.line, place.column, place.message)
    };
    let (line, column, said) = place(b"title = 'x'\nabout = '\xff\xfe'\n");
    assert_eq!((line, column), (2, 10), "{said}");
    assert!(said.contains("no text"), "{said}");
    let (line, _, said) = place(&[0; 512]);
    assert_eq!(line, 1, "{said}");
    let (.., said) = place(&vec![b'#'; 2 << 20]);
    assert!(said.contains("at most 1048576 bytes"), "{said}");
    let error = read_file(folder.path()).unwrap_err();
    assert!(matches!(error, ScenarioError::Read { .. }), "{error}");
}

/// A case from outside the file takes the place of its own.
#[test]
fn a_scenario_is_read_for_a_given_case() {
    let text = "
title = 'x'
[fleet]
nodes = 5
[[case]]
set = { pods = 1 }
[[case]]
set = { pods = 2 }
[[step]]
until = ['pods = {pods}']
within = '1s'
";
    let text = text.replace("within", "due = '500ms'\nwithin")
        + "[[step]]\npower-off = '{last-node}'\nuntil = ['nodes < {nodes}']\nwithin = '9s'\n";
    let set = BTreeMap::from([("pods".to_owned(), 9)]);
    let case =
        Variant { nodes: Some(3), loss: Some(0.5), seeds: vec![4], set, ..Variant::default() };
    let scenario = parse_as("own.toml".as_ref(), &text, &case).unwrap();
    let [plan] = scenario.plans.as_slice() else { panic!("one case") };
    assert_eq!((plan.fleet.boards.len(), plan.loss, &plan.seeds[..]), (4, 0.5, &[4][..]));
    let Time::Until { conditions, .. } = &plan.steps[0].time else { panic!() };
    assert_eq!(conditions[0].0, "pods = 9");
    assert_eq!(plan.steps[1].action, Some(Action::PowerOff(vec!["node3".into()])));
    let Time::Until { conditions, .. } = &plan.steps[1].time else { panic!() };
    assert_eq!(conditions[0].0, "nodes < 3");
    let many = Variant { nodes: Some(120), ..case };
    let scenario = parse_as("own.toml".as_ref(), &text, &many).unwrap();
    let last = &scenario.plans[0].steps[1].action;
    assert_eq!(*last, Some(Action::PowerOff(vec!["n120".into()])));
    let error = parse_as("own.toml".as_ref(), &text, &Variant::default()).unwrap_err();
    assert!(error.to_string().contains("sets no \"pods\""), "{error}");
}
