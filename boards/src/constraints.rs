//! The constraint file (LPF) of a top on a board: only the ports that the top has.

use std::fmt::Write as _;

use crate::model::BoardFamily;
use crate::pin::{Direction, Pin, Port, Pull, Slew};

/// A port of a top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopPort {
    /// Name.
    pub name: String,
    /// Direction.
    pub direction: Direction,
    /// Bits.
    pub width: usize,
    /// Whether it is a vector, so that its bits have numbers.
    pub vector: bool,
}

/// Why a top does not fit a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConstraintError {
    /// The board has no such revision.
    #[error("{board} has no revision {revision:?}; revisions: {known}")]
    Revision {
        /// The board.
        board: String,
        /// What was asked for.
        revision: String,
        /// Those that there are.
        known: String,
    },
    /// A port has no pin.
    #[error(
        "port {port} has no pin on {board} {revision}; rename it, or give it a [[ports]] in the \
         board's board.toml"
    )]
    NoPin {
        /// The port.
        port: String,
        /// The board.
        board: String,
        /// Its revision.
        revision: String,
    },
    /// A port has more bits than pins.
    #[error(
        "port {port} has {width} bits and {board} {revision} {pins} pins for it; make it narrower"
    )]
    TooWide {
        /// The port.
        port: String,
        /// Its bits.
        width: usize,
        /// The board.
        board: String,
        /// Its revision.
        revision: String,
        /// Its pins.
        pins: usize,
    },
    /// A port drives what the board drives, or waits for what nobody drives.
    #[error("port {port} is an {top}, on {board} it is an {wanted}; correct the top or board.toml")]
    Direction {
        /// The port.
        port: String,
        /// Direction in the top.
        top: Direction,
        /// The board.
        board: String,
        /// Direction on the board.
        wanted: Direction,
    },
    /// The top has no clock.
    #[error("the top has no input {clock}, the clock of {board}")]
    NoClock {
        /// The port.
        clock: String,
        /// The board.
        board: String,
    },
}

/// Makes the constraint file.
///
/// # Errors
/// A revision that there is not, a port without pin or with another direction, a top without clock.
pub fn lpf(
    family: &BoardFamily,
    revision: &str,
    ports: &[TopPort],
) -> Result<String, ConstraintError> {
    let board = || family.name.clone();
    if !family.revisions.iter().any(|known| known == revision) {
        let (revision, known) = (revision.to_owned(), family.revisions.join(", "));
        return Err(ConstraintError::Revision { board: board(), revision, known });
    }
    let clock = &family.clock;
    if !ports.iter().any(|port| port.name == *clock && port.direction == Direction::In) {
        return Err(ConstraintError::NoClock { clock: clock.clone(), board: board() });
    }
    let mut text = format!("# {} {revision}\nSYSCONFIG {};\n", family.name, family.sysconfig);
    let mhz = f64::from(family.clock_hz) / 1e6;
    let _ = writeln!(text, "FREQUENCY PORT \"{clock}\" {mhz} MHZ;");
    for top in ports {
        let Some(port) = family.port(&top.name, revision) else {
            let (port, revision) = (top.name.clone(), revision.to_owned());
            return Err(ConstraintError::NoPin { port, board: board(), revision });
        };
        if top.width > port.pins.len() {
            return Err(ConstraintError::TooWide {
                port: top.name.clone(),
                width: top.width,
                board: board(),
                revision: revision.to_owned(),
                pins: port.pins.len(),
            });
        }
        if port.direction != top.direction && port.direction != Direction::Inout {
            return Err(ConstraintError::Direction {
                port: top.name.clone(),
                top: top.direction,
                board: board(),
                wanted: port.direction,
            });
        }
        for (index, pin) in port.pins.iter().take(top.width).enumerate() {
            let name = if top.vector { format!("{}[{index}]", top.name) } else { top.name.clone() };
            let _ = writeln!(text, "LOCATE COMP \"{name}\" SITE \"{}\";", pin.site);
            let _ = writeln!(text, "IOBUF PORT \"{name}\" {};", buffer(port, pin, top.direction));
            delays(&mut text, family, &name, top);
        }
    }
    Ok(text)
}

fn buffer(port: &Port, pin: &Pin, direction: Direction) -> String {
    let pull = match pin.pull {
        Pull::None => "NONE",
        Pull::Up => "UP",
        Pull::Down => "DOWN",
    };
    let mut text = format!("IO_TYPE={} PULLMODE={pull}", port.io_type);
    if direction != Direction::In {
        if let Some(drive) = port.drive_ma {
            let _ = write!(text, " DRIVE={drive}");
        }
        if port.slew == Slew::Fast {
            text.push_str(" SLEWRATE=FAST");
        }
    }
    text
}

/// nextpnr reads past these lines; the flow compares them with what was routed.
fn delays(text: &mut String, family: &BoardFamily, name: &str, top: &TopPort) {
    let Some(delay) = family.delay(&top.name) else { return };
    let clock = &family.clock;
    if top.direction != Direction::Out {
        let _ = writeln!(
            text,
            "INPUT_SETUP PORT \"{name}\" {} NS CLKPORT \"{clock}\";",
            delay.input_ns
        );
    }
    if top.direction != Direction::In {
        let _ = writeln!(
            text,
            "CLOCK_TO_OUT PORT \"{name}\" {} NS CLKPORT \"{clock}\";",
            delay.output_ns
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model;

    fn port(name: &str, direction: Direction, width: usize) -> TopPort {
        TopPort { name: name.to_owned(), direction, width, vector: width > 1 }
    }

    fn made(revision: &str, extra: &[TopPort]) -> Result<String, ConstraintError> {
        let (family, _) = model::find("ulx3s-85f").unwrap();
        let mut ports = vec![port("clk_25mhz", Direction::In, 1)];
        ports.extend_from_slice(extra);
        lpf(&family, revision, &ports)
    }

    #[test]
    fn only_the_ports_of_the_top_are_in_it() {
        let text = made("3.1", &[port("led", Direction::Out, 2)]).unwrap();
        let want = "FREQUENCY PORT \"clk_25mhz\" 25 MHZ;\n\
            LOCATE COMP \"clk_25mhz\" SITE \"G2\";\n\
            IOBUF PORT \"clk_25mhz\" IO_TYPE=LVCMOS33 PULLMODE=NONE;\n\
            LOCATE COMP \"led[0]\" SITE \"B2\";\n\
            IOBUF PORT \"led[0]\" IO_TYPE=LVCMOS33 PULLMODE=NONE DRIVE=4;\n\
            LOCATE COMP \"led[1]\" SITE \"C2\";\n\
            IOBUF PORT \"led[1]\" IO_TYPE=LVCMOS33 PULLMODE=NONE DRIVE=4;\n";
        assert_eq!(text.lines().skip(2).map(|line| format!("{line}\n")).collect::<String>(), want);
        assert!(text.starts_with("# ulx3s 3.1\nSYSCONFIG CONFIG_IOVOLTAGE=3.3 "), "{text}");
    }

    #[test]
    fn f1_is_another_port_on_the_other_revision() {
        let ports = [port("wifi_en", Direction::Out, 1), port("wifi_gpio0", Direction::Out, 1)];
        let located = |revision| {
            let text = made(revision, &ports).unwrap();
            text.lines().filter(|line| line.contains("COMP \"wifi")).collect::<Vec<_>>().join(" ")
        };
        let lines = |en, gpio0| {
            format!(
                "LOCATE COMP \"wifi_en\" SITE \"{en}\"; LOCATE COMP \"wifi_gpio0\" SITE \"{gpio0}\";"
            )
        };
        assert_eq!(located("3.0"), lines("F1", "L2"));
        assert_eq!(located("3.1"), lines("J5", "F1"));
    }

    #[test]
    fn delays_stand_at_ports_that_have_them() {
        let ports = [port("sdram_d", Direction::Inout, 16), port("sdram_clk", Direction::Out, 1)];
        let text = made("3.0", &ports).unwrap();
        let count = |word: &str| text.lines().filter(|line| line.starts_with(word)).count();
        assert_eq!((count("INPUT_SETUP"), count("CLOCK_TO_OUT")), (16, 17), "{text}");
        assert!(text.contains(
            "IOBUF PORT \"sdram_clk\" IO_TYPE=LVCMOS33 PULLMODE=NONE DRIVE=4 SLEWRATE=FAST;"
        ));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let error = |revision, extra: &[TopPort]| made(revision, extra).unwrap_err().to_string();
        let said = error("2.0", &[]);
        assert_eq!(said, "ulx3s has no revision \"2.0\"; revisions: 3.0, 3.1");
        let said = error("3.0", &[port("ftdi_nrxled", Direction::In, 1)]);
        assert!(said.starts_with("port ftdi_nrxled has no pin on ulx3s 3.0;"), "{said}");
        let said = error("3.0", &[port("led", Direction::Out, 9)]);
        assert!(said.starts_with("port led has 9 bits and ulx3s 3.0 8 pins for it"), "{said}");
        let said = error("3.0", &[port("ftdi_txd", Direction::Out, 1)]);
        assert!(said.starts_with("port ftdi_txd is an output, on ulx3s it is an input"), "{said}");
        let (family, _) = model::find("ulx3s-85f").unwrap();
        let said = lpf(&family, "3.0", &[]).unwrap_err().to_string();
        assert_eq!(said, "the top has no input clk_25mhz, the clock of ulx3s");
    }
}
