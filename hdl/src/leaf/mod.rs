//! The cells that are written in Verilog by hand: registers, memories and the DSP multiply.
//!
//! Everything else in the machine goes through rust-hdl's own generator. Each cell's Verilog stands
//! next to its model for the native simulation and starts with a line `// cell: name`, from which the
//! export takes the module's name.
//!
//! | cell | what a synthesiser makes of it |
//! |---|---|
//! | [`Reg`] | flip-flops |
//! | [`RegEn`] | flip-flops with clock enable |
//! | [`AsyncRam`] | LUT RAM, one write port and one asynchronous read port |
//! | [`Prom`] | block RAM with contents, synchronous read |
//! | [`MainMemory`] | two-port memory with byte lanes; the RAM of the simulated machine |
//! | [`LaneRam`], [`TagRam`] | block RAM of caches: words with byte lanes, tags with two ports |
//! | [`Pll`], [`SdramPads`], [`InputPad`], [`GpioPads`] | PLL, pads and their registers of the ECP5 |
//! | [`VideoPll`], [`GpdiPads`], [`LineBuffer`] | PLL, pads and memory of a picture |
//! | [`DspProduct`] | one 18 x 18 signed multiplier with output register |

mod cache_ram;
mod dsp;
mod ecp5;
mod gpdi;
mod main_memory;
mod prom;
mod ram;
mod register;

pub use cache_ram::{LaneRam, TagRam};
pub use dsp::DspProduct;
pub use ecp5::{GpioPads, InputPad, Pll, PllSettings, SdramPads};
pub use gpdi::{GpdiPads, LineBuffer, VideoPll};
pub use main_memory::MainMemory;
pub use prom::Prom;
pub use ram::AsyncRam;
pub use register::{Reg, RegEn};
