//! Frames over UDP, as emulators and listeners of the published kind exchange them: 33 bytes (channel,
//! then the 32-byte payload) or 1 byte FFH, a hello by which a relay learns of a station. Source:
//! spec/kube.md 2.3.

use crate::packet::FRAME_BYTES;

/// Bytes of a frame's datagram.
pub const FRAME_DATAGRAM_BYTES: usize = 1 + FRAME_BYTES;
/// The hello.
pub const HELLO: [u8; 1] = [0xff];
/// A station says hello at start and this often, in milliseconds.
pub const HELLO_PERIOD_MS: u64 = 5_000;
/// A relay forgets a station that was silent for longer, in milliseconds.
pub const SILENCE_MS: u64 = 60_000;
/// A relay's port unless another is given.
pub const RELAY_PORT: u16 = 7_524;

/// What a datagram says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Datagram {
    /// Somebody is there.
    Hello,
    /// A frame was sent.
    Frame {
        /// RF_CH: 2400 MHz + channel.
        channel: u8,
        /// The payload.
        payload: [u8; FRAME_BYTES],
    },
}

/// Why bytes are not a datagram of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatagramError {
    /// Neither 33 bytes nor a hello.
    #[error(
        "datagram of {bytes} bytes: a frame has 33, a hello 1; does another program use the port?"
    )]
    Size {
        /// Bytes received.
        bytes: usize,
    },
    /// One byte, but not the hello.
    #[error(
        "datagram of one byte {byte:#04x}: a hello is 0xff; does another program use the port?"
    )]
    Hello {
        /// The byte.
        byte: u8,
    },
}

impl Datagram {
    /// Reads a datagram.
    ///
    /// # Errors
    /// [`DatagramError`] if it is of no known kind.
    pub fn parse(bytes: &[u8]) -> Result<Self, DatagramError> {
        match *bytes {
            [0xff] => Ok(Datagram::Hello),
            [byte] => Err(DatagramError::Hello { byte }),
            [channel, ref payload @ ..] => match payload.try_into() {
                Ok(payload) => Ok(Datagram::Frame { channel, payload }),
                Err(_) => Err(DatagramError::Size { bytes: bytes.len() }),
            },
            [] => Err(DatagramError::Size { bytes: 0 }),
        }
    }

    /// A frame as bytes.
    pub fn frame(channel: u8, payload: &[u8; FRAME_BYTES]) -> [u8; FRAME_DATAGRAM_BYTES] {
        let mut bytes = [channel; FRAME_DATAGRAM_BYTES];
        bytes[1..].copy_from_slice(payload);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_hellos_are_told_apart_and_the_rest_is_named() {
        let payload = core::array::from_fn(|at| at as u8);
        let bytes = Datagram::frame(5, &payload);
        assert_eq!((bytes.len(), bytes[0], bytes[32]), (33, 5, 31));
        assert_eq!(Datagram::parse(&bytes), Ok(Datagram::Frame { channel: 5, payload }));
        assert_eq!(Datagram::parse(&HELLO), Ok(Datagram::Hello));
        assert_eq!(Datagram::parse(&[0]), Err(DatagramError::Hello { byte: 0 }));
        for bytes in [0, 2, 32, 34, 1_500] {
            let wrong = std::vec![0xff; bytes];
            assert_eq!(Datagram::parse(&wrong), Err(DatagramError::Size { bytes }));
        }
    }
}
