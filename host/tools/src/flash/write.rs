//! Writing changed blocks and reading them back.
//!
//! The order makes an interrupted write visible and harmless: first the mark in place of the
//! directory's first block, then all other changed blocks, then everything is read back from the
//! medium, and at last the directory's first block.

use std::ops::Range;

use sha2::{Digest, Sha256};

use super::codes;
use super::mark::{BLOCK_BYTES, Mark};
use super::medium::Medium;
use super::trouble;
use crate::failure::{Failure, Outcome};
use crate::interrupt::Hold;
use crate::talk::Talk;

/// Bytes read or written at once.
const CHUNK_BYTES: usize = 1 << 16;
const BLOCK: u64 = BLOCK_BYTES as u64;

/// What is to be where.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The bytes.
    pub content: &'a [u8],
    /// Where on the medium they begin.
    pub base: u64,
    /// Where in the content the directory root lies; the mark stands there meanwhile.
    pub root: u64,
    /// Whether the medium ends with the content, as a file does.
    pub whole: bool,
    /// The medium, for people.
    pub label: &'a str,
    /// What is written, for the mark: a board or a file.
    pub of: &'a str,
}

/// What has to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Ranges of blocks of the content that differ, in order.
    pub changed: Vec<Range<u64>>,
    /// Blocks of the content.
    pub blocks: u64,
    /// Whether the medium is longer than the content and shall not be.
    pub cut: bool,
}

impl Plan {
    /// Blocks that differ.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changed.iter().map(|range| range.end - range.start).sum()
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && !self.cut
    }
}

/// What has been done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Blocks written, without the mark.
    pub written: u64,
    /// Blocks read back and found right.
    pub verified: u64,
    /// Blocks of the content.
    pub blocks: u64,
    /// SHA-256 of the content, in hexadecimal.
    pub sha256: String,
}

/// SHA-256 in hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Finds the blocks that differ; all of them with `every`.
///
/// # Errors
/// `kube::target::…`.
pub fn plan(medium: &Medium, job: &Job<'_>, every: bool) -> Outcome<Plan> {
    let blocks = (job.content.len() as u64).div_ceil(BLOCK);
    let cut = job.whole && medium.len() > job.base + job.content.len() as u64;
    if every {
        return Ok(Plan { changed: std::iter::once(0..blocks).collect(), blocks, cut });
    }
    let mut changed: Vec<Range<u64>> = Vec::new();
    let mut buffer = vec![0; CHUNK_BYTES];
    for (chunk, wanted) in (0..).zip(job.content.chunks(CHUNK_BYTES)) {
        let at = chunk * CHUNK_BYTES as u64;
        let there = &mut buffer[..wanted.len()];
        let filled = medium
            .read_at(job.base + at, there)
            .map_err(|error| trouble::of(&error, &format!("{} cannot be compared", job.label)))?;
        let number = at / BLOCK;
        for (block, wanted) in (number..).zip(wanted.chunks(BLOCK_BYTES)) {
            let start = (block - number) as usize * BLOCK_BYTES;
            let end = start + wanted.len();
            if end <= filled && there[start..end] == *wanted {
                continue;
            }
            match changed.last_mut() {
                Some(last) if last.end == block => last.end += 1,
                _ => changed.push(block..block + 1),
            }
        }
    }
    Ok(Plan { changed, blocks, cut })
}

/// Writes what the plan says, and reads everything back if `verify`.
///
/// # Errors
/// `kube::target::…`, `kube::verify::differs`, `kube::interrupted`. The mark stays then.
pub fn write(
    medium: &mut Medium,
    job: &Job<'_>,
    plan: &Plan,
    verify: bool,
    talk: &Talk,
) -> Outcome<Written> {
    let hold = Hold::new();
    let sha256 = sha256(job.content);
    let failed = |error: std::io::Error| {
        trouble::of(&error, &format!("{} could not be written to its end", job.label))
    };
    let root = job.root / BLOCK;
    let root_bytes = &job.content[job.root as usize..job.root as usize + BLOCK_BYTES];
    let total = plan.changes() * BLOCK;
    let mut step = talk.step("Write", job.label, Some(total));
    let mark = Mark { label: job.of.to_owned(), sha256: sha256.clone() };
    medium.write_at(job.base + job.root, &mark.block()).map_err(failed)?;
    medium.sync().map_err(failed)?;
    if plan.cut {
        medium.resize(job.base + job.content.len() as u64).map_err(failed)?;
    }
    for range in pieces(&plan.changed, root) {
        hold.check()?;
        let bytes = slice(job.content, &range);
        medium.write_at(job.base + range.start * BLOCK, bytes).map_err(failed)?;
        step.advance(bytes.len() as u64);
    }
    medium.sync().map_err(failed)?;
    let written = plan.changes();
    step.done(&format!("{written} of {} blocks to {}", plan.blocks, job.label));
    let mut verified = 0;
    if verify {
        let mut step = talk.step("Verify", job.label, Some(job.content.len() as u64));
        verified += verify_blocks(medium, job, &hold, |bytes| step.advance(bytes))?;
        finish(medium, job, root_bytes).map_err(failed)?;
        medium.forget();
        verified += 1;
        same(medium, job, root, root_bytes)?;
        step.done(&format!("{verified} of {} blocks, sha256 {sha256}", plan.blocks));
    } else {
        finish(medium, job, root_bytes).map_err(failed)?;
    }
    Ok(Written { written, verified, blocks: plan.blocks, sha256 })
}

/// Puts the directory's first block in place of the mark.
fn finish(medium: &mut Medium, job: &Job<'_>, root: &[u8]) -> std::io::Result<()> {
    medium.write_at(job.base + job.root, root)?;
    medium.sync()
}

/// The ranges without the root's block, none longer than a chunk.
fn pieces(changed: &[Range<u64>], root: u64) -> impl Iterator<Item = Range<u64>> {
    const STEP: u64 = CHUNK_BYTES as u64 / BLOCK;
    let around = |range: &Range<u64>| match range.contains(&root) {
        true => [range.start..root, root + 1..range.end],
        false => [range.clone(), 0..0],
    };
    let parts: Vec<_> = changed.iter().flat_map(around).filter(|range| !range.is_empty()).collect();
    parts.into_iter().flat_map(|range| {
        let end = range.end;
        range.step_by(STEP as usize).map(move |start| start..end.min(start + STEP))
    })
}

fn slice<'a>(content: &'a [u8], range: &Range<u64>) -> &'a [u8] {
    let end = content.len().min((range.end * BLOCK) as usize);
    &content[(range.start * BLOCK) as usize..end]
}

/// Reads everything but the root's block back from the medium; gives the blocks found right.
/// `progress` hears of the bytes.
///
/// # Errors
/// `kube::verify::differs`, `kube::target::…`, `kube::interrupted`.
pub fn verify_blocks(
    medium: &Medium,
    job: &Job<'_>,
    hold: &Hold,
    mut progress: impl FnMut(u64),
) -> Outcome<u64> {
    medium.forget();
    let root = job.root / BLOCK;
    let blocks = (job.content.len() as u64).div_ceil(BLOCK);
    let mut verified = 0;
    let everything: Vec<Range<u64>> = std::iter::once(0..blocks).collect();
    let mut buffer = vec![0; CHUNK_BYTES];
    for range in pieces(&everything, root) {
        hold.check()?;
        let wanted = slice(job.content, &range);
        let there = &mut buffer[..wanted.len()];
        let filled = medium
            .read_at(job.base + range.start * BLOCK, there)
            .map_err(|error| trouble::of(&error, &format!("{} cannot be read back", job.label)))?;
        if filled < wanted.len() || *there != *wanted {
            let wrong = there.iter().zip(wanted).position(|(a, b)| a != b).unwrap_or(filled);
            return Err(differs(job, range.start + wrong as u64 / BLOCK));
        }
        verified += range.end - range.start;
        progress(wanted.len() as u64);
    }
    Ok(verified)
}

fn same(medium: &Medium, job: &Job<'_>, block: u64, wanted: &[u8]) -> Outcome {
    let mut there = [0; BLOCK_BYTES];
    medium
        .read_at(job.base + block * BLOCK, &mut there)
        .map_err(|error| trouble::of(&error, &format!("{} cannot be read back", job.label)))?;
    if there != *wanted {
        return Err(differs(job, block));
    }
    Ok(())
}

fn differs(job: &Job<'_>, block: u64) -> Failure {
    let at = job.base / BLOCK + block;
    Failure::new(&codes::VERIFY, format!("{} does not hold what was written", job.label))
        .cause(format!("block {at} reads back otherwise"))
        .help("try another reader or card")
}
