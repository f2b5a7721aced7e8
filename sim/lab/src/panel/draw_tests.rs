//! Drawings of a made-up state, at several sizes. `UPDATE_EXPECT=1` writes the expected ones anew.

use std::path::Path;

use kube_air::{FlightId, Outcome};
use kube_proto::capture::Captured;
use kube_proto::key::{Key, Keys, Tag};
use kube_sniff::forge::{self, Order};
use kube_sniff::keyring::Keyring;
use kube_sniff::line;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::panel::frames::Mark;
use crate::panel::input::Edit;
use crate::panel::log::Log;

const MS: u64 = 1_000_000;
const TAG: Tag = Tag(20);
const KEY: Key = Key([7; 8]);

/// A state, and somebody who has heard what led to it.
struct Scene {
    state: State,
    known: Observer,
    counter: u32,
}

impl Scene {
    fn frame(&mut self, kind: &str, node: &str, ids: &[u8], tag: Tag, key: Key) -> Captured {
        self.counter += 1;
        let order = Order {
            kind: kind.to_owned(),
            node: Some(node.to_owned()),
            ids: ids.to_vec(),
            id: ids.first().copied(),
            image: Some(if ids == [5] { "Ticker2" } else { "Ticker" }.to_owned()),
            counter: self.counter,
            session: None,
            sadr: if kind == "heartbeat" { 7 } else { 1 },
            channel: 5,
        };
        forge::message(&order, tag, &key, Keys::Shared).expect("complete")
    }

    fn pass(&mut self, at_ms: u64, frame: &Captured, outcome: Outcome) -> &mut Passed {
        let heard = self.known.hear(at_ms * MS, "air", frame);
        self.state.now_ns = at_ms * MS;
        let passed = Passed {
            flight: FlightId(heard.number),
            at_ns: heard.at_ns,
            from: line::sender(&heard),
            kind: heard.kind(),
            text: line::values(&heard, false).trim_end().to_owned(),
            mark: Mark::of(outcome, &heard),
            missed: Vec::new(),
        };
        self.state.frames.push(passed);
        self.state.frames.last_mut().expect("just pushed")
    }

    fn say(&mut self, at_ms: u64, kind: &str, node: &str, ids: &[u8]) -> &mut Passed {
        let frame = self.frame(kind, node, ids, TAG, KEY);
        self.pass(at_ms, &frame, Outcome::Delivered)
    }
}

/// A plane, a node in order, one that lags behind and is cut off, one without power.
fn scene() -> Scene {
    let machine = |(name, role): (&str, Role)| Machine {
        name: name.to_owned(),
        role,
        power: true,
        card: true,
        cut: false,
        log: Log::default(),
    };
    let machines = [
        ("plane", Role::Plane),
        ("node1", Role::Node),
        ("node2", Role::Node),
        ("node3", Role::Node),
    ];
    let keyring = Keyring::new(Some(TAG), Some(KEY), Keys::Shared);
    let state = State::new("kube", machines.map(machine).into());
    let mut scene = Scene { state, known: Observer::new(keyring), counter: 0 };
    for id in [1, 2, 3, 5] {
        scene.say(900 + u64::from(id), "spec", "", &[id]);
    }
    scene.say(1_000, "assignment", "node1", &[1, 3]);
    scene.say(1_010, "heartbeat", "node1", &[1, 3]);
    scene.say(1_020, "assignment", "node2", &[2, 5]);
    scene.say(1_030, "heartbeat", "node2", &[2]);
    let forged = scene.frame("assignment", "node1", &[], TAG, Key([8; 8]));
    scene.pass(9_200, &forged, Outcome::Delivered);
    let foreign = scene.frame("heartbeat", "node1", &[], Tag(21), KEY);
    scene.pass(9_300, &foreign, Outcome::Delivered);
    let overlapped = scene.frame("heartbeat", "node1", &[1, 3], TAG, KEY);
    scene.pass(9_400, &overlapped, Outcome::Collision);
    let genuine = scene.frame("heartbeat", "node1", &[1, 3], TAG, KEY);
    scene.pass(9_500, &genuine, Outcome::Delivered).missed.push(("plane".to_owned(), "lost"));
    scene.pass(9_600, &genuine, Outcome::Delivered);
    let state = &mut scene.state;
    (state.machines[2].cut, state.machines[3].power) = (true, false);
    (state.loss_percent, state.selected) = (15, 1);
    let log = &mut state.machines[1].log;
    log.take("kubenet: node node1 of kube joined the air\nTicker v1: started pod 1\n");
    log.typed("Kubelet.Top");
    log.take(&format!(
        "{}done: Kubelet.Top\n",
        "kubenet: node node1 of kube joined the air\n\
        Ticker v1: started pod 1\n"
    ));
    log.note("power off at 9.000 s");
    scene
}

fn screen(scene: &Scene, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    terminal
        .draw(|frame| {
            draw(&scene.state, &scene.known, frame.area(), frame.buffer_mut());
        })
        .expect("drawn");
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(|y| format!("{}\n", row(y).trim_end())).collect()
}

fn expect(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/panel").join(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, found).expect("written");
    }
    let wanted = std::fs::read_to_string(&path).expect("the expected drawing");
    assert_eq!(found, wanted, "{name}: UPDATE_EXPECT=1 takes the new one");
}

#[test]
fn drawings_at_several_sizes() {
    let scene = scene();
    for (width, height) in [(80, 24), (40, 20), (140, 30), (60, 12)] {
        expect(&format!("{width}x{height}.txt"), &screen(&scene, width, height));
    }
}

#[test]
fn help_and_line() {
    let mut scene = scene();
    scene.state.help = true;
    expect("help-80x24.txt", &screen(&scene, 80, 24));
    expect("help-40x20.txt", &screen(&scene, 40, 20));
    scene.state.help = false;
    scene.state.typing = true;
    assert!("Kube.Get".chars().all(|letter| scene.state.input.edit(Edit::Insert(letter))));
    expect("typing-40x20.txt", &screen(&scene, 40, 20));
}

#[test]
fn a_card_that_is_out_is_told() {
    let mut scene = scene();
    (scene.state.machines[1].power, scene.state.machines[1].card) = (false, false);
    assert!(
        screen(&scene, 80, 24)
            .contains(">node1 off   on  0.1 s     8.5 s     card out  Ticker 1 3")
    );
}

#[test]
fn the_cursor_stays_on_the_screen() {
    let mut scene = scene();
    scene.state.typing = true;
    for length in 0..200 {
        let area = Rect::new(0, 0, 30, 10);
        let (cursor, _) = draw(&scene.state, &scene.known, area, &mut Buffer::empty(area));
        let cursor = cursor.expect("a cursor");
        assert!(area.contains(cursor), "{cursor} after {length}");
        scene.state.input.edit(Edit::Insert('x'));
    }
}

#[test]
fn no_size_is_too_small_or_too_large() {
    let mut scene = scene();
    for (help, typing) in [(false, false), (true, false), (false, true)] {
        (scene.state.help, scene.state.typing) = (help, typing);
        for zoom in [Zoom::Both, Zoom::Log, Zoom::Frames] {
            scene.state.zoom = zoom;
            for (width, height) in [(1, 1), (2, 3), (9, 2), (20, 1), (1, 60), (400, 3), (300, 120)]
            {
                screen(&scene, width, height);
            }
        }
    }
}

#[test]
fn a_row_keeps_what_became_of_the_frame() {
    let scene = scene();
    for width in [1, 10, 24, 40, 80, 200] {
        for passed in scene.state.frames.iter() {
            let line = frame_row(passed, width);
            let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
            assert!(text.ends_with(&passed.fate()), "{width}: {text}");
        }
    }
}

#[test]
fn the_selected_machine_is_shown_whatever_the_height() {
    let mut scene = scene();
    for selected in 0..4 {
        scene.state.selected = selected;
        let name = scene.state.machine().name.clone();
        assert!(screen(&scene, 60, 6).contains(&format!(">{name}")), "{name}");
    }
}
