//! The nRF24L01+ at the level of its SPI commands, and the medium between chips.
