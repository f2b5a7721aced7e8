//! A table that goes back to what it was.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// Chains of the table, a power of 2.
const CHAINS: usize = 64;

/// Keys with values. A key that is added again hides its older entry; going back takes the last
/// entries away and shows what they hid.
#[derive(Debug)]
pub(super) struct Scoped<K, T> {
    /// The last entry of each chain, counted from 1; 0 is none.
    last: [u32; CHAINS],
    entries: Vec<Entry<K, T>>,
}

#[derive(Debug)]
struct Entry<K, T> {
    key: K,
    value: T,
    chain: u32,
    /// The entry of the chain before it.
    before: u32,
}

impl<K, T> Default for Scoped<K, T> {
    fn default() -> Self {
        Self { last: [0; CHAINS], entries: Vec::new() }
    }
}

impl<K: Copy + Eq + Hash, T: Copy> Scoped<K, T> {
    /// How many entries there are: a point to go back to.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Takes away all entries but the first `len`.
    pub(super) fn back(&mut self, len: usize) {
        for entry in self.entries.drain(len..).rev() {
            self.last[entry.chain as usize] = entry.before;
        }
    }

    /// The value that was last added with a key.
    pub(super) fn get(&self, key: K) -> Option<T> {
        let mut next = self.last[chain(key)];
        while let Some(entry) = self.entries.get((next as usize).checked_sub(1)?) {
            if entry.key == key {
                return Some(entry.value);
            }
            next = entry.before;
        }
        None
    }

    pub(super) fn add(&mut self, key: K, value: T) {
        let chain = chain(key);
        let before = self.last[chain];
        self.entries.push(Entry { key, value, chain: chain as u32, before });
        self.last[chain] = self.entries.len() as u32;
    }
}

fn chain<K: Hash>(key: K) -> usize {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish() as usize % CHAINS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn going_back_shows_what_was_hidden() {
        let mut table = Scoped::default();
        for key in 0..200 {
            table.add(key, 'a');
        }
        let point = table.len();
        table.add(7, 'b');
        table.add(500, 'c');
        assert_eq!((table.get(7), table.get(500)), (Some('b'), Some('c')));
        table.back(point);
        assert_eq!((table.get(7), table.get(500)), (Some('a'), None));
        table.back(0);
        assert_eq!((table.get(7), table.len()), (None, 0));
    }
}
