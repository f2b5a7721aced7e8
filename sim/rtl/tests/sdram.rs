//! Each rule of the SDRAM's model is noticed when a controller breaks it, and a good one breaks none.

use kube_rtl::sdram::{Rule, Sdram, SdramPins, SdramTimes, command, word_of};

const CLOCK_MHZ: u64 = 100;

/// A controller by hand.
struct Hand {
    chip: Sdram,
    cycle: u64,
}

impl Hand {
    fn at_power_on() -> Self {
        Self::with(SdramTimes::default())
    }

    fn with(times: SdramTimes) -> Self {
        Self { chip: Sdram::new(times, CLOCK_MHZ), cycle: 0 }
    }

    /// After a proper start; the modes are burst of eight, latency 2, single writes.
    fn started() -> Self {
        Self::at_power_on().start()
    }

    fn start(self) -> Self {
        let mut hand = self;
        hand.wait(20_001);
        hand.give(command::PRECHARGE, 0, 0x400);
        hand.wait(2);
        for _ in 0..8 {
            hand.give(command::REFRESH, 0, 0);
            hand.wait(7);
        }
        hand.give(command::MODE, 0, 0x223);
        hand.wait(2);
        hand
    }

    fn wait(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.edge(SdramPins { command: command::NOP, ..SdramPins::default() });
        }
    }

    fn edge(&mut self, pins: SdramPins) -> Option<u16> {
        self.cycle += 1;
        self.chip.edge(self.cycle, pins)
    }

    fn give(&mut self, command: u8, bank: u8, address: u16) {
        self.edge(SdramPins { command, bank, address, ..SdramPins::default() });
    }

    fn write(&mut self, bank: u8, address: u16, mask: u8, data: u16) {
        let data = Some(data);
        self.edge(SdramPins { command: command::WRITE, bank, address, mask, data });
    }

    /// Opens a row and waits until it can be used.
    fn open(&mut self, bank: u8, row: u16) {
        self.give(command::ACTIVATE, bank, row);
        self.wait(1);
    }

    fn rule(&self) -> Option<Rule> {
        self.chip.violation().map(|violation| violation.rule)
    }
}

#[test]
fn words_are_written_by_bytes_and_read_in_bursts() {
    let mut hand = Hand::started();
    hand.open(1, 5);
    hand.write(1, 6, 0, 0x1234);
    hand.write(1, 7, 2, 0xAB56);
    assert_eq!(hand.chip.words()[word_of(1, 5, 6)], 0x0056_1234);
    hand.give(command::READ, 1, 6);
    hand.edge(SdramPins { command: command::NOP, ..SdramPins::default() });
    let idle = SdramPins { command: command::NOP, ..SdramPins::default() };
    let beats: Vec<_> = (0..9).map(|_| hand.edge(idle)).collect();
    assert_eq!(beats[..2], [Some(0x1234), Some(0x0056)], "in order from column 6");
    assert_eq!(beats[7..], [Some(0), None], "round to column 5, then released");
    hand.wait(3);
    hand.give(command::PRECHARGE, 1, 0);
    assert_eq!(hand.rule(), None);
}

#[test]
fn a_start_in_haste_or_in_parts_is_noticed() {
    let mut hand = Hand::at_power_on();
    hand.wait(19_000);
    hand.give(command::PRECHARGE, 0, 0x400);
    assert_eq!(hand.rule(), Some(Rule::Rest));
    let mut hand = Hand::at_power_on();
    hand.wait(20_001);
    hand.give(command::PRECHARGE, 0, 0x400);
    hand.wait(2);
    hand.give(command::MODE, 0, 0x223);
    hand.wait(2);
    hand.give(command::ACTIVATE, 0, 0);
    assert_eq!(hand.rule(), Some(Rule::Initialisation), "no refreshes");
}

/// A planted fault: what is done after a proper start, and the rule that it breaks.
type Fault = (Rule, fn(&mut Hand));

#[test]
fn each_rule_is_noticed() {
    let faults: [Fault; 15] = [
        (Rule::ActivateToColumn, |hand| {
            hand.give(command::ACTIVATE, 0, 1);
            hand.give(command::READ, 0, 0);
        }),
        (Rule::Precharge, |hand| {
            hand.open(0, 1);
            hand.wait(6);
            hand.give(command::PRECHARGE, 0, 0);
            hand.give(command::ACTIVATE, 0, 2);
        }),
        (Rule::RowCycle, |hand| {
            // With the usual times tRAS and tRP together are never less.
            *hand = Hand::with(SdramTimes { row_cycle: 80, ..SdramTimes::default() }).start();
            hand.open(0, 1);
            hand.wait(3);
            hand.give(command::PRECHARGE, 0, 0);
            hand.wait(1);
            hand.give(command::ACTIVATE, 0, 2);
        }),
        (Rule::RefreshCycle, |hand| {
            hand.give(command::REFRESH, 0, 0);
            hand.wait(5);
            hand.give(command::ACTIVATE, 0, 1);
        }),
        (Rule::RowOpen, |hand| {
            hand.open(0, 1);
            hand.wait(1);
            hand.give(command::PRECHARGE, 0, 0);
        }),
        (Rule::RowToRow, |hand| {
            hand.give(command::ACTIVATE, 0, 1);
            hand.give(command::ACTIVATE, 1, 1);
        }),
        (Rule::WriteRecovery, |hand| {
            hand.open(0, 1);
            hand.wait(6);
            hand.write(0, 0, 0, 1);
            hand.give(command::PRECHARGE, 0, 0);
        }),
        (Rule::ModeCycle, |hand| {
            hand.give(command::MODE, 0, 0x223);
            hand.give(command::ACTIVATE, 0, 1);
        }),
        (Rule::RefreshInterval, |hand| {
            hand.open(0, 1);
            hand.wait(9 * 800);
        }),
        (Rule::RowIsOpen, |hand| {
            hand.open(0, 1);
            hand.wait(8);
            hand.give(command::ACTIVATE, 0, 2);
        }),
        (Rule::NoRowOpen, |hand| hand.give(command::READ, 2, 0)),
        (Rule::BanksNotIdle, |hand| {
            hand.open(3, 1);
            hand.wait(8);
            hand.give(command::REFRESH, 0, 0);
        }),
        (Rule::Contention, |hand| {
            hand.open(0, 1);
            hand.give(command::READ, 0, 0);
            hand.wait(3);
            hand.write(0, 0, 0, 1);
        }),
        (Rule::UndrivenData, |hand| {
            hand.open(0, 1);
            hand.give(command::WRITE, 0, 0);
        }),
        (Rule::Unsupported, |hand| {
            hand.open(0, 1);
            hand.give(command::READ, 0, 0x400);
        }),
    ];
    for (rule, fault) in faults {
        let mut hand = Hand::started();
        assert_eq!(hand.rule(), None);
        let before = hand.cycle;
        fault(&mut hand);
        let violation = hand.chip.violation();
        assert_eq!(violation.map(|found| found.rule), Some(rule));
        assert!(violation.is_some_and(|found| found.cycle > before), "{violation:?}");
        assert!(violation.is_some_and(|found| found.to_string().contains(&format!("{rule:?}"))));
    }
}
