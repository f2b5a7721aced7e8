//! What a tool can ask of a machine, as steps that are done one after another.

use std::collections::VecDeque;

use kube_proto::serial::{BLOCK_BYTES, COMMAND_MAX, IMAGE_MAX, sum};

/// Sectors of a card's file system; sector 0 is unused.
const SECTORS: u32 = 65_536;

/// A block of data and where it goes.
pub type Numbered = (u32, Box<[u8; BLOCK_BYTES]>);

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A line with a sequence number: the word and what follows.
    Line(String),
    /// Blocks for where the line before said.
    Blocks(Vec<Numbered>),
    /// The CRCs of that many sectors from one on.
    Sums {
        /// First sector.
        first: u32,
        /// How many.
        count: u32,
    },
    /// The lines of the log that are missing.
    Log,
}

/// A job: steps, of which the first that fails is the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub(crate) steps: VecDeque<Step>,
}

/// What cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// Nothing to run.
    #[error("the command is empty: a command is Module.Command parameters, as in System.Watch")]
    Empty,
    /// Too long for the machine's line.
    #[error("a command of {0} characters: at most {COMMAND_MAX} fit the machine's line")]
    Long(usize),
    /// Characters that end a line or that nobody can type.
    #[error("the command holds {0:?}: only printable ASCII characters go over the line")]
    Character(char),
    /// More than the machine's memory takes.
    #[error("an image of {0} bytes: 32 to {IMAGE_MAX} go into memory")]
    Image(usize),
    /// Not on the card.
    #[error("sector {0}: the card's file system has sectors 1 to 65535")]
    Sector(u32),
}

impl Job {
    fn line(text: String) -> Self {
        Self { steps: VecDeque::from([Step::Line(text)]) }
    }

    /// Runs a command line.
    ///
    /// # Errors
    /// [`JobError`] for a line that the machine would not take as it is.
    pub fn command(text: &str) -> Result<Self, JobError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(JobError::Empty);
        }
        if let Some(bad) = text.chars().find(|c| !matches!(c, ' '..='~')) {
            return Err(JobError::Character(bad));
        }
        if text.len() > COMMAND_MAX {
            return Err(JobError::Long(text.len()));
        }
        Ok(Self::line(format!("run {text}")))
    }

    /// Says that `Boot.Cmd` is to be left out at this start.
    #[must_use]
    pub fn skip_start_commands() -> Self {
        Self::line("skip".to_owned())
    }

    /// Loads an image into memory; started, it takes the machine over.
    ///
    /// # Errors
    /// [`JobError::Image`].
    pub fn load(image: &[u8], start: bool) -> Result<Self, JobError> {
        if !(32..=IMAGE_MAX).contains(&image.len()) {
            return Err(JobError::Image(image.len()));
        }
        let blocks = image.chunks(BLOCK_BYTES).zip(0..).map(|(bytes, index)| {
            let mut data = Box::new([0; BLOCK_BYTES]);
            data[..bytes.len()].copy_from_slice(bytes);
            (index, data)
        });
        let mut steps = VecDeque::from([
            Step::Line(format!("load {}", image.len())),
            Step::Blocks(blocks.collect()),
        ]);
        if start {
            steps.push_back(Step::Line(format!("start {} {:08x}", image.len(), sum(image))));
        }
        Ok(Self { steps })
    }

    /// Writes sectors of the card, in the order given; each is read back by the machine.
    ///
    /// # Errors
    /// [`JobError::Sector`].
    pub fn write(sectors: Vec<Numbered>) -> Result<Self, JobError> {
        if let Some(&(bad, _)) = sectors.iter().find(|(n, _)| !(1..SECTORS).contains(n)) {
            return Err(JobError::Sector(bad));
        }
        let steps = [Step::Line(format!("write {}", sectors.len())), Step::Blocks(sectors)];
        Ok(Self { steps: VecDeque::from(steps) })
    }

    /// Waits for the lines of the log that the machine has and that have not come yet.
    #[must_use]
    pub fn log() -> Self {
        Self { steps: VecDeque::from([Step::Log]) }
    }

    /// Asks for the CRCs of sectors of the card.
    ///
    /// # Errors
    /// [`JobError::Sector`].
    pub fn sums(first: u32, count: u32) -> Result<Self, JobError> {
        let end = first.saturating_add(count);
        if first == 0 || end > SECTORS {
            return Err(JobError::Sector(if first == 0 { 0 } else { end - 1 }));
        }
        Ok(Self { steps: VecDeque::from([Step::Sums { first, count }]) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_machine_would_not_take_is_refused_before_it_is_sent() {
        assert_eq!(Job::command("  "), Err(JobError::Empty));
        assert_eq!(Job::command(&"x".repeat(256)), Err(JobError::Long(256)));
        assert_eq!(Job::command("A.B\nC.D"), Err(JobError::Character('\n')));
        assert_eq!(Job::load(&[0; 31], true), Err(JobError::Image(31)));
        assert_eq!(Job::load(&[0; IMAGE_MAX + 1], true), Err(JobError::Image(IMAGE_MAX + 1)));
        let sector = |n| Job::write(vec![(n, Box::new([0; BLOCK_BYTES]))]);
        assert_eq!(sector(0), Err(JobError::Sector(0)));
        assert_eq!(sector(65_536), Err(JobError::Sector(65_536)));
        assert!(sector(65_535).is_ok());
        assert_eq!(Job::sums(65_535, 2), Err(JobError::Sector(65_536)));
    }

    #[test]
    fn an_image_is_cut_into_blocks_and_started_with_its_sum() {
        let job = Job::load(&[7; BLOCK_BYTES + 4], true).expect("fits");
        let [Step::Line(load), Step::Blocks(blocks), Step::Line(start)] =
            &job.steps.iter().collect::<Vec<_>>()[..]
        else {
            panic!("{job:?}")
        };
        assert_eq!(load, "load 1028");
        assert_eq!((blocks.len(), blocks[1].0, &blocks[1].1[..5]), (2, 1, &[7, 7, 7, 7, 0][..]));
        assert_eq!(start, &format!("start 1028 {:08x}", sum(&[7; BLOCK_BYTES + 4])));
    }
}
