//! Three-deep first-in-first-out queue, as the chip has one in each direction.

/// Payloads each FIFO holds (product specification 1.0, 8.4).
pub(crate) const DEPTH: usize = 3;

/// Up to [`DEPTH`] payloads.
#[derive(Clone, Debug)]
pub(crate) struct Fifo<T> {
    slots: [Option<T>; DEPTH],
}

impl<T> Fifo<T> {
    pub fn new() -> Self {
        Self { slots: [const { None }; DEPTH] }
    }

    /// Appends, or gives the value back if there is no room.
    pub fn push(&mut self, value: T) -> Result<(), T> {
        match self.slots.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => {
                *slot = Some(value);
                Ok(())
            }
            None => Err(value),
        }
    }

    /// The oldest payload, the "top" of the product specification.
    pub fn front(&self) -> Option<&T> {
        self.slots[0].as_ref()
    }

    /// Takes the oldest.
    pub fn pop(&mut self) -> Option<T> {
        let top = self.slots[0].take();
        self.slots.rotate_left(1);
        top
    }

    /// Takes the first for which `wanted` holds; the others keep their order.
    pub fn take(&mut self, wanted: impl Fn(&T) -> bool) -> Option<T> {
        let at = self.slots.iter().position(|slot| slot.as_ref().is_some_and(&wanted))?;
        let taken = self.slots[at].take();
        self.slots[at..].rotate_left(1);
        taken
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().flatten()
    }

    pub fn is_empty(&self) -> bool {
        self.slots[0].is_none()
    }

    pub fn is_full(&self) -> bool {
        self.slots[DEPTH - 1].is_some()
    }

    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_in_order_and_no_fourth() {
        let mut fifo = Fifo::new();
        for value in 1..=3 {
            assert!(!fifo.is_full());
            assert_eq!(fifo.push(value), Ok(()));
        }
        assert!(fifo.is_full());
        assert_eq!(fifo.push(4), Err(4));
        assert_eq!(fifo.front(), Some(&1));
        assert_eq!((fifo.pop(), fifo.pop()), (Some(1), Some(2)));
        assert_eq!(fifo.push(5), Ok(()));
        assert_eq!((fifo.pop(), fifo.pop(), fifo.pop()), (Some(3), Some(5), None));
        assert!(fifo.is_empty());
    }

    #[test]
    fn one_taken_from_the_middle_leaves_the_order() {
        let mut fifo = Fifo::new();
        (1..=3).for_each(|value| assert!(fifo.push(value).is_ok()));
        assert_eq!(fifo.take(|&value| value == 2), Some(2));
        assert_eq!(fifo.take(|&value| value == 2), None);
        assert_eq!(fifo.iter().copied().collect::<Vec<_>>(), [1, 3]);
        assert_eq!(fifo.push(4), Ok(()));
        assert!(fifo.is_full());
    }
}
