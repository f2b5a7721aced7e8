//! Packet types of Project Oberon's Net, and which of their bytes are passwords. Source:
//! spec/nrf24.md E5.

/// Types, names, and whether a user name, a password and a file name follow.
const TYPES: [(u8, &str, bool); 9] = [
    (0x25, "NAK", false),
    (0x26, "no permission", false),
    (0x34, "name request", false),
    (0x35, "name reply", false),
    (0x41, "send file", true),
    (0x42, "receive file", true),
    (0x44, "message", false),
    (0x46, "time request", false),
    (0x47, "time reply", false),
];
/// Bytes of a password.
pub const PASSWORD_BYTES: usize = 4;
/// Longest user name that the system takes, with its closing zero.
const USER_BYTES: usize = 16;

/// What a packet of that type is called.
#[must_use]
pub fn name(typ: u8) -> Option<&'static str> {
    match typ {
        0x00..=0x07 => Some("data"),
        0x10..=0x17 => Some("ACK"),
        _ => TYPES.iter().find(|entry| entry.0 == typ).map(|entry| entry.1),
    }
}

/// Whether packets of that type carry a password.
#[must_use]
pub fn has_password(typ: u8) -> bool {
    TYPES.iter().any(|entry| entry.0 == typ && entry.2)
}

/// What stands before and behind the password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRequest {
    /// Who asks.
    pub user: String,
    /// For which file; what is in the first frame of it.
    pub file: String,
    /// Where in the data the password stands, as far as it is in the first frame.
    pub password: std::ops::Range<usize>,
}

/// Reads the first frame of a request for a file. A user name without an end hides everything.
#[must_use]
pub fn file_request(data: &[u8]) -> FileRequest {
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    let end = data.iter().take(USER_BYTES).position(|&byte| byte == 0);
    let Some(end) = end else {
        return FileRequest { user: String::new(), file: String::new(), password: 0..data.len() };
    };
    let from = (end + 1).min(data.len());
    let to = (from + PASSWORD_BYTES).min(data.len());
    let file = &data[to..];
    let file = &file[..file.iter().position(|&byte| byte == 0).unwrap_or(file.len())];
    FileRequest { user: text(&data[..end]), file: text(file), password: from..to }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_found_between_user_and_file() {
        let request = file_request(b"Wirth\0\x11\x22\x33\x44Test.Mod\0");
        assert_eq!((request.user.as_str(), request.file.as_str()), ("Wirth", "Test.Mod"));
        assert_eq!(request.password, 6..10);
        assert_eq!(file_request(b"a\0\x11").password, 2..3);
        assert_eq!(file_request(b"aaaaaaaaaaaaaaaaaaaaaaaa").password, 0..24);
        assert_eq!(file_request(b"").password, 0..0);
    }

    #[test]
    fn types_have_their_names() {
        assert_eq!(name(0x07), Some("data"));
        assert_eq!(name(0x12), Some("ACK"));
        assert_eq!(name(0x34), Some("name request"));
        assert_eq!(name(0x60), None);
        assert!(has_password(0x41) && has_password(0x42) && !has_password(0x44));
    }
}
