//! The names in sight.

use rustc_hash::FxHashMap;

/// What a name means: a symbol, and how many scopes are around its declaration.
#[derive(Clone, Copy, Debug)]
struct Meaning {
    symbol: usize,
    depth: usize,
}

/// Names of all open scopes in one table, where the innermost declaration stands; each inner scope keeps
/// what its names meant outside.
#[derive(Debug, Default)]
pub(super) struct Scopes<'t> {
    names: FxHashMap<&'t str, Meaning>,
    outside: Vec<Vec<(&'t str, Option<Meaning>)>>,
}

impl<'t> Scopes<'t> {
    pub(super) fn open(&mut self) {
        self.outside.push(Vec::new());
    }

    pub(super) fn close(&mut self) {
        for (name, meaning) in self.outside.pop().into_iter().flatten().rev() {
            match meaning {
                Some(meaning) => self.names.insert(name, meaning),
                None => self.names.remove(name),
            };
        }
    }

    /// Declares a name in the innermost scope.
    pub(super) fn enter(&mut self, name: &'t str, symbol: usize) {
        let meaning = Meaning { symbol, depth: self.outside.len() };
        match self.outside.last_mut() {
            Some(outside) => {
                let before = self.names.insert(name, meaning);
                outside.push((name, before));
            }
            None => {
                self.names.insert(name, meaning);
            }
        }
    }

    /// The symbol that a name means.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.names.get(name).map(|meaning| meaning.symbol)
    }

    /// The symbol that a name means, if it is declared in the innermost scope.
    pub(super) fn innermost(&self, name: &str) -> Option<usize> {
        let meaning = self.names.get(name)?;
        (meaning.depth == self.outside.len()).then_some(meaning.symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_scope_leaves_names_as_they_were() {
        let mut scopes = Scopes::default();
        scopes.enter("x", 0);
        scopes.open();
        scopes.enter("y", 1);
        scopes.open();
        assert_eq!((scopes.find("x"), scopes.innermost("x")), (Some(0), None));
        scopes.enter("x", 2);
        scopes.enter("z", 3);
        assert_eq!((scopes.find("x"), scopes.innermost("x")), (Some(2), Some(2)));
        scopes.close();
        assert_eq!((scopes.find("x"), scopes.find("z")), (Some(0), None));
        assert_eq!(scopes.innermost("y"), Some(1));
    }
}
