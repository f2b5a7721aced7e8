//! From the state to a buffer, at any size.
//!
//! From top to bottom: a line about the whole, a row for each machine with what is heard of it, the
//! frames and the selected machine's log (side by side where there is room), the line being typed or
//! the last notice, and the keys.

use kube_boards::fleet::Role;
use kube_sniff::cluster::{NodeView, RECENT_NS, Said};
use kube_sniff::decoder;
use kube_sniff::observer::Observer;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Clear, Paragraph, Widget};

use super::frames::{Mark, Passed};
use super::keys::{KEYS, Shown, TYPING_KEYS};
use super::log::Voice;
use super::state::{Machine, State, Zoom, moment};

/// From this width on, log and frames stand side by side.
const SIDE_BY_SIDE: u16 = 130;
/// Below this height panes have no titles and the keys one line.
const LOW: u16 = 16;
/// Machines take at most this part of the height.
const MACHINES_PART: u16 = 3;
/// Below this width the first line is as short as it can be.
const NARROW: u16 = 60;
/// From this width on, a machine's row says since when its list stands.
const WIDE: u16 = 72;

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const DIM: Style = Style::new().add_modifier(Modifier::DIM);

/// Draws everything, with what `known` has heard; returns where the cursor of the line being typed is, and the lines of a page.
pub fn draw(
    state: &State,
    known: &Observer,
    area: Rect,
    buffer: &mut Buffer,
) -> (Option<Position>, usize) {
    let low = area.height < LOW;
    let keys: &[Shown] = if state.typing { &TYPING_KEYS } else { &KEYS };
    let footer = footer(keys, area.width, if low { 1 } else { 2 });
    let most = (area.height / MACHINES_PART).max(1);
    let rows = (state.machines.len() as u16).min(most);
    let [head, names, machines, panes, line, bottom] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(u16::from(!low)),
        Constraint::Length(rows),
        Constraint::Min(0),
        Constraint::Length(1),
        Constraint::Length(footer.len() as u16),
    ])
    .areas(area);
    head_line(state, known, area.width).render(head, buffer);
    machine_rows(state, known, [names, machines], buffer);
    let page = draw_panes(state, panes, buffer);
    if state.help {
        help(names.union(machines).union(panes), buffer);
    }
    Paragraph::new(footer).render(bottom, buffer);
    (input_line(state, line, buffer), page)
}

fn head_line(state: &State, known: &Observer, width: u16) -> Line<'static> {
    let statistics = known.statistics();
    let narrow = width < NARROW;
    let pace = if narrow { state.pace.short() } else { state.pace.word() };
    let mut parts = vec![
        moment(state.now_ns).into(),
        if state.pace.paused() { pace.reversed() } else { pace.into() },
        if state.air_on { "air on".into() } else { "air off".red().bold() },
    ];
    if !narrow {
        parts.insert(0, Span::styled(state.title.clone(), BOLD));
    }
    let loss = format!("loss {} %", state.loss_percent);
    parts.push(if state.loss_percent > 0 { loss.yellow() } else { loss.into() });
    let rate = format!("{:.1}/s", statistics.rate());
    parts.push(if narrow { rate } else { format!("{} frames, {rate}", statistics.frames) }.into());
    for mark in [decoder::State::Bad, decoder::State::Foreign, decoder::State::Damaged] {
        let count = statistics.count(mark);
        if count > 0 {
            parts.push(format!("{count} {}", mark.word()).red());
        }
    }
    if state.frames.lost > 0 {
        parts.push(format!("{} receptions lost", state.frames.lost).yellow());
    }
    let spans = parts.into_iter().flat_map(|part| [part, Span::raw("  ")]);
    Line::from(spans.collect::<Vec<_>>())
}

/// Widths of a machine's columns: name, power, air, heard; what is left is for its pods.
fn columns(state: &State, width: u16) -> [usize; 5] {
    let longest = state.machines.iter().map(|machine| machine.name.len()).max().unwrap_or(0);
    let name = longest.clamp(4, if width < WIDE { 8 } else { 16 });
    let since = if width < WIDE { 0 } else { 9 };
    if width < WIDE { [name, 3, 3, 7, since] } else { [name, 5, 3, 9, since] }
}

fn cell(text: &str, width: usize) -> String {
    if width == 0 {
        return String::new();
    }
    let cut: String = text.chars().take(width).collect();
    format!("{cut:<width$} ")
}

fn machine_rows(state: &State, known: &Observer, [names, area]: [Rect; 2], buffer: &mut Buffer) {
    let widths = columns(state, area.width);
    let heads = ["NAME", "POWER", "AIR", "HEARD", "SINCE"];
    let head: String = heads.iter().zip(widths).map(|(name, width)| cell(name, width)).collect();
    Line::styled(format!(" {head}PODS"), BOLD).render(names, buffer);
    // The selected one is always among those shown.
    let height = usize::from(area.height).max(1);
    let first = (state.selected + 1).saturating_sub(height);
    let shown = state.machines.iter().enumerate().skip(first);
    for ((at, machine), row) in shown.zip(area.rows()) {
        let selected = at == state.selected;
        let marker = if selected { ">" } else { " " };
        let mut spans = vec![Span::raw(marker)];
        spans.extend(machine_cells(state.now_ns, known, machine, widths));
        let style = if selected { BOLD } else { Style::new() };
        Line::from(spans).style(style).render(row, buffer);
    }
}

fn machine_cells(
    now_ns: u64,
    known: &Observer,
    machine: &Machine,
    [name, power, air, heard, since]: [usize; 5],
) -> Vec<Span<'static>> {
    let view = known.cluster().nodes().get(&machine.name);
    let said = view.and_then(|view| view.reported.as_ref());
    let last_ns = match machine.role {
        Role::Node => said.map(|said| said.at_ns),
        Role::Plane => {
            let stations = known.statistics().stations();
            stations.get(&machine.name).filter(|station| station.frames > 0).map(|s| s.at_ns)
        }
    };
    let age_ns = last_ns.map(|at_ns| now_ns.saturating_sub(at_ns));
    let silent = age_ns.is_none_or(|age_ns| age_ns > RECENT_NS);
    let heard_text = age_ns.map_or("never".to_owned(), age);
    let since_text = match machine.role {
        Role::Node => said.map_or(String::new(), |said| age(now_ns.saturating_sub(said.since_ns))),
        Role::Plane => String::new(),
    };
    let word = |text: &str, width, wrong: bool| {
        let text = cell(text, width);
        if wrong { text.red() } else { Span::raw(text) }
    };
    let mut spans = vec![
        Span::raw(cell(&machine.name, name)),
        word(if machine.power { "on" } else { "off" }, power, !machine.power),
        word(if machine.cut { "cut" } else { "on" }, air, machine.cut),
        word(&heard_text, heard, silent),
        Span::raw(cell(&since_text, since)),
    ];
    if !machine.card {
        spans.push("card out  ".red());
    }
    match (machine.role, view) {
        (Role::Plane, _) => spans.push("(the plane)".dim()),
        (Role::Node, None) => spans.push("(not heard yet)".dim()),
        (Role::Node, Some(view)) => spans.extend(pods(known, view, silent)),
    }
    spans
}

/// What a node runs, by image; what it should run, where that differs; and why it does not.
fn pods(known: &Observer, view: &NodeView, silent: bool) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let reported = view.reported.as_ref();
    let list = reported.map_or("nothing reported".to_owned(), |said| by_image(known, said));
    spans.push(if silent { format!("({list})").dim() } else { list.into() });
    match (reported, &view.assigned) {
        (Some(reported), Some(assigned)) if reported.set() == assigned.set() => {}
        (_, Some(assigned)) => {
            spans.push(format!("  assigned {}", by_image(known, assigned)).yellow());
        }
        (_, None) => {}
    }
    if let Some((id, reason)) = view.trouble() {
        spans.push(format!("  {id}: {reason}").red());
    }
    spans
}

fn by_image(known: &Observer, said: &Said) -> String {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for &id in &said.ids {
        let image = known.cluster().image(id).unwrap_or("?");
        match groups.iter_mut().find(|group| group.0 == image) {
            Some((_, ids)) => ids.push(id.to_string()),
            None => groups.push((image, vec![id.to_string()])),
        }
    }
    let group = |(image, ids): &(&str, Vec<String>)| format!("{image} {}", ids.join(" "));
    match groups.len() {
        0 => "none".to_owned(),
        _ => groups.iter().map(group).collect::<Vec<_>>().join(", "),
    }
}

/// A span of time as short as it can be told.
fn age(ns: u64) -> String {
    match ns / 1_000_000_000 {
        seconds @ 0..=99 => format!("{seconds}.{} s", ns / 100_000_000 % 10),
        seconds @ 100..=5_999 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3_600),
    }
}

/// The panes below the machines; returns the lines of the one that is scrolled.
fn draw_panes(state: &State, area: Rect, buffer: &mut Buffer) -> usize {
    let halves = if area.width >= SIDE_BY_SIDE {
        Layout::horizontal([Constraint::Percentage(55), Constraint::Percentage(45)])
    } else {
        Layout::vertical([Constraint::Fill(1), Constraint::Fill(1)])
    };
    match state.zoom {
        Zoom::Log => draw_log(state, area, buffer),
        Zoom::Frames => draw_frames(state, state.scroll, area, buffer),
        Zoom::Both => {
            let [frames, log] = halves.spacing(u16::from(area.width >= SIDE_BY_SIDE)).areas(area);
            draw_frames(state, 0, frames, buffer);
            draw_log(state, log, buffer)
        }
    }
}

/// A titled rule above a pane where there is room for one.
fn titled(title: String, area: Rect, buffer: &mut Buffer) -> Rect {
    if area.height < 3 {
        return area;
    }
    let block = Block::new().borders(Borders::TOP).border_style(DIM).title(title.bold());
    let inner = block.inner(area);
    block.render(area, buffer);
    inner
}

fn draw_log(state: &State, area: Rect, buffer: &mut Buffer) -> usize {
    let machine = state.machine();
    let back = match state.scroll {
        0 => String::new(),
        lines => format!(", {lines} lines back"),
    };
    let inner = titled(format!(" {}: serial line{back} ", machine.name), area, buffer);
    let height = usize::from(inner.height);
    let mut rows = Vec::new();
    for (voice, line) in machine.log.window(height, state.scroll) {
        let (text, style) = match voice {
            Voice::Machine => (line.to_owned(), Style::new()),
            Voice::Typed => (format!("> {line}"), BOLD),
            Voice::Note => (format!("-- {line} --"), DIM),
        };
        // All that is printed is ASCII: a byte is a column.
        let parts = text.as_bytes().chunks(usize::from(inner.width).max(1));
        let part = |part| Line::styled(String::from_utf8_lossy(part).into_owned(), style);
        rows.extend(parts.map(part));
    }
    let first = rows.len().saturating_sub(height);
    Paragraph::new(rows.split_off(first)).render(inner, buffer);
    height
}

fn draw_frames(state: &State, scroll: usize, area: Rect, buffer: &mut Buffer) -> usize {
    let back = match scroll {
        0 => String::new(),
        frames => format!(", {frames} frames back"),
    };
    let inner = titled(format!(" frames{back} "), area, buffer);
    let height = usize::from(inner.height);
    for (passed, row) in state.frames.window(height, scroll).zip(inner.rows()) {
        frame_row(passed, row.width).render(row, buffer);
    }
    height
}

/// A frame in one row. Its state stands at the right, and is what a narrow row keeps.
fn frame_row(passed: &Passed, width: u16) -> Line<'static> {
    let width = usize::from(width);
    let fate = passed.fate();
    let seconds = format!("{:>8.3} ", passed.at_ns as f64 / 1e9);
    let mut text = format!("{seconds}{:<7} {:<10} {}", passed.from, passed.kind, passed.text);
    let room = width.saturating_sub(fate.chars().count() + 1);
    if text.chars().count() > room {
        // A narrow row says who and what, without the time.
        let short = format!("{:<6} {:<10} {}", passed.from, passed.kind, passed.text);
        let from = if width < usize::from(NARROW) { &short } else { &text };
        text = from.chars().take(room).collect();
    }
    let style = match passed.mark {
        Mark::Good if passed.missed.is_empty() => Style::new().green(),
        Mark::Good | Mark::Replayed | Mark::Foreign => Style::new().yellow(),
        Mark::Unheard | Mark::Other(decoder::State::Plain | decoder::State::Unchecked) => DIM,
        Mark::BadSignature | Mark::Collided | Mark::Other(_) => Style::new().red().bold(),
    };
    Line::from(vec![Span::raw(format!("{text:<room$} ")), Span::styled(fate, style)])
}

/// The line being typed, or the last notice. Returns where its cursor is.
fn input_line(state: &State, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    if !state.typing {
        Line::styled(state.notice.clone(), Style::new().yellow()).render(area, buffer);
        return None;
    }
    let prompt = format!("{}> ", state.machine().name);
    let room = usize::from(area.width).saturating_sub(prompt.len() + 1);
    // The part around the cursor is shown.
    let skipped = state.input.cursor().saturating_sub(room);
    let text: String = state.input.text().chars().skip(skipped).take(room).collect();
    let column = (prompt.len() + state.input.cursor() - skipped) as u16;
    Line::from(vec![prompt.bold(), text.into()]).render(area, buffer);
    (column < area.width && area.height > 0).then_some(Position::new(area.x + column, area.y))
}

/// The keys in at most so many lines: those that fit, in their order.
fn footer(keys: &[Shown], width: u16, lines: usize) -> Vec<Line<'static>> {
    let width = usize::from(width);
    let (mut rows, mut row, mut used) = (Vec::new(), Vec::new(), 0);
    for Shown { key, word, .. } in keys {
        let wide = key.chars().count() + 1 + word.len();
        let gap = if row.is_empty() { 0 } else { 2 };
        if used + gap + wide > width && !row.is_empty() {
            rows.push(Line::from(std::mem::take(&mut row)));
            used = 0;
            if rows.len() == lines {
                break;
            }
        }
        if !row.is_empty() {
            row.push(Span::raw("  "));
            used += 2;
        }
        row.extend([Span::styled(*key, BOLD), Span::raw(" "), Span::styled(*word, DIM)]);
        used += wide;
    }
    if !row.is_empty() {
        rows.push(Line::from(row));
    }
    rows
}

fn help(area: Rect, buffer: &mut Buffer) {
    Clear.render(area, buffer);
    let inner = titled(" keys ".to_owned(), area, buffer);
    let line = |Shown { key, help, .. }: &Shown| {
        Line::from(vec![format!("{key:<6}").bold(), (*help).into()])
    };
    // Two columns where the lines do not all fit below each other.
    let lines: Vec<_> = KEYS.iter().map(line).collect();
    let height = usize::from(inner.height).max(1);
    if lines.len() <= height || inner.width < 80 {
        Paragraph::new(lines).render(inner, buffer);
        return;
    }
    let halves = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas::<2>(inner);
    for (part, half) in lines.chunks(lines.len().div_ceil(2)).zip(halves) {
        Paragraph::new(part.to_vec()).render(half, buffer);
    }
}

#[cfg(test)]
#[path = "draw_tests.rs"]
mod tests;
