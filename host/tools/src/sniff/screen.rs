//! The live table on a terminal.

use super::hearing::{Known, Show};
use crate::code;
use crate::failure::{Failure, Outcome};
use crate::interrupt;
use kube_sniff::decoder::Heard;
use kube_sniff::table::{NODE_HEADER, STATION_HEADER, head, node_row, station_row};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Row, Table};
use ratatui::{DefaultTerminal, Frame};
use std::time::{Duration, Instant};

/// Redraws are at least this far apart.
const REDRAW: Duration = Duration::from_millis(100);
/// Columns of stations that a narrow terminal keeps longest, best first.
const STATION_ORDER: [usize; 10] = [0, 2, 3, 7, 9, 5, 4, 8, 6, 1];
/// The same of nodes.
const NODE_ORDER: [usize; 6] = [0, 1, 3, 5, 2, 4];

fn terminal(error: std::io::Error) -> Failure {
    Failure::new(&code::IO, "the terminal cannot be drawn on")
        .cause(error)
        .help("kube-sniff top | cat gives plain tables")
}

/// A terminal with the table.
pub struct Screen {
    terminal: DefaultTerminal,
    title: String,
    drawn: Option<Instant>,
    paused: bool,
    left: bool,
}

impl Screen {
    /// Takes the terminal over; it is given back when the screen is dropped.
    pub fn begin(title: &str) -> Outcome<Self> {
        let terminal = ratatui::try_init().map_err(terminal)?;
        Ok(Self { terminal, title: title.to_owned(), drawn: None, paused: false, left: false })
    }

    fn draw(&mut self, known: &Known, hint: &str) -> Outcome {
        let title = &self.title;
        self.terminal.draw(|frame| draw(frame, title, hint, known)).map_err(terminal)?;
        self.drawn = Some(Instant::now());
        Ok(())
    }

    /// A key, if one was pressed: true ends it.
    fn key(&mut self, wait: Duration) -> Outcome<bool> {
        if !event::poll(wait).map_err(terminal)? {
            return Ok(false);
        }
        if let Event::Key(key) = event::read().map_err(terminal)? {
            let control = key.modifiers.contains(KeyModifiers::CONTROL);
            match key.code {
                KeyCode::Char('q') | KeyCode::Esc => return Ok(true),
                KeyCode::Char('c') if control => {
                    interrupt::ask();
                    return Ok(true);
                }
                KeyCode::Char('p' | ' ') => self.paused = !self.paused,
                _ => {}
            }
        }
        Ok(false)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

impl Show for Screen {
    fn frame(&mut self, _heard: &Heard) -> Outcome {
        Ok(())
    }

    fn serial(&mut self, _at_ns: u64, _machine: &str, _text: &str) -> Outcome {
        Ok(())
    }

    fn turn(&mut self, known: &Known) -> Outcome<bool> {
        if self.drawn.is_none_or(|at| at.elapsed() >= REDRAW) {
            self.left = self.key(Duration::ZERO)?;
            if self.left {
                return Ok(false);
            }
            if self.paused {
                self.drawn = Some(Instant::now());
            } else {
                self.draw(known, "q quits, p pauses")?;
            }
        }
        Ok(true)
    }

    /// Stays until a key is pressed: a capture is read faster than a table is.
    fn end(&mut self, known: &Known) -> Outcome {
        if self.left {
            return Ok(());
        }
        self.draw(known, "over: q quits")?;
        // A terminal that is closed sends a signal, and no key.
        while !interrupt::asked() && !self.key(REDRAW)? {}
        Ok(())
    }
}

fn draw(frame: &mut Frame, title: &str, hint: &str, known: &Known) {
    let Known { statistics, cluster, dropped, .. } = known;
    let stations: Vec<_> = statistics
        .stations()
        .iter()
        .map(|(name, station)| station_row(name, station, statistics.now_ns))
        .collect();
    let nodes: Vec<_> =
        cluster.nodes().iter().map(|(name, view)| node_row(name, view, cluster)).collect();
    let [top, middle, bottom] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Length(stations.len() as u16 + 2),
        Constraint::Min(0),
    ])
    .areas(frame.area());
    // Where there is no room for both, the keys are what a person needs.
    let full = format!("{title}  {hint}");
    let fits = full.chars().count() <= usize::from(top.width);
    let title = if fits { full } else { hint.to_owned() };
    let head = [title, head(statistics, *dropped)].map(Line::from);
    frame.render_widget(Paragraph::new(head.to_vec()), top);
    table(frame, middle, &STATION_HEADER, &stations, &STATION_ORDER);
    table(frame, bottom, &NODE_HEADER, &nodes, &NODE_ORDER);
}

/// A table of as many columns as fit, the most telling ones first.
fn table(frame: &mut Frame, area: Rect, header: &[&str], rows: &[Vec<String>], order: &[usize]) {
    let cell = |row: &[String], at: usize| row.get(at).map_or(0, |text| text.chars().count());
    let wide = |at: usize| {
        let widest = rows.iter().map(|row| cell(row, at)).max().unwrap_or(0);
        widest.max(header[at].len())
    };
    let (mut kept, mut used) = (Vec::new(), 0);
    for &at in order {
        let width = wide(at) + 2;
        if kept.is_empty() || used + width <= usize::from(area.width) {
            used += width;
            kept.push(at);
        }
    }
    kept.sort_unstable();
    let pick =
        |row: &[String]| Row::new(kept.iter().map(|&at| row[at].clone()).collect::<Vec<_>>());
    let names: Vec<_> = header.iter().map(|&name| name.to_owned()).collect();
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let widths: Vec<_> = kept.iter().map(|&at| Constraint::Length(wide(at) as u16)).collect();
    let table = Table::new(rows.iter().map(|row| pick(row)), widths)
        .header(pick(&names).style(bold))
        .column_spacing(2);
    frame.render_widget(table, area);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    fn screen(width: u16, height: u16, known: &Known) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
        terminal.draw(|frame| draw(frame, "udp:relay", "q quits, p pauses", known)).expect("drawn");
        terminal.backend().to_string()
    }

    #[test]
    fn a_narrow_terminal_keeps_the_names_and_no_size_is_too_small() {
        let known = Known::default();
        let wide = screen(110, 10, &known);
        assert!(wide.contains("STATION") && wide.contains("LONGEST"), "{wide}");
        let narrow = screen(30, 10, &known);
        assert!(narrow.contains("STATION") && !narrow.contains("LONGEST"), "{narrow}");
        assert!(screen(20, 10, &known).contains("q quits, p pauses"));
        for (width, height) in [(1, 1), (3, 2), (20, 1), (200, 3)] {
            screen(width, height, &known);
        }
    }
}
