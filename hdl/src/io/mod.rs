//! The peripherals behind the sixteen I/O words, each with its document and tests.

mod bus;
mod extension;
mod idle;
mod spi;
mod timer;
mod uart;

pub use bus::{Bus, Parameters};
pub use extension::Extension;
pub use idle::Idle;
pub use spi::SpiMaster;
pub use timer::Timer;
pub use uart::{UartReceiver, UartTransmitter};
