//! Oberon disk images: make, read, change and check.
