//! The build driver.

fn main() {}
