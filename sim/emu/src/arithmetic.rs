//! What the arithmetic units compute, for whoever checks another implementation against them.

use crate::{float, integer};

/// Product of MUL: low word and H. With `unsigned` the first operand is taken unsigned.
#[must_use]
pub fn multiply(b: u32, n: u32, unsigned: bool) -> (u32, u32) {
    let multiply = if unsigned { integer::multiply_unsigned } else { integer::multiply };
    let pair = multiply(b, n);
    (pair.low, pair.h)
}

/// Quotient of DIV and H, floored unless `unsigned`.
#[must_use]
pub fn divide(b: u32, n: u32, unsigned: bool) -> (u32, u32) {
    let pair = integer::divide(b, n, !unsigned);
    (pair.low, pair.h)
}

/// FAD; with `u` FLT, with `v` FLOOR. FSB is FAD with the second sign turned.
#[must_use]
pub fn float_add(x: u32, y: u32, u: bool, v: bool) -> u32 {
    float::add(x, y, u, v)
}

/// FML.
#[must_use]
pub fn float_multiply(x: u32, y: u32) -> u32 {
    float::multiply(x, y)
}

/// FDV.
#[must_use]
pub fn float_divide(x: u32, y: u32) -> u32 {
    float::divide(x, y)
}
