//! The driver against the model of the chip. Tests named `row_..` are the rows of spec/nrf24.md B
//! that a driver can do something about.

mod clones;
mod field;
mod profiles;
mod rows;
mod table;
mod trouble;
