//! The requested rate over time.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::stage::{Stage, MICRO, QUANTA_PER_REQUEST};
use runfair_measuring::command_line::decimal::{parse_decimal, DecimalError};
use runfair_measuring::command_line::duration::{
    format_duration_ns, parse_duration_ns, DurationError,
};

/// The fastest rate: one request a nanosecond, the resolution of a schedule.
pub const MAX_RATE_PER_S: u64 = 1_000_000_000;

/// A rate over time: stages in a row, each constant or a linear ramp; the last
/// may be without an end.
///
/// Its text form is `1000` (for ever), `10k`, `1000:10s,2000:10s` or
/// `1000..5000:30s,5000`. A rate has up to six decimals and may end in `k` or
/// `M`; it is kept exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct RateProfile {
    stages: Arc<[Stage]>,
}

/// The reason why a text is not a rate profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum RateError {
    #[error("at rate 0 nothing would ever be sent; give a rate above 0")]
    NeverSends,
    #[error("the stages of the rate together last longer than 584 years; give shorter stages")]
    TooLong,
    #[error("rate, stage {number} (at character {character}): {source}")]
    Stage {
        number: usize,
        character: usize,
        source: StageError,
    },
}

/// The reason why a text is not a stage of a rate profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum StageError {
    #[error("a rate is missing; write, for example, 1000 or 1000:10s")]
    Empty,
    #[error("{0:?} is not a rate; write requests per second, such as 1000, 2.5 or 10k")]
    NotARate(String),
    #[error("{0:?} is too exact a rate; round it to a millionth of a request per second")]
    TooFine(String),
    #[error("{0:?} is too high a rate; give at most {MAX_RATE_PER_S} requests per second")]
    TooFast(String),
    #[error(transparent)]
    Duration(#[from] DurationError),
    #[error("the duration of the stage is 0; give a longer duration")]
    NoLength,
    #[error("a ramp needs a duration; write {0}:10s")]
    EndlessRamp(String),
    #[error("only the last stage may be without a duration; write {0}:10s")]
    EndlessBeforeLast(String),
    #[error("rate 0 without a duration would never end; write 0:10s")]
    EndlessSilence,
}

impl RateProfile {
    /// The end of the last stage; `None` if it has no end.
    pub fn duration_ns(&self) -> Option<u64> {
        self.stages.last().and_then(Stage::end_ns)
    }

    /// Λ(t): the arrivals expected from the origin to `at_ns`. It no longer
    /// grows once the last stage has ended.
    pub fn expected_at(&self, at_ns: u64) -> f64 {
        let reached = self
            .stages
            .partition_point(|stage| stage.end_ns().is_some_and(|end_ns| end_ns <= at_ns));
        match (self.stages.get(reached), self.stages.last()) {
            (Some(stage), _) => stage.requests_at(at_ns),
            (None, Some(last)) => last.after_requests(),
            (None, None) => 0.0,
        }
    }

    /// Λ⁻¹ of a whole number: the instant in nanoseconds at which `count`
    /// arrivals are expected to lie behind, exact to the rounding in constant
    /// stages. None beyond the profile's end or 2⁶⁴ ns. Where Λ stands still, the instant
    /// at which it goes on.
    #[inline]
    pub fn instant_of_count(&self, count: u64) -> Option<u64> {
        let quanta = u128::from(count) * QUANTA_PER_REQUEST;
        let place = self
            .stages
            .partition_point(|stage| stage.ends_before(quanta));
        self.stages.get(place)?.instant_of_quanta(quanta)
    }

    /// Λ⁻¹ of any number, as [`Self::instant_of_count`].
    #[inline]
    pub fn instant_of(&self, requests: f64) -> Option<u64> {
        let place = self
            .stages
            .partition_point(|stage| stage.ends_before_requests(requests));
        self.stages.get(place)?.instant_of_requests(requests)
    }
}

impl FromStr for RateProfile {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        let mut stages: Vec<Stage> = Vec::new();
        let mut character = 1;
        let parts: Vec<&str> = text.split(',').collect();
        for (place, part) in parts.iter().enumerate() {
            let in_stage = |source| RateError::Stage {
                number: place + 1,
                character,
                source,
            };
            let (from, to, duration_ns) = parse_stage(part).map_err(in_stage)?;
            let is_last = place + 1 == parts.len();
            if duration_ns.is_none() && !is_last {
                return Err(in_stage(StageError::EndlessBeforeLast(
                    part.trim().to_owned(),
                )));
            }
            let stage = Stage::following(stages.last(), from, to, duration_ns);
            stage
                .start_ns
                .checked_add(duration_ns.unwrap_or(0))
                .ok_or(RateError::TooLong)?;
            stages.push(stage);
            if duration_ns.is_none() && from == 0 && stages.len() > 1 {
                return Err(in_stage(StageError::EndlessSilence));
            }
            character += part.chars().count() + 1;
        }
        if stages
            .iter()
            .all(|stage| stage.from_micro_per_s == 0 && stage.to_micro_per_s == 0)
        {
            return Err(RateError::NeverSends);
        }
        Ok(Self {
            stages: stages.into(),
        })
    }
}

/// Reads `RATE`, `RATE:DURATION` or `RATE..RATE:DURATION`.
fn parse_stage(text: &str) -> Result<(u64, u64, Option<u64>), StageError> {
    let text = text.trim();
    let (rates, duration_ns) = match text.split_once(':') {
        Some((rates, duration)) => (rates, Some(parse_duration_ns(duration)?)),
        None => (text, None),
    };
    if rates.is_empty() {
        return Err(StageError::Empty);
    }
    if duration_ns == Some(0) {
        return Err(StageError::NoLength);
    }
    match rates.split_once("..") {
        None => {
            let rate = parse_rate(rates)?;
            Ok((rate, rate, duration_ns))
        }
        Some((from, to)) => {
            let ramp = (parse_rate(from)?, parse_rate(to)?, duration_ns);
            if duration_ns.is_none() {
                return Err(StageError::EndlessRamp(rates.to_owned()));
            }
            Ok(ramp)
        }
    }
}

/// Reads a rate, in millionths of a request a second.
fn parse_rate(text: &str) -> Result<u64, StageError> {
    let (number, factor) = match text.strip_suffix('k') {
        Some(number) => (number, 1_000),
        None => match text.strip_suffix('M') {
            Some(number) => (number, 1_000_000),
            None => (text, 1),
        },
    };
    let rate = parse_decimal(number, factor * MICRO).map_err(|error| match error {
        DecimalError::NotANumber => StageError::NotARate(text.to_owned()),
        DecimalError::TooFine => StageError::TooFine(text.to_owned()),
        DecimalError::TooLarge => StageError::TooFast(text.to_owned()),
    })?;
    if rate > MAX_RATE_PER_S * MICRO {
        return Err(StageError::TooFast(text.to_owned()));
    }
    Ok(rate)
}

impl fmt::Display for RateProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, stage) in self.stages.iter().enumerate() {
            if place > 0 {
                f.write_str(",")?;
            }
            write_rate(f, stage.from_micro_per_s)?;
            if stage.to_micro_per_s != stage.from_micro_per_s {
                f.write_str("..")?;
                write_rate(f, stage.to_micro_per_s)?;
            }
            if let Some(duration_ns) = stage.duration_ns {
                write!(f, ":{}", format_duration_ns(duration_ns))?;
            }
        }
        Ok(())
    }
}

fn write_rate(f: &mut fmt::Formatter<'_>, micro_per_s: u64) -> fmt::Result {
    write!(f, "{}", micro_per_s / MICRO)?;
    match micro_per_s % MICRO {
        0 => Ok(()),
        fraction => f.write_str(format!(".{fraction:06}").trim_end_matches('0')),
    }
}

#[cfg(test)]
#[path = "tests_rate.rs"]
mod tests;
