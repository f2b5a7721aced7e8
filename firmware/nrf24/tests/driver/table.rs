//! The driver's table of registers beside the model's.

use kube_air::REGISTERS as MODEL;
use nrf24::register::{REGISTERS, Register};

#[test]
fn agrees_with_the_model() {
    assert_eq!(REGISTERS.len(), MODEL.len());
    for (ours, model) in REGISTERS.iter().zip(MODEL) {
        let address = ours.register as u8;
        assert_eq!((address, ours.name, ours.bytes), (model.address, model.name, model.bytes));
        assert_eq!(ours.reset, model.reset, "{}", ours.name);
        if ours.register != Register::RfSetup {
            assert_eq!(ours.stable, model.writable, "{}", ours.name);
        }
        assert_eq!(
            ours.stable & !model.writable,
            0,
            "{}: compares what cannot be written",
            ours.name
        );
    }
}
