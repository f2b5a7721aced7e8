//! Which key does what. The one table stands here: the loop acts by it, footer and help show it.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::input::Edit;
use super::intrusion::INTRUSIONS;

/// What a person wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The machine above or below the selected one.
    Select(i8),
    /// Switches the selected machine off or on.
    Power,
    /// Cuts the selected machine off the air, or ends that.
    Cut,
    /// Switches the air off or on.
    Air,
    /// More or less loss, in steps.
    Loss(i8),
    /// Machine time stands, or goes on.
    Pause,
    /// Machine time goes faster, or slower.
    Speed(bool),
    /// One of [`COMMANDS`].
    Command(usize),
    /// One of [`INTRUSIONS`].
    Intrude(usize),
    /// Begins a line for the selected machine.
    Type,
    /// Saves the selected machine's screen.
    Picture,
    /// Pages back (positive) or forth in log or frames.
    Scroll(i8),
    /// To the latest lines.
    Latest,
    /// The next arrangement of log and frames.
    Zoom,
    /// Shows the keys, or no more.
    Help,
    /// Changes the line being typed.
    Edit(Edit),
    /// Sends it.
    Send,
    /// Leaves the line, or the help.
    Leave,
    /// Ends the program.
    Quit,
    /// Ends the program: Ctrl-C.
    Interrupt,
}

/// To which machines a command goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machines {
    /// Every plane.
    Planes,
    /// Every node.
    Nodes,
}

/// Commands on the keys 1 to 5, those of the published page (spec/kube.md 7.7).
pub const COMMANDS: [(&str, Machines); 5] = [
    ("Kube.Get", Machines::Planes),
    ("Kube.Apply web 4 Ticker", Machines::Planes),
    ("Kube.Apply web 4 Ticker2", Machines::Planes),
    ("Kube.Apply web 6 Ticker2", Machines::Planes),
    ("KubeNet.Show", Machines::Nodes),
];

/// A key as it is shown, its word in the footer, and what it does.
pub struct Shown {
    /// The key.
    pub key: &'static str,
    /// One or two words.
    pub word: &'static str,
    /// A line of the help.
    pub help: &'static str,
}

const fn shown(key: &'static str, word: &'static str, help: &'static str) -> Shown {
    Shown { key, word, help }
}

/// The keys while nothing is typed, the most important ones first: a narrow footer shows as many as fit.
pub const KEYS: [Shown; 16] = [
    shown("q", "quit", "quit; Ctrl-C as well"),
    shown("?", "help", "show these keys"),
    shown("\u{2191}\u{2193}", "machine", "select a machine"),
    shown("p", "power", "its power off, and on again"),
    shown("c", "cut", "cut it off the air, and let it back"),
    shown("\u{21b5}", "type", "type a command to it"),
    shown("space", "pause", "machine time stands, and goes on"),
    shown("a", "air", "the air off, and on again"),
    shown("\u{2190}\u{2192}", "loss", "5 % less or more of all receptions fail"),
    shown("- +", "speed", "slower, faster"),
    shown("s", "picture", "save its screen as a PNG file"),
    shown("Tab", "panes", "log and frames, only the log, only the frames"),
    shown("PgUp", "back", "page back in log or frames; PgDn forth, End to the latest"),
    shown("1-5", "commands", "Get; web 4 Ticker, 4 Ticker2, 6 Ticker2; Show on all nodes"),
    shown("6-9", "intruder", "intruder: foreign tag, wrong key, old message, node as plane"),
    shown("0", "control", "the same with the right key and counter: it is obeyed"),
];

/// The keys while a line is typed.
pub const TYPING_KEYS: [Shown; 4] = [
    shown("\u{21b5}", "send", ""),
    shown("Esc", "leave", ""),
    shown("\u{2191}\u{2193}", "earlier lines", ""),
    shown("Ctrl-U", "clear", ""),
];

/// What a key means.
#[must_use]
pub fn action(key: &KeyEvent, typing: bool) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c') if control => Some(Action::Interrupt),
        _ if typing => typed(key.code, control),
        KeyCode::Char(_) if control => None,
        code => switched(code),
    }
}

fn typed(code: KeyCode, control: bool) -> Option<Action> {
    Some(match code {
        KeyCode::Enter => Action::Send,
        KeyCode::Esc => Action::Leave,
        KeyCode::PageUp => Action::Scroll(1),
        KeyCode::PageDown => Action::Scroll(-1),
        code => Action::Edit(match code {
            KeyCode::Char('u') if control => Edit::Clear,
            KeyCode::Char('a') if control => Edit::Home,
            KeyCode::Char('e') if control => Edit::End,
            KeyCode::Char(_) if control => return None,
            KeyCode::Char(letter) => Edit::Insert(letter),
            KeyCode::Backspace => Edit::Backspace,
            KeyCode::Delete => Edit::Delete,
            KeyCode::Left => Edit::Left,
            KeyCode::Right => Edit::Right,
            KeyCode::Home => Edit::Home,
            KeyCode::End => Edit::End,
            KeyCode::Up => Edit::Earlier,
            KeyCode::Down => Edit::Later,
            _ => return None,
        }),
    })
}

fn switched(code: KeyCode) -> Option<Action> {
    Some(match code {
        KeyCode::Char('q') => Action::Quit,
        KeyCode::Char('?' | 'h') => Action::Help,
        KeyCode::Esc => Action::Leave,
        KeyCode::Up | KeyCode::Char('k') => Action::Select(-1),
        KeyCode::Down | KeyCode::Char('j') => Action::Select(1),
        KeyCode::Char('p') => Action::Power,
        KeyCode::Char('c') => Action::Cut,
        KeyCode::Char('a') => Action::Air,
        KeyCode::Left => Action::Loss(-1),
        KeyCode::Right => Action::Loss(1),
        KeyCode::Char(' ') => Action::Pause,
        KeyCode::Char('-') => Action::Speed(false),
        KeyCode::Char('+' | '=') => Action::Speed(true),
        KeyCode::Char(digit @ '1'..='9') => {
            let place = digit as usize - '1' as usize;
            return match place < COMMANDS.len() {
                true => Some(Action::Command(place)),
                false => intrusion(digit),
            };
        }
        KeyCode::Char(digit @ '0') => return intrusion(digit),
        KeyCode::Enter | KeyCode::Char(':' | 'i') => Action::Type,
        KeyCode::Char('s') => Action::Picture,
        KeyCode::PageUp => Action::Scroll(1),
        KeyCode::PageDown => Action::Scroll(-1),
        KeyCode::End => Action::Latest,
        KeyCode::Tab => Action::Zoom,
        _ => return None,
    })
}

fn intrusion(digit: char) -> Option<Action> {
    INTRUSIONS.iter().position(|entry| entry.0 == digit).map(Action::Intrude)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode) -> KeyEvent {
        KeyEvent::new(code, KeyModifiers::NONE)
    }

    #[test]
    fn a_letter_is_a_switch_or_a_letter() {
        let p = press(KeyCode::Char('p'));
        assert_eq!(action(&p, false), Some(Action::Power));
        assert_eq!(action(&p, true), Some(Action::Edit(Edit::Insert('p'))));
        assert_eq!(action(&press(KeyCode::Char('9')), false), Some(Action::Intrude(3)));
        assert_eq!(action(&press(KeyCode::Char('z')), false), None);
        assert_eq!(action(&press(KeyCode::F(5)), true), None);
    }

    #[test]
    fn control_c_ends_it_wherever_it_is_pressed() {
        let key = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        for typing in [false, true] {
            assert_eq!(action(&key, typing), Some(Action::Interrupt));
        }
    }

    #[test]
    fn every_key_that_is_shown_does_something() {
        for shown in &KEYS {
            let code = match shown.key {
                "space" => KeyCode::Char(' '),
                "Tab" => KeyCode::Tab,
                "PgUp" => KeyCode::PageUp,
                "\u{2191}\u{2193}" => KeyCode::Up,
                "\u{2190}\u{2192}" => KeyCode::Left,
                "\u{21b5}" => KeyCode::Enter,
                key => KeyCode::Char(key.chars().next().expect("a key")),
            };
            assert!(action(&press(code), false).is_some(), "{}", shown.key);
        }
    }
}
