//! Lists by owner in one piece of memory.

/// A list for each of a number of owners. Items are collected in any order of owners, then sorted by
/// owner; those of one owner keep the order in which they came.
#[derive(Debug)]
pub(crate) struct Lists<T> {
    collected: Vec<(u32, T)>,
    items: Vec<T>,
    counts: Vec<u32>,
    /// Where the list of each owner begins; one more at the end.
    starts: Vec<u32>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { collected: Vec::new(), items: Vec::new(), counts: Vec::new(), starts: Vec::new() }
    }
}

impl<T: Copy> Lists<T> {
    /// Forgets all items.
    pub(crate) fn clear(&mut self) {
        self.collected.clear();
    }

    /// Adds an item; [`Self::sort`] puts it into the list.
    pub(crate) fn push(&mut self, owner: usize, item: T) {
        self.collected.push((owner as u32, item));
    }

    /// Makes the lists of owners 0 to before `owners`.
    pub(crate) fn sort(&mut self, owners: usize) {
        let mut counts = std::mem::take(&mut self.counts);
        counts.clear();
        counts.resize(owners, 0);
        for (owner, _) in &self.collected {
            counts[*owner as usize] += 1;
        }
        let collected = std::mem::take(&mut self.collected);
        self.fill(&counts, collected.iter().copied());
        (self.counts, self.collected) = (counts, collected);
    }

    /// Makes lists of which the lengths are known, of items with their owners.
    pub(crate) fn fill(&mut self, counts: &[u32], items: impl Iterator<Item = (u32, T)>) {
        self.items.clear();
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0;
        self.starts.extend(counts.iter().map(|count| {
            let start = end;
            end += count;
            start
        }));
        // The start of a list stands one place too far; it moves to the end of the list, which is the
        // start of the next one, while the list is filled.
        for (owner, item) in items {
            if self.items.is_empty() {
                self.items.resize(end as usize, item);
            }
            let at = &mut self.starts[owner as usize + 1];
            self.items[*at as usize] = item;
            *at += 1;
        }
    }

    /// The list of an owner.
    pub(crate) fn of(&self, owner: usize) -> &[T] {
        &self.items[self.starts[owner] as usize..self.starts[owner + 1] as usize]
    }

    pub(crate) fn of_mut(&mut self, owner: usize) -> &mut [T] {
        &mut self.items[self.starts[owner] as usize..self.starts[owner + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_an_owner_keep_their_order() {
        let mut lists = Lists::default();
        for round in 0..2 {
            lists.clear();
            for (owner, item) in [(2, 'a'), (0, 'b'), (2, 'c'), (3, 'd'), (0, 'e')] {
                lists.push(owner, item);
            }
            lists.sort(5 + round);
            assert_eq!(lists.of(0), ['b', 'e']);
            assert_eq!(lists.of(2), ['a', 'c']);
            assert_eq!(lists.of(3), ['d']);
            assert!(lists.of(1).is_empty() && lists.of(4).is_empty());
        }
        lists.clear();
        lists.sort(1);
        assert!(lists.of(0).is_empty());
    }
}
