//! The air: what of a crowd's frames arrives.

use anyhow::Result;
use kube_air::bench::{Access, Crowd, delivered};
use kube_proto::frame::Rate;

use crate::figure::{Figure, Measure, Reference};

/// The figures of this family.
pub const FIGURES: [(&str, Measure); 5] = [
    ("air.delivered_20", || crowd("air.delivered_20", 20, Rate::M1)),
    ("air.delivered_50", || crowd("air.delivered_50", 50, Rate::M1)),
    ("air.delivered_100", || crowd("air.delivered_100", 100, Rate::M1)),
    ("air.delivered_200", || crowd("air.delivered_200", 200, Rate::M1)),
    ("air.delivered_100_2m", || crowd("air.delivered_100_2m", 100, Rate::M2)),
];

/// Share of frames that arrive when every station listens first and sends one a second.
fn crowd(name: &'static str, stations: usize, rate: Rate) -> Result<Option<Figure>> {
    let crowd = Crowd { stations, rate, access: Access::Listen, seconds: 30, seed: 1 };
    let listening = delivered(&crowd)?;
    let blind = delivered(&Crowd { access: Access::Blind, ..crowd })?;
    Ok(Some(Figure {
        name,
        value: listening.share,
        unit: "share",
        reference: Reference::SameRun(listening.pure, "pure ALOHA at this load".to_owned()),
        work: format!(
            "load {:.3}; slotted ALOHA {:.3}; sent blindly {:.3}; mean wait {} us",
            listening.load,
            listening.slotted,
            blind.share,
            listening.wait_ns / 1000
        ),
    }))
}
