//! Sets of small numbers: a bit each.

use std::ops::{Deref, DerefMut, Index, IndexMut};

/// Members of a set, as words of bits; sets that meet have the same number of words.
pub(crate) trait Members {
    fn has(&self, at: usize) -> bool;
    fn add(&mut self, at: usize);
    fn remove(&mut self, at: usize);
    fn join(&mut self, other: &[u64]);
    fn meet(&mut self, other: &[u64]);
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

    fn meet(&mut self, other: &[u64]) {
        for (a, b) in self.iter_mut().zip(other) {
            *a &= b;
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

    /// Becomes another set.
    pub(crate) fn copy(&mut self, other: &[u64]) {
        self.0.clear();
        self.0.extend_from_slice(other);
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

/// A set for each block, in one piece of memory.
#[derive(Debug, Default)]
pub(crate) struct Matrix {
    bits: Vec<u64>,
    /// Words of a row.
    words: usize,
}

impl Matrix {
    /// Becomes `rows` sets of numbers below `size`, all empty or, with `full`, all full.
    pub(crate) fn reset(&mut self, rows: usize, size: usize, full: bool) {
        self.words = size.div_ceil(64);
        self.bits.clear();
        self.bits.resize(rows * self.words, if full { u64::MAX } else { 0 });
    }
}

impl Index<super::B> for Matrix {
    type Output = [u64];

    fn index(&self, b: super::B) -> &[u64] {
        &self.bits[b.at() * self.words..][..self.words]
    }
}

impl IndexMut<super::B> for Matrix {
    fn index_mut(&mut self, b: super::B) -> &mut [u64] {
        &mut self.bits[b.at() * self.words..][..self.words]
    }
}

#[cfg(test)]
mod tests {
    use super::super::B;
    use super::*;

    #[test]
    fn rows_of_a_matrix_are_sets_of_their_own() {
        let mut matrix = Matrix::default();
        matrix.reset(3, 130, false);
        matrix[B(1)].add(0);
        matrix[B(1)].add(129);
        matrix[B(2)].add(64);
        assert_eq!(matrix[B(0)].members().count(), 0);
        assert_eq!(matrix[B(1)].members().collect::<Vec<_>>(), [0, 129]);
        let mut each = Vec::new();
        matrix[B(1)].each(|member| each.push(member));
        assert_eq!(each, [0, 129]);
        let mut set = Set::default();
        set.copy(&matrix[B(1)]);
        set.join(&matrix[B(2)]);
        assert_eq!(set.members().collect::<Vec<_>>(), [0, 64, 129]);
        set.remove(129);
        set.meet(&matrix[B(1)]);
        assert!(set.has(0) && !set.has(64) && !set.has(129));
        matrix.reset(1, 70, true);
        assert!(matrix[B(0)].has(69));
    }
}
