//! A `board.toml` as it is written, and its checks, each with the place that it complains about.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::{BoardFamily, Memory, Model};
use crate::diagnostic::Diagnostic;
use crate::package::{self, Package};
use crate::pin::{Connector, Delay, Direction, Pin, Port, Pull, Slew};

/// Currents that an output of an ECP5 can be set to, in mA. Source: Lattice TN1262.
const DRIVES_MA: [u8; 4] = [4, 8, 12, 16];
const SPEED_GRADES: [u8; 3] = [6, 7, 8];

type Fault = Box<Diagnostic>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawFamily {
    name: String,
    revisions: Vec<String>,
    clock_hz: u32,
    clock: Spanned<String>,
    loader: String,
    usb: Vec<String>,
    package: Spanned<String>,
    speed_grade: Spanned<u8>,
    io_type: String,
    sysconfig: String,
    banks: BTreeMap<String, u32>,
    memory: Memory,
    models: Vec<Model>,
    ports: Vec<RawPort>,
    #[serde(default)]
    connectors: Vec<RawConnector>,
    #[serde(default)]
    timing: Vec<RawDelay>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawPort {
    name: Spanned<String>,
    direction: Direction,
    revision: Option<Spanned<String>>,
    sites: Option<Vec<Spanned<String>>>,
    connector: Option<Spanned<String>>,
    pins: Option<Vec<Spanned<usize>>>,
    bank: Spanned<Each<u8>>,
    pull: Spanned<Each<Pull>>,
    drive: Option<Spanned<u8>>,
    #[serde(default)]
    slew: Slew,
    io_type: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawConnector {
    name: String,
    pins: Vec<[Spanned<String>; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawDelay {
    ports: Vec<Spanned<String>>,
    output_ns: f64,
    input_ns: f64,
}

/// One value for all pins of a port, or one for each.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Each<T> {
    All(T),
    One(Vec<T>),
}

impl<T: Copy> Each<T> {
    fn get(&self, index: usize) -> Option<T> {
        match self {
            Self::All(value) => Some(*value),
            Self::One(values) => values.get(index).copied(),
        }
    }

    fn fits(&self, count: usize) -> bool {
        match self {
            Self::All(_) => true,
            Self::One(values) => values.len() == count,
        }
    }
}

pub(super) fn parse(path: &Path, text: &str) -> Result<BoardFamily, Fault> {
    let place = |span, message: String, help: String| {
        Box::new(Diagnostic::new(path, text, span, message, help))
    };
    let raw: RawFamily = toml::from_str(text).map_err(|error| {
        let help = "boards/ulx3s/board.toml shows every key".to_owned();
        place(error.span().unwrap_or(0..0), error.message().to_owned(), help)
    })?;
    let Some(package) = Package::find(raw.package.as_ref()) else {
        let known: Vec<_> = package::all().into_iter().map(|package| package.name).collect();
        let message = format!("there is no package {:?}", raw.package.as_ref());
        let help = format!("packages: {}", known.join(", "));
        return Err(place(raw.package.span(), message, help));
    };
    let grade = *raw.speed_grade.as_ref();
    if !SPEED_GRADES.contains(&grade) {
        let message = format!("there is no speed grade {grade}");
        return Err(place(raw.speed_grade.span(), message, "6, 7 or 8".to_owned()));
    }
    let reader = Reader { raw: &raw, package: &package, place: &place };
    let connectors = reader.connectors()?;
    let mut ports = Vec::new();
    for port in &raw.ports {
        let read = reader.port(port, &connectors)?;
        reader.alone(port, &read, &ports)?;
        ports.push(read);
    }
    if !ports.iter().any(|port| port.name == *raw.clock.as_ref()) {
        let message = format!("there is no port {:?}", raw.clock.as_ref());
        let help = "name the port of the clock, and give it a [[ports]]".to_owned();
        return Err(place(raw.clock.span(), message, help));
    }
    let delays = reader.delays(&ports)?;
    Ok(BoardFamily {
        name: raw.name,
        revisions: raw.revisions,
        clock_hz: raw.clock_hz,
        clock: raw.clock.into_inner(),
        loader: raw.loader,
        usb: raw.usb,
        package: package.name,
        speed_grade: grade,
        sysconfig: raw.sysconfig.split_whitespace().collect::<Vec<_>>().join(" "),
        memory: raw.memory,
        models: raw.models,
        ports,
        connectors,
        delays,
    })
}

type Place<'a> = &'a dyn Fn(std::ops::Range<usize>, String, String) -> Fault;

struct Reader<'a> {
    raw: &'a RawFamily,
    package: &'a Package,
    place: Place<'a>,
}

impl Reader<'_> {
    fn fault<T>(
        &self,
        at: std::ops::Range<usize>,
        message: String,
        help: impl Into<String>,
    ) -> Result<T, Fault> {
        Err((self.place)(at, message, help.into()))
    }

    fn connectors(&self) -> Result<Vec<Connector>, Fault> {
        let mut connectors: Vec<Connector> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for raw in &self.raw.connectors {
            for pin in raw.pins.iter().flatten() {
                let word = pin.as_ref().as_str();
                if matches!(word, "GND" | "3V3" | "5V") {
                    continue;
                }
                if self.package.bank(word).is_none() {
                    let message = format!("the {} has no user pin {word}", self.package.name);
                    return self.fault(pin.span(), message, "a site, GND, 3V3 or 5V");
                }
                if seen.contains(&word) {
                    let message = format!("{word} is on two pins of connectors");
                    return self.fault(pin.span(), message, "a site ends in one place");
                }
                seen.push(word);
            }
            let rows = raw.pins.iter().map(|row| row.each_ref().map(|pin| pin.as_ref().clone()));
            connectors.push(Connector { name: raw.name.clone(), rows: rows.collect() });
        }
        Ok(connectors)
    }

    fn port(&self, raw: &RawPort, connectors: &[Connector]) -> Result<Port, Fault> {
        let sites = self.sites(raw, connectors)?;
        let count = sites.len();
        for (span, fits) in [
            (raw.bank.span(), raw.bank.as_ref().fits(count)),
            (raw.pull.span(), raw.pull.as_ref().fits(count)),
        ] {
            if !fits {
                let message = format!("{} has {count} pins", raw.name.as_ref());
                return self.fault(span, message, "give one value for all, or one for each pin");
            }
        }
        if let Some(revision) = &raw.revision
            && !self.raw.revisions.contains(revision.as_ref())
        {
            let message = format!("there is no revision {:?}", revision.as_ref());
            let help = format!("revisions: {}", self.raw.revisions.join(", "));
            return self.fault(revision.span(), message, help);
        }
        if let Some(drive) = &raw.drive
            && !DRIVES_MA.contains(drive.as_ref())
        {
            let message = format!("an output cannot drive {} mA", drive.as_ref());
            return self.fault(drive.span(), message, "4, 8, 12 or 16");
        }
        if raw.drive.is_none() && raw.direction != Direction::In {
            let message = format!("{} drives a pin with no current", raw.name.as_ref());
            return self.fault(raw.name.span(), message, "drive = 4");
        }
        let io_type = raw.io_type.as_ref().map_or(&self.raw.io_type, |io_type| io_type.as_ref());
        let mut pins = Vec::new();
        for (index, (site, span, place)) in sites.into_iter().enumerate() {
            let (Some(bank), Some(pull)) =
                (raw.bank.as_ref().get(index), raw.pull.as_ref().get(index))
            else {
                continue;
            };
            self.bank(raw, &site, bank, span, io_type)?;
            pins.push(Pin { site, bank, pull, place });
        }
        Ok(Port {
            name: raw.name.as_ref().clone(),
            direction: raw.direction,
            revision: raw.revision.as_ref().map(|revision| revision.as_ref().clone()),
            pins,
            drive_ma: raw.drive.as_ref().map(|drive| *drive.as_ref()),
            slew: raw.slew,
            io_type: io_type.clone(),
        })
    }

    /// The sites of a port, where each is written, and where it ends on a connector.
    #[allow(clippy::type_complexity, reason = "three things of one pin, used once")]
    fn sites(
        &self,
        raw: &RawPort,
        connectors: &[Connector],
    ) -> Result<Vec<(String, std::ops::Range<usize>, Option<(String, usize)>)>, Fault> {
        let (name, pins) = match (&raw.sites, &raw.connector, &raw.pins) {
            (Some(sites), None, None) => {
                let site = |site: &Spanned<String>| (site.as_ref().clone(), site.span(), None);
                return Ok(sites.iter().map(site).collect());
            }
            (None, Some(name), Some(pins)) => (name, pins),
            _ => {
                let message = format!("{} has no pins, or two sorts of them", raw.name.as_ref());
                let help = "sites = [\"B11\"], or connector = \"J1\" and pins = [6]";
                return self.fault(raw.name.span(), message, help);
            }
        };
        let Some(connector) = connectors.iter().find(|known| known.name == *name.as_ref()) else {
            let known: Vec<_> = connectors.iter().map(|known| known.name.as_str()).collect();
            let message = format!("there is no connector {:?}", name.as_ref());
            return self.fault(name.span(), message, format!("connectors: {}", known.join(", ")));
        };
        let mut sites = Vec::new();
        for pin in pins {
            let number = *pin.as_ref();
            match connector.pin(number) {
                Some(site) if self.package.bank(site).is_some() => {
                    let place = Some((connector.name.clone(), number));
                    sites.push((site.to_owned(), pin.span(), place));
                }
                Some(supply) => {
                    let message = format!("pin {number} of {} is {supply}", connector.name);
                    return self.fault(pin.span(), message, "choose a pin that leads to the FPGA");
                }
                None => {
                    let message = format!("{} has no pin {number}", connector.name);
                    let last = 2 * connector.rows.len();
                    return self.fault(pin.span(), message, format!("pins 1 to {last}"));
                }
            }
        }
        Ok(sites)
    }

    fn bank(
        &self,
        raw: &RawPort,
        site: &str,
        bank: u8,
        span: std::ops::Range<usize>,
        io_type: &str,
    ) -> Result<(), Fault> {
        let Some(true_bank) = self.package.bank(site) else {
            let message = format!("the {} has no user pin {site}", self.package.name);
            return self.fault(span, message, "see the file of the package in boards/packages");
        };
        for model in &self.raw.models {
            if !self.package.is_bonded(&model.part, site) {
                let message = format!("the {} does not connect {site}", model.part);
                return self.fault(span, message, format!("{} has that part", model.name));
            }
        }
        let Some(millivolts) = self.raw.banks.get(&bank.to_string()) else {
            let known: Vec<_> = self.raw.banks.keys().map(String::as_str).collect();
            let message = format!("there is no bank {bank}");
            return self.fault(raw.bank.span(), message, format!("banks: {}", known.join(", ")));
        };
        if bank != true_bank {
            let message = format!("{site} is not in bank {bank}");
            return self.fault(raw.bank.span(), message, format!("it is in bank {true_bank}"));
        }
        let volts = format!("LVCMOS{}", millivolts / 100);
        if !io_type.starts_with(&volts) {
            let message =
                format!("bank {bank} has {millivolts} mV, {io_type} wants another supply");
            let at = raw.io_type.as_ref().map_or(span, Spanned::span);
            return self.fault(at, message, format!("{volts}, or correct the bank's supply"));
        }
        Ok(())
    }

    /// On no revision may two ports have one name, or one site.
    fn alone(&self, raw: &RawPort, port: &Port, before: &[Port]) -> Result<(), Fault> {
        let together = |other: &&Port| match (&port.revision, &other.revision) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        for other in before.iter().filter(together) {
            if other.name == port.name {
                let message = format!("there are two ports {}", port.name);
                return self.fault(raw.name.span(), message, "give each revision = \"...\"");
            }
        }
        for (index, pin) in port.pins.iter().enumerate() {
            let own = port.pins[..index].iter().any(|other| other.site == pin.site);
            let user = before
                .iter()
                .filter(together)
                .find(|other| other.pins.iter().any(|known| known.site == pin.site))
                .map(|other| other.name.clone())
                .or_else(|| own.then(|| port.name.clone()));
            if let Some(user) = user {
                let span = match (&raw.sites, &raw.pins) {
                    (Some(sites), _) => sites[index].span(),
                    (_, Some(pins)) => pins[index].span(),
                    _ => raw.name.span(),
                };
                let message = format!("{} is used by {user} already", pin.site);
                return self.fault(span, message, "a site has one use on each revision");
            }
        }
        Ok(())
    }

    fn delays(&self, ports: &[Port]) -> Result<Vec<Delay>, Fault> {
        let mut delays = Vec::new();
        for raw in &self.raw.timing {
            let names = raw.ports.iter().map(|name| name.as_ref().clone()).collect();
            let delay = Delay { ports: names, output_ns: raw.output_ns, input_ns: raw.input_ns };
            for name in &raw.ports {
                let one = Delay { ports: vec![name.as_ref().clone()], ..delay.clone() };
                if !ports.iter().any(|port| one.is_for(&port.name)) {
                    let message = format!("no port is called {:?}", name.as_ref());
                    return self.fault(name.span(), message, "a name, or its start and *");
                }
            }
            delays.push(delay);
        }
        Ok(delays)
    }
}
