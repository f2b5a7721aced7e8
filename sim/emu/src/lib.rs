//! The RISC5 machine, instruction by instruction, with its peripherals.
