//! A KubeNet message as named values, taken apart by the table in [`kube_proto::layout`]: whatever
//! stands there can be printed, filtered and written as JSON without another word here.

use kube_proto::layout::{Field, Kind, Layout, LayoutError, Width};
use kube_proto::message::Reason;
use kube_proto::packet::Packet;

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number without sign.
    Number(u64),
    /// Text; bytes that are not printable are escaped.
    Text(String),
    /// Pod identities.
    Ids(Vec<u8>),
    /// Bytes of no known meaning, and the code of a signature.
    Bytes(Vec<u8>),
}

/// A message taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Its place in the table.
    pub layout: &'static Layout,
    /// Its fields in order; those that a list consists of stand in its place.
    pub values: Vec<(&'static Field, Value)>,
}

impl Reading {
    /// Takes a packet apart; `None` if its type is not in the table.
    ///
    /// # Errors
    /// [`LayoutError`] if length and count do not fit.
    pub fn of(packet: &Packet) -> Option<Result<Self, LayoutError>> {
        let layout = Layout::of(packet.typ)?;
        Some(layout.split(packet.data()).map(|parts| {
            let mut values = Vec::new();
            for (field, bytes) in layout.fields.iter().zip(parts) {
                match field.kind.parts() {
                    None => values.push((field, value(field.kind, bytes))),
                    Some(parts) => values.extend(take(parts, bytes)),
                }
            }
            Self { layout, values }
        }))
    }

    /// The value of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|(field, _)| field.name == name).map(|(_, value)| value)
    }

    /// The value of that kind.
    #[must_use]
    pub fn of_kind(&self, kind: Kind) -> Option<&Value> {
        self.values.iter().find(|(field, _)| field.kind == kind).map(|(_, value)| value)
    }

    /// The node that is named, if one is.
    #[must_use]
    pub fn node(&self) -> Option<&str> {
        match self.get("node") {
            Some(Value::Text(node)) => Some(node),
            _ => None,
        }
    }

    /// The number of that name.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        match self.get(name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }
}

fn value(kind: Kind, bytes: &[u8]) -> Value {
    match kind {
        Kind::Tag | Kind::Number | Kind::Counter => Value::Number(number(bytes)),
        Kind::Text => {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            Value::Text(bytes[..end].escape_ascii().to_string())
        }
        Kind::Ids => Value::Ids(bytes.to_vec()),
        _ => Value::Bytes(bytes.to_vec()),
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// The fields that a list consists of, as many as are there.
fn take(parts: &'static [Field], mut bytes: &[u8]) -> Vec<(&'static Field, Value)> {
    let mut values = Vec::new();
    for field in parts {
        let Width::Fixed(width) = field.width else { continue };
        let Some((part, rest)) = bytes.split_at_checked(width) else { break };
        bytes = rest;
        let value = match field.name {
            "reason" => Value::Text(Reason::of(part[0]).to_string()),
            _ => value(field.kind, part),
        };
        values.push((field, value));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_proto::packet::BROADCAST;

    fn of(typ: u8, data: &[u8]) -> Option<Result<Reading, LayoutError>> {
        Reading::of(&Packet::new(BROADCAST, 7, typ, data).expect("short"))
    }

    #[test]
    fn a_heartbeat_has_the_values_of_the_published_example() {
        let data = b"\x14node1\0\x02\x01\x03\x34\x12\x99\x8f\x79\x63";
        let reading = of(0x60, data).expect("known").expect("whole");
        assert_eq!(reading.layout.name, "heartbeat");
        assert_eq!(reading.node(), Some("node1"));
        assert_eq!(reading.get("ids"), Some(&Value::Ids(vec![1, 3])));
        assert_eq!(reading.of_kind(Kind::Counter), Some(&Value::Number(0x1234)));
        assert_eq!(reading.of_kind(Kind::Mac), Some(&Value::Bytes(vec![0x99, 0x8f, 0x79, 0x63])));
    }

    #[test]
    fn a_report_stands_as_its_fields() {
        let data = b"\x14node1\0\x08\x07\x04\x05\x02\x0a\x00\x2c\x01\x34\x12\0\0\0\0";
        let reading = of(0x63, data).expect("known").expect("whole");
        assert_eq!(reading.number("id"), Some(7));
        assert_eq!(reading.get("reason"), Some(&Value::Text("trap".to_owned())));
        assert_eq!(reading.number("position"), Some(300));
    }

    #[test]
    fn what_does_not_fit_is_named_and_what_is_not_ours_is_none() {
        assert!(matches!(of(0x60, b"\x14"), Some(Err(LayoutError::Length { .. }))));
        assert!(of(0x34, b"Oberon\0\0").is_none());
    }
}
