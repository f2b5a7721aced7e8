//! The KubeNet messages as a table: type, name, sender and fields with widths and limits. Parser,
//! emitter, signature, documentation and dissectors go by it, and the Oberon side is checked
//! against it; nothing about a message's layout stands anywhere else.
//!
//! All are broadcasts of one frame: at most 24 data bytes behind the packet header.
//! Numbers are low byte first. 60H to 62H are the
//! published ones (source: spec/kube.md 3.1), those from 63H on are ours.

/// Bytes of a node name.
pub const NODE_NAME_BYTES: usize = 6;
/// Most pods in a heartbeat or an assignment.
pub const MAX_IDS: usize = 10;
/// Longest image (module) name.
pub const IMAGE_NAME_BYTES: usize = 15;
/// Bytes of the message authentication code.
pub const MAC_BYTES: usize = 4;

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sender {
    /// The control plane.
    Plane,
    /// A node.
    Node,
    /// An operator's tool.
    Operator,
    /// Plane or node, to an operator.
    Machine,
}

impl Sender {
    /// As it is shown.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Sender::Plane => "plane",
            Sender::Node => "node",
            Sender::Operator => "operator",
            Sender::Machine => "machine",
        }
    }
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Cluster tag, 1..255.
    Tag,
    /// Text, padded with zeros to its width.
    Text,
    /// One number without sign.
    Number,
    /// Pod identities, one byte each, 1..255.
    Ids,
    /// Why a pod does not run: the fields of [`REPORT`], or nothing.
    Report,
    /// Numbers of two stations that agree upon a session: the fields of [`NUMBERS`].
    Numbers,
    /// What a pod uses: the fields of [`USE`].
    Use,
    /// What a node's radio did: the fields of [`FRAMES`].
    Frames,
    /// The sender's message counter.
    Counter,
    /// Message authentication code over the type and everything before it.
    Mac,
}

impl Kind {
    /// The fields of which a field of this kind is made, if it has any.
    #[must_use]
    pub const fn parts(self) -> Option<&'static [Field]> {
        match self {
            Kind::Report => Some(REPORT),
            Kind::Numbers => Some(NUMBERS),
            Kind::Use => Some(USE),
            Kind::Frames => Some(FRAMES),
            _ => None,
        }
    }
}

/// How wide a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// Always that many bytes.
    Fixed(usize),
    /// As many bytes as the field named `n` says, at most `max`.
    Counted {
        /// Most bytes.
        max: usize,
    },
}

/// One field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, as documentation and dissectors show it. `n` counts the field of counted width.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Width in bytes.
    pub width: Width,
    /// What it means, for documentation.
    pub note: &'static str,
}

/// One message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Packet type.
    pub typ: u8,
    /// Name.
    pub name: &'static str,
    /// Who sends it.
    pub from: Sender,
    /// Fields in order.
    pub fields: &'static [Field],
}

const fn fixed(name: &'static str, kind: Kind, bytes: usize, note: &'static str) -> Field {
    Field { name, kind, width: Width::Fixed(bytes), note }
}

const fn counted(name: &'static str, kind: Kind, max: usize, note: &'static str) -> Field {
    Field { name, kind, width: Width::Counted { max }, note }
}

const TAG: Field = fixed("tag", Kind::Tag, 1, "cluster tag");
const N: Field = fixed("n", Kind::Number, 1, "bytes of the next field");
const COUNTER: Field = fixed("counter", Kind::Counter, 2, "one per sending station, wraps");
const MAC: Field = fixed("mac", Kind::Mac, MAC_BYTES, "HalfSipHash-2-4 of type and data before it");

/// Node to all: what I run.
pub const HEARTBEAT: Layout = Layout {
    typ: 0x60,
    name: "heartbeat",
    from: Sender::Node,
    fields: &[
        TAG,
        fixed("node", Kind::Text, NODE_NAME_BYTES, "the sending node"),
        N,
        counted("ids", Kind::Ids, MAX_IDS, "pods that run on it"),
        COUNTER,
        MAC,
    ],
};

/// Plane to all: what a node is to run.
pub const ASSIGNMENT: Layout = Layout {
    typ: 0x61,
    name: "assignment",
    from: Sender::Plane,
    fields: &[
        TAG,
        fixed("node", Kind::Text, NODE_NAME_BYTES, "the node meant"),
        N,
        counted("ids", Kind::Ids, MAX_IDS, "pods bound to it"),
        COUNTER,
        MAC,
    ],
};

/// Plane to all: which image a pod runs.
pub const SPEC: Layout = Layout {
    typ: 0x62,
    name: "spec",
    from: Sender::Plane,
    fields: &[
        TAG,
        fixed("id", Kind::Number, 1, "pod identity"),
        N,
        counted("image", Kind::Text, IMAGE_NAME_BYTES, "module name"),
        COUNTER,
        MAC,
    ],
};

/// What a status says of a pod: always all of it.
pub const REPORT: &[Field] = &[
    fixed("id", Kind::Number, 1, "pod identity"),
    fixed("reason", Kind::Number, 1, "one of `Reason`"),
    fixed("detail", Kind::Number, 1, "number of the trap, or the loader's result"),
    fixed("restarts", Kind::Number, 1, "starts after the first, at most 255"),
    fixed("seconds", Kind::Number, 2, "for how long the reason holds, at most 65535"),
    fixed("position", Kind::Number, 2, "of the trap in the module's text"),
];
/// Bytes of a report.
pub const REPORT_BYTES: usize = 8;

/// Node to all: why one of the pods bound to me does not run.
pub const STATUS: Layout = Layout {
    typ: 0x63,
    name: "status",
    from: Sender::Node,
    fields: &[
        TAG,
        fixed("node", Kind::Text, NODE_NAME_BYTES, "the sending node"),
        N,
        counted("report", Kind::Report, REPORT_BYTES, "one pod"),
        COUNTER,
        MAC,
    ],
};

/// Plane to all: a node that was silent is to send a heartbeat at once.
pub const QUERY: Layout = Layout {
    typ: 0x64,
    name: "query",
    from: Sender::Plane,
    fields: &[
        TAG,
        fixed("node", Kind::Text, NODE_NAME_BYTES, "the node meant"),
        N,
        counted("ids", Kind::Ids, 0, "nothing"),
        COUNTER,
        MAC,
    ],
};

/// What a greeting says: always all of it.
pub const NUMBERS: &[Field] = &[
    fixed("mine", Kind::Number, 4, "a number that the sender never gives twice"),
    fixed("yours", Kind::Number, 4, "the receiver's that it answers; 0: none"),
];
/// Bytes of both numbers.
pub const NUMBERS_BYTES: usize = 8;

const GREETING: &[Field] = &[
    TAG,
    fixed("node", Kind::Text, NODE_NAME_BYTES, "the sending node, or the one meant"),
    N,
    counted("numbers", Kind::Numbers, NUMBERS_BYTES, "of a session"),
    fixed("counter", Kind::Counter, 2, "0: greetings are not counted"),
    fixed("mac", Kind::Mac, MAC_BYTES, "under the node's own key, not a session's"),
];

/// Node to all: the plane and I need a session. Only where each node has a key of its own.
pub const HAIL: Layout = Layout { typ: 0x65, name: "hail", from: Sender::Node, fields: GREETING };

/// Plane to all: the same, to the node named.
pub const WELCOME: Layout =
    Layout { typ: 0x66, name: "welcome", from: Sender::Plane, fields: GREETING };

/// What a usage says of a pod: always all of it.
pub const USE: &[Field] = &[
    fixed("id", Kind::Number, 1, "pod identity"),
    fixed("ms", Kind::Number, 4, "time that it has taken, in milliseconds"),
    fixed("heap", Kind::Number, 4, "bytes that it holds; FFFFFFFFH: nobody counts them"),
];
/// Bytes of a pod's use.
pub const USE_BYTES: usize = 9;

/// Node to all: what one of the pods that run on me uses. One after the other is told.
pub const USAGE: Layout = Layout {
    typ: 0x67,
    name: "usage",
    from: Sender::Node,
    fields: &[
        TAG,
        fixed("node", Kind::Text, NODE_NAME_BYTES, "the sending node"),
        N,
        counted("use", Kind::Use, USE_BYTES, "one pod"),
        COUNTER,
        MAC,
    ],
};

/// What a traffic says: always all of it.
pub const FRAMES: &[Field] = &[
    fixed("sent", Kind::Number, 4, "frames sent since the start"),
    fixed("heard", Kind::Number, 4, "frames heard since the start"),
    fixed("dropped", Kind::Number, 2, "times that frames or packets were lost, at most 65535"),
];
/// Bytes of the three.
pub const FRAMES_BYTES: usize = 10;

/// Node to all: what my radio did. Told after the pods.
pub const TRAFFIC: Layout = Layout {
    typ: 0x68,
    name: "traffic",
    from: Sender::Node,
    fields: &[
        TAG,
        fixed("node", Kind::Text, NODE_NAME_BYTES, "the sending node"),
        N,
        counted("frames", Kind::Frames, FRAMES_BYTES, "of this node"),
        COUNTER,
        MAC,
    ],
};

const CALLING: &[Field] = &[
    TAG,
    fixed(
        "node",
        Kind::Text,
        NODE_NAME_BYTES,
        "the machine meant, or sending; *plane for the plane",
    ),
    N,
    counted("numbers", Kind::Numbers, NUMBERS_BYTES, "of a session"),
    fixed("counter", Kind::Counter, 2, "0: greetings are not counted"),
    fixed("mac", Kind::Mac, MAC_BYTES, "under the operator's key, not a session's"),
];

/// Operator to one machine: we need a session.
pub const CALL: Layout =
    Layout { typ: 0x69, name: "call", from: Sender::Operator, fields: CALLING };

/// The machine's answer to it.
pub const REPLY: Layout =
    Layout { typ: 0x6a, name: "reply", from: Sender::Machine, fields: CALLING };

/// Most bytes of a piece.
pub const PIECE_BYTES: usize = 14;

const PIECE: &[Field] = &[
    TAG,
    fixed("place", Kind::Number, 2, "low byte: the line; high: place in it, 80H more in the last"),
    N,
    counted("piece", Kind::Text, PIECE_BYTES, "of a line, behind which stands its check"),
    fixed("counter", Kind::Counter, 2, "of the session with the operator"),
    fixed("mac", Kind::Mac, MAC_BYTES, "under that session's key"),
];

/// Operator to a machine: a piece of a line ([`crate::pieces`]).
pub const ORDER: Layout =
    Layout { typ: 0x6b, name: "order", from: Sender::Operator, fields: PIECE };

/// Machine to its operator: the same.
pub const ANSWER: Layout =
    Layout { typ: 0x6c, name: "answer", from: Sender::Machine, fields: PIECE };

/// All messages. New types continue from 6DH.
pub const MESSAGES: &[Layout] = &[
    HEARTBEAT, ASSIGNMENT, SPEC, STATUS, QUERY, HAIL, WELCOME, USAGE, TRAFFIC, CALL, REPLY, ORDER,
    ANSWER,
];

/// Most fields of a message.
pub const MAX_FIELDS: usize = 6;

impl Layout {
    /// The layout of a packet type.
    pub fn of(typ: u8) -> Option<&'static Layout> {
        MESSAGES.iter().find(|layout| layout.typ == typ)
    }

    /// Data bytes without the counted field.
    pub fn fixed_bytes(&self) -> usize {
        self.fields.iter().map(|f| if let Width::Fixed(bytes) = f.width { bytes } else { 0 }).sum()
    }

    /// Most bytes of the counted field.
    pub fn max_counted(&self) -> usize {
        let max = |f: &Field| {
            if let Width::Counted { max } = f.width { max } else { 0 }
        };
        self.fields.iter().map(max).sum()
    }

    /// Cuts data into fields, in the order of the table; unused entries are empty.
    ///
    /// # Errors
    /// [`LayoutError`] unless the length is in range and the count equals the length minus the
    /// fixed part exactly.
    pub fn split<'a>(&self, data: &'a [u8]) -> Result<[&'a [u8]; MAX_FIELDS], LayoutError> {
        let (min, max) = (self.fixed_bytes(), self.fixed_bytes() + self.max_counted());
        if !(min..=max).contains(&data.len()) {
            return Err(LayoutError::Length { name: self.name, len: data.len(), min, max });
        }
        let (mut parts, mut rest): ([&[u8]; MAX_FIELDS], _) = ([&[]; MAX_FIELDS], data);
        let counted = data.len() - min;
        for (part, field) in parts.iter_mut().zip(self.fields) {
            let bytes = match field.width {
                Width::Fixed(bytes) => bytes,
                Width::Counted { .. } => counted,
            };
            (*part, rest) = rest.split_at(bytes.min(rest.len()));
            if field.name == N.name && usize::from(part[0]) != counted {
                return Err(LayoutError::Count { name: self.name, n: part[0], counted });
            }
        }
        Ok(parts)
    }
}

/// Why data is not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Length out of range.
    #[error("{name} of {len} bytes: it has {min} to {max}; damaged, or a newer protocol")]
    Length {
        /// Message name.
        name: &'static str,
        /// Data bytes there.
        len: usize,
        /// Fewest.
        min: usize,
        /// Most.
        max: usize,
    },
    /// The count does not fit the length.
    #[error("{name} says {n} bytes in its list and has {counted}: damaged or forged")]
    Count {
        /// Message name.
        name: &'static str,
        /// The count.
        n: u8,
        /// Bytes there.
        counted: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FIRST_DATA_BYTES;

    #[test]
    fn every_message_fits_one_frame_and_its_table_is_sound() {
        for layout in MESSAGES {
            assert!(layout.fixed_bytes() + layout.max_counted() <= FIRST_DATA_BYTES);
            assert!(layout.fields.len() <= MAX_FIELDS);
            assert_eq!(layout.fields.first().map(|f| f.kind), Some(Kind::Tag));
            assert_eq!(layout.fields.last().map(|f| f.kind), Some(Kind::Mac));
            let n = layout.fields.iter().position(|f| f.name == "n").expect("a count");
            assert!(matches!(layout.fields[n + 1].width, Width::Counted { .. }));
            assert_eq!(Layout::of(layout.typ), Some(layout));
        }
        assert_eq!(Layout::of(0x6d), None);
    }

    #[test]
    fn published_lengths() {
        assert_eq!((HEARTBEAT.fixed_bytes(), HEARTBEAT.max_counted()), (14, 10));
        assert_eq!((ASSIGNMENT.fixed_bytes(), ASSIGNMENT.max_counted()), (14, 10));
        assert_eq!((SPEC.fixed_bytes(), SPEC.max_counted()), (9, 15));
        let width = |field: &Field| if let Width::Fixed(bytes) = field.width { bytes } else { 0 };
        assert_eq!((STATUS.fixed_bytes(), STATUS.max_counted()), (14, REPORT_BYTES));
        assert_eq!(REPORT.iter().map(width).sum::<usize>(), REPORT_BYTES);
        assert_eq!((HAIL.fixed_bytes(), HAIL.max_counted()), (14, NUMBERS_BYTES));
        assert_eq!(NUMBERS.iter().map(width).sum::<usize>(), NUMBERS_BYTES);
        assert_eq!((USAGE.fixed_bytes(), USAGE.max_counted()), (14, USE_BYTES));
        assert_eq!(USE.iter().map(width).sum::<usize>(), USE_BYTES);
        assert_eq!((ORDER.fixed_bytes(), ORDER.max_counted()), (10, PIECE_BYTES));
        assert_eq!((TRAFFIC.fixed_bytes(), TRAFFIC.max_counted()), (14, FRAMES_BYTES));
        assert_eq!(FRAMES.iter().map(width).sum::<usize>(), FRAMES_BYTES);
    }

    #[test]
    fn length_and_count_must_agree() {
        let mut data = [0; 30];
        for len in 0..30 {
            for n in 0..=255 {
                data[7] = n;
                let good = (14..=24).contains(&len) && usize::from(n) == len - 14;
                assert_eq!(HEARTBEAT.split(&data[..len]).is_ok(), good, "len {len} n {n}");
            }
        }
        assert_eq!(
            SPEC.split(&data[..8]),
            Err(LayoutError::Length { name: "spec", len: 8, min: 9, max: 24 })
        );
    }
}
