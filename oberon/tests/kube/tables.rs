//! Numbers that KubeNet, Pods and the radio driver share with the tables of the host side agree.

use kube_air::REGISTERS;
use kube_proto::greeting::{ALIVE_MS, HUSH_MS, MEMORY_MS};
use kube_proto::key::{CLUSTER_NAME_BYTES, KEY_DIGITS};
use kube_proto::layout::{
    ASSIGNMENT, HAIL, HEARTBEAT, IMAGE_NAME_BYTES, MAC_BYTES, MAX_IDS, NODE_NAME_BYTES,
    NUMBERS_BYTES, SPEC, WELCOME,
};
use kube_proto::packet::{BROADCAST, FIRST_DATA_BYTES, FRAME_BYTES, HEADER_BYTES, MAX_DATA_BYTES};
use risc5_isa::{extension, io};

const KUBE_NET: &str = include_str!("../../kube/KubeNet.Mod");
const PEERS: &str = include_str!("../../kube/Peers.Mod");
const PODS: &str = include_str!("../../kube/Pods.Mod");
const SCC: &str = include_str!("../../system/SCC.Mod");
const NRF24: &str = include_str!("../../system/NRF24.Mod");
const PARAMS: &str = include_str!("../../kube/Params.Mod");
const PACKETS: &str = include_str!("Packets.Mod");

/// The value that a source gives to a constant.
fn constant(text: &str, name: &str) -> i64 {
    let words: Vec<&str> = text.split_whitespace().collect();
    let found = words.windows(3).find(|w| w[0].trim_end_matches('*') == name && w[1] == "=");
    let word = found.unwrap_or_else(|| panic!("no constant {name}"))[2].trim_end_matches(';');
    let value = match word.strip_suffix('H') {
        Some(hex) => i64::from_str_radix(hex, 16),
        None => word.parse(),
    };
    value.unwrap_or_else(|error| panic!("{name} = {word}: {error}"))
}

#[test]
fn messages() {
    let wanted = [
        ("heartbeat", usize::from(HEARTBEAT.typ)),
        ("assignment", usize::from(ASSIGNMENT.typ)),
        ("spec", usize::from(SPEC.typ)),
        ("everybody", usize::from(BROADCAST)),
        ("maxData", FIRST_DATA_BYTES),
        ("hail", usize::from(HAIL.typ)),
        ("welcome", usize::from(WELCOME.typ)),
        ("numbers", NUMBERS_BYTES),
        ("maxIds", MAX_IDS),
        ("listLen", HEARTBEAT.fixed_bytes()),
        ("specLen", SPEC.fixed_bytes()),
        ("clusterLen", CLUSTER_NAME_BYTES),
    ];
    for (name, value) in wanted {
        assert_eq!(constant(KUBE_NET, name), value as i64, "{name}");
    }
    assert_eq!(constant(PARAMS, "keyLen"), KEY_DIGITS as i64);
    let wanted = [
        ("nameLen", NODE_NAME_BYTES as i64),
        ("hashAt", MAC_BYTES as i64),
        ("counterAt", MAC_BYTES as i64 + 2),
        ("memory", i64::from(MEMORY_MS)),
        ("alive", i64::from(ALIVE_MS)),
        ("hush", i64::from(HUSH_MS)),
    ];
    for (name, value) in wanted {
        assert_eq!(constant(PEERS, name), value, "{name}");
    }
    let image = format!("Image* = ARRAY {} OF CHAR", IMAGE_NAME_BYTES + 1);
    assert!(PODS.contains(&image), "{image}");
}

#[test]
fn radio() {
    let wanted = [
        ("switches", i64::from(io::SWITCHES_LEDS)),
        ("spiData", i64::from(io::SPI_DATA)),
        ("spiCtrl", i64::from(io::SPI_STATUS)),
        ("extSelect", i64::from(io::EXT_SELECT)),
        ("extData", i64::from(io::EXT_DATA)),
        ("microseconds", i64::from(extension::MICROSECONDS)),
        ("select", i64::from(io::spi::RADIO)),
        ("fast", i64::from(io::spi::FAST)),
        ("enable", i64::from(io::spi::RADIO_ENABLE)),
        ("FrameLen", FRAME_BYTES as i64),
    ];
    for (name, value) in wanted {
        assert_eq!(constant(NRF24, name), value, "{name}");
    }
    assert_eq!(constant(SCC, "headLen"), HEADER_BYTES as i64);
    assert_eq!(constant(SCC, "maxLen"), MAX_DATA_BYTES as i64);
    assert_eq!(constant(PACKETS, "microseconds"), i64::from(extension::MICROSECONDS));
}

#[test]
fn chip_registers() {
    let wanted = [
        ("config", "CONFIG"),
        ("rfChannel", "RF_CH"),
        ("status", "STATUS"),
        ("power", "RPD"),
        ("rxAddress", "RX_ADDR_P0"),
        ("txAddress", "TX_ADDR"),
        ("fifo", "FIFO_STATUS"),
    ];
    for (ours, theirs) in wanted {
        let register = REGISTERS.iter().find(|register| register.name == theirs);
        let register = register.unwrap_or_else(|| panic!("no register {theirs}"));
        assert_eq!(constant(NRF24, ours), i64::from(register.address), "{theirs}");
    }
}

/// A number of an Oberon source: decimal, or hexadecimal with an H behind it.
fn number(text: &str) -> Option<u8> {
    match text.strip_suffix('H') {
        Some(hex) => u8::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

#[test]
fn register_values_fit_the_bits_that_can_be_written() {
    let calls = NRF24.lines().filter_map(|line| line.trim().strip_prefix("Row("));
    let rows: Vec<[Option<u8>; 3]> = calls
        .filter_map(|call| {
            let fields: Vec<&str> = call.split(')').next()?.split(", ").collect();
            <[&str; 3]>::try_from(fields).ok().map(|fields| fields.map(number))
        })
        .collect();
    let mut checked = 0;
    for [register, value, mask] in rows {
        // The channel's row holds names and is computed.
        let (Some(register), Some(mask)) = (register, mask) else { continue };
        let known = REGISTERS.iter().find(|known| known.address == register);
        let writable = known.unwrap_or_else(|| panic!("no register {register}")).writable;
        assert_eq!(mask & !writable, 0, "register {register}: mask {mask:#x} of {writable:#x}");
        assert_eq!(value.unwrap_or(0) & !mask, 0, "register {register}");
        checked += 1;
    }
    assert_eq!(checked, 13);
}
