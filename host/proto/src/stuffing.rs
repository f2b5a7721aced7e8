//! Consistent overhead byte stuffing with LF as the byte that cannot occur: whatever was lost or added on
//! the way, the next LF is the end of a frame.

/// Ends a frame, and occurs nowhere in one.
pub const END: u8 = b'\n';

const RUN_MAX: usize = 254;

/// Stuffs bytes so that [`END`] does not occur; the length. `out` holds one byte more for each
/// 254 or part of them.
pub(crate) fn stuff(bytes: &[u8], out: &mut [u8]) -> usize {
    let mut len = 0;
    let mut rest = bytes;
    loop {
        let run = rest.iter().take(RUN_MAX).position(|&b| b == 0);
        let run = run.unwrap_or_else(|| rest.len().min(RUN_MAX));
        out[len] = (run + 1) as u8 ^ END;
        for (to, from) in out[len + 1..].iter_mut().zip(&rest[..run]) {
            *to = from ^ END;
        }
        len += 1 + run;
        if run == rest.len() {
            return len;
        }
        // A run of full length stands for itself; a shorter one for itself and the zero behind it.
        rest = &rest[if run == RUN_MAX { run } else { run + 1 }..];
    }
}

/// Undoes [`stuff`]; the length, `None` for what it cannot have made or what does not fit.
pub(crate) fn unstuff(stuffed: &[u8], out: &mut [u8]) -> Option<usize> {
    let (mut len, mut rest) = (0, stuffed);
    while let Some((code, behind)) = rest.split_first() {
        let run = usize::from(code ^ END).checked_sub(1)?;
        let bytes = behind.get(..run)?;
        let to = out.get_mut(len..len + run)?;
        for (to, from) in to.iter_mut().zip(bytes) {
            *to = from ^ END;
        }
        len += run;
        rest = &behind[run..];
        if run < RUN_MAX && !rest.is_empty() {
            *out.get_mut(len)? = 0;
            len += 1;
        }
    }
    Some(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_every_length_come_back() {
        for len in 0..600 {
            for zero_every in [1, 2, 253, 254, 255, 256, 1000] {
                let bytes: std::vec::Vec<u8> =
                    (0..len).map(|i| u8::from((i + 1) % zero_every != 0)).collect();
                let (mut stuffed, mut back) = ([0; 700], [0; 600]);
                let n = stuff(&bytes, &mut stuffed);
                assert!(!stuffed[..n].contains(&END));
                assert_eq!(unstuff(&stuffed[..n], &mut back), Some(len), "{len} {zero_every}");
                assert_eq!(&back[..len], &bytes[..]);
            }
        }
    }
}
