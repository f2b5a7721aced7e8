//! How the cluster is reached: commands to the plane by its serial line, everything that is on the
//! air by a source of frames.

use std::path::PathBuf;

use kube_sniff::source::Place as SourcePlace;

use super::air::Air;
use super::codes;
use super::plane::{Line, Way};
use super::radio::AirPort;
use crate::boot::desk::Desk;
use crate::boot::port::{self, Place};
use crate::boot::{LineFlags, seconds};
use crate::discovery::{Chosen, SIMULATED};
use crate::failure::{Failure, Outcome};
use crate::program::Session;
use crate::sniff::flags::{place, time};

/// Seconds in which an answer comes, unless --timeout says something else.
const ANSWER_S: f64 = 60.0;

/// Flags that say how the cluster is reached.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Flags of the way to the cluster")]
pub struct Reach {
    /// The port of the plane, such as /dev/ttyUSB0 or a pseudo-terminal; without it that of the board.
    #[arg(long, global = true, value_name = "PORT")]
    pub port: Option<PathBuf>,
    /// Hear the air: udp:HOST:PORT, sim:, usb: or pcap:FILE. What can be heard is then not asked.
    #[arg(long, short = 's', global = true, env = "KUBE_SOURCE", value_name = "SOURCE",
          value_parser = place)]
    pub source: Option<SourcePlace>,
    /// Send commands over the air as well, through --source, with the operator's key of the fleet.
    #[arg(long, global = true, conflicts_with = "port")]
    pub by_air: bool,
    /// So long the air is heard before something is said of it.
    #[arg(long, global = true, value_name = "TIME", default_value = "3s", value_parser = time)]
    pub listen: u64,
    /// Seconds after which nobody waits any longer; 0 for ever. Without it 60 for an answer, and no end
    /// for a rollout.
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
}

impl Reach {
    fn line_flags(&self) -> LineFlags {
        LineFlags {
            port: self.port.clone(),
            timeout: self.timeout.unwrap_or(ANSWER_S),
            exit_on: None,
            log: None,
            timestamps: false,
        }
    }

    /// Whether a plane was named, not only a source.
    pub fn names_a_plane(&self, session: &Session) -> bool {
        let named = self.port.is_some() || session.flags.board.is_some();
        named || self.source.is_none() || self.by_air
    }

    /// Where the plane's serial line is.
    fn plane_place(&self, session: &Session) -> Outcome<Place> {
        if self.port.is_some() {
            return port::place(session, &self.line_flags());
        }
        let mut chosen = session.plane()?;
        // Who listens to a lab and names no board means the lab's.
        chosen.simulated |=
            session.flags.board.is_none() && matches!(self.source, Some(SourcePlace::Sim(_)));
        self.of_lab(port::of_board(session, chosen)?)
    }

    /// The socket that --source names, for a machine of a lab.
    fn of_lab(&self, mut place: Place) -> Outcome<Place> {
        if let (Some(_), Some(SourcePlace::Sim(socket))) = (&place.machine, &self.source) {
            place.path.clone_from(socket);
        }
        Ok(place)
    }

    /// The way to the plane.
    ///
    /// # Errors
    /// `kube::port::…`, and those of the fleet.
    pub fn plane<'a>(&self, session: &'a Session) -> Outcome<Box<dyn Way + 'a>> {
        Ok(Box::new(Line(self.plane_desk(session)?)))
    }

    /// The same as a session with the plane.
    ///
    /// # Errors
    /// `kube::port::…`, and those of the fleet.
    pub fn plane_desk<'a>(&self, session: &'a Session) -> Outcome<Desk<'a>> {
        if self.by_air {
            return self.by_air(session, &session.plane()?);
        }
        Desk::at(session, &self.line_flags(), self.plane_place(session)?)
    }

    /// A session over the air.
    fn by_air<'a>(&self, session: &'a Session, chosen: &Chosen) -> Outcome<Desk<'a>> {
        let Some(source) = &self.source else {
            return Err(Failure::new(&codes::AIR_NEEDED, "no way to the air was named")
                .help("--source udp:HOST for a relay, or sim: for a lab"));
        };
        let machine = &chosen.board.name;
        let port = AirPort::open(source, &chosen.file.fleet, machine)?;
        let label = format!("{machine} (by air)");
        let place = Place { label, path: PathBuf::new(), machine: None };
        Desk::with(session, &self.line_flags(), place, Box::new(port))
    }

    /// The serial line of a machine of the cluster, by its name.
    ///
    /// # Errors
    /// `kube::port::…`, and those of the fleet.
    pub fn machine<'a>(&self, session: &'a Session, name: &str) -> Outcome<Desk<'a>> {
        let flags = self.line_flags();
        if self.port.is_some() {
            return Desk::open(session, &flags);
        }
        let lab = matches!(self.source, Some(SourcePlace::Sim(_)))
            || session.flags.board.as_ref().is_some_and(|board| board.starts_with(SIMULATED));
        let name = if lab && !name.starts_with(SIMULATED) {
            format!("{SIMULATED}{name}")
        } else {
            name.to_owned()
        };
        let source = crate::discovery::Source::Auto("named on the command line".to_owned());
        let chosen = session.chosen(session.fleet()?, &name, &source)?;
        if self.by_air {
            return self.by_air(session, &chosen);
        }
        Desk::at(session, &flags, self.of_lab(port::of_board(session, chosen)?)?)
    }

    /// The air, if a source is named.
    ///
    /// # Errors
    /// Those of the source.
    pub fn air(&self, session: &Session) -> Outcome<Option<Air>> {
        self.source.as_ref().map(|place| Air::open(session, place)).transpose()
    }
}
