//! Lists by owner in one piece of memory.

/// A list for each of a number of owners. Items are collected in any order of owners, then sorted by
/// owner; those of one owner keep the order in which they came.
#[derive(Debug)]
pub(crate) struct Lists<T> {
    collected: Vec<(u32, T)>,
    items: Vec<T>,
    /// Where the list of each owner begins; one more at the end.
    starts: Vec<u32>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { collected: Vec::new(), items: Vec::new(), starts: Vec::new() }
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
        self.starts.clear();
        self.starts.resize(owners + 1, 0);
        for (owner, _) in &self.collected {
            self.starts[*owner as usize + 1] += 1;
        }
        for at in 0..owners {
            self.starts[at + 1] += self.starts[at];
        }
        self.items.clear();
        let Some((_, any)) = self.collected.first() else { return };
        self.items.resize(self.collected.len(), *any);
        // Each start moves to the end of its list while the list is filled.
        for (owner, item) in &self.collected {
            let at = &mut self.starts[*owner as usize];
            self.items[*at as usize] = *item;
            *at += 1;
        }
        self.starts.rotate_right(1);
        self.starts[0] = 0;
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
