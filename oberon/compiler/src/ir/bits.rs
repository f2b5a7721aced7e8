//! Sets of small numbers: a bit each.

use std::ops::{Deref, DerefMut};

/// Members of a set, as words of bits; sets that meet have the same number of words.
pub(crate) trait Members {
    fn has(&self, at: usize) -> bool;
    fn add(&mut self, at: usize);
    fn remove(&mut self, at: usize);
    fn join(&mut self, other: &[u64]);
    /// In ascending order.
    fn members(&self) -> impl Iterator<Item = usize>;
    /// As [`Self::members`], for the inner loops.
    fn each(&self, each: impl FnMut(usize));
}

impl Members for [u64] {
    fn has(&self, at: usize) -> bool {
        self[at / 64] >> (at % 64) & 1 != 0
    }

    fn add(&mut self, at: usize) {
        self[at / 64] |= 1 << (at % 64);
    }

    fn remove(&mut self, at: usize) {
        self[at / 64] &= !(1 << (at % 64));
    }

    fn join(&mut self, other: &[u64]) {
        for (a, b) in self.iter_mut().zip(other) {
            *a |= b;
        }
    }

    fn members(&self) -> impl Iterator<Item = usize> {
        self.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(index * 64 + bit)
            })
        })
    }

    fn each(&self, mut each: impl FnMut(usize)) {
        for (index, word) in self.iter().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                each(index * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}

/// A set that keeps its memory.
#[derive(Debug, Default)]
pub(crate) struct Set(Vec<u64>);

impl Set {
    /// Becomes the empty set of numbers below `size`.
    pub(crate) fn reset(&mut self, size: usize) {
        self.0.clear();
        self.0.resize(size.div_ceil(64), 0);
    }

    /// Becomes another set, given by its words.
    pub(crate) fn copy(&mut self, other: impl IntoIterator<Item = u64>) {
        self.0.clear();
        self.0.extend(other);
    }
}

impl Deref for Set {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.0
    }
}

impl DerefMut for Set {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_read_in_ascending_order() {
        let mut set = Set::default();
        set.reset(130);
        for member in [129, 0, 64, 65] {
            set.add(member);
        }
        set.remove(65);
        assert!(set.has(0) && !set.has(1) && set.has(129));
        assert_eq!(set.members().collect::<Vec<_>>(), [0, 64, 129]);
        let mut other = Set::default();
        other.copy([1 << 7, 0, 1]);
        other.join(&set);
        let mut each = Vec::new();
        other.each(|member| each.push(member));
        assert_eq!(each, [0, 7, 64, 128, 129]);
        other.reset(1);
        assert_eq!(other.members().count(), 0);
    }
}
