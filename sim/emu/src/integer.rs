//! Multiplication and division as the reference core's units do them.

/// Quotient or low product word for the destination register, and the word for H.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) low: u32,
    pub(crate) h: u32,
}

/// Signed product of `b` and `n`, 64 bits.
#[inline]
pub(crate) fn multiply(b: u32, n: u32) -> Pair {
    split(i64::from(b as i32) * i64::from(n as i32))
}

/// The "unsigned" product (u = 1). The unit only leaves out the subtraction for the first operand's
/// top bit; the second operand stays signed, so H is right only while that is below 2^31.
#[inline]
pub(crate) fn multiply_unsigned(b: u32, n: u32) -> Pair {
    split(i64::from(b) * i64::from(n as i32))
}

fn split(product: i64) -> Pair {
    Pair { low: product as u32, h: (product >> 32) as u32 }
}

/// Quotient and remainder; floored if signed. A divisor that is not positive gives what the
/// restoring divider happens to leave behind.
#[inline]
pub(crate) fn divide(b: u32, n: u32, signed: bool) -> Pair {
    let negative = signed && (b as i32) < 0;
    let dividend = if negative { b.wrapping_neg() } else { b };
    let (quotient, remainder) =
        if (n as i32) > 0 { (dividend / n, dividend % n) } else { restoring(dividend, n) };
    let (low, h) = match (negative, remainder) {
        (false, _) => (quotient, remainder),
        (true, 0) => (quotient.wrapping_neg(), 0),
        // -q - 1 = NOT q, and the remainder moves into 0..n.
        (true, _) => (!quotient, n.wrapping_sub(remainder)),
    };
    Pair { low, h }
}

/// 32 steps of trial subtraction, with the step's sign taken from bit 31 of the difference.
#[cold]
fn restoring(dividend: u32, divisor: u32) -> (u32, u32) {
    let mut quotient = dividend;
    let mut remainder: u32 = 0;
    for _ in 0..32 {
        let shifted = remainder << 1 | quotient >> 31;
        let difference = shifted.wrapping_sub(divisor);
        let fits = difference >> 31 == 0;
        remainder = if fits { difference } else { shifted };
        quotient = quotient << 1 | u32::from(fits);
    }
    (quotient, remainder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_table() {
        let rows: [(u32, u32, bool, u32, u32); 10] = [
            (-7_i32 as u32, 3, true, -3_i32 as u32, 2),
            (-8_i32 as u32, 8, true, -1_i32 as u32, 0),
            (7, 3, true, 2, 1),
            (0x8000_0000, 3, true, 0xD555_5555, 1),
            (7, 0, true, 0xFFFF_FFFF, 7),
            (-7_i32 as u32, 0, true, 0, 0xFFFF_FFF9),
            (7, -3_i32 as u32, true, 0xFFFF_FFFA, 0xFFFF_FFF5),
            (-7_i32 as u32, -3_i32 as u32, true, 5, 8),
            (0xFFFF_FFFF, 2, false, 0x7FFF_FFFF, 1),
            (0xFFFF_FFFE, 0x7FFF_FFFF, false, 2, 0),
        ];
        for (b, n, signed, quotient, remainder) in rows {
            let got = divide(b, n, signed);
            let want = Pair { low: quotient, h: remainder };
            assert_eq!(got, want, "{b:08X} DIV {n:08X} signed {signed}");
        }
    }

    /// For positive divisors the short way must agree with the unit's steps.
    #[test]
    fn positive_divisors_agree_with_the_restoring_steps() {
        let mut x: u32 = 1;
        for _ in 0..20_000 {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let n = (x.rotate_left(7) >> 1 >> (x & 31)).max(1);
            assert_eq!(restoring(x, n), (x / n, x % n), "{x:08X} / {n:08X}");
        }
    }

    #[test]
    fn products() {
        let h = |pair: Pair| pair.h;
        assert_eq!(h(multiply(0xFFFF_FFFF, 0xFFFF_FFFF)), 0);
        assert_eq!(h(multiply(0x8000_0000, 2)), 0xFFFF_FFFF);
        assert_eq!(h(multiply_unsigned(0x8000_0000, 2)), 1);
        assert_eq!(multiply(7, -3_i32 as u32).low, -21_i32 as u32);
    }

    /// Divergence D3: an emulator that multiplies unsigned by unsigned gets H = 1.
    #[test]
    fn unsigned_product_takes_the_second_operand_signed() {
        let got = multiply_unsigned(2, 0x8000_0000);
        assert_eq!((got.low, got.h), (0, 0xFFFF_FFFF));
    }
}
