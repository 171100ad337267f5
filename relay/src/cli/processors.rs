//! The processors that the relay may use.

use nix::sched::{sched_setaffinity, CpuSet};
use nix::unistd::Pid;

/// Why a text names no processors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write processors such as 1, 0,2 or 0-3; {} is the last that can be", CpuSet::count() - 1)]
pub struct NotProcessors;

/// Processors by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processors(Vec<usize>);

impl Processors {
    /// Reads `1`, `0,2` or `0-3`.
    ///
    /// # Errors
    /// [`NotProcessors`].
    pub fn parse(text: &str) -> Result<Self, NotProcessors> {
        let number = |digits: &str| match digits.parse::<usize>() {
            Ok(processor) if processor < CpuSet::count() => Ok(processor),
            _ => Err(NotProcessors),
        };
        let mut processors = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(NotProcessors);
            }
            processors.extend(first..=last);
        }
        Ok(Self(processors))
    }

    /// Keeps the calling thread, and those it starts, on them.
    ///
    /// # Errors
    /// Processors that do not exist or that this process may not use.
    pub fn settle(&self) -> nix::Result<()> {
        let mut set = CpuSet::new();
        for processor in &self.0 {
            set.set(*processor)?;
        }
        sched_setaffinity(Pid::from_raw(0), &set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        assert_eq!(Processors::parse("3,0-1"), Ok(Processors(vec![3, 0, 1])));
        for text in ["", "a", "1-", "3-1", "1024", "-1", "0-9999999999"] {
            assert_eq!(Processors::parse(text), Err(NotProcessors), "{text:?}");
        }
    }
}
