//! All runs, and medians over the rounds.

use crate::measurement::{Found, Measurement};
use crate::percentile::median;

/// Every run so far.
#[derive(Default)]
pub struct Results(pub Vec<Measurement>);

impl Results {
    /// The runs of a tool in a cell that found something, by round.
    pub fn runs<'a>(&'a self, cell: &str, tool: &str) -> Vec<&'a Found> {
        self.of(cell, tool)
            .filter_map(|measurement| measurement.outcome.as_ref().ok())
            .collect()
    }

    /// The median over rounds of something; none when no run tells it.
    pub fn median(
        &self,
        cell: &str,
        tool: &str,
        figure: impl Fn(&Found) -> Option<f64>,
    ) -> Option<f64> {
        median(self.runs(cell, tool).into_iter().filter_map(figure))
    }

    /// The median over rounds of something that two tools show in the same round.
    pub fn paired_median(
        &self,
        cell: &str,
        tools: (&str, &str),
        figure: impl Fn(&Found, &Found) -> f64,
    ) -> Option<f64> {
        let (one, other) = tools;
        median(self.of(cell, one).filter_map(|first| {
            let second = self
                .of(cell, other)
                .find(|second| second.round == first.round)?;
            Some(figure(
                first.outcome.as_ref().ok()?,
                second.outcome.as_ref().ok()?,
            ))
        }))
    }

    /// Why a run of a tool in a cell found nothing; none when all did.
    pub fn problem(&self, cell: &str, tool: &str) -> Option<&str> {
        self.of(cell, tool)
            .find_map(|measurement| measurement.outcome.as_ref().err())
            .map(String::as_str)
    }

    fn of<'r, 'n>(
        &'r self,
        cell: &'n str,
        tool: &'n str,
    ) -> impl Iterator<Item = &'r Measurement> + use<'r, 'n> {
        self.0
            .iter()
            .filter(move |measurement| measurement.cell == cell && measurement.tool == tool)
    }
}
