//! Tests of the schedule as a whole.

use super::*;
use crate::schedule::Arrival;
use proptest::prelude::*;

const SECOND_NS: u64 = 1_000_000_000;

fn at_rate(process: Process, rate: &str, seed: u64, end: End) -> Schedule {
    try_at_rate(process, rate, seed, end).unwrap()
}

fn try_at_rate(
    process: Process,
    rate: &str,
    seed: u64,
    end: End,
) -> Result<Schedule, ScheduleError> {
    Schedule::new(ScheduleSpec {
        source: Source::Profile {
            process,
            profile: rate.parse().unwrap(),
        },
        seed,
        end,
    })
}

fn of_trace(stamps: &[u64], speed: f64, end: End) -> Result<Schedule, ScheduleError> {
    let trace = Trace::new((1..).zip(stamps.iter().copied()), speed).unwrap();
    Schedule::new(ScheduleSpec {
        source: Source::Trace(trace),
        seed: 0,
        end,
    })
}

fn all(schedule: &Schedule) -> Vec<Arrival> {
    schedule.arrivals(0, 1).collect()
}

/// Gaps on the axis of expected arrivals, the first from the origin.
fn unit_gaps(schedule: &Schedule) -> Vec<f64> {
    let mut previous = 0.0;
    all(schedule)
        .iter()
        .map(|arrival| {
            let now = schedule.unit_time(arrival.intended_ns).unwrap();
            let gap = now - previous;
            previous = now;
            gap
        })
        .collect()
}

fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, variance)
}

/// The largest distance between the gaps' distribution and the unit exponential.
fn exponential_distance(gaps: &[f64]) -> f64 {
    let mut sorted = gaps.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    sorted
        .iter()
        .enumerate()
        .map(|(place, gap)| {
            let expected = 1.0 - (-gap).exp();
            (expected - place as f64 / n).max((place + 1) as f64 / n - expected)
        })
        .fold(0.0, f64::max)
}

/// Kolmogorov's critical distance at 1 in 10 000 for n gaps: sqrt(ln(2/α)/2n).
fn critical_distance(n: usize) -> f64 {
    ((2.0_f64 / 1e-4).ln() / (2.0 * n as f64)).sqrt()
}

#[test]
fn a_constant_schedule_is_a_grid() {
    let schedule = at_rate(Process::Constant, "3", 0, End::Duration(SECOND_NS));
    let instants: Vec<u64> = all(&schedule).iter().map(|a| a.intended_ns).collect();
    assert_eq!(instants, [0, 333_333_333, 666_666_667]);
    assert_eq!(schedule.horizon_ns(), SECOND_NS);
    assert_eq!(schedule.expected_requests(), 3.0);
}

#[test]
fn a_number_of_requests_ends_when_the_rate_has_made_them() {
    let schedule = at_rate(Process::Constant, "1000", 0, End::Requests(10));
    assert_eq!(all(&schedule).len(), 10);
    assert_eq!(schedule.horizon_ns(), 10_000_000);
    assert_eq!(schedule.expected_requests(), 10.0);
    let random = at_rate(Process::Poisson, "1000", 4, End::Requests(1000));
    let arrivals = all(&random);
    assert_eq!(arrivals.len(), 1000);
    assert_eq!(
        random.horizon_ns(),
        arrivals[999].intended_ns.max(SECOND_NS)
    );
}

#[test]
fn poisson_gaps_are_unit_exponentials_whatever_the_rate_does() {
    for rate in ["1000:100s", "500..2000:80s", "2000:20s,0:7s,3000..100:40s"] {
        for seed in [1, 2] {
            let profile: RateProfile = rate.parse().unwrap();
            let end = End::Duration(profile.duration_ns().unwrap());
            let schedule = at_rate(Process::Poisson, rate, seed, end);
            let gaps = unit_gaps(&schedule);
            let n = gaps.len() as f64;
            // Five standard deviations of a Poisson count.
            let expected = schedule.expected_requests();
            assert!((n - expected).abs() < 5.0 * expected.sqrt(), "{rate}: {n}");
            // Mean 1, variance 1; the variance's variance is 8/n.
            let (mean, variance) = mean_and_variance(&gaps);
            assert!((mean - 1.0).abs() < 5.0 / n.sqrt(), "{rate}: {mean}");
            assert!(
                (variance - 1.0).abs() < 5.0 * (8.0 / n).sqrt(),
                "{rate}: {variance}"
            );
            let distance = exponential_distance(&gaps);
            assert!(
                distance < critical_distance(gaps.len()),
                "{rate}: {distance}"
            );
        }
    }
}

#[test]
fn the_distance_test_catches_other_gaps() {
    // The test above could be blind: a grid and a uniform spread must fail it.
    let grid = vec![1.0; 1000];
    assert!(exponential_distance(&grid) > critical_distance(1000));
    let spread: Vec<f64> = (0..1000)
        .map(|k| 2.0 * (f64::from(k) + 0.5) / 1000.0)
        .collect();
    assert!(exponential_distance(&spread) > critical_distance(1000));
}

#[test]
fn poisson_gaps_are_uncorrelated() {
    let gaps = unit_gaps(&at_rate(
        Process::Poisson,
        "1000",
        9,
        End::Requests(100_000),
    ));
    for lag in 1..=5 {
        let products = gaps.windows(lag + 1).map(|w| (w[0] - 1.0) * (w[lag] - 1.0));
        let correlation = products.sum::<f64>() / (gaps.len() - lag) as f64;
        assert!(
            correlation.abs() < 5.0 / (gaps.len() as f64).sqrt(),
            "lag {lag}: {correlation}"
        );
    }
}

#[test]
fn two_superposed_processes_are_one_of_the_summed_rate() {
    let mut merged: Vec<u64> = [11, 12]
        .iter()
        .flat_map(|&seed| {
            all(&at_rate(
                Process::Poisson,
                "500",
                seed,
                End::Duration(50 * SECOND_NS),
            ))
        })
        .map(|arrival| arrival.intended_ns)
        .collect();
    merged.sort_unstable();
    let mut previous_ns = 0;
    let gaps: Vec<f64> = merged
        .iter()
        .map(|&at_ns| {
            let gap = (at_ns - previous_ns) as f64 * 1000.0 / SECOND_NS as f64;
            previous_ns = at_ns;
            gap
        })
        .collect();
    assert!(exponential_distance(&gaps) < critical_distance(gaps.len()));
}

#[test]
fn the_first_poisson_arrival_is_one_gap_from_the_origin() {
    let seeds = 2000_u32;
    let first_gaps: Vec<f64> = (0..seeds)
        .map(|seed| {
            unit_gaps(&at_rate(
                Process::Poisson,
                "1000",
                seed.into(),
                End::Requests(1),
            ))[0]
        })
        .collect();
    let (mean, _) = mean_and_variance(&first_gaps);
    assert!((mean - 1.0).abs() < 5.0 / f64::from(seeds).sqrt(), "{mean}");
    let distance = exponential_distance(&first_gaps);
    assert!(distance < critical_distance(first_gaps.len()), "{distance}");
}

#[test]
fn seeds_differ() {
    let first = |seed| all(&at_rate(Process::Poisson, "1000", seed, End::Requests(5)));
    assert_ne!(first(1), first(2));
}

#[test]
fn a_trace_is_played_to_its_end_or_cut() {
    let stamps = [100, 150, 400, 1100];
    let whole = of_trace(&stamps, 1.0, End::Trace).unwrap();
    let instants: Vec<u64> = all(&whole).iter().map(|a| a.intended_ns).collect();
    assert_eq!(instants, [0, 50, 300, 1000]);
    assert_eq!((whole.horizon_ns(), whole.expected_requests()), (1000, 4.0));
    assert_eq!(whole.unit_time(300), None);

    let cut = of_trace(&stamps, 0.5, End::Duration(600)).unwrap();
    assert_eq!(all(&cut).len(), 2);
    assert_eq!((cut.horizon_ns(), cut.expected_requests()), (100, 2.0));

    let counted = of_trace(&stamps, 1.0, End::Requests(3)).unwrap();
    assert_eq!((all(&counted).len(), counted.horizon_ns()), (3, 300));
}

#[test]
fn what_cannot_fill_a_run_is_refused() {
    let constant = |rate, end| {
        try_at_rate(Process::Constant, rate, 0, end)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        constant("10:5s", End::Duration(6 * SECOND_NS)),
        "the stages of the rate end after 5s, but the run lasts 6s; add a last stage without a duration"
    );
    assert_eq!(
        constant("10:5s", End::Requests(51)),
        "the stages of the rate have fewer than 51 requests; add a last stage without a duration"
    );
    assert!(try_at_rate(Process::Constant, "10:5s", 0, End::Requests(50)).is_ok());
    assert_eq!(
        constant("0:5s,10", End::Duration(5 * SECOND_NS)),
        "nothing would be sent: the rate is 0 for the whole run"
    );
    assert_eq!(
        constant("10", End::Requests(0)),
        "nothing would be sent: 0 requests are asked for"
    );
    assert_eq!(
        constant("10", End::Duration(0)),
        "nothing would be sent: the duration is 0"
    );
    assert_eq!(
        constant("10", End::Trace),
        "a run at a rate needs an end; give a duration or a number of requests"
    );
    assert_eq!(
        constant("0.000001", End::Requests(u64::MAX)),
        "18446744073709551615 requests at this rate last longer than 584 years; send fewer requests, or raise the rate"
    );
    assert!(matches!(
        try_at_rate(Process::Poisson, "10:5s", 0, End::Requests(5)),
        Err(ScheduleError::UncertainRequests(5))
    ));
    assert_eq!(
        of_trace(&[1, 2], 1.0, End::Requests(3)).unwrap_err(),
        ScheduleError::TraceEndsEarly {
            recorded: 2,
            asked: 3
        }
    );
}

#[test]
fn a_thread_beyond_the_number_gets_nothing() {
    let schedule = at_rate(Process::Constant, "1000", 0, End::Requests(10));
    assert_eq!(schedule.arrivals(3, 3).count(), 0);
    assert_eq!(schedule.arrivals(0, 0).count(), 0);
}

fn processes() -> impl Strategy<Value = Process> {
    prop_oneof![Just(Process::Constant), Just(Process::Poisson)]
}

proptest! {
    #[test]
    fn a_constant_rate_sends_rate_times_duration(rate in 1u64..200_000, millis in 1u64..100) {
        let schedule = at_rate(Process::Constant, &rate.to_string(), 0, End::Duration(millis * 1_000_000));
        let count = all(&schedule).len() as u64;
        prop_assert_eq!(count, (rate * millis).div_ceil(1000));
        prop_assert!((schedule.expected_requests() - (rate * millis) as f64 / 1000.0).abs() < 1e-6);
    }

    #[test]
    fn arrivals_never_go_back_and_replay_alike(process in processes(), seed: u64, from in 0u64..100_000, to in 1u64..100_000) {
        let rate = format!("{from}..{to}:20ms,0:3ms,{to}");
        let schedule = at_rate(process, &rate, seed, End::Duration(40_000_000));
        let arrivals = all(&schedule);
        prop_assert!(arrivals.windows(2).all(|pair| pair[0].intended_ns <= pair[1].intended_ns));
        prop_assert!(arrivals.iter().all(|arrival| arrival.intended_ns < 40_000_000));
        prop_assert!((0..).zip(&arrivals).all(|(index, arrival)| arrival.index == index));
        let again = at_rate(process, &rate, seed, End::Duration(40_000_000));
        prop_assert_eq!(all(&again), arrivals);
    }

    #[test]
    fn threads_share_the_schedule_exactly(process in processes(), seed: u64, of in 1u64..9) {
        let schedule = at_rate(process, "20000..60000:30ms,50000", seed, End::Duration(50_000_000));
        let mut merged: Vec<Arrival> = Vec::new();
        for thread in 0..of {
            let own: Vec<Arrival> = schedule.arrivals(thread, of).collect();
            prop_assert!(own.iter().all(|arrival| arrival.index % of == thread));
            merged.extend(own);
        }
        merged.sort_by_key(|arrival| arrival.index);
        prop_assert_eq!(merged, all(&schedule));
    }
}
