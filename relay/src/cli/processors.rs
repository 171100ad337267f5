//! The processors that the relay may use.

use nix::sched::{sched_setaffinity, CpuSet};
use nix::unistd::Pid;

/// The reason why a text does not name processors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write processors such as 1, 0,2 or 0-3; the highest possible number is {}", CpuSet::count() - 1)]
pub struct NotProcessors;

/// A set of processors, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processors(Vec<usize>);

impl Processors {
    /// Parses a text such as `1`, `0,2` or `0-3`.
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

    /// Restricts the calling thread, and all threads that it starts, to these processors.
    ///
    /// # Errors
    /// A processor does not exist, or this process may not use it.
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
