//! Who runs where: the generator alone on one processor, server and bookkeeping on another.

use crate::failure::{Doing, Failure};
use crate::kernel;

/// The two processors of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// The generator's, which nothing else of ours uses.
    pub generator: usize,
    /// The server's, and this program's while it waits.
    pub server: usize,
}

impl Placement {
    /// Takes the first two processors that this process may use.
    ///
    /// # Errors
    /// Fewer than two: on one processor every tool would measure its own waiting.
    pub fn choose(allowed: &[usize]) -> Result<Self, Failure> {
        match allowed {
            // Interrupts of devices favour the first processor, so the generator has the second.
            [server, generator, ..] => Ok(Self {
                generator: *generator,
                server: *server,
            }),
            _ => Err(Failure::TooFewProcessors {
                found: allowed.len(),
            }),
        }
    }

    /// Chooses, and moves this program beside the server, away from the generator.
    ///
    /// # Errors
    /// As [`Placement::choose`], or the system forbids pinning.
    pub fn take() -> Result<Self, Failure> {
        let allowed = kernel::allowed_processors().doing(|| "ask for the processors".into())?;
        let placement = Self::choose(&allowed)?;
        kernel::pin(placement.server).doing(|| format!("run on processor {}", placement.server))?;
        Ok(placement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_processor_is_refused_in_one_line() {
        let line = Placement::choose(&[3]).unwrap_err().to_string();
        assert!(line.contains("needs 2 processors") && line.contains("may use 1"));
        assert!(!line.contains('\n'));
    }

    #[test]
    fn generator_and_server_are_kept_apart() {
        let placement = Placement::choose(&[2, 5, 7]).unwrap();
        assert_eq!((placement.server, placement.generator), (2, 5));
    }
}
