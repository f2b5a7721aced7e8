//! Operations on constants.

use crate::ir::{Alu, Relation};

pub(super) const fn is_real(alu: Alu) -> bool {
    matches!(alu, Alu::Fad | Alu::Fsb | Alu::Fml | Alu::Fdv | Alu::Floor | Alu::Float)
}

/// Whether a condition on constants holds.
pub(super) fn evaluate(relation: Relation, a: i32, b: i32) -> Option<bool> {
    Some(match relation {
        Relation::Eq => a == b,
        Relation::Ne => a != b,
        Relation::Lt => a < b,
        Relation::Le => a <= b,
        Relation::Gt => a > b,
        Relation::Ge => a >= b,
        Relation::Above => a as u32 >= b as u32,
        Relation::Below => (a as u32) < b as u32,
        Relation::Bit => a >> (b & 31) & 1 != 0,
        Relation::NoBit => a >> (b & 31) & 1 == 0,
        Relation::Odd => a & 1 != 0,
        Relation::Even => a & 1 == 0,
        _ => return None,
    })
}

/// What the processor computes, where that is beyond doubt.
pub(super) fn compute(alu: Alu, a: i32, b: i32) -> Option<i32> {
    let shift = b as u32 & 31;
    Some(match alu {
        Alu::Add => a.wrapping_add(b),
        Alu::Sub => a.wrapping_sub(b),
        Alu::And => a & b,
        Alu::Ann => a & !b,
        Alu::Ior => a | b,
        Alu::Xor => a ^ b,
        Alu::Lsl => a.wrapping_shl(shift),
        Alu::Asr => a.wrapping_shr(shift),
        Alu::Ror => a.rotate_right(shift),
        Alu::Mul => a.wrapping_mul(b),
        Alu::Div if b > 0 => a.div_euclid(b),
        Alu::Mod if b > 0 => a.rem_euclid(b),
        Alu::Fad | Alu::Fsb | Alu::Fml | Alu::Fdv => return real(alu, a, b),
        Alu::Float if a.unsigned_abs() < 1 << 23 => (a as f32).to_bits() as i32,
        _ => return None,
    })
}

/// REAL arithmetic whose result needs no rounding: there all adders agree.
fn real(alu: Alu, a: i32, b: i32) -> Option<i32> {
    let (x, y) = (f64::from(f32::from_bits(a as u32)), f64::from(f32::from_bits(b as u32)));
    let ordinary = |v: f64| v.is_finite() && v.abs() > 1.0e-30 && v.abs() < 1.0e30;
    if !ordinary(x) || !ordinary(y) {
        return None;
    }
    let (result, exact) = match alu {
        Alu::Fad | Alu::Fsb => {
            let y = if alu == Alu::Fsb { -y } else { y };
            let sum = x + y;
            (sum, sum - x == y && sum - y == x)
        }
        Alu::Fml => (x * y, true),
        _ => (x / y, (x / y) * y == x),
    };
    let narrow = result as f32;
    (exact && ordinary(result) && f64::from(narrow) == result).then_some(narrow.to_bits() as i32)
}
