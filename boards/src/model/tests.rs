use super::*;

#[test]
fn every_embedded_file_is_read() {
    for (path, text) in FILES {
        parse(Path::new(path), text).unwrap_or_else(|error| panic!("{error}"));
    }
    let (family, model) = find("ulx3s-85f").unwrap();
    assert_eq!((family.loader.as_str(), model.idcode), ("ulx3s", 0x4111_3043));
    assert_eq!((family.newest(), family.speed_grade), ("3.1", 6));
    assert_eq!(1u64 << (family.memory.row_bits + family.memory.column_bits), 4 << 20);
}

#[test]
fn radios_sit_on_pins_beside_their_supply() {
    let (family, _) = find("ulx3s-12f").unwrap();
    for (radio, first) in [("radio", 1), ("radio2", 19)] {
        let connector = family.connectors.iter().find(|known| known.name == "J1").unwrap();
        assert_eq!(connector.pin(first), Some("3V3"));
        assert_eq!(connector.pin(first + 2), Some("GND"));
        let place = |signal: &str| {
            let port = family.port(&format!("{radio}_{signal}"), "3.0").unwrap();
            port.pins[0].place.clone().unwrap()
        };
        let pin = |number| ("J1".to_owned(), first + number);
        let signals = ["ce", "csn", "sck", "mosi", "miso", "irq"];
        assert_eq!(signals.map(place), [5, 7, 9, 11, 4, 6].map(pin));
    }
    // Source: the constraint files named in board.toml, `gp` and `gn`.
    let site = |name: &str| family.port(name, "3.1").unwrap().pins[0].site.clone();
    let sites = ["ce", "csn", "sck", "mosi", "miso", "irq"].map(|s| site(&format!("radio_{s}")));
    assert_eq!(sites, ["B11", "A10", "A9", "B9", "C11", "A11"]);
}

/// The ULX3S's file with a part of it replaced.
fn changed(from: &str, to: &str) -> Box<Diagnostic> {
    let text = FILES[0].1;
    assert_eq!(text.matches(from).count(), 1, "{from}");
    let error = parse(Path::new("b.toml"), &text.replacen(from, to, 1));
    error.expect_err("a fault was planted")
}

#[test]
fn an_error_names_its_place() {
    let error = parse(Path::new("b.toml"), "name = \"x\"\nclok-hz = 5\n").unwrap_err();
    assert_eq!((error.line, error.column), (2, 1), "{error}");
    let line =
        |place: &str| 1 + FILES[0].1.lines().position(|line| line.contains(place)).expect("a line");
    let error = changed("sites = [\"M1\"]", "sites = [\"L4\"]");
    assert_eq!(error.message, "L4 is used by ftdi_rxd already");
    assert_eq!((error.line, error.column), (line("sites = [\"M1\"]"), 10), "{error}");
}

#[test]
fn what_cannot_be_is_refused() {
    for (from, to, message) in [
        ("sites = [\"G2\"]\n", "sites = [\"U3\"]\n", "the CABGA381 has no user pin U3"),
        ("sites = [\"G2\"]\n", "sites = [\"M5\"]\n", "the LFE5U-12F does not connect M5"),
        ("sites = [\"G2\"]\nbank = 6", "sites = [\"G2\"]\nbank = 5", "there is no bank 5"),
        ("sites = [\"G2\"]\nbank = 6", "sites = [\"G2\"]\nbank = 7", "G2 is not in bank 7"),
        ("bank = [0, 8, 8, 3, 8, 8, 2]", "bank = [0, 8]", "btn has 7 pins"),
        ("\"LVCMOS33D\"", "\"LVCMOS25D\"", "bank 1 has 3300 mV, LVCMOS25D wants another supply"),
        ("pins = [6]", "pins = [1]", "pin 1 of J1 is 3V3"),
        ("pins = [6]", "pins = [41]", "J1 has no pin 41"),
        ("pins = [6]", "pins = [8]", "A10 is used by radio_ce already"),
        ("[\"C11\", \"B11\"]", "[\"C11\", \"C11\"]", "C11 is on two pins of connectors"),
        (
            "revision = \"3.0\"\nsites = [\"L2\"]",
            "revision = \"3.2\"\nsites = [\"L2\"]",
            "there is no revision \"3.2\"",
        ),
        (
            "revision = \"3.0\"\nsites = [\"L2\"]",
            "sites = [\"L2\"]",
            "there are two ports wifi_gpio0",
        ),
        (
            "sites = [\"L4\"]\nbank = 6\npull = \"up\"\ndrive = 4",
            "sites = [\"L4\"]\nbank = 6\npull = \"up\"",
            "ftdi_rxd drives a pin with no current",
        ),
        (
            "sites = [\"L4\"]\nbank = 6\npull = \"up\"\ndrive = 4",
            "sites = [\"L4\"]\nbank = 6\npull = \"up\"\ndrive = 5",
            "an output cannot drive 5 mA",
        ),
        ("\"sdram_*\"", "\"dram_*\"", "no port is called \"dram_*\""),
        ("clock = \"clk_25mhz\"", "clock = \"clk\"", "there is no port \"clk\""),
        ("package = \"CABGA381\"", "package = \"CABGA256\"", "there is no package \"CABGA256\""),
        ("speed-grade = 6", "speed-grade = 5", "there is no speed grade 5"),
    ] {
        let error = changed(from, to);
        assert_eq!(error.message, message, "{error}");
        assert!(!error.help.is_empty() && error.line > 1, "{error}");
    }
}

/// The page for the bench names the pins of this file.
#[test]
fn the_document_wires_the_radio_as_the_board_file_does() {
    let text = include_str!("../../../docs/first-power-up.md");
    let (family, _) = find("ulx3s-85f").unwrap();
    for signal in ["miso", "ce", "irq", "csn", "sck", "mosi"] {
        let name = format!("radio_{signal}");
        let pin = &family.port(&name, "3.0").unwrap().pins[0];
        let (_, number) = pin.place.as_ref().unwrap();
        let row = format!("| {} | {number} | {} | `{name}` |", signal.to_uppercase(), pin.site);
        assert!(text.contains(&row), "{row}");
        assert!(text.contains(&format!("{number} {}", signal.to_uppercase())), "drawing: {row}");
    }
}
