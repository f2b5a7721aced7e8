//! No chip, a chip that goes and comes, wires that disturb.

use crate::field::{Field, MS};
use crate::profiles::pair;
use nrf24::{Error, Health, Settings};

#[test]
fn a_line_stuck_at_either_level_is_no_chip() {
    for (level, read) in [(true, 0xff), (false, 0x00)] {
        let field = Field::new(1);
        field.wire(0).stuck = Some(level);
        let mut radio = field.radio(0);
        assert_eq!(radio.start(&Settings::kube(5)), Err(Error::Absent { read }));
        assert_eq!(radio.listen(), Err(Error::Absent { read }));
        assert_eq!(radio.receive(), Err(Error::Absent { read }));
        assert_eq!(radio.send(&[1]), Err(Error::Absent { read }));
        let text = Error::<(), ()>::Absent { read }.to_string();
        assert!(text.contains(if level { "MISO is high" } else { "MISO is low" }), "{text}");
        assert!(field.now_ns() < 500 * MS);
    }
}

#[test]
fn nothing_works_before_start() {
    let field = Field::new(1);
    let mut radio = field.radio(0);
    assert_eq!(radio.send(&[1]), Err(Error::NotStarted));
    assert_eq!(radio.receive(), Err(Error::NotStarted));
    assert_eq!(radio.listen(), Err(Error::NotStarted));
    assert_eq!(radio.maintain(), Ok(Health::Good));
}

#[test]
fn a_line_that_sticks_later_ends_every_call_and_heals() {
    for level in [true, false] {
        let (field, mut a, mut b) = pair(&Settings::wirth(5));
        field.wire(0).stuck = Some(level);
        let read = if level { 0xff } else { 0 };
        assert_eq!(a.receive(), Err(Error::Absent { read }));
        assert_eq!(a.send(&[1]), Err(Error::Absent { read }));
        assert_eq!(a.maintain(), Err(Error::Absent { read }));
        field.wire(0).stuck = None;
        assert_eq!(a.maintain(), Ok(Health::Restarted));
        assert_eq!((a.statistics().lost, a.statistics().found), (1, 1));
        field.pass(MS);
        assert_eq!(b.send(&[7]), Ok(true));
        assert!(a.receive().expect("a chip").is_some(), "listens again by itself");
    }
}

#[test]
fn sending_into_a_stuck_line_ends_in_time() {
    for level in [true, false] {
        let (field, mut a, _b) = pair(&Settings::wirth(5));
        field.wire(0).stuck = Some(level);
        let before = field.now_ns();
        assert!(a.send(&[1]).is_err());
        assert!(field.now_ns() - before < 30 * MS);
    }
}

#[test]
fn a_broken_ce_is_a_timeout_and_the_next_payload_is_not_the_old_one() {
    let (field, mut a, mut b) = pair(&Settings::kube(5));
    field.wire(0).ce_broken = true;
    assert_eq!(a.send(&[1; 32]), Err(Error::Timeout));
    assert_eq!(a.statistics().timeouts, 1);
    field.wire(0).ce_broken = false;
    assert_eq!(a.send(&[2; 32]), Ok(true));
    assert_eq!(b.receive().expect("a chip").expect("a payload").as_slice(), [2; 32]);
    assert_eq!(b.receive(), Ok(None));
}

#[test]
fn maintain_finds_a_single_changed_register() {
    let (field, mut a, _b) = pair(&Settings::kube(5));
    assert_eq!(a.maintain(), Ok(Health::Good));
    field.poke(0, 0x05, 77);
    assert_eq!(a.maintain(), Ok(Health::Restarted));
    assert_eq!(field.register(0, 0x05), 5);
    assert_eq!(a.maintain(), Ok(Health::Good));
}

#[test]
fn a_full_receiver_is_counted() {
    let (_field, mut a, mut b) = pair(&Settings::kube(5));
    for number in 0..5 {
        assert_eq!(a.send(&[number; 32]), Ok(true));
    }
    for number in 0..3 {
        assert_eq!(b.receive().expect("a chip").expect("a payload").as_slice(), [number; 32]);
    }
    assert_eq!(b.receive(), Ok(None));
    assert_eq!(b.statistics().rx_full, 1);
}
