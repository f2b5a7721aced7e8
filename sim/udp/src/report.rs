//! A heard frame as people and programs read it. The JSON keys are the published ones of the listener
//! (spec/kube.md 2.4), with the schema's name.

use crate::listener::HeardDatagram;
use kube_proto::key::{Key, Tag};
use kube_proto::message::{Body, Message};
use kube_proto::packet::Packet;
use kube_proto::signature::{self, Signature};
use serde_json::{Value, json};

/// Name of the JSON lines' schema.
pub const SCHEMA: &str = "kube-air-listen/v1";

/// A frame taken apart as far as it can be.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    heard: &'a HeardDatagram,
    packet: Option<Packet>,
    message: Option<Message>,
    auth: Option<bool>,
}

impl<'a> Report<'a> {
    /// Takes a frame apart; with a key it also judges its signature.
    pub fn new(heard: &'a HeardDatagram, key: Option<&Key>) -> Self {
        let packet = Packet::parse(&heard.payload).ok();
        let message = packet.as_ref().and_then(|packet| Message::parse(packet).ok());
        let auth = message.as_ref().zip(key).map(|(message, key)| {
            signature::judge(message, Tag(message.tag.0), Some(key)) == Signature::Ok
        });
        Self { heard, packet, message, auth }
    }

    /// One JSON object; `at_s` is the time in seconds since 1970.
    pub fn json(&self, at_s: f64) -> Value {
        let raw: String = std::iter::once(&self.heard.channel)
            .chain(&self.heard.payload)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let header = &self.heard.payload;
        let len = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
        let mut line = json!({
            "schema": SCHEMA,
            "t": at_s,
            "ch": self.heard.channel,
            "dadr": header[1],
            "sadr": header[2],
            "typ": header[3],
            "len": len,
            "raw": raw,
        });
        let Some(message) = &self.message else { return line };
        line["kind"] = json!(message.body.layout().name);
        line["cluster"] = json!(message.tag.0);
        line["counter"] = json!(message.counter);
        match &message.body {
            Body::Heartbeat(pods) | Body::Assignment(pods) => {
                line["node"] = json!(pods.node.to_string());
                line["ids"] = json!(pods.ids.as_bytes());
            }
            Body::Spec(pod) => {
                line["id"] = json!(pod.id);
                line["image"] = json!(pod.image.to_string());
            }
            Body::Status(status) => {
                line["node"] = json!(status.node.to_string());
                line["id"] = json!(status.id);
                line["reason"] = json!(status.reason.to_string());
                line["detail"] = json!(status.detail);
                line["restarts"] = json!(status.restarts);
                line["seconds"] = json!(status.seconds);
                line["position"] = json!(status.position);
            }
            Body::Usage(usage) => {
                line["node"] = json!(usage.node.to_string());
                line["id"] = json!(usage.id);
                line["ms"] = json!(usage.ms);
                line["heap"] = json!(usage.heap);
            }
            Body::Traffic(traffic) => {
                line["node"] = json!(traffic.node.to_string());
                line["sent"] = json!(traffic.sent);
                line["heard"] = json!(traffic.heard);
                line["dropped"] = json!(traffic.dropped);
            }
            Body::Query(node) => line["node"] = json!(node.to_string()),
            Body::Order(piece) | Body::Answer(piece) => {
                line["line"] = json!(piece.line);
                line["place"] = json!(piece.place);
                line["piece"] = json!(piece.bytes.to_string());
            }
            Body::Hail(greeting)
            | Body::Welcome(greeting)
            | Body::Call(greeting)
            | Body::Reply(greeting) => {
                line["node"] = json!(greeting.node.to_string());
                line["mine"] = json!(greeting.mine);
                line["yours"] = json!(greeting.yours);
            }
        }
        if let Some(auth) = self.auth {
            line["auth"] = json!(auth);
        }
        line
    }

    /// One line of text.
    pub fn text(&self, at_s: f64) -> String {
        let auth = match self.auth {
            Some(true) => "",
            Some(false) => " (bad signature)",
            None => " (not checked)",
        };
        match (&self.message, &self.packet) {
            (Some(message), _) => {
                let what = match &message.body {
                    Body::Heartbeat(pods) | Body::Assignment(pods) => {
                        format!("{} {:?}", pods.node, pods.ids.as_bytes())
                    }
                    Body::Spec(pod) => format!("{} {}", pod.id, pod.image),
                    Body::Status(status) => format!(
                        "{} pod {}: {} {}, restarts {}, for {} s",
                        status.node,
                        status.id,
                        status.reason,
                        status.detail,
                        status.restarts,
                        status.seconds
                    ),
                    Body::Usage(usage) => {
                        let heap = usage.heap.map_or("?".to_owned(), |bytes| bytes.to_string());
                        format!("{} pod {}: {} ms, heap {heap}", usage.node, usage.id, usage.ms)
                    }
                    Body::Traffic(traffic) => format!(
                        "{} sent {}, heard {}, dropped {}",
                        traffic.node, traffic.sent, traffic.heard, traffic.dropped
                    ),
                    Body::Query(node) => node.to_string(),
                    Body::Order(piece) | Body::Answer(piece) => {
                        format!("{:02x}.{} {:?}", piece.line, piece.place, piece.bytes)
                    }
                    Body::Hail(greeting)
                    | Body::Welcome(greeting)
                    | Body::Call(greeting)
                    | Body::Reply(greeting) => {
                        format!("{} {} answers {}", greeting.node, greeting.mine, greeting.yours)
                    }
                };
                let name = message.body.layout().name;
                format!("{at_s:.3} {name} [{}] {what}{auth}", message.tag.0)
            }
            (None, Some(packet)) => format!(
                "{at_s:.3} typ {:02x} len {} {:02x} -> {:02x}",
                packet.typ, packet.len, packet.sadr, packet.dadr
            ),
            (None, None) => format!("{at_s:.3} channel {}: no packet", self.heard.channel),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heartbeat_has_the_published_keys() {
        // The published example: node1 of cluster "kube" with pods 1 and 3, counter 1234H.
        let mut payload = [0; 32];
        payload[..24].copy_from_slice(
            b"\x01\xff\x07\x60\x10\0\0\0\x14node1\0\x02\x01\x03\x34\x12\x99\x8f\x79\x63",
        );
        let heard = HeardDatagram { channel: 5, payload };
        let key = Key::parse("00c0ffee00c0ffee").expect("16 digits");
        let line = Report::new(&heard, Some(&key)).json(1.5);
        assert_eq!(line["kind"], "heartbeat");
        assert_eq!((&line["cluster"], &line["counter"]), (&json!(20), &json!(0x1234)));
        assert_eq!((&line["node"], &line["ids"]), (&json!("node1"), &json!([1, 3])));
        assert_eq!(
            (&line["auth"], &line["ch"], &line["len"]),
            (&json!(true), &json!(5), &json!(16))
        );
        assert_eq!(line["raw"].as_str().map(str::len), Some(66));
        let other = Key::parse("01").expect("2 digits");
        assert_eq!(Report::new(&heard, Some(&other)).json(0.0)["auth"], false);
        assert!(Report::new(&heard, None).json(0.0).get("auth").is_none());
        let text = Report::new(&heard, None).text(1.5);
        assert_eq!(text, "1.500 heartbeat [20] node1 [1, 3] (not checked)");
    }

    #[test]
    fn what_is_no_message_has_its_header_only() {
        let mut payload = [0; 32];
        payload[..8].copy_from_slice(b"\x01\xff\x42\x34\x08\0\0\0");
        let heard = HeardDatagram { channel: 5, payload };
        let line = Report::new(&heard, None).json(0.0);
        assert_eq!((&line["typ"], &line["sadr"]), (&json!(0x34), &json!(0x42)));
        assert!(line.get("kind").is_none());
        assert_eq!(Report::new(&heard, None).text(0.0), "0.000 typ 34 len 8 42 -> ff");
        let heard = HeardDatagram { channel: 5, payload: [9; 32] };
        assert_eq!(Report::new(&heard, None).text(0.0), "0.000 channel 5: no packet");
    }
}
