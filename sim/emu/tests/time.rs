//! Time around the processor: timer interrupt, idle word, extension registers, watchdog.

mod support;

use kube_emu::{Config, Machine, NoRadio, SdCard, SpiDevice, sd::BlockImage};
use risc5_isa::io::event;
use risc5_isa::{Cond, Op, ext, io};
use support::*;

const MS: u64 = 1_000_000;

/// R0 := I/O word; R10 holds 0, so the word is reached by its signed address.
fn read(a: u8, word: i32) -> u32 {
    load(a, 10, word)
}

/// I/O word := n, through R9.
fn write(word: i32, n: i32) -> [u32; 2] {
    [mov(9, n), store(9, 10, word)]
}

fn program(parts: &[&[u32]]) -> Vec<u32> {
    parts.concat()
}

/// A handler at 4 that counts in R8 and returns.
fn with_handler(program: &[u32]) -> Machine<NoRadio> {
    let mut machine = machine(program);
    let handler = [immediate(Op::Add, false, [8, 8], 1), mov(7, 0), RETURN];
    machine.load_words(0x80, &handler);
    machine.load_words(4, &[branch(Cond::Always, 30)]);
    machine
}

#[test]
fn the_timer_interrupts_once_a_millisecond() {
    let mut machine = with_handler(&[ENABLE, STOP]);
    machine.run_until(10 * MS + MS / 2);
    assert_eq!(machine.register(8), 10);
    assert_eq!(machine.pc(), 0x104);
    assert!(!machine.halted(), "an interrupt can come");
}

#[test]
fn no_interrupt_unless_enabled() {
    let mut machine = with_handler(&[STOP]);
    machine.run_until(10 * MS);
    assert_eq!(machine.register(8), 0);
    assert!(machine.halted());
}

/// The edge is latched while interrupts are off: switching them on serves it, one instruction later.
#[test]
fn an_edge_before_enabling_is_served_after_one_more_instruction() {
    let wait = [
        read(1, io::MILLISECONDS),
        branch(Cond::Eq, -2),
        ENABLE,
        immediate(Op::Add, false, [2, 8], 0),
        immediate(Op::Add, false, [3, 8], 0),
        STOP,
    ];
    let mut machine = with_handler(&wait);
    machine.run_until(MS + MS / 2);
    assert_eq!(machine.register(8), 1);
    assert_eq!(machine.register(2), 0, "the instruction behind STI runs first");
    assert_eq!(machine.register(3), 1, "the second does not");
}

/// Enabled for the length of one instruction: the interrupt is taken behind it, and the program goes on
/// with interrupts off.
#[test]
fn enable_and_disable_lets_one_through() {
    let code = [read(1, io::MILLISECONDS), branch(Cond::Eq, -2), ENABLE, DISABLE, STOP];
    let mut machine = with_handler(&code);
    machine.run_until(5 * MS);
    assert_eq!(machine.register(8), 1);
}

#[test]
fn flags_are_restored_and_h_is_not() {
    let mut machine = machine(&[
        mov(1, 6),
        mov(2, 7),
        register(Op::Mul, false, false, [3, 1, 2]),
        ENABLE,
        immediate(Op::Sub, false, [4, 1], 7),
        branch(Cond::Mi, -2),
        mov(5, 1),
        STOP,
    ]);
    let handler = [
        mov_high(6, 0x4000),
        register(Op::Mul, false, false, [6, 6, 1]),
        mov(6, 0),
        immediate(Op::Add, false, [8, 8], 1),
        RETURN,
    ];
    machine.load_words(4, &[branch(Cond::Always, 30)]);
    machine.load_words(0x80, &handler);
    machine.run_until(20 * MS + 900);
    assert_eq!(machine.register(8), 20);
    assert_eq!(machine.register(5), 0, "the loop's flags were never disturbed");
    assert_eq!(machine.h(), 1, "H is the handler's");
}

#[test]
fn a_handler_is_not_interrupted() {
    let mut machine = machine(&[ENABLE, STOP]);
    // A handler that takes longer than a millisecond.
    let handler = [
        immediate(Op::Add, false, [8, 8], 1),
        mov_high(7, 2),
        immediate(Op::Sub, false, [7, 7], 1),
        branch(Cond::Ne, -2),
        RETURN,
    ];
    machine.load_words(4, &[branch(Cond::Always, 30)]);
    machine.load_words(0x80, &handler);
    // 131,072 rounds of 3 cycles take 7.9 ms; one edge waits meanwhile and is served at once after.
    machine.run_until(8 * MS);
    assert_eq!(machine.register(8), 1);
    machine.run_until(10 * MS);
    assert_eq!(machine.register(8), 2);
}

#[test]
fn the_millisecond_counter_counts() {
    let mut machine = machine(&[read(1, io::MILLISECONDS), branch(Cond::Always, -2)]);
    machine.run_until(7 * MS - 100);
    assert_eq!(machine.register(1), 6);
    machine.run_until(7 * MS + 100);
    assert_eq!(machine.register(1), 7);
}

#[test]
fn time_starts_at_power_on() {
    let mut config = Config::ours(Vec::new());
    config.power_on_ns = 5 * MS;
    let mut machine = with(config, &[read(1, io::MILLISECONDS), branch(Cond::Always, -2)]);
    machine.run_until(4 * MS);
    assert_eq!(machine.instructions(), 0);
    assert_eq!(machine.now_ns(), 5 * MS);
    machine.run_until(6 * MS + 200);
    assert_eq!(machine.register(1), 1);
}

#[test]
fn a_run_in_pieces_is_the_same_run() {
    let code = [
        immediate(Op::Add, false, [1, 1], 1),
        immediate(Op::Mul, false, [2, 1], 77),
        read(3, io::MILLISECONDS),
        ENABLE,
        branch(Cond::Always, -5),
    ];
    let mut whole = with_handler(&code);
    whole.run_until(9 * MS);
    let mut pieces = with_handler(&code);
    let mut at = 0;
    while at < 9 * MS {
        at = (at + 130_007).min(9 * MS);
        pieces.run_until(at);
    }
    assert_eq!(whole.instructions(), pieces.instructions());
    assert_eq!(whole.cycles(), pieces.cycles());
    assert_eq!(whole.register(2), pieces.register(2));
    assert_eq!(whole.register(8), pieces.register(8));
}

/// Waits for a mask, then notes the pending events in R1 and the time in R2.
fn waiting(mask: u32) -> Vec<u32> {
    program(&[
        &write(io::EXT_SELECT, ext::MICROSECONDS as i32),
        &write(io::IDLE, mask as i32),
        &[read(1, io::IDLE), read(2, io::EXT_DATA), STOP],
    ])
}

#[test]
fn idle_until_the_tick_costs_no_instructions() {
    let mut machine = machine(&waiting(event::TICK));
    machine.run_until(MS / 2);
    assert!(machine.idle());
    assert_eq!(machine.instructions(), 5);
    assert_eq!(machine.next_wake_ns(), Some(MS));
    machine.run_until(MS + 1_000);
    assert_eq!(machine.register(1), event::TICK);
    assert_eq!(machine.register(2), 1_000);
}

/// The tick is an edge: writing the word clears it, so each wait lasts to the next boundary.
#[test]
fn each_wait_for_the_tick_is_a_new_one() {
    let code = program(&[
        &write(io::IDLE, event::TICK as i32),
        &[immediate(Op::Add, false, [1, 1], 1), branch(Cond::Always, -4)],
    ]);
    let mut machine = machine(&code);
    machine.run_until(100 * MS + 500);
    assert_eq!(machine.register(1), 100);
}

#[test]
fn mask_0_returns_at_once() {
    let mut machine = machine(&waiting(0));
    machine.run_until(2_000);
    assert!(machine.halted());
    assert_eq!(machine.register(2), 0);
}

#[test]
fn a_byte_ends_the_wait_when_it_has_arrived() {
    let mut machine = machine(&waiting(event::UART | event::KEY));
    machine.run_until(MS);
    assert_eq!(machine.next_wake_ns(), None);
    machine.serial_send(b"x");
    // Ten bits at 19,200 a second are 26,042 cycles of 20 ns.
    assert_eq!(machine.next_wake_ns(), Some(MS + 520_840));
    machine.run_until(2 * MS);
    assert_eq!(machine.register(1), event::UART | event::TICK);
    assert_eq!(machine.register(2), 1_520);
}

#[test]
fn a_key_ends_the_wait() {
    let mut machine = machine(&waiting(event::KEY));
    machine.run_until(3 * MS);
    assert!(machine.press(&[0x1C]));
    assert_eq!(machine.next_wake_ns(), Some(machine.now_ns()));
    machine.run_until(3 * MS + 10_000);
    assert_eq!(machine.register(1) & event::KEY, event::KEY);
    assert_eq!(machine.register(2), 3_000);
}

#[test]
fn an_enabled_interrupt_ends_the_wait_too() {
    let code = program(&[&[ENABLE], &write(io::IDLE, event::KEY as i32), &[mov(1, 5), STOP]]);
    let mut machine = with_handler(&code);
    machine.run_until(MS / 2);
    assert!(machine.idle());
    assert_eq!(machine.next_wake_ns(), Some(MS));
    machine.run_until(MS + 1_000);
    assert_eq!((machine.register(8), machine.register(1)), (1, 5));
    assert!(!machine.idle());
}

/// A radio that pulls its line at a known time.
struct Alarm(u64);

impl SpiDevice for Alarm {
    fn select(&mut self, _now_ns: u64, _selected: bool) {}
    fn transfer(&mut self, _now_ns: u64, _byte: u8) -> u8 {
        0x0E
    }
    fn enable(&mut self, _now_ns: u64, _level: bool) {}
    fn interrupt(&mut self, now_ns: u64) -> bool {
        now_ns >= self.0
    }
    fn next_event_ns(&self) -> Option<u64> {
        Some(self.0)
    }
}

#[test]
fn the_radios_interrupt_ends_the_wait() {
    let mut machine = Machine::new(Config::ours(Vec::new()), None, Alarm(2_345_678));
    machine.load_words(0, &waiting(event::RADIO));
    machine.run_until(5 * MS);
    assert_eq!(machine.register(1), event::RADIO | event::TICK);
    assert_eq!(machine.register(2), 2_345);
    assert_eq!(machine.radio().0, 2_345_678);
}

#[test]
fn the_card_is_an_event_while_selected() {
    let card = Some(SdCard::with(BlockImage::empty()));
    let select = write(io::SPI_STATUS, io::spi::CARD as i32);
    let code = program(&[&[read(3, io::IDLE)], &select, &waiting(event::CARD)]);
    let mut machine = Machine::new(Config::ours(Vec::new()), card, NoRadio::default());
    machine.load_words(0, &code);
    machine.run_until(MS / 2);
    assert_eq!(machine.register(3), 0);
    assert_eq!(machine.register(1), event::CARD);
}

#[test]
fn a_waiting_machine_skips_any_time_at_once() {
    let mut machine = machine(&waiting(event::KEY));
    let hour = 3_600_000 * MS;
    machine.run_until(hour);
    assert_eq!(machine.now_ns(), hour);
    machine.press(&[1]);
    machine.run_until(hour + 1_000);
    assert_eq!(u64::from(machine.register(2)), hour / 1_000 % (1 << 32));
}

#[test]
fn extension_registers() {
    let select_read = |number: u32, a| {
        let [n, write] = write(io::EXT_SELECT, number as i32);
        [n, write, read(a, io::EXT_DATA)]
    };
    let code = program(&[
        &select_read(ext::IDENTITY, 1),
        &select_read(ext::FEATURES, 2),
        &select_read(ext::CLOCK_HZ, 3),
        &select_read(ext::CYCLES_LOW, 4),
        &select_read(ext::CYCLES_HIGH, 5),
        &select_read(ext::BUILD_IDENTITY, 6),
        &select_read(99, 7),
        &[STOP],
    ]);
    let mut config = Config::ours(Vec::new());
    config.build_identity = 0xB11D;
    let mut machine = with(config, &code);
    machine.run_until(10_000);
    assert_eq!(machine.register(1), 0x4B53_0001);
    assert_eq!(machine.register(2), ext::feature::ALL);
    assert_eq!(machine.register(3), 50_000_000);
    // Branch at 0 (2 cycles), three reads of 3, two before the fourth.
    assert_eq!(machine.register(4), 2 + 3 * 3 + 2);
    assert_eq!(machine.register(5), 0);
    assert_eq!(machine.register(6), 0xB11D);
    assert_eq!(machine.register(7), 0);
}

#[test]
fn the_high_cycle_word_is_that_of_the_last_low_read() {
    let code = program(&[
        &write(io::EXT_SELECT, ext::CYCLES_LOW as i32),
        &write(io::IDLE, event::KEY as i32),
        &[read(1, io::EXT_DATA)],
        &write(io::EXT_SELECT, ext::CYCLES_HIGH as i32),
        &[read(2, io::EXT_DATA), STOP],
    ]);
    let mut machine = machine(&code);
    let cycles: u64 = (3 << 32) + 1_000;
    machine.run_until(cycles * 20);
    machine.press(&[1]);
    machine.run_until(cycles * 20 + 1_000);
    assert_eq!((machine.register(2), machine.register(1)), (3, 1_000));
}

fn armed(ms: i32, rest: &[u32]) -> Vec<u32> {
    program(&[&write(io::EXT_SELECT, ext::WATCHDOG as i32), &write(io::EXT_DATA, ms), rest])
}

/// The abort handler at 0 stops; the program is at 100H.
fn with_abort(program: &[u32]) -> Machine<NoRadio> {
    let mut machine = machine(program);
    machine.load_words(0, &[STOP]);
    machine.set_pc(0x100);
    machine
}

#[test]
fn the_watchdog_enters_the_abort_vector() {
    let mut machine = with_abort(&armed(3, &[branch(Cond::Always, -1)]));
    machine.run_until(3 * MS);
    assert_eq!(machine.watchdog_expiries(), 0);
    assert_eq!(machine.pc(), 0x110);
    machine.run_until(3 * MS + 1_000);
    assert_eq!(machine.watchdog_expiries(), 1);
    assert_eq!(machine.pc(), 0);
    assert_eq!(machine.watchdog_pc(), 0x110);
    machine.run_until(20 * MS);
    assert_eq!(machine.watchdog_expiries(), 1, "disarmed by its expiry");
}

#[test]
fn feeding_and_disarming() {
    let feed = program(&[
        &armed(2, &[]),
        &[
            mov_high(1, 1),
            immediate(Op::Sub, false, [1, 1], 2),
            branch(Cond::Ne, -2),
            branch(Cond::Always, -8),
        ],
    ]);
    // A round takes 32,768 times 3 cycles, 1.97 ms.
    let mut machine = with_abort(&feed);
    machine.run_until(50 * MS);
    assert_eq!(machine.watchdog_expiries(), 0);
    let mut machine = with_abort(&program(&[&armed(2, &[]), &armed(0, &[STOP])]));
    machine.run_until(50 * MS);
    assert_eq!(machine.watchdog_expiries(), 0);
    assert_eq!(machine.pc(), 0x120);
}

#[test]
fn the_watchdog_can_be_read() {
    let select = |n| write(io::EXT_SELECT, n as i32);
    let code = program(&[
        &select(ext::WATCHDOG),
        &[read(1, io::EXT_DATA)],
        &armed(5, &[read(2, io::EXT_DATA)]),
        &write(io::IDLE, event::TICK as i32),
        &write(io::IDLE, event::TICK as i32),
        &[read(3, io::EXT_DATA)],
        &select(ext::WATCHDOG_CAUSE),
        &[read(4, io::EXT_DATA), STOP],
    ]);
    let mut machine = with_abort(&code);
    machine.run_until(3 * MS);
    let registers = [1, 2, 3, 4].map(|number| machine.register(number));
    assert_eq!(registers, [0, 5, 4, 0]);
    let report = program(&[
        &select(ext::WATCHDOG_CAUSE),
        &[read(5, io::EXT_DATA)],
        &write(io::EXT_DATA, 0),
        &[read(6, io::EXT_DATA)],
        &select(ext::WATCHDOG_PC),
        &[read(7, io::EXT_DATA), STOP],
    ]);
    machine.load_words(0, &report);
    machine.run_until(6 * MS);
    let registers = [5, 6, 7].map(|number| machine.register(number));
    assert_eq!(registers, [1, 0, 0x100 + 4 * (code.len() as u32 - 1)]);
}

/// Expiry inside a handler and in an idle wait; both states are left behind.
#[test]
fn the_watchdog_reaches_handlers_and_idle_waits() {
    let mut machine = with_abort(&armed(3, &[ENABLE, branch(Cond::Always, -1)]));
    machine.load_words(4, &[STOP]);
    machine.run_until(2 * MS);
    assert_eq!(machine.pc(), 4, "stuck in the handler");
    machine.load_words(0, &[branch(Cond::Always, 31), STOP]);
    machine.load_words(0x80, &[immediate(Op::Add, false, [8, 8], 1), STOP]);
    machine.run_until(3 * MS + 5_000);
    assert_eq!(machine.watchdog_pc(), 4);
    assert_eq!(machine.register(8), 1);
    machine.run_until(10 * MS);
    assert!(machine.halted(), "interrupts are off, as after reset");

    let idle = program(&[&armed(3, &[]), &write(io::IDLE, event::KEY as i32), &[mov(1, 1)]]);
    let mut machine = with_abort(&idle);
    machine.run_until(MS);
    assert_eq!(machine.next_wake_ns(), Some(3 * MS + 60));
    machine.run_until(4 * MS);
    assert!(!machine.idle());
    assert_eq!((machine.pc(), machine.register(1)), (0, 0));
}

#[test]
fn the_reference_machine_has_none_of_the_additions() {
    let code = program(&[
        &[mov(1, 1), mov(2, 1)],
        &write(io::EXT_SELECT, ext::IDENTITY as i32),
        &[read(1, io::EXT_DATA)],
        &write(io::EXT_SELECT, ext::WATCHDOG as i32),
        &write(io::EXT_DATA, 1),
        &write(io::IDLE, event::KEY as i32),
        &[read(2, io::IDLE), read(3, io::EXT_SELECT), STOP],
    ]);
    let mut machine = with(Config::compat(Vec::new()), &code);
    machine.run_until(5 * MS);
    assert!(machine.halted());
    let registers = [1, 2, 3].map(|number| machine.register(number));
    assert_eq!(registers, [0, 0, 0]);
    assert_eq!(machine.watchdog_expiries(), 0);
}

#[test]
fn switches_leds_pins_mouse_and_keys() {
    let code = program(&[
        &write(io::SWITCHES_LEDS, 0x1A5),
        &[read(1, io::SWITCHES_LEDS)],
        &write(io::GPIO_DIRECTION, 0x0F),
        &write(io::GPIO, 0x35),
        &[
            read(2, io::GPIO),
            read(3, io::MOUSE),
            memory(false, true, [4, 10], io::KEY),
            read(5, io::KEY),
            read(6, io::KEY),
            read(7, io::MOUSE),
            STOP,
        ],
    ]);
    let mut machine = machine(&code);
    machine.set_switches(0x3C);
    machine.set_gpio(0xA0);
    machine.move_mouse(1023, 767);
    machine.set_button(kube_emu::Button::Middle, true);
    assert!(machine.press(&[0xF0, 0x1C]));
    assert!(!machine.press(&[0; 15]), "no room for all");
    machine.run_until(10_000);
    assert_eq!(machine.leds(), 0xA5);
    assert_eq!(machine.gpio(), (0x35, 0x0F));
    let registers = [1, 2, 3, 4, 5, 6, 7].map(|number| machine.register(number));
    let mouse = 1 << 27 | 1 << 25 | 767 << 12 | 1023;
    assert_eq!(registers, [0x3C, 0xA5, mouse | 1 << 28, 0xF0, 0x1C, 0, mouse]);
}

/// The status bit follows the bits on the wire: a byte at 400 kHz takes 1,000 cycles of 50 MHz.
#[test]
fn spi_takes_its_time() {
    let code = program(&[
        &write(io::EXT_SELECT, ext::CYCLES_LOW as i32),
        &[read(1, io::EXT_DATA)],
        &write(io::SPI_DATA, 0xFF),
        &[
            read(3, io::SPI_STATUS),
            immediate(Op::Ror, false, [3, 3], 1),
            branch(Cond::Pl, -3),
            read(2, io::EXT_DATA),
            STOP,
        ],
    ]);
    let mut machine = machine(&code);
    machine.run_until(100_000);
    let took = machine.register(2) - machine.register(1);
    assert!((1_000..1_010).contains(&took), "{took}");
}

#[test]
fn serial_echo_in_both_directions() {
    // Echo: wait for a byte, read it, wait for the transmitter, send it.
    let echo = program(&[
        &write(io::UART_STATUS, 1),
        &[
            read(1, io::UART_STATUS),
            immediate(Op::And, false, [2, 1], 1),
            branch(Cond::Eq, -3),
            read(3, io::UART_DATA),
            read(1, io::UART_STATUS),
            immediate(Op::And, false, [2, 1], 2),
            branch(Cond::Eq, -3),
            store(3, 10, io::UART_DATA),
            branch(Cond::Always, -9),
        ],
    ]);
    for config in [Config::ours(Vec::new()), Config::compat(Vec::new())] {
        let mut machine = with(config, &echo);
        machine.run_until(MS);
        machine.serial_send(b"Oberon");
        // Six characters of 86.8 us and one more on the way back.
        machine.run_until(MS + 600_000);
        assert_eq!(machine.serial_received(), b"Obero");
        machine.run_until(MS + 620_000);
        assert_eq!(machine.serial_received(), b"n");
        assert_eq!(machine.serial_overruns() + machine.serial_sent_too_early(), 0);
    }
}

/// Reset: registers survive, which is how a boot loader tells a warm start from a cold one.
#[test]
fn the_reset_button() {
    let prom = vec![immediate(Op::Add, false, [1, 1], 1), STOP];
    let mut machine = Machine::new(Config::ours(prom), None, NoRadio::default());
    machine.load_words(0, &program(&[&write(io::SWITCHES_LEDS, 0x81), &armed(5, &[STOP])]));
    machine.run_until(1_000);
    machine.set_pc(0);
    machine.run_until(MS);
    assert_eq!((machine.leds(), machine.register(1)), (0x81, 1));
    machine.reset();
    machine.run_until(9 * MS);
    assert_eq!((machine.leds(), machine.register(1)), (0, 2));
    assert_eq!(machine.watchdog_expiries(), 0);
}

/// Counting the rounds of waiting loops gives the same run as executing them, also in pieces.
#[test]
fn counted_polls_are_the_same_run() {
    let poll = |word, bit| {
        let bit = immediate(Op::Ror, false, [1, 1], bit);
        [read(1, word), bit, branch(Cond::Pl, -3)]
    };
    // Gives up after as many rounds.
    let countdown = |word, rounds| {
        [
            mov(3, rounds),
            immediate(Op::Sub, false, [3, 3], 1),
            read(1, word),
            immediate(Op::Ror, false, [13, 1], 1),
            branch(Cond::Mi, 2),
            register(Op::Mov, false, false, [3, 0, 3]),
            branch(Cond::Ne, -6),
            immediate(Op::Add, false, [4, 3], 0),
        ]
    };
    let sums = program(&[
        &write(io::UART_DATA, 0x55),
        &poll(io::UART_STATUS, 2),
        &write(io::SPI_DATA, 0xFF),
        &poll(io::SPI_STATUS, 1),
        &write(io::SPI_DATA, 0xFF),
        &countdown(io::SPI_STATUS, 10_000),
        &write(io::SPI_DATA, 0xFF),
        &countdown(io::SPI_STATUS, 40),
        &[immediate(Op::Add, false, [2, 2], 1), ENABLE],
    ]);
    let back = branch(Cond::Always, -(sums.len() as i32) - 1);
    let code = [sums, vec![back]].concat();
    let outcome = |count_polls, piece: u64| {
        let mut config = Config::ours(Vec::new());
        config.count_polls = count_polls;
        let mut machine = with(config, &code);
        machine.load_words(0x80, &[immediate(Op::Add, false, [8, 8], 1), RETURN]);
        machine.load_words(4, &[branch(Cond::Always, 30)]);
        for at in (0..=7 * MS).step_by(piece as usize).chain([7 * MS]) {
            machine.run_until(at);
        }
        let registers: Vec<u32> = (0..16).map(|number| machine.register(number)).collect();
        assert!(registers[2] > 10 && registers[8] == 6, "{registers:?}");
        (machine.cycles(), machine.instructions(), registers)
    };
    let expected = outcome(false, 7 * MS);
    for piece in [1_001, 9_973, 130_000, 7 * MS] {
        assert_eq!(outcome(true, piece), expected, "{piece}");
        assert_eq!(outcome(false, piece), expected, "{piece}");
    }
}

fn is_send<T: Send>(_: &T) {}

#[test]
fn a_machine_can_move_between_threads() {
    is_send(&machine(&[]));
}

/// A clock so fast that a millisecond has more cycles than the program counter has values.
#[test]
fn long_batches_count_every_instruction() {
    let mut config = Config::ours(Vec::new());
    config.clock_hz = 4_000_000_000;
    let mut machine = with(config, &[mov(1, 1), mov(2, 2), branch(Cond::Always, -3)]);
    machine.run_until(5 * MS);
    // Four cycles a round of three, after a branch of two.
    let rounds = (machine.cycles() - 2) / 4;
    let instructions = machine.instructions() - 1;
    assert_eq!(instructions / 3, rounds);
    assert_eq!(machine.cycles() / 1_000, 5 * 4_000_000 / 1_000);
}
