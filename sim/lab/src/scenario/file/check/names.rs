//! Machines by the names that a scenario gives them.

use std::ops::Range;

use kube_boards::fleet::Role;

use super::super::raw::{Names, Place};
use super::{Inside, Outcome, Stage, nearest_of};

impl Inside<'_> {
    pub(super) fn machines(&self, names: &Place<Names>) -> Outcome<Vec<String>> {
        let Names(list) = names.as_ref();
        if list.is_empty() {
            return Err(self.fault(names.span(), "no machine is named", "such as \"node1\""));
        }
        let filled = list.iter().map(|name| self.checker.put(name, names.span(), self.case));
        let list = filled.collect::<Outcome<Vec<_>>>()?;
        list.iter().try_for_each(|name| self.machine(name, names.span()))?;
        Ok(list)
    }

    pub(super) fn machine(&self, name: &str, span: Range<usize>) -> Outcome<()> {
        if self.fleet.board(name).is_some() {
            return Ok(());
        }
        let known = self.fleet.boards.iter().map(|board| board.name.as_str());
        let message = format!("the fleet has no machine {name:?}");
        Err(self.fault(span, message, nearest_of(name, known)))
    }

    pub(super) fn node(&self, name: &str, span: Range<usize>, why: &str) -> Outcome<()> {
        self.machine(name, span.clone())?;
        match self.fleet.board(name).map(|board| board.role) {
            Some(Role::Plane) => {
                let known = self.fleet.node_names().collect::<Vec<_>>().join(", ");
                let message = format!("{why}, and {name} is the plane");
                Err(self.fault(span, message, format!("nodes: {known}")))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn plane(&self) -> Outcome<String> {
        let plane = self.fleet.boards.iter().find(|board| board.role == Role::Plane);
        Ok(plane.map_or_else(|| "plane".to_owned(), |plane| plane.name.clone()))
    }

    pub(super) fn powered(
        &self,
        names: &[String],
        span: Range<usize>,
        stage: &Stage,
    ) -> Outcome<()> {
        match names.iter().find(|name| stage.off.contains(name)) {
            Some(name) => {
                let message = format!("{name} has no power at this step");
                Err(self.fault(span, message, format!("add a step with power-on = {name:?}")))
            }
            None => Ok(()),
        }
    }
}
