//! Frames dropped by script: "the third acknowledgement from 1 to 0".

use crate::flight::{Flight, StationId};

/// Which frames a rule is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frames {
    /// All.
    #[default]
    Any,
    /// Data frames.
    Data,
    /// Acknowledgements.
    Acknowledgements,
}

/// Drops some receptions. A reception is one frame at one station; only those that reach the
/// receiver (air on, nobody cut off, power at the receiver) count.
///
/// ```
/// use kube_air::{Air, AirConfig, DropRule, Frames};
/// let mut air = Air::new(AirConfig::default());
/// let (zero, one) = (air.add_station(), air.add_station());
/// // The second and third acknowledgement from 1 to 0.
/// let frames = Frames::Acknowledgements;
/// air.drop(DropRule { from: Some(one), to: Some(zero), frames, skip: 1, count: 2 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DropRule {
    /// Sender; `None`: anybody.
    pub from: Option<StationId>,
    /// Receiver; `None`: everybody.
    pub to: Option<StationId>,
    /// Kind of frame.
    pub frames: Frames,
    /// Matching receptions that pass first.
    pub skip: u64,
    /// Matching receptions dropped after them.
    pub count: u64,
}

impl Default for DropRule {
    /// The next reception, whatever it is.
    fn default() -> Self {
        Self { from: None, to: None, frames: Frames::Any, skip: 0, count: 1 }
    }
}

/// Rules that still have something to drop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script(Vec<DropRule>);

impl Script {
    pub fn add(&mut self, rule: DropRule) {
        self.0.push(rule);
    }

    /// Counts a reception in every rule that matches; true if one drops it.
    pub fn drops(&mut self, flight: &Flight, to: StationId) -> bool {
        let mut drops = false;
        for rule in &mut self.0 {
            let kind = match rule.frames {
                Frames::Any => true,
                Frames::Data => !flight.acknowledgement,
                Frames::Acknowledgements => flight.acknowledgement,
            };
            let from = rule.from.is_none_or(|from| from == flight.sender);
            if !kind || !from || rule.to.is_some_and(|wanted| wanted != to) {
                continue;
            }
            if rule.skip > 0 {
                rule.skip -= 1;
            } else {
                rule.count = rule.count.saturating_sub(1);
                drops = true;
            }
        }
        self.0.retain(|rule| rule.count > 0);
        drops
    }
}
