//! Enhanced ShockBurst: acknowledgements, retries, packet identities, duplicates.
//!
//! A sender whose pipe 0 acknowledges turns round after its frame (130 us), listens for the empty
//! frame that answers, and sends again ARD after its last bit, up to ARC times. A receiver turns
//! round and answers, 130 us after the last bit. CE going low does not disturb a sender; whether it
//! ends an acknowledgement is a knob ([`crate::ChipConfig::ce_low_aborts_ack`]).
//!
//! A payload for an acknowledgement stays in the TX FIFO, and is repeated to a packet that comes
//! again, until a new packet on its pipe tells that it has arrived.
//!
//! A retry is decided 20 us before its first bit and no earlier, so while one is possible the air
//! asks for a boundary at that moment ([`crate::Air::horizon_ns`]). If a frame is then being received
//! that ends before ARD does, the decision waits for its end; should it not be the answer, the retry
//! begins 20 us after it, a little late.
//!
//! Source: product specification 1.0, 7.4 to 7.8; spec/nrf24.md A5, A6.

use super::radio::Kind;
use super::reception::Arriving;
use super::{Chip, Incoming, Outgoing, Payload};
use crate::arrivals::Arrival;
use crate::flight::Outcome;
use crate::register::{self, status};
use crate::timing::{RETRY_NOTICE_NS, SETTLE_NS};
use crate::variant::{AckIdentity, Variant};
use kube_proto::bits::Bits;
use kube_proto::frame::{self, Address, Control, Decoded, Format, PayloadLength, STATIC_LENGTH};

/// A frame was sent and its answer has not come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    payload: Outgoing,
    /// When the next try begins, or the last one has failed. SETUP_RETR written from now on does
    /// not move it: the air has been promised a boundary.
    due_ns: u64,
    /// Retries left.
    left: u8,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Shockburst {
    pub waiting: Option<Waiting>,
    /// Identity and checksum of the last packet of each pipe.
    last: [Option<(u8, u16)>; 6],
    /// PLOS_CNT and ARC_CNT of OBSERVE_TX.
    pub lost: u8,
    pub retries: u8,
    /// The payload of the TX FIFO that went with the last acknowledgement of each pipe, by serial
    /// number.
    carried: [Option<u64>; 6],
    /// Identity of the last acknowledgement.
    answer_pid: u8,
    /// Packets without an answer since the last FLUSH_TX.
    failures: u8,
}

impl Shockburst {
    /// The TX FIFO has been emptied.
    pub fn flushed(&mut self) {
        self.carried = [None; 6];
        self.failures = 0;
    }

    /// A clone that failed too often sends nothing until FLUSH_TX (spec/nrf24.md B, row 21).
    pub fn locked_up(&self, variant: Variant) -> bool {
        variant == Variant::Bk242x && self.failures >= FAILURES_TO_LOCK_UP
    }
}

const FAILURES_TO_LOCK_UP: u8 = 15;

impl Chip {
    /// SETUP_RETR: end of a frame to the start of the next try, and number of retries.
    fn retry_setup(&self) -> (u64, u8) {
        let set = self.cells.byte(register::SETUP_RETR);
        ((u64::from(set >> 4) + 1) * 250_000, set & 15)
    }

    /// Retries a new packet may have; `None` if it is not acknowledged at all.
    pub(super) fn retries_for(&self, payload: &Outgoing) -> Option<u8> {
        (self.settings().auto_ack(0) && !payload.no_ack).then(|| self.retry_setup().1)
    }

    pub(super) fn wait_for_answer(&mut self, payload: Outgoing, left: u8) {
        let due_ns = self.now_ns + self.retry_setup().0;
        self.shockburst.waiting = Some(Waiting { payload, due_ns, left });
    }

    /// When the next retry will be decided.
    pub(crate) fn retry_decided_ns(&self) -> Option<u64> {
        let waiting = self.shockburst.waiting.filter(|waiting| waiting.left > 0)?;
        let decided_ns = waiting.due_ns - RETRY_NOTICE_NS;
        let hopeful = |arrival: &&Arrival<Arriving>| {
            let ends_ns = arrival.flight.end_ns;
            let here = matches!(arrival.state, Arriving::Locked(_));
            here && decided_ns < ends_ns && ends_ns <= waiting.due_ns
        };
        let answer = self.arrivals.iter().find(hopeful);
        Some(answer.map_or(decided_ns, |arrival| arrival.flight.end_ns))
    }

    /// When the last try will have failed.
    pub(super) fn given_up_ns(&self) -> Option<u64> {
        let waiting = self.shockburst.waiting.filter(|waiting| waiting.left == 0)?;
        Some(waiting.due_ns)
    }

    pub(super) fn retry(&mut self) {
        let Some(waiting) = self.shockburst.waiting.take() else { return };
        self.shockburst.retries = (self.shockburst.retries + 1).min(15);
        let bits = self.frame_bits(&waiting.payload);
        let left = waiting.left.saturating_sub(1);
        let start_ns = waiting.due_ns.max(self.now_ns + RETRY_NOTICE_NS);
        self.depart(start_ns, bits, Kind::Data(waiting.payload, Some(left)));
    }

    pub(super) fn give_up(&mut self) {
        if let Some(waiting) = self.shockburst.waiting.take() {
            self.raise(status::MAX_RT);
            self.shockburst.failures = self.shockburst.failures.saturating_add(1);
            self.shockburst.lost = (self.shockburst.lost + 1).min(15);
            self.put_back(waiting.payload.serial);
        }
    }

    /// The form of the answer a sender waits for.
    fn answer_format(&self) -> Format {
        let dynamic = self.settings().dynamic(0);
        Format {
            address_bytes: self.settings().address_bytes(),
            control: true,
            payload: if dynamic { PayloadLength::Dynamic } else { PayloadLength::Static(0) },
            crc: self.settings().crc(),
        }
    }

    /// A waiting sender has received something whole.
    pub(super) fn answered(&mut self, bits: &Bits) -> Outcome {
        let decoded = frame::decode(bits, &self.answer_format()).ok();
        let Some(decoded) = decoded.filter(|decoded| decoded.crc_ok) else { return Outcome::Crc };
        if !decoded.payload().is_empty() && self.store(&decoded, 0).is_err() {
            return Outcome::FifoFull;
        }
        if let Some(waiting) = self.shockburst.waiting.take() {
            self.sent(&waiting.payload);
        }
        Outcome::Acknowledged
    }

    /// A receiver has received a packet that wants an answer.
    pub(super) fn take_and_answer(
        &mut self,
        decoded: &Decoded,
        control: Control,
        address: &Address,
        pipe: u8,
    ) -> Outcome {
        let identity = Some((control.pid, decoded.crc));
        let last = &mut self.shockburst.last[usize::from(pipe)];
        let duplicate = *last == identity;
        if !duplicate {
            if self.rx.is_full() {
                return Outcome::FifoFull;
            }
            *last = identity;
            // A new packet tells that the last acknowledgement arrived, and its payload with it.
            if let Some(serial) = self.shockburst.carried[usize::from(pipe)].take()
                && self.tx.take(|waiting| waiting.serial == serial).is_some()
            {
                self.raise(status::TX_DS);
            }
            // There is room.
            let _ = self.store(decoded, pipe);
        }
        if control.no_ack == self.settings().inverts_no_ack(pipe) {
            self.answer(control, address, pipe);
        }
        if duplicate { Outcome::Duplicate } else { Outcome::Delivered }
    }

    /// Sends an acknowledgement, with the oldest payload that waits for one of this pipe.
    fn answer(&mut self, control: Control, address: &Address, pipe: u8) {
        let mut payload = Payload::default();
        if self.settings().answers_with_payload(pipe) {
            // The one carried before is still the first: it leaves when it is known to have arrived.
            let next = self.tx.iter_mut().find(|waiting| waiting.pipe == Some(pipe));
            if let Some(next) = next {
                next.taken = true;
                payload = next.payload;
                self.shockburst.carried[usize::from(pipe)] = Some(next.serial);
            }
        }
        let dynamic = self.settings().dynamic(pipe);
        let length = if dynamic { payload.len as u8 } else { STATIC_LENGTH };
        let pid = match self.config.ack_identity {
            AckIdentity::Mirror => control.pid,
            AckIdentity::Count => (self.shockburst.answer_pid + 1) & 3,
        };
        self.shockburst.answer_pid = pid;
        let answer = Control { length, pid, no_ack: false };
        let crc = self.settings().crc();
        let bits =
            frame::encode(address, Some(answer), payload.as_slice(), crc).unwrap_or_default();
        self.depart(self.now_ns + SETTLE_NS, bits, Kind::Answer);
    }

    /// Puts a payload into the RX FIFO, if there is room.
    pub(super) fn store(&mut self, decoded: &Decoded, pipe: u8) -> Result<(), Incoming> {
        let mut payload = Payload { len: decoded.payload().len(), ..Payload::default() };
        payload.bytes[..payload.len].copy_from_slice(decoded.payload());
        self.rx.push(Incoming { payload, width: payload.len as u8, pipe })?;
        self.raise(status::RX_DR);
        Ok(())
    }
}
