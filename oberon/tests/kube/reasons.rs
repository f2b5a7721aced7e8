//! What the node says of a pod that does not run agrees with the tables of the host side.

use kube_proto::layout::{ANSWER, CALL, ORDER, PIECE_BYTES, REPLY};
use kube_proto::layout::{FRAMES_BYTES, MAX_IDS, NUMBERS_BYTES, QUERY, REPORT_BYTES, STATUS};
use kube_proto::layout::{HAIL, TRAFFIC, USAGE, USE_BYTES, WELCOME};
use kube_proto::message::REASONS;
use kube_proto::pieces::{LAST, PIECES_MAX};

const KUBE_NET: &str = include_str!("../../kube/KubeNet.Mod");
const OPERATOR: &str = include_str!("../../kube/Operator.Mod");
const KUBELET: &str = include_str!("../../kube/Kubelet.Mod");

#[test]
fn numbers_and_words() {
    let names = [
        "noModule",
        "keyMismatch",
        "noStart",
        "trapped",
        "looped",
        "outOfMemory",
        "notReady",
        "notAlive",
        "badModule",
    ];
    for (name, (reason, words)) in names.into_iter().zip(REASONS) {
        assert!(KUBELET.contains(&format!("{name} = {};", reason.code())), "{name}");
        assert!(KUBELET.contains(&format!("\"{words}")), "{words}");
        assert!(
            KUBELET.contains(&format!("reason = {name} THEN")) || name == "badModule",
            "{name} is not put into words"
        );
    }
}

#[test]
fn an_operators_messages() {
    for layout in [CALL, REPLY, ORDER, ANSWER] {
        let (name, typ) = (layout.name, layout.typ);
        assert!(OPERATOR.contains(&format!(" {name} = {typ:X}H;")), "{name}");
    }
    let head = ORDER.fixed_bytes() - 6;
    assert!(OPERATOR.contains(&format!("partLen = {PIECE_BYTES}; headLen = {head}; tailLen = 6;")));
    assert!(OPERATOR.contains(&format!("callLen = {};", CALL.fixed_bytes() + NUMBERS_BYTES)));
    assert!(OPERATOR.contains(&format!("maxParts = {PIECES_MAX};")));
    assert!(OPERATOR.contains(&format!("lastPart = {LAST:X}H;")));
    assert!(KUBE_NET.contains(&format!("operators = {:X}H;", ANSWER.typ)));
}

#[test]
fn the_size_of_the_store() {
    let text = include_str!("../../kube/Store.Mod");
    assert!(text.contains("least* = 24;"));
    assert!(text.contains("length* = least + Control.max * (17 + 4 * Control.nameLen);"));
    let control = include_str!("../../kube/Control.Mod");
    assert!(control.contains(" max* = 512;") && control.contains(" nameLen* = 40;"));
    assert_eq!(kube_modules::STORE_BYTES, 24 + 512 * (17 + 4 * 40));
    for name in kube_modules::STORE_FILES {
        assert!(text.contains(&format!("\"{name}\"")), "{name}");
    }
}

#[test]
fn types_and_lengths() {
    for layout in [STATUS, QUERY, HAIL, WELCOME, USAGE, TRAFFIC] {
        let (name, typ) = (layout.name, layout.typ);
        assert!(KUBE_NET.contains(&format!(" {name} = {typ:X}H;")), "{name}");
    }
    let lengths = [("numbers", NUMBERS_BYTES), ("useLen", USE_BYTES), ("trafficLen", FRAMES_BYTES)];
    for (name, bytes) in lengths {
        assert!(KUBE_NET.contains(&format!(" {name} = {bytes};")), "{name}");
    }
    assert!(KUBELET.contains(&format!("reportLen* = {REPORT_BYTES};")));
    assert!(KUBELET.contains(&format!("maxIds = {MAX_IDS};")));
}
