//! Floating point as the reference core's units compute it: single precision layout, a hidden bit
//! even at exponent 0, no infinities and no NaN. Rounding adds half a unit to the magnitude.
//!
//! Sources: FPAdder.v of 4.10.2016, FPMultiplier.v and FPDivider.v of 2018; results as tabulated in
//! the project's notes on RISC5.

const SIGN: u32 = 0x8000_0000;
const HIDDEN: u32 = 0x80_0000;
const EXPONENT_BIAS: u32 = 127;
/// Exponent of a number whose last mantissa bit counts 1: what FLT and FLOOR work at.
const INTEGER_EXPONENT: u32 = 150;

fn exponent(x: u32) -> u32 {
    x >> 23 & 0xFF
}

fn mantissa(x: u32) -> u32 {
    x & 0x7F_FFFF | HIDDEN
}

/// A 25-bit field of two's complement under a separate sign, which weighs 2^25. The two disagree
/// for a negative operand without mantissa; shifting then draws in the sign, not the field's top.
fn signed_field(field: u32, negative: bool) -> i64 {
    i64::from(field & 0x1FF_FFFF) - if negative { 1 << 25 } else { 0 }
}

/// Operand of the adder, one guard bit below the mantissa.
fn addend(x: u32, hidden: bool) -> i64 {
    let magnitude = (x & 0x7F_FFFF) << 1 | if hidden { HIDDEN << 1 } else { 0 };
    let negative = x & SIGN != 0;
    let field = if negative { magnitude.wrapping_neg() } else { magnitude };
    signed_field(field, negative)
}

/// FAD. With `u` the first operand is an integer of 24 bits and sign (FLT); with `v` the result is
/// an integer (FLOOR). Both expect 4B000000H as second operand, but work with any.
pub(crate) fn add(x: u32, y: u32, u: bool, v: bool) -> u32 {
    let (x_exponent, x_value) = if u {
        let field = (x & 0xFF_FFFF) << 1;
        (INTEGER_EXPONENT, signed_field(field, x & SIGN != 0))
    } else {
        (exponent(x), addend(x, true))
    };
    let (y_exponent, y_value) = (exponent(y), addend(y, !u && !v));

    let common = x_exponent.max(y_exponent);
    let aligned = |value: i64, own: u32| value >> (common - own).min(31);
    let sum = aligned(x_value, x_exponent) + aligned(y_value, y_exponent);
    // The adder is 27 bits wide.
    let sum = (sum << 37) >> 37;

    if v {
        return (sum >> 1) as u32;
    }
    let y_zero = y & !SIGN == 0;
    if x & !SIGN == 0 {
        return if u || y_zero { 0 } else { y };
    }
    if y_zero {
        return x;
    }
    let rounded = (sum.unsigned_abs() as u32).wrapping_add(1) >> 1 & 0x1FF_FFFF;
    if rounded == 0 {
        return 0;
    }
    let shift = rounded.leading_zeros() - 7;
    let result_exponent = (common + 1).wrapping_sub(shift);
    if result_exponent & 0x100 != 0 {
        return 0;
    }
    let sign = if sum < 0 { SIGN } else { 0 };
    sign | (result_exponent & 0xFF) << 23 | (rounded << shift) >> 1 & 0x7F_FFFF
}

/// FSB: addition with the second operand's sign turned.
pub(crate) fn subtract(x: u32, y: u32, u: bool, v: bool) -> u32 {
    add(x, y ^ SIGN, u, v)
}

/// FML.
pub(crate) fn multiply(x: u32, y: u32) -> u32 {
    if exponent(x) == 0 || exponent(y) == 0 {
        return 0;
    }
    let product = u64::from(mantissa(x)) * u64::from(mantissa(y));
    let carry = (product >> 47) as u32;
    // One bit below the mantissa is kept; adding 1 there rounds. A carry out of it is lost.
    let rounded = (product >> (22 + carry)) as u32 + 1;
    let e = (exponent(x) + exponent(y) + carry).wrapping_sub(EXPONENT_BIAS);
    pack((x ^ y) & SIGN, e, rounded, rounded)
}

/// FDV.
pub(crate) fn divide(x: u32, y: u32) -> u32 {
    let sign = (x ^ y) & SIGN;
    if exponent(x) == 0 {
        return 0;
    }
    if exponent(y) == 0 {
        return sign | 0xFF << 23;
    }
    let quotient = ((u64::from(mantissa(x)) << 25) / u64::from(mantissa(y))) as u32;
    let carry = quotient >> 25 & 1;
    let kept = quotient >> carry & 0xFF_FFFF;
    let e = (exponent(x) + carry + EXPONENT_BIAS - 1).wrapping_sub(exponent(y));
    pack(sign, e, kept + 1, kept)
}

/// Sign, exponent of 9 bits and mantissa with one bit below it. Exponent 256..383 is an overflow
/// (exponent FFH over `overflowing`), 384..511 an underflow (zero).
fn pack(sign: u32, e: u32, rounded: u32, overflowing: u32) -> u32 {
    if e & 0x100 == 0 {
        sign | (e & 0xFF) << 23 | rounded >> 1 & 0x7F_FFFF
    } else if e & 0x80 == 0 {
        sign | 0xFF << 23 | overflowing >> 1 & 0x7F_FFFF
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: u32 = 0x3F80_0000;
    const MINUS_ONE: u32 = 0xBF80_0000;
    const THREE: u32 = 0x4040_0000;
    const MAX: u32 = 0x7F7F_FFFF;
    const INFINITY: u32 = 0x7F80_0000;
    const MAGIC: u32 = 0x4B00_0000;

    fn fad(x: u32, y: u32) -> u32 {
        add(x, y, false, false)
    }
    fn flt(x: u32) -> u32 {
        add(x, MAGIC, true, false)
    }
    fn floor(x: u32) -> u32 {
        add(x, MAGIC, false, true)
    }

    #[test]
    fn table_of_the_adder() {
        assert_eq!(fad(0, SIGN), 0);
        assert_eq!(fad(ONE, MINUS_ONE), 0);
        assert_eq!(fad(MAX, MAX), 0x7FFF_FFFF);
        assert_eq!(fad(INFINITY, INFINITY), 0);
        assert_eq!(fad(1, 1), 0x0080_0001);
        assert_eq!(fad(ONE, ONE), 0x4000_0000);
        assert_eq!(flt(0x00FF_FFFF), 0x4B7F_FFFF);
        assert_eq!(flt(0x0100_0000), 0);
        assert_eq!(flt(0xFF80_0000), 0xCB00_0000);
        assert_eq!(flt(1), ONE);
        assert_eq!(flt(-1_i32 as u32), MINUS_ONE);
        assert_eq!(floor((-1.5_f32).to_bits()), -2_i32 as u32);
        assert_eq!(floor(SIGN), -1_i32 as u32);
        assert_eq!(floor(1.0e10_f32.to_bits()), 9_765_625);
    }

    /// Divergences D4 and D5: zeros come out positive, as from the adder of 4.10.2016.
    #[test]
    fn zeros_lose_their_sign() {
        assert_eq!(subtract(0, 0, false, false), 0);
        assert_eq!(fad(SIGN, 0), 0);
        assert_eq!(fad(SIGN, SIGN), 0);
    }

    /// Divergence D6: a negative operand without mantissa, shifted, draws in ones.
    #[test]
    fn sign_fills_when_an_empty_negative_mantissa_is_shifted() {
        // y = -0 mantissa at exponent 148: the field is -2^25, shifted right by 2.
        let y = SIGN | 148 << 23;
        assert_eq!(add(0, y, true, true), (-(1_i32 << 23) >> 1) as u32);
    }

    #[test]
    fn table_of_multiplier_and_divider() {
        assert_eq!(multiply(0x7F00_0000, 0x7F00_0000), INFINITY);
        assert_eq!(multiply(0x0080_0000, 0x0080_0000), 0);
        assert_eq!(multiply(0, ONE), 0);
        assert_eq!(multiply(0x007F_FFFF, ONE), 0);
        assert_eq!(multiply(0x3EAA_AAAB, THREE), ONE);
        assert_eq!(divide(ONE, 0), INFINITY);
        assert_eq!(divide(MINUS_ONE, 0), 0xFF80_0000);
        assert_eq!(divide(0, 0), 0);
        assert_eq!(divide(INFINITY, INFINITY), ONE);
        assert_eq!(divide(ONE, THREE), 0x3EAA_AAAB);
    }

    /// Sums and products of small integers and their quotients by powers of two are exact.
    #[test]
    fn exact_results_equal_ieee() {
        for a in -40_i16..40 {
            for b in -40_i16..40 {
                let (x, y) = (f32::from(a), f32::from(b));
                let (xb, yb) = (x.to_bits(), y.to_bits());
                assert_eq!(f32::from_bits(fad(xb, yb)), x + y, "{a} + {b}");
                assert_eq!(f32::from_bits(multiply(xb, yb)), x * y, "{a} * {b}");
                if b != 0 && b.unsigned_abs().is_power_of_two() {
                    assert_eq!(f32::from_bits(divide(xb, yb)), x / y, "{a} / {b}");
                }
                assert_eq!(floor((x / 4.0).to_bits()) as i32, i32::from(a).div_euclid(4), "{a}");
            }
        }
    }
}
