//! Ports of an exported top, from its text: the export writes a port a line.

use kube_boards::constraints::TopPort;
use kube_boards::pin::Direction;

/// The ports of a module that `kube-hdl` has exported, in their order.
#[must_use]
pub fn ports(verilog: &str) -> Vec<TopPort> {
    verilog.lines().filter_map(port).collect()
}

/// `  output reg [7:0] leds;`
fn port(line: &str) -> Option<TopPort> {
    let mut words = line.trim().strip_suffix(';')?.split_whitespace();
    let direction = match words.next()? {
        "input" => Direction::In,
        "output" => Direction::Out,
        "inout" => Direction::Inout,
        _ => return None,
    };
    let mut width = 1;
    let mut vector = false;
    let mut name = None;
    for word in words {
        if let Some(range) = word.strip_prefix('[') {
            width = range.split(':').next()?.parse::<usize>().ok()? + 1;
            vector = true;
        } else {
            name = Some(word);
        }
    }
    Some(TopPort { name: name?.to_owned(), direction, width, vector })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_read_from_an_export() {
        let text = std::fs::read_to_string(crate::verilog_folder().join("sim/sim.v"));
        let ports = ports(&text.expect("sim.v"));
        assert_eq!(ports[0].name, "clock");
        let leds = ports.iter().find(|port| port.name == "leds").expect("leds");
        assert_eq!((leds.direction, leds.width, leds.vector), (Direction::Out, 8, true));
        let line = port("  inout wire [15:0] sdram_d;").expect("a port");
        assert_eq!((line.direction, line.width), (Direction::Inout, 16));
        assert_eq!(port("  reg [15:0] sdram_d;"), None);
    }
}
