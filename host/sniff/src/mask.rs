//! Keys in what is typed on a machine and in what it says: they are not shown.

/// Commands that take a key, and which of their words it is.
const COMMANDS: [(&str, usize); 4] =
    [("KubeNet.Serve", 2), ("KubeNet.Join", 3), ("Operator.Open", 1), ("Keys.New", 1)];
/// Anything that looks like a key of full length is none of a reader's business.
const KEY_DIGITS: usize = 16;
/// What stands in its place.
pub const MASK: &str = "****";

/// A line of text with its keys masked.
///
/// ```
/// use kube_sniff::mask::keys;
/// assert_eq!(keys("KubeNet.Join node1 kube 00c0ffee"), "KubeNet.Join node1 kube ****");
/// ```
#[must_use]
pub fn keys(line: &str) -> String {
    let mut key_at = None;
    let words = line.split(' ').enumerate().map(|(at, word)| {
        if let Some((_, place)) = COMMANDS.iter().find(|(command, _)| word.ends_with(command)) {
            key_at = Some(at + place);
        }
        let digits = word.len() >= KEY_DIGITS && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        if (key_at == Some(at) && !word.is_empty()) || digits { MASK } else { word }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Bytes as text on one line; what cannot be printed is escaped.
#[must_use]
pub fn printable(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        match byte {
            b' '..=b'~' => text.push(char::from(byte)),
            byte => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_masked_wherever_they_stand() {
        assert_eq!(
            keys("> KubeNet.Serve kube 00c0 per-node"),
            "> KubeNet.Serve kube **** per-node"
        );
        assert_eq!(keys("boot: Keys.New 12ab"), "boot: Keys.New ****");
        assert_eq!(keys("boot: Operator.Open 12ab"), "boot: Operator.Open ****");
        assert_eq!(keys("KubeNet.Serve kube"), "KubeNet.Serve kube");
        assert_eq!(keys("key 00c0ffee00c0ffee set"), "key **** set");
        assert_eq!(
            keys("kubenet: node node1 of kube joined"),
            "kubenet: node node1 of kube joined"
        );
    }

    #[test]
    fn what_cannot_be_printed_is_escaped() {
        assert_eq!(printable(b"a\"\x1b[0m"), "a\"\\x1b[0m");
    }
}
