//! The whole schedule of a run.

use std::sync::OnceLock;

use super::arrival::{Arrivals, Process};
use super::rate::RateProfile;
use super::trace::Trace;
use runfair_measuring::command_line::duration::format_duration_ns;

/// Where the instants come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A process around a rate.
    Profile {
        /// How arrivals lie around the rate.
        process: Process,
        /// The rate over time.
        profile: RateProfile,
    },
    /// A recording.
    Trace(Trace),
}

/// The end of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A number of requests.
    Requests(u64),
    /// The schedule ends at an instant, in nanoseconds. No request is intended at this
    /// instant or later.
    Duration(u64),
    /// The recording's last stamp.
    Trace,
}

/// The specification from which a schedule is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduleSpec {
    /// Where the instants come from.
    pub source: Source,
    /// The seed of every random draw.
    pub seed: u64,
    /// What ends the schedule.
    pub end: End,
}

/// The reason why a specification is not a valid schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum ScheduleError {
    #[error("nothing would be sent: {0}")]
    Nothing(&'static str),
    #[error("the stages of the rate end after {profile}, but the run lasts {run}; add a last stage without a duration")]
    RateEndsEarly { profile: String, run: String },
    #[error(
        "the stages of the rate have fewer than {0} requests; add a last stage without a duration"
    )]
    TooFewRequests(u64),
    #[error("{0} requests at this rate last longer than 584 years; send fewer requests, or raise the rate")]
    TooLong(u64),
    #[error("with Poisson arrivals, the stages of the rate may end before {0} requests are sent; add a last stage without a duration, or give --duration instead of --requests")]
    UncertainRequests(u64),
    #[error("the trace has only {recorded} requests, but the command asks for {asked}; ask for at most {recorded}")]
    TraceEndsEarly { recorded: u64, asked: u64 },
    #[error("a run at a rate needs an end; give a duration or a number of requests")]
    NoTrace,
}

/// The intended instants of all requests of a run. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Schedule {
    spec: ScheduleSpec,
    index_limit: u64,
    instant_limit_ns: u64,
    horizon_ns: OnceLock<u64>,
}

impl Schedule {
    /// Checks a specification and makes its schedule.
    ///
    /// # Errors
    /// [`ScheduleError`] if nothing would be sent, or if the rate or the trace
    /// cannot fill the run that is asked for.
    pub fn new(spec: ScheduleSpec) -> Result<Self, ScheduleError> {
        let (index_limit, instant_limit_ns) = limits(&spec)?;
        Ok(Self {
            spec,
            index_limit,
            instant_limit_ns,
            horizon_ns: OnceLock::new(),
        })
    }

    /// The specification of the schedule.
    pub fn spec(&self) -> &ScheduleSpec {
        &self.spec
    }

    /// The arrivals whose index leaves the remainder `thread` when divided by
    /// `of`, in order. Threads 0 to `of` − 1 share the schedule without
    /// overlap; a `thread` not below `of` gets none. A Poisson thread draws the
    /// other threads' gaps as well.
    pub fn arrivals(&self, thread: u64, of: u64) -> Arrivals {
        Arrivals::new(self.clone(), thread, of)
    }

    /// When the schedule ends, in nanoseconds: the duration asked for, the instant
    /// at which the rate has made the requests asked for, or a trace's last. For a number of Poisson requests the first call
    /// walks through all of them, at some nanoseconds each.
    pub fn horizon_ns(&self) -> u64 {
        *self
            .horizon_ns
            .get_or_init(|| match (&self.spec.source, self.spec.end) {
                (Source::Profile { .. }, End::Duration(duration_ns)) => duration_ns,
                // A recording may be over before the duration is.
                (Source::Trace(_), End::Duration(_)) => self.last_intended_ns(0, 1),
                (source, End::Requests(_) | End::Trace) => {
                    let last_ns =
                        self.last_intended_ns(self.index_limit.saturating_sub(1), self.index_limit);
                    // The last request's own gap is part of the schedule.
                    let full_ns = match source {
                        Source::Profile { profile, .. } => {
                            profile.instant_of_count(self.index_limit)
                        }
                        Source::Trace(_) => None,
                    };
                    full_ns.unwrap_or(last_ns).max(last_ns)
                }
            })
    }

    /// How many requests are expected: the number asked for or recorded, or
    /// for a duration Λ(duration), which a constant rate rounds up and a
    /// Poisson process scatters around.
    pub fn expected_requests(&self) -> f64 {
        match (&self.spec.source, self.spec.end) {
            (Source::Profile { profile, .. }, End::Duration(duration_ns)) => {
                profile.expected_at(duration_ns)
            }
            (Source::Trace(trace), End::Duration(duration_ns)) => trace
                .intended_ns()
                .partition_point(|&at_ns| at_ns < duration_ns)
                as f64,
            (_, End::Requests(_) | End::Trace) => self.index_limit as f64,
        }
    }

    /// Λ(t): the arrivals expected up to an instant. On this axis the gaps of
    /// a Poisson process are unit exponentials and those of a constant process
    /// are 1, whatever the rate does. None for a trace, which has no rate.
    pub fn unit_time(&self, at_ns: u64) -> Option<f64> {
        match &self.spec.source {
            Source::Profile { profile, .. } => Some(profile.expected_at(at_ns)),
            Source::Trace(_) => None,
        }
    }

    /// Indices from here on are not sent.
    pub(super) fn index_limit(&self) -> u64 {
        self.index_limit
    }

    /// Instants from here on are not sent at.
    pub(super) fn instant_limit_ns(&self) -> u64 {
        self.instant_limit_ns
    }

    fn last_intended_ns(&self, thread: u64, of: u64) -> u64 {
        self.arrivals(thread, of)
            .last()
            .map_or(0, |arrival| arrival.intended_ns)
    }
}

/// The exclusive bounds of index and instant, once all is checked.
fn limits(spec: &ScheduleSpec) -> Result<(u64, u64), ScheduleError> {
    match spec.end {
        End::Requests(0) => return Err(ScheduleError::Nothing("0 requests are asked for")),
        End::Duration(0) => return Err(ScheduleError::Nothing("the duration is 0")),
        _ => {}
    }
    match (&spec.source, spec.end) {
        (Source::Profile { .. }, End::Trace) => Err(ScheduleError::NoTrace),
        (Source::Profile { profile, .. }, End::Duration(duration_ns)) => {
            if let Some(ends_ns) = profile
                .duration_ns()
                .filter(|&ends_ns| ends_ns < duration_ns)
            {
                return Err(ScheduleError::RateEndsEarly {
                    profile: format_duration_ns(ends_ns),
                    run: format_duration_ns(duration_ns),
                });
            }
            if profile.expected_at(duration_ns) == 0.0 {
                return Err(ScheduleError::Nothing("the rate is 0 for the whole run"));
            }
            Ok((u64::MAX, duration_ns))
        }
        (Source::Profile { process, profile }, End::Requests(requests)) => {
            if *process == Process::Poisson && profile.duration_ns().is_some() {
                return Err(ScheduleError::UncertainRequests(requests));
            }
            match (
                profile.instant_of_count(requests - 1),
                profile.duration_ns(),
            ) {
                (Some(_), _) => Ok((requests, u64::MAX)),
                (None, Some(_)) => Err(ScheduleError::TooFewRequests(requests)),
                (None, None) => Err(ScheduleError::TooLong(requests)),
            }
        }
        (Source::Trace(trace), End::Duration(duration_ns)) => {
            Ok((trace.intended_ns().len() as u64, duration_ns))
        }
        (Source::Trace(trace), End::Requests(asked)) => {
            let recorded = trace.intended_ns().len() as u64;
            if asked > recorded {
                return Err(ScheduleError::TraceEndsEarly { recorded, asked });
            }
            Ok((asked, u64::MAX))
        }
        (Source::Trace(trace), End::Trace) => Ok((trace.intended_ns().len() as u64, u64::MAX)),
    }
}

#[cfg(test)]
#[path = "tests_schedule.rs"]
mod tests;
