//! Checks names, keys and imports, and finds the order in which the loader would load.

use super::{LinkError, MAX_MODULES};
use crate::object::ObjectFile;
use std::collections::BTreeMap;

/// A module with the positions of its imports in the load order.
pub(super) struct Ordered<'a> {
    pub(super) object: &'a ObjectFile,
    pub(super) imports: Vec<usize>,
}

/// Sorts modules so that each one comes after all that it imports; the top module is last.
pub(super) fn load_order(modules: &[ObjectFile]) -> Result<Vec<Ordered<'_>>, LinkError> {
    if modules.is_empty() {
        return Err(LinkError::Empty);
    }
    if modules.len() > MAX_MODULES {
        return Err(LinkError::TooMany { count: modules.len() });
    }
    let by_name = index(modules)?;
    check_imports(modules, &by_name)?;
    let mut walk = Walk { modules, by_name, state: vec![State::New; modules.len()], done: vec![] };
    let tops = walk.tops();
    for &top in &tops {
        walk.visit(top, &mut vec![])?;
    }
    // Without a top, or beside it, there can be a circle that no top leads to.
    for i in 0..modules.len() {
        walk.visit(i, &mut vec![])?;
    }
    if tops.len() > 1 {
        let mut tops: Vec<String> = tops.iter().map(|&i| modules[i].name.clone()).collect();
        tops.sort();
        return Err(LinkError::Tops { tops });
    }
    Ok(walk.done)
}

fn index(modules: &[ObjectFile]) -> Result<BTreeMap<&str, usize>, LinkError> {
    let mut by_name = BTreeMap::new();
    for (i, object) in modules.iter().enumerate() {
        let module = object.name.clone();
        if object.version != 1 {
            return Err(LinkError::Standalone { module });
        }
        if by_name.insert(object.name.as_str(), i).is_some() {
            return Err(LinkError::Duplicate { module });
        }
    }
    Ok(by_name)
}

fn check_imports(modules: &[ObjectFile], by_name: &BTreeMap<&str, usize>) -> Result<(), LinkError> {
    for object in modules {
        for (name, wanted) in &object.imports {
            let (importer, module) = (object.name.clone(), name.clone());
            let Some(&i) = by_name.get(name.as_str()) else {
                return Err(LinkError::Missing { importer, module });
            };
            if modules[i].key != *wanted {
                let (wanted, found) = (*wanted, modules[i].key);
                return Err(LinkError::Key { importer, module, wanted, found });
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done(usize),
}

struct Walk<'a> {
    modules: &'a [ObjectFile],
    by_name: BTreeMap<&'a str, usize>,
    state: Vec<State>,
    done: Vec<Ordered<'a>>,
}

impl<'a> Walk<'a> {
    fn tops(&self) -> Vec<usize> {
        let mut imported = vec![false; self.modules.len()];
        for (name, _) in self.modules.iter().flat_map(|m| &m.imports) {
            imported[self.by_name[name.as_str()]] = true;
        }
        (0..imported.len()).filter(|&i| !imported[i]).collect()
    }

    /// Depth is bounded by the number of modules, at most [`MAX_MODULES`].
    fn visit(&mut self, i: usize, path: &mut Vec<usize>) -> Result<usize, LinkError> {
        match self.state[i] {
            State::Done(position) => return Ok(position),
            State::Open => return Err(self.cycle(i, path)),
            State::New => {}
        }
        self.state[i] = State::Open;
        path.push(i);
        let object = &self.modules[i];
        let mut imports = Vec::with_capacity(object.imports.len());
        for (name, _) in &object.imports {
            imports.push(self.visit(self.by_name[name.as_str()], path)?);
        }
        path.pop();
        let position = self.done.len();
        self.done.push(Ordered { object, imports });
        self.state[i] = State::Done(position);
        Ok(position)
    }

    fn cycle(&self, i: usize, path: &[usize]) -> LinkError {
        let start = path.iter().position(|&p| p == i).unwrap_or(0);
        let circle = path[start..].iter().chain([&i]);
        LinkError::Cycle { path: circle.map(|&p| self.modules[p].name.clone()).collect() }
    }
}
