//! Numbers that stand in Oberon sources and in the tables of the instruction set crate agree.

use kube_proto::serial::{self, Speaker};
use risc5_isa::{extension, io, map};

fn source(file: &str) -> String {
    let path = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The value that a source gives to a constant, as in `name = 0E7EF0H;`, `name* = -64;` or
/// `name = "#";`.
fn constant(file: &str, name: &str) -> i64 {
    let text = source(file);
    let words: Vec<&str> = text.split_whitespace().collect();
    let found = words.windows(3).find(|w| w[0].trim_end_matches('*') == name && w[1] == "=");
    let word = found.unwrap_or_else(|| panic!("{file} has no constant {name}"))[2];
    let word = word.trim_end_matches(';');
    if let [b'"', character, b'"'] = word.as_bytes() {
        return i64::from(*character);
    }
    let value = match word.strip_suffix(['H', 'X']) {
        Some(hex) => i64::from_str_radix(hex, 16),
        None => word.parse(),
    };
    value.unwrap_or_else(|error| panic!("{file}, {name} = {word}: {error}"))
}

#[test]
fn input_and_output_words() {
    let words = [
        ("system/Kernel.Mod", "clock", io::MILLISECONDS),
        ("system/Kernel.Mod", "lineData", io::UART_DATA),
        ("system/Kernel.Mod", "line", io::UART_STATUS),
        ("system/Kernel.Mod", "spiData", io::SPI_DATA),
        ("system/Kernel.Mod", "spi", io::SPI_STATUS),
        ("system/Kernel.Mod", "extSelect", io::EXT_SELECT),
        ("system/Kernel.Mod", "extData", io::EXT_DATA),
        ("system/RS232.Mod", "data", io::UART_DATA),
        ("system/RS232.Mod", "status", io::UART_STATUS),
        ("system/Oberon.Mod", "idleWord", io::IDLE),
        ("genuine/Host.Mod", "extSelect", io::EXT_SELECT),
        ("genuine/Host.Mod", "extData", io::EXT_DATA),
        ("boot/BootLoad.Mod", "switches", io::SWITCHES_LEDS),
        ("boot/BootLoad.Mod", "lineData", io::UART_DATA),
        ("boot/BootLoad.Mod", "line", io::UART_STATUS),
        ("boot/BootLoad.Mod", "spiData", io::SPI_DATA),
        ("boot/BootLoad.Mod", "spi", io::SPI_STATUS),
    ];
    for (file, name, address) in words {
        assert_eq!(constant(file, name), i64::from(address), "{file}, {name}");
    }
}

#[test]
fn bits_and_registers() {
    let words = [
        ("system/Kernel.Mod", "Identity", extension::IDENTITY),
        ("system/Kernel.Mod", "Watchdog", extension::WATCHDOG),
        ("system/Kernel.Mod", "KS", extension::IDENTITY_VALUE >> 16),
        ("system/RS232.Mod", "Features", extension::FEATURES),
        ("system/RS232.Mod", "uartFifo", extension::feature::UART_FIFO.trailing_zeros()),
        ("system/Oberon.Mod", "Microseconds", extension::MICROSECONDS),
        ("genuine/Host.Mod", "identity", extension::IDENTITY),
        ("genuine/Host.Mod", "microseconds", extension::MICROSECONDS),
        ("genuine/Host.Mod", "mark", extension::IDENTITY_VALUE >> 16),
        ("system/Oberon.Mod", "WatchdogCause", extension::WATCHDOG_CAUSE),
        ("system/Oberon.Mod", "WatchdogPC", extension::WATCHDOG_PC),
        ("system/Oberon.Mod", "tick", io::event::TICK.trailing_zeros()),
        ("system/Oberon.Mod", "byteReceived", io::event::UART.trailing_zeros()),
        ("system/Oberon.Mod", "radio", io::event::RADIO.trailing_zeros()),
        ("system/Kernel.Mod", "card", io::spi::CARD),
        ("system/Kernel.Mod", "cardFast", io::spi::CARD | io::spi::FAST),
        ("system/Kernel.Mod", "radioEnable", io::spi::RADIO_ENABLE),
    ];
    for (file, name, value) in words {
        assert_eq!(constant(file, name), i64::from(value), "{file}, {name}");
    }
}

#[test]
fn memory() {
    let words = [
        ("boot/BootLoad.Mod", "MemLim", map::MEM_LIM),
        ("boot/BootLoad.Mod", "StackOrg", map::STACK_ORG),
        ("boot/BootLoad.Mod", "MTOrg", map::MODULE_TABLE),
        ("system/RS232.Mod", "VectorAt", map::INTERRUPT_VECTOR),
        ("system/Console.Mod", "Stage", map::FRAMEBUFFER),
        ("system/Console.Mod", "StageBytes", map::FRAMEBUFFER_BYTES),
        ("system/Kernel.Mod", "Prom", map::RESET_PC),
        ("system/Kernel.Mod", "LimitAt", map::MEM_LIM_AT),
        ("system/Kernel.Mod", "StackAt", map::STACK_ORG_AT),
        ("system/Kernel.Mod", "TrapAt", map::MODULE_TABLE),
        ("genuine/Host.Mod", "trapAt", map::MODULE_TABLE),
        ("system/Kernel.Mod", "AbortAt", map::ABORT_VECTOR),
        ("system/Modules.Mod", "TableAt", map::MODULE_TABLE),
        ("system/Modules.Mod", "MaxModules", map::MODULES_MAX),
        ("system/Modules.Mod", "AllocAt", map::ALLOC_PTR_AT),
        ("system/Modules.Mod", "RootAt", map::ROOT_AT),
        ("system/Modules.Mod", "DescSize", map::DESCRIPTOR_BYTES),
        ("system/Kernel.Mod", "FSoffset", map::CARD_OBERON_BLOCK),
        ("boot/BootLoad.Mod", "BootBlock", map::CARD_BOOT_BLOCK),
    ];
    for (file, name, address) in words {
        assert_eq!(constant(file, name), i64::from(address), "{file}, {name}");
    }
}

#[test]
fn serial_line() {
    let numbers = [
        ("system/Console.Mod", "LineMax", serial::COMMAND_MAX),
        ("system/Console.Mod", "ToolMax", serial::TOOL_LINE_MAX),
        ("system/Console.Mod", "BlockBytes", serial::BLOCK_BYTES),
        ("system/Console.Mod", "FrameMax", serial::FRAME_MAX),
        ("system/Console.Mod", "FrameBytes", serial::FRAME_BYTES),
        ("system/Console.Mod", "StageBytes", serial::IMAGE_MAX),
        ("system/Console.Mod", "HoldTime", serial::HOLD_MS as usize),
        ("system/Console.Mod", "ToolMark", serial::TOOL_MARK.into()),
        ("system/Console.Mod", "CheckMark", serial::CHECK_MARK.into()),
        ("system/Console.Mod", "FrameMark", serial::FRAME_MARK.into()),
        ("system/Console.Mod", "Stuff", serial::LINE_END.into()),
        ("system/Serial.Mod", "ToolMark", serial::TOOL_MARK.into()),
        ("system/Serial.Mod", "CheckMark", serial::CHECK_MARK.into()),
        ("system/Serial.Mod", "LogMark", serial::LOG_MARK.into()),
        ("system/Serial.Mod", "LineMax", serial::LOG_LINE_MAX),
        ("system/RS232.Mod", "RingSize", serial::RECEIVE_BYTES),
        ("system/Boot.Mod", "ListenTime", serial::LISTEN_MS as usize),
    ];
    for (file, name, value) in numbers {
        assert_eq!(constant(file, name), value as i64, "{file}, {name}");
    }
}

#[test]
fn words_of_the_serial_line() {
    let console = source("system/Console.Mod");
    for word in &serial::WORDS {
        let text = match word.from {
            Speaker::Host => format!("verb = \"{}\"", word.word),
            Speaker::Machine => format!("\"{}", word.word),
        };
        assert!(console.contains(&text), "{word:?}: no {text} in Console.Mod");
    }
    let verbs = console.matches("verb = \"").count();
    let known = serial::WORDS.iter().filter(|word| word.from == Speaker::Host).count();
    assert_eq!(verbs, known, "words of the host in Console.Mod and in the table");
}
