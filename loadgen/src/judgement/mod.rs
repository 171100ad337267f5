//! How the generator judges its own run: pure functions from [`evidence`] to a verdict.
//!
//! [`judge::judge`] asks every check, puts the worst of their findings into a
//! [`verdict::Verdict`], and gives the figures of each quantity: a percentile comes with its 95%
//! interval ([`order_statistics`](runfair_measuring::statistics::order_statistics), for the effective number of requests of [`dependence`]), or
//! is absent with the reason ([`figures`]). Failed requests give it two ends ([`censored`]).
//!
//! A finding is a **limitation** (noted, the run stays fair), a **warning** (what it names is
//! flagged) or a **fault** (void). What cannot be established is said, and never passes.
//!
//! # The checks
//!
//! | check | looks at | finds | source |
//! |---|---|---|---|
//! | [`rate`](checks::rate) | requests not sent by the schedule's end | fault: over 0.1% through the generator; warning: over 1% for want of a free connection; fault: the same, and a thread over 80% busy | README; `docs/statistics.md`, fairness |
//! | [`accounting`](checks::accounting) | scheduled, sent, good, failed and recorded, against one another | fault: a request without an outcome, or a latency left out | coordinated omission |
//! | [`send_lag`](checks::send_lag) | percentiles of latency with and without the generator's lateness | warning: over 5% of a figure is its own; that figure is withheld | `docs/statistics.md`, latency |
//! | [`arrivals`](checks::arrivals) | send lag against the mode's promise | warning: p99 beyond the promise | `docs/load-generation.md` |
//! | [`closed_loop`](checks::closed_loop) | who decides when to send | warning: always, on the latencies of a closed loop | `docs/statistics.md`, latency |
//! | [`failures`](checks::failures) | failed requests by kind | limitation: any, the maximum has only a lower end; warning: the two ends of a percentile are over 1% apart; fault: nothing succeeded | Helsel 2012 |
//! | [`generator_cpu`](checks::generator_cpu) | CPU of each thread, less deliberate spinning | warning: over 80% | M/M/1 |
//! | [`disturbance`](checks::disturbance) | each thread's time on the run queue | warning: over 1%; limitation: untold | `docs/statistics.md`, a noisy machine |
//! | [`interrupted`](checks::interrupted) | whether the schedule was finished | warning: not | |
//! | [`unanswered`](checks::unanswered) | whether the server went on answering | fault: a closed loop by its requests was given up | |
//! | [`no_socket`](checks::no_socket) | requests that found no socket, port or descriptor on this machine | warning: any; fault: over 0.1% | as `rate` |
//! | [`clock_step`](checks::clock_step) | steps of the realtime clock | warning: any | kernel stamps are on it |
//! | [`too_few_requests`](checks::too_few_requests) | intervals of the percentiles | limitation: too few requests (withheld), or too few pauses (interval open above) | binomial; Hahn and Meeker 1991 |
//! | [`dependence`](checks::dependence) | the design effect | limitation: certain, and 2 requests or more are worth one; or too short a run to tell | Rao and Scott 1992 |
//! | [`stationarity`](checks::stationarity) | medians of the run's blocks | limitation: a trend (p < 0.001) of 5% or more | Mann 1945; Kendall 1975 |
//! | [`resolution`](checks::resolution) | the mode | limitation: economy's tick | |
//! | [`unstamped`](checks::unstamped) | answers without the kernel's time stamp | limitation: any | `docs/load-generation.md` |
//! | [`lost_segments`](checks::lost_segments) | segments sent again, or received after a gap | warning: any | `docs/load-generation.md` |
//! | [`connections`](checks::connections) | connections opened again | limitation: any | |
//! | [`servers`](checks::servers) | what each of several servers was sent | warning: less than half of what its connections would carry | |
//! | [`checked_share`](checks::checked_share) | bodies looked at | limitation: none; warning: some of a sample were wrong; fault: over 1% of the answers are probably wrong and unseen | |
//! | [`misses`](checks::misses) | good answers without a value (Redis) | limitation: any | |
//!
//! # Do the intervals hold?
//!
//! Simulated: 20,000 requests in 10 s, 1,000 runs a row, nominal 95%. *Naive* takes requests for
//! independent. *Open* is the share of intervals without an upper end, which is what few
//! independent events deserve. Made by the ignored test `coverage_table`.
//!
//! | latencies | percentile | naive | here | open | requests worth one |
//! |---|---|---|---|---|---|
//! | independent | p50 | 95.1% | 96.3% | 0.0% | 1.2 |
//! | independent | p90 | 95.1% | 96.4% | 0.0% | 1.2 |
//! | independent | p99 | 95.6% | 97.1% | 0.0% | 1.2 |
//! | independent | p99.9 | 95.5% | 97.6% | 0.1% | 1.2 |
//! | AR(1) 0.9 | p50 | 38.7% | 95.2% | 0.0% | 14.7 |
//! | AR(1) 0.9 | p90 | 46.2% | 95.7% | 0.0% | 11.5 |
//! | AR(1) 0.9 | p99 | 59.4% | 97.1% | 0.0% | 7.1 |
//! | AR(1) 0.9 | p99.9 | 69.2% | 97.6% | 38.6% | 6.4 |
//! | AR(1) 0.99 | p50 | 12.4% | 94.2% | 0.0% | 130.3 |
//! | AR(1) 0.99 | p90 | 15.2% | 96.1% | 0.0% | 107.4 |
//! | AR(1) 0.99 | p99 | 21.1% | 97.0% | 62.5% | 95.8 |
//! | AR(1) 0.99 | p99.9 | 23.6% | 99.2% | 99.6% | 50.2 |
//! | AR(1) 0.998 | p50 | 4.5% | 88.9% | 0.0% | 413.0 |
//! | AR(1) 0.998 | p90 | 6.8% | 91.6% | 16.0% | 377.5 |
//! | AR(1) 0.998 | p99 | 9.9% | 96.8% | 98.3% | 296.0 |
//! | AR(1) 0.998 | p99.9 | 5.8% | 98.1% | 100.0% | 76.4 |
//! | 20 ms pause in 0.5 s | p50 | 78.2% | 96.1% | 0.0% | 2.8 |
//! | 20 ms pause in 0.5 s | p90 | 41.5% | 96.2% | 0.0% | 14.2 |
//! | 20 ms pause in 0.5 s | p99 | 48.1% | 97.6% | 0.1% | 11.8 |
//! | 20 ms pause in 0.5 s | p99.9 | 89.3% | 99.4% | 1.4% | 2.4 |
//! | 100 ms pause in 1 s | p50 | 35.9% | 95.0% | 0.0% | 24.0 |
//! | 100 ms pause in 1 s | p90 | 14.4% | 92.3% | 0.0% | 161.0 |
//! | 100 ms pause in 1 s | p99 | 41.8% | 97.3% | 3.0% | 24.3 |
//! | 100 ms pause in 1 s | p99.9 | 86.4% | 99.0% | 29.4% | 4.8 |
//! | 300 ms pause in 2 s | p50 | 19.6% | 97.2% | 0.0% | 114.2 |
//! | 300 ms pause in 2 s | p90 | 19.0% | 96.1% | 37.5% | 435.4 |
//! | 300 ms pause in 2 s | p99 | 21.5% | 97.5% | 41.4% | 68.4 |
//! | 300 ms pause in 2 s | p99.9 | 81.2% | 99.6% | 99.1% | 26.3 |
//!
//! The weakest row has dependence over 500 requests (250 ms) in a run of 10 s: twenty independent
//! stretches. Only a longer run helps there.

pub mod autocorrelation;
pub mod block;
pub mod censored;
pub mod checks;
pub mod counts;
pub mod dependence;
pub mod evidence;
pub mod figures;
pub mod finding;
#[cfg(test)]
mod fixture;
pub mod grid;
pub mod judge;
pub mod nanoseconds;
pub mod requirement;
pub mod stationarity;
#[cfg(test)]
mod tests_coverage;
pub mod verdict;
