//! Reports of others about this chip and its drivers: spec/nrf24.md B, by number. Rows that only a
//! model or a host tool can show are not here.

use crate::field::{Field, MS};
use crate::profiles::pair;
use nrf24::register::{Register, Status};
use nrf24::settings::{Length, Rate, Retries};
use nrf24::{Burst, Error, Settings, SettingsError};

fn dynamic() -> Settings {
    Settings { length: Length::Dynamic, ..Settings::wirth(5) }
}

/// A receiver told an impossible width recovers with the next payload.
fn recovers_from_width(width: u8) {
    let (field, mut a, mut b) = pair(&dynamic());
    assert_eq!(a.send(&[1, 2, 3]), Ok(true));
    field.wire(1).width = Some(width);
    assert_eq!(b.receive(), Ok(None));
    assert_eq!(b.statistics().bad_lengths, 1);
    assert_eq!(b.receive(), Ok(None), "the FIFO was emptied");
    assert_eq!(a.send(&[4, 5]), Ok(true));
    assert_eq!(b.receive().expect("a chip").expect("a payload").as_slice(), [4, 5]);
}

#[test]
fn row_01_width_zero_empties_the_fifo() {
    recovers_from_width(0);
}

#[test]
fn row_02_width_above_32_empties_the_fifo() {
    recovers_from_width(33);
    recovers_from_width(255);
}

#[test]
fn row_03_three_payloads_are_read_after_one_flag() {
    let (field, mut a, mut b) = pair(&Settings::kube(5));
    let three: [&[u8]; 3] = [&[1; 32], &[2; 32], &[3; 32]];
    assert!(a.send_burst(&three).is_ok());
    field.poke(1, 0x07, Status::RX_DR);
    for number in 1..=3 {
        assert_eq!(b.receive().expect("a chip").expect("a payload").as_slice(), [number; 32]);
    }
}

#[test]
fn row_04_nothing_is_available_after_the_last_read() {
    let (field, mut a, mut b) = pair(&Settings::kube(5));
    assert_eq!(a.send(&[1; 32]), Ok(true));
    assert!(b.receive().expect("a chip").is_some());
    assert_eq!(field.register(1, 0x07) & Status::FLAGS, 0);
    for _ in 0..3 {
        assert_eq!(b.receive(), Ok(None));
    }
}

#[test]
fn row_05_a_payload_given_up_is_not_sent_later() {
    let (field, mut a, mut b) = pair(&Settings::wirth(5));
    b.standby().expect("a chip");
    for number in 1..=4 {
        assert_eq!(a.send(&[number; 32]), Ok(false), "also after three that would fill the FIFO");
    }
    b.listen().expect("a chip");
    field.pass(MS);
    assert_eq!(a.send(&[9; 32]), Ok(true));
    assert_eq!(b.receive().expect("a chip").expect("a payload").as_slice(), [9; 32]);
    assert_eq!(b.receive(), Ok(None));
    assert_eq!((a.statistics().sent, a.statistics().unacknowledged), (1, 4));
}

#[test]
fn row_06_the_payload_given_up_is_named() {
    let (field, mut a, mut b) = pair(&Settings::wirth(5));
    // A receiver that nobody empties takes three, and acknowledges no fourth.
    let first: [&[u8]; 2] = [&[1; 32], &[2; 32]];
    assert_eq!(a.send_burst(&first), Ok(Burst { sent: 2, given_up: None }));
    let then: [&[u8]; 3] = [&[3; 32], &[4; 32], &[5; 32]];
    assert_eq!(a.send_burst(&then), Ok(Burst { sent: 1, given_up: Some(1) }));
    for number in 1..=3 {
        assert_eq!(b.receive().expect("a chip").expect("a payload").as_slice(), [number; 32]);
    }
    field.pass(MS);
    assert_eq!(b.receive(), Ok(None));
}

#[test]
fn row_07_a_brown_out_is_found_and_mended() {
    let (field, mut a, mut b) = pair(&Settings::kube(5));
    let brown_out = || {
        field.touch(0, |chip, now_ns| chip.brown_out(now_ns));
        field.pass(120 * MS);
    };
    brown_out();
    assert_eq!(a.send(&[1; 32]), Err(Error::Restarted), "found while sending");
    field.pass(MS);
    assert_eq!(a.send(&[2; 32]), Ok(true));
    assert_eq!(b.receive().expect("a chip").expect("a payload").as_slice(), [2; 32]);
    brown_out();
    assert_eq!(a.maintain(), Ok(nrf24::Health::Restarted), "found while looking");
    field.pass(MS);
    assert_eq!(b.send(&[3; 32]), Ok(true));
    assert!(a.receive().expect("a chip").is_some(), "listens again");
    assert_eq!((a.statistics().lost, a.statistics().found), (2, 2));
}

#[test]
fn row_08_the_pulse_on_ce_is_long_enough() {
    let (field, mut a, _b) = pair(&Settings::wirth(5));
    for number in 0..10 {
        assert_eq!(a.send(&[number; 32]).expect("a chip"), number < 3, "the FIFO holds three");
    }
    field.assert_no_lints();
}

#[test]
fn row_09_a_retry_delay_shorter_than_the_acknowledgement_is_refused() {
    let slow = Settings { rate: Rate::K250, ..Settings::wirth(5) };
    let refused = SettingsError::RetryDelay { delay_us: 250, needed_us: 422 };
    assert_eq!(slow.check(), Err(refused));
    let retries = Retries { delay_us: 500, count: 3 };
    let (_field, mut a, mut b) = pair(&Settings { acknowledged: Some(retries), ..slow });
    assert_eq!(a.send(&[1; 32]), Ok(true));
    assert!(b.receive().expect("a chip").is_some());
}

#[test]
fn row_10_pipe_0_has_the_address_of_its_role() {
    let field = Field::new(2);
    let (mut a, mut b) = (field.radio(0), field.radio(1));
    let (one, two) = ([0x11, 0x22, 0x33, 0x44, 0x55], [0x21, 0x43, 0x65, 0x87, 0xa9]);
    let of = |own, target| Settings { own, target, ..Settings::wirth(5) };
    a.start(&of(one, two)).expect("a chip");
    b.start(&of(two, one)).expect("a chip");
    a.listen().expect("a chip");
    b.listen().expect("a chip");
    field.pass(200_000);
    for round in 0..3 {
        assert_eq!(a.send(&[round; 32]), Ok(true), "acknowledged at the target's address");
        assert!(b.receive().expect("a chip").is_some());
        assert_eq!(b.send(&[round + 100; 32]), Ok(true), "and heard at the own one afterwards");
        assert!(a.receive().expect("a chip").is_some());
    }
}

#[test]
fn row_12_a_signal_is_looked_for_while_the_receiver_is_on() {
    let (field, mut a, b) = pair(&Settings::kube(5));
    assert_eq!(a.signal(), Ok(false));
    drop(b);
    // The other chip sends by itself while this driver waits.
    field.touch(1, |chip, now_ns| {
        chip.enable(now_ns, false);
        let command = |chip: &mut kube_air::Chip, bytes: &[u8]| {
            chip.select(now_ns, true);
            bytes.iter().for_each(|&byte| {
                chip.transfer(now_ns, byte);
            });
            chip.select(now_ns, false);
        };
        command(chip, &[0x20, 0x7e]);
        command(chip, &[0xa0; 33]);
        chip.enable(now_ns, true);
    });
    field.pass(150_000);
    assert_eq!(a.signal(), Ok(true));
    let last = field.wire(0).commands.last().cloned();
    assert_eq!(last, Some(vec![Register::Rpd as u8, 0xff]));
    a.standby().expect("a pin");
    assert_eq!(a.signal(), Ok(false));
}

#[test]
fn row_14_every_command_is_whole_and_alone() {
    let (field, mut a, mut b) = pair(&dynamic());
    let last: Vec<u8> = (0..32).collect();
    assert_eq!(a.send(&last), Ok(true));
    assert_eq!(b.receive().expect("a chip").expect("a payload").as_slice(), last);
    let mut commands = field.wire(0).commands.clone();
    commands.extend_from_slice(&field.wire(1).commands);
    for (at, command) in commands.iter().enumerate() {
        let address = matches!(command[0] & 0x1f, 0x0a | 0x0b | 0x10);
        let data = match command[0] {
            0x00..=0x3f if address => 5,
            0x00..=0x3f | 0x50 | 0x60 => 1,
            0x61 | 0xa0 => 32,
            _ => 0,
        };
        assert_eq!(command.len(), 1 + data, "command {at}: {command:02x?}");
    }
    field.assert_no_lints();
}

#[test]
fn row_15_no_command_follows_ce_within_4_us() {
    let (field, mut a, mut b) = pair(&Settings::kube(5));
    for radio in [&mut a, &mut b] {
        radio.standby().expect("a chip");
        radio.listen().expect("a chip");
        assert_eq!(radio.receive(), Ok(None));
    }
    field.assert_no_lints();
}

#[test]
fn row_16_a_module_that_stands_no_fast_clock_gets_a_slow_one() {
    let field = Field::new(1);
    field.wire(0).slow_only_hz = Some(4_000_000);
    let mut radio = field.radio(0);
    let fast = radio.start(&Settings::kube(5));
    assert!(matches!(fast, Err(Error::Differs { register: Register::Config, .. })), "{fast:?}");
    let text = fast.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(text.contains("lower the SPI clock"), "{text}");
    let mut clocks = vec![1_000_000, 4_000_000];
    let slower = |spi: &mut crate::field::Spi| {
        let clock = clocks.pop();
        clock.inspect(|&hz| spi.set_clock_hz(hz)).is_some()
    };
    assert_eq!(radio.start_or_slower(&Settings::kube(5), slower), Ok(()));
    assert_eq!(clocks, [1_000_000], "no slower than needed");
}

#[test]
fn row_17_only_an_address_width_of_1_to_3_is_a_chip() {
    let field = Field::new(1);
    let mut radio = field.radio(0);
    assert_eq!(radio.probe(), Ok(()));
    for (level, read) in [(true, 0xff), (false, 0)] {
        field.wire(0).stuck = Some(level);
        assert_eq!(radio.probe(), Err(Error::Absent { read }));
    }
    field.wire(0).stuck = None;
    field.poke(0, 0x03, 1);
    assert_eq!(radio.probe(), Ok(()), "a chip left by someone else");
}

#[test]
fn row_18_a_warm_chip_is_set_up_whole() {
    let (field, mut a, mut b) = pair(&Settings::kube(5));
    let strange = [
        (0x00, 0x0a),
        (0x01, 0x15),
        (0x02, 0x3e),
        (0x03, 0x01),
        (0x04, 0xff),
        (0x05, 99),
        (0x06, 0x26),
        (0x0a, 0x01),
        (0x10, 0x02),
        (0x11, 5),
        (0x12, 32),
        (0x1d, 7),
        (0x1c, 0x3f),
    ];
    field.touch(0, |chip, now_ns| chip.enable(now_ns, false));
    strange.into_iter().for_each(|(register, value)| field.poke(0, register, value));
    a.start(&Settings::kube(5)).expect("a chip");
    assert_eq!(a.send(&[5; 32]), Ok(true));
    assert!(b.receive().expect("a chip").is_some());
}

#[test]
fn row_19_no_payload_asks_not_to_be_acknowledged() {
    for settings in [Settings::kube(5), Settings::wirth(5), dynamic()] {
        let (field, mut a, _b) = pair(&settings);
        assert_eq!(a.send(&[1, 2, 3]), Ok(true));
        assert_eq!(field.register(0, 0x1d) & 1, 0, "EN_DYN_ACK");
        assert!(field.wire(0).commands.iter().all(|command| command[0] != 0xb0));
    }
}

#[test]
fn row_20_rf_setup_bit_0_says_nothing_about_the_chip() {
    for lna_inverted in [false, true] {
        for settings in [Settings::kube(5), Settings::wirth(5)] {
            let field = Field::new(1);
            field.wire(0).lna_inverted = lna_inverted;
            assert_eq!(field.radio(0).start(&settings), Ok(()));
        }
    }
}

#[test]
fn row_21_after_every_failure_the_fifo_is_emptied() {
    let field = Field::new(1);
    let mut alone = field.radio(0);
    alone.start(&Settings::wirth(5)).expect("a chip");
    for _ in 0..20 {
        assert_eq!(alone.send(&[1; 32]), Ok(false), "never locks up");
        assert_eq!(field.register(0, 0x17) & 0x10, 0x10, "TX FIFO empty");
    }
}

#[test]
fn row_22_the_probe_asks_nothing_that_a_clone_answers_otherwise() {
    let field = Field::new(1);
    // A clone shows its register bank in bit 7; a warm chip shows flags.
    field.wire(0).status = 0xf0;
    assert_eq!(field.radio(0).probe(), Ok(()));
    assert_eq!(field.radio(0).start(&Settings::kube(5)), Ok(()));
}

#[test]
fn row_28_addresses_that_noise_matches_are_known() {
    use nrf24::settings::weak_address;
    let weak = [[1, 0, 0, 0, 0], [2, 0, 0, 0, 0], [0; 5], [0xff; 5], [0xaa; 5], [0x55; 5]];
    assert!(weak.iter().all(weak_address));
    assert!(![[0xe7; 5], [0xc2; 5], *b"Node1"].iter().any(weak_address));
}

#[test]
fn row_30_all_retries_are_waited_for() {
    let field = Field::new(1);
    let mut alone = field.radio(0);
    let retries = Retries { delay_us: 4000, count: 15 };
    let settings = Settings { acknowledged: Some(retries), ..Settings::wirth(5) };
    alone.start(&settings).expect("a chip");
    assert_eq!(alone.send(&[1; 32]), Ok(false), "given up by the chip, not by the driver");
    assert_eq!(alone.statistics().timeouts, 0);
    assert_eq!(field.heard().len(), 16);
}
