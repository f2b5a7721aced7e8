//! The control plane's store as it stands on a disk and in a backup: read, checked, not written.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | [`MARK`] |
//! | 4 | generation |
//! | 4 | pods ever made |
//! | 4 | number of objects |
//! | | each object: kind, replicas, phase, id, 4 each; local, 1; name, owner, node, image, each with a zero behind it |
//! | 4 | checksum of all but mark and generation |
//! | 4 | generation again |
//!
//! Numbers are little-endian. What follows is left from before. The machine's side is
//! `oberon/kube/Store.Mod`.

/// First word.
pub const MARK: i32 = 0x4B55_4231;
/// Objects at most.
pub const OBJECTS_MAX: i32 = 256;
/// Modulus of the checksum.
const PRIME: i32 = 1_000_000_007;

/// Why bytes are no whole store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Something else, or nothing was ever written.
    #[error("it does not begin with the mark of a store")]
    Mark,
    /// It ends too early.
    #[error("it is cut short")]
    Short,
    /// More objects than a plane has.
    #[error("it says that it has {0} objects")]
    Objects(i32),
    /// The sum does not fit.
    #[error("its checksum does not fit what it holds")]
    Sum,
    /// It was overwritten in part.
    #[error("it was written in part only")]
    Torn,
}

/// A whole store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store<'a> {
    /// Which state: later ones have higher numbers.
    pub generation: i32,
    /// Pods ever made.
    pub sequence: i32,
    /// Number of objects.
    pub objects: usize,
    /// Its bytes, without what follows.
    pub bytes: &'a [u8],
}

/// One object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object<'a> {
    /// 0 deployment, 1 replica set, 2 pod, 3 node.
    pub kind: i32,
    /// Pods wanted.
    pub replicas: i32,
    /// By its kind.
    pub phase: i32,
    /// By its kind.
    pub id: i32,
    /// A simulated node.
    pub local: bool,
    /// Name.
    pub name: &'a [u8],
    /// By its kind.
    pub owner: &'a [u8],
    /// By its kind.
    pub node: &'a [u8],
    /// Module.
    pub image: &'a [u8],
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn word(&mut self) -> Option<i32> {
        Some(i32::from_le_bytes(self.bytes(4)?.try_into().ok()?))
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let len = self.0.iter().position(|&byte| byte == 0)?;
        Some(&self.bytes(len + 1)?[..len])
    }

    fn object(&mut self) -> Option<Object<'a>> {
        let (kind, replicas) = (self.word()?, self.word()?);
        let (phase, id) = (self.word()?, self.word()?);
        let local = self.bytes(1)?[0] != 0;
        let (name, owner) = (self.text()?, self.text()?);
        let (node, image) = (self.text()?, self.text()?);
        Some(Object { kind, replicas, phase, id, local, name, owner, node, image })
    }
}

const fn mix(sum: i32, x: i32) -> i32 {
    sum.wrapping_mul(31).wrapping_add(x).rem_euclid(PRIME)
}

fn mix_object(sum: i32, object: &Object<'_>) -> i32 {
    let Object { kind, replicas, phase, id, local, name, owner, node, image } = *object;
    let sum = [kind, replicas, phase, id, i32::from(local)].into_iter().fold(sum, mix);
    [name, owner, node, image].into_iter().fold(sum, |sum, text| {
        mix(text.iter().fold(sum, |sum, &byte| mix(sum, i32::from(byte))), 0)
    })
}

impl<'a> Store<'a> {
    /// Reads a store, which may have other bytes behind it.
    ///
    /// # Errors
    /// [`StoreError`] if it is not whole.
    pub fn parse(file: &'a [u8]) -> Result<Self, StoreError> {
        let mut reader = Reader(file);
        if reader.word() != Some(MARK) {
            return Err(StoreError::Mark);
        }
        let mut word = || reader.word().ok_or(StoreError::Short);
        let (generation, sequence, objects) = (word()?, word()?, word()?);
        if !(0..=OBJECTS_MAX).contains(&objects) {
            return Err(StoreError::Objects(objects));
        }
        let mut sum = mix(1, sequence);
        for _ in 0..objects {
            sum = mix_object(sum, &reader.object().ok_or(StoreError::Short)?);
        }
        let (check, again) = (reader.word(), reader.word().ok_or(StoreError::Short)?);
        if check != Some(sum) {
            return Err(StoreError::Sum);
        }
        if again != generation {
            return Err(StoreError::Torn);
        }
        let bytes = &file[..file.len() - reader.0.len()];
        Ok(Self { generation, sequence, objects: objects as usize, bytes })
    }

    /// Its objects in order.
    pub fn iter(&self) -> impl Iterator<Item = Object<'a>> {
        let mut reader = Reader(self.bytes.get(16..).unwrap_or_default());
        (0..self.objects).map_while(move |_| reader.object())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// One node and one pod, written here a second time.
    fn store() -> Vec<u8> {
        let mut bytes = Vec::new();
        let words = |bytes: &mut Vec<u8>, words: &[i32]| {
            words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        };
        words(&mut bytes, &[MARK, 7, 5, 2]);
        let mut sum = 5 + 31;
        let add =
            |sum: &mut i32, x: i32| *sum = sum.wrapping_mul(31).wrapping_add(x).rem_euclid(PRIME);
        for (numbers, texts) in [
            ([3, 0, 1, 0], ["node1", "zone=a", "", ""]),
            ([2, 0, 1, 9], ["web-rs-0", "web-rs", "node1", "Ticker"]),
        ] {
            words(&mut bytes, &numbers);
            bytes.push(0);
            numbers.iter().for_each(|&number| add(&mut sum, number));
            add(&mut sum, 0);
            for text in texts {
                bytes.extend(text.as_bytes());
                bytes.push(0);
                text.bytes().chain([0]).for_each(|byte| add(&mut sum, i32::from(byte)));
            }
        }
        words(&mut bytes, &[sum, 7]);
        bytes
    }

    #[test]
    fn a_store_is_read_with_what_follows_left_off() {
        let whole = store();
        let mut file = whole.clone();
        file.extend([9; 100]);
        let store = Store::parse(&file).expect("a whole store");
        assert_eq!((store.generation, store.sequence, store.objects), (7, 5, 2));
        assert_eq!(store.bytes, whole);
        let objects: Vec<_> = store.iter().collect();
        assert_eq!((objects[0].owner, objects[1].node), (&b"zone=a"[..], &b"node1"[..]));
        assert_eq!((objects[1].id, objects[1].image), (9, &b"Ticker"[..]));
    }

    #[test]
    fn what_is_cut_or_changed_anywhere_is_no_store() {
        let whole = store();
        for len in 0..whole.len() {
            assert!(Store::parse(&whole[..len]).is_err(), "{len} bytes");
        }
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut changed = whole.clone();
                changed[at] ^= 1 << bit;
                assert!(Store::parse(&changed).is_err(), "byte {at} bit {bit}");
            }
        }
        assert_eq!(Store::parse(&[0; 64]), Err(StoreError::Mark));
    }
}
