//! Lists of processors, such as `0,2-3`.

use std::str::FromStr;

/// Processors that can be named: the kernel's own mask has no more (`CPU_SETSIZE`).
const PROCESSORS_MAX: usize = 1024;

/// Processors by number; a type of its own, since clap reads a `Vec` as a repeated option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processors(pub Vec<usize>);

/// Why a text is no list of processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum ProcessorsError {
    #[error("write processors such as 1, 0,2 or 0-3; the highest number is {}", PROCESSORS_MAX - 1)]
    Form,
    #[error("processor {0} is named twice")]
    Twice(usize),
}

impl FromStr for Processors {
    type Err = ProcessorsError;

    fn from_str(text: &str) -> Result<Self, ProcessorsError> {
        let number = |digits: &str| match digits.trim().parse() {
            Ok(processor) if processor < PROCESSORS_MAX => Ok(processor),
            _ => Err(ProcessorsError::Form),
        };
        let mut processors = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(ProcessorsError::Form);
            }
            for processor in first..=last {
                if processors.contains(&processor) {
                    return Err(ProcessorsError::Twice(processor));
                }
                processors.push(processor);
            }
        }
        Ok(Self(processors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn processors_are_listed_in_the_order_of_threads() {
        assert_eq!("3,0-1".parse(), Ok(Processors(vec![3, 0, 1])));
        for text in ["", "a", "1-", "3-1", "1024", "-1", "0-9999999999"] {
            let read = text.parse::<Processors>();
            assert_eq!(read, Err(ProcessorsError::Form), "{text:?}");
        }
        let twice = "0-2,1".parse::<Processors>();
        assert_eq!(twice, Err(ProcessorsError::Twice(1)));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _ = text.parse::<Processors>();
        }
    }
}
