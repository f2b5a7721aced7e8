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

struct Air {
    state: State,
    counter: u32,
}

impl Air {
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
        let heard = self.state.observer.hear(at_ms * MS, "air", frame);
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
fn state() -> State {
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
    let state = State::new("kube", keyring, machines.map(machine).into());
    let mut air = Air { state, counter: 0 };
    for id in [1, 2, 3, 5] {
        air.say(900 + u64::from(id), "spec", "", &[id]);
    }
    air.say(1_000, "assignment", "node1", &[1, 3]);
    air.say(1_010, "heartbeat", "node1", &[1, 3]);
    air.say(1_020, "assignment", "node2", &[2, 5]);
    air.say(1_030, "heartbeat", "node2", &[2]);
    let forged = air.frame("assignment", "node1", &[], TAG, Key([8; 8]));
    air.pass(9_200, &forged, Outcome::Delivered);
    let foreign = air.frame("heartbeat", "node1", &[], Tag(21), KEY);
    air.pass(9_300, &foreign, Outcome::Delivered);
    let overlapped = air.frame("heartbeat", "node1", &[1, 3], TAG, KEY);
    air.pass(9_400, &overlapped, Outcome::Collision);
    let genuine = air.frame("heartbeat", "node1", &[1, 3], TAG, KEY);
    air.pass(9_500, &genuine, Outcome::Delivered).missed.push(("plane".to_owned(), "lost"));
    air.pass(9_600, &genuine, Outcome::Delivered);
    let mut state = air.state;
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
    state
}

fn screen(state: &State, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    terminal
        .draw(|frame| {
            draw(state, frame.area(), frame.buffer_mut());
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
    let state = state();
    for (width, height) in [(80, 24), (40, 20), (140, 30), (60, 12)] {
        expect(&format!("{width}x{height}.txt"), &screen(&state, width, height));
    }
}

#[test]
fn help_and_line() {
    let mut state = state();
    state.help = true;
    expect("help-80x24.txt", &screen(&state, 80, 24));
    expect("help-40x20.txt", &screen(&state, 40, 20));
    state.help = false;
    state.typing = true;
    assert!("Kube.Get".chars().all(|letter| state.input.edit(Edit::Insert(letter))));
    expect("typing-40x20.txt", &screen(&state, 40, 20));
}

#[test]
fn a_card_that_is_out_is_told() {
    let mut state = state();
    (state.machines[1].power, state.machines[1].card) = (false, false);
    assert!(
        screen(&state, 80, 24)
            .contains(">node1 off   on  0.1 s     8.5 s     card out  Ticker 1 3")
    );
}

#[test]
fn the_cursor_stays_on_the_screen() {
    let mut state = state();
    state.typing = true;
    for length in 0..200 {
        let area = Rect::new(0, 0, 30, 10);
        let (cursor, _) = draw(&state, area, &mut Buffer::empty(area));
        let cursor = cursor.expect("a cursor");
        assert!(area.contains(cursor), "{cursor} after {length}");
        state.input.edit(Edit::Insert('x'));
    }
}

#[test]
fn no_size_is_too_small_or_too_large() {
    let mut state = state();
    for (help, typing) in [(false, false), (true, false), (false, true)] {
        (state.help, state.typing) = (help, typing);
        for zoom in [Zoom::Both, Zoom::Log, Zoom::Frames] {
            state.zoom = zoom;
            for (width, height) in [(1, 1), (2, 3), (9, 2), (20, 1), (1, 60), (400, 3), (300, 120)]
            {
                screen(&state, width, height);
            }
        }
    }
}

#[test]
fn a_row_keeps_what_became_of_the_frame() {
    let state = state();
    for width in [1, 10, 24, 40, 80, 200] {
        for passed in state.frames.iter() {
            let line = frame_row(passed, width);
            let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
            assert!(text.ends_with(&passed.fate()), "{width}: {text}");
        }
    }
}

#[test]
fn the_selected_machine_is_shown_whatever_the_height() {
    let mut state = state();
    for selected in 0..4 {
        state.selected = selected;
        let name = state.machine().name.clone();
        assert!(screen(&state, 60, 6).contains(&format!(">{name}")), "{name}");
    }
}
