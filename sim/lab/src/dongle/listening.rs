//! A dongle that listens to a world, and what the medium has seen of it.

use std::path::Path;
use std::time::Duration;

use kube_air::{Outcome, StationId, TapId};
use serde::Serialize;

use super::{Dongle, DongleError, Port};
use crate::world::World;

const MS: u64 = 1_000_000;
/// What may still be in the dongle and on USB when a run is over.
const REST_MS: u64 = 20;

/// What the medium has seen while a dongle listened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Frames that the dongle's chip has sent: none.
    pub transmissions: u64,
    /// Frames of others that a receiver at its place could hear whole.
    pub good: u64,
    /// Frames that were spoilt on the air.
    pub spoilt: u64,
}

/// A dongle in a world, and its port.
pub struct Listening {
    port: Port,
    station: StationId,
    tap: TapId,
    account: Account,
}

impl Listening {
    /// Puts a dongle into a world, after its last machine.
    ///
    /// # Errors
    /// [`DongleError`] if it does not start.
    pub fn new(world: &mut World, firmware: &Path) -> Result<Self, DongleError> {
        let port = Port::new()?;
        let station = world.add_dongle(Dongle::new(firmware)?);
        let tap = world.air_mut().add_tap();
        Ok(Self { port, station, tap, account: Account::default() })
    }

    /// Its serial port.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.port.path()
    }

    /// Lets real time and machine time pass until a program has opened the port and tuned the dongle, or
    /// nobody wants to wait any longer.
    ///
    /// # Errors
    /// [`DongleError`].
    pub fn await_program(
        &mut self,
        world: &mut World,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), DongleError> {
        while !world.dongle().is_some_and(|dongle| dongle.listens()) {
            if stop() {
                return Ok(());
            }
            world.run_until(world.now_ns() + MS)?;
            self.serve(world)?;
            std::thread::sleep(Duration::from_millis(1));
        }
        // From CE to hearing it takes 130 us; the answer is on its way.
        world.run_until(world.now_ns() + MS)?;
        self.serve(world)
    }

    /// Passes on what was said since the last call, and counts what was sent since then.
    ///
    /// # Errors
    /// [`DongleError`].
    pub fn serve(&mut self, world: &mut World) -> Result<(), DongleError> {
        self.count(world);
        let now_ns = world.now_ns();
        match world.dongle() {
            Some(dongle) => self.port.serve(dongle, now_ns),
            None => Ok(()),
        }
    }

    /// Lets the last frames through; the port closes when they were read.
    ///
    /// # Errors
    /// [`DongleError`].
    pub fn end(mut self, world: &mut World) -> Result<Account, DongleError> {
        world.run_until(world.now_ns() + REST_MS * MS)?;
        self.serve(world)?;
        Ok(self.account)
    }

    /// What the medium has seen so far.
    #[must_use]
    pub const fn account(&self) -> Account {
        self.account
    }

    fn count(&mut self, world: &mut World) {
        for sighting in world.air_mut().take_seen(self.tap) {
            if sighting.flight.sender == self.station {
                self.account.transmissions += 1;
            } else if sighting.outcome == Outcome::Delivered {
                self.account.good += 1;
            } else {
                self.account.spoilt += 1;
            }
        }
    }
}
