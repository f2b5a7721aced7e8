//! The self-test of a new board, on the emulator: what it says of a good board and of planted faults.

use kube_air::{Air, AirConfig, Chip, QUANTUM_NS, Timing};
use kube_disk::ImageBuilder;
use kube_emu::{Config, Machine, SdCard};
use kube_lab::engine::RadioPort;

const MS: u64 = 1_000_000;
const SWITCH_LINE: u8 = 1;
const SWITCH_ANSWERS: u8 = 2;

/// The chip of a board, or nothing on its pins.
fn port() -> RadioPort {
    RadioPort(Chip::new(0, Timing::default()))
}

fn prom() -> Vec<u32> {
    kube_modules::build().expect("the system builds").prom
}

fn card() -> SdCard {
    let boot = kube_modules::self_test().expect("the self-test builds");
    let image = ImageBuilder::new().boot_image(&boot).build().expect("an image");
    SdCard::new(image.into_bytes()).expect("a card")
}

fn board(switches: u8, build_identity: u32) -> Machine<RadioPort> {
    let config = Config { switches, build_identity, clock_hz: 25_000_000, ..Config::ours(prom()) };
    Machine::new(config, Some(card()), port())
}

fn text(machine: &mut Machine<RadioPort>) -> String {
    String::from_utf8_lossy(&machine.serial_received()).into_owned()
}

/// Runs a board alone until its verdict; each millisecond `plant` may do something to it.
fn alone(
    machine: &mut Machine<RadioPort>,
    mut plant: impl FnMut(u64, &mut Machine<RadioPort>),
) -> String {
    let mut said = String::new();
    for ms in 1..60_000 {
        machine.run_until(ms * MS);
        plant(ms, machine);
        said += &text(machine);
        if said.contains("type a character to begin") {
            return said;
        }
    }
    panic!("no verdict: {said}");
}

/// Two boards on an air that loses a share of all frames.
fn pair(loss: f64) -> [String; 2] {
    let mut air = Air::new(AirConfig { loss, seed: 20_261_130, ..AirConfig::default() });
    let mut boards = [board(0, 0xA), board(SWITCH_ANSWERS, 0xB)];
    let mut said = [String::new(), String::new()];
    air.add_station();
    air.add_station();
    let mut now_ns = 0;
    while now_ns < 60_000 * MS && !said.iter().all(|log| log.contains("type a character to begin"))
    {
        let end_ns = air.horizon_ns().clamp(now_ns + 1, now_ns + QUANTUM_NS);
        let mut chips = Vec::new();
        for machine in &mut boards {
            machine.run_until(end_ns);
            chips.push(Some(&mut machine.radio_mut().0));
        }
        air.step(end_ns, &mut chips).expect("in step");
        drop(chips);
        now_ns = end_ns;
        for (log, machine) in said.iter_mut().zip(&mut boards) {
            log.push_str(&text(machine));
        }
    }
    said
}

/// The number behind a word.
fn number(report: &str, word: &str) -> i64 {
    let rest = report.split_once(word).unwrap_or_else(|| panic!("no {word:?}: {report}")).1;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number behind {word:?}: {report}"))
}

#[test]
fn two_good_boards_pass() {
    let [asks, answers] = pair(0.0);
    println!("{asks}\n{answers}");
    for (report, build) in [(&asks, "0000000A"), (&answers, "0000000B")] {
        assert!(report.contains("self-test: passed\r\n"), "{report}");
        assert!(report.contains(&format!("machine: build {build}, clock 25000000 Hz")), "{report}");
        assert!(report.contains("memory: ok, "), "{report}");
        assert!(report.contains("card: ok, 64 blocks right in "), "{report}");
        assert!(report.contains(", a file system\r\n"), "{report}");
        assert!(report.contains("radio: ok, registers, a frame sent\r\n"), "{report}");
        assert!(number(report, "memory: ok, ") > 900, "{report}");
    }
    assert!(asks.contains("asked 250, the other heard 250 (0.0 % lost)"), "{asks}");
    assert!(answers.contains("pair: heard 250 of 250 (0.0 % lost)"), "{answers}");
}

#[test]
fn a_lossy_air_is_told_in_numbers() {
    let [asks, answers] = pair(0.2);
    println!("{asks}\n{answers}");
    // 250 frames, a fifth lost: four deviations are 25.
    let heard = number(&asks, "the other heard ");
    assert!((175..=225).contains(&heard), "{asks}");
    assert!((140..=185).contains(&number(&asks, ", answers ")), "{asks}");
    assert!((175..=225).contains(&number(&answers, "pair: heard ")), "{answers}");
    assert!(asks.contains("self-test: FAILED: pair\r\n"), "{asks}");
}

#[test]
fn a_bad_bit_of_memory_is_named() {
    let mut machine = board(0, 0);
    // The cell forgets a one within a millisecond.
    let (place, bit) = (0x4_2468, 13);
    let report = alone(&mut machine, |_, machine| {
        let word = machine.word(place);
        machine.load_words(place, &[word & !(1 << bit)]);
    });
    println!("{report}");
    assert!(report.contains("memory: at 042468 wrote "), "{report}");
    assert!(report.contains(", bits 13\r\n"), "{report}");
    assert!(report.contains("self-test: FAILED: memory pair\r\n"), "{report}");
    assert!(number(&report, "wrong reads ") == 2, "{report}");
}

#[test]
fn boards_without_card_or_radio_say_so() {
    // Without a card the test comes over the serial line.
    let image = kube_modules::self_test().expect("the self-test builds");
    let config = Config { switches: SWITCH_LINE, clock_hz: 25_000_000, ..Config::ours(prom()) };
    let mut machine = Machine::new(config, None, port());
    let words = image.len().next_multiple_of(4) as u32;
    let mut bytes = [words.to_le_bytes(), [0; 4]].concat();
    bytes.extend(&image);
    bytes.resize(8 + words as usize, 0);
    bytes.extend([0; 4]);
    machine.serial_send(&bytes);
    let report = alone(&mut machine, |_, _| {});
    println!("{report}");
    assert!(report.contains("card: ABSENT, nothing answers\r\n"), "{report}");
    assert!(report.contains("pair: nobody answers\r\n"), "{report}");
    assert!(report.contains("self-test: FAILED: card pair\r\n"), "{report}");
    machine.run_until(machine.now_ns() + 100 * MS);
    assert_eq!(machine.leds(), 0x92, "card and pair");

    let config = Config { clock_hz: 25_000_000, ..Config::ours(prom()) };
    let mut machine = Machine::new(config, Some(card()), kube_emu::NoRadio { level: true });
    let mut report = String::new();
    for ms in 1..30_000 {
        machine.run_until(ms * MS);
        report += &String::from_utf8_lossy(&machine.serial_received());
        if report.contains("type a character to begin") {
            break;
        }
    }
    assert!(report.contains("radio: ABSENT, status FF\r\n"), "{report}");
    assert!(report.contains("self-test: FAILED: radio\r\n"), "{report}");
}
