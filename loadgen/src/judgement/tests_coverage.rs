//! Do the intervals hold what they promise? Simulated coverage of a nominal 95%, through the
//! same histogram, timeline and figures as a real run.

use super::block::Timeline;
use super::dependence::design_effect;
use super::figures::{figures, Withheld};
use super::fixture::{histogram, Random, INTERVAL_NS};
use runfair_measuring::statistics::order_statistics::ranks;
use runfair_measuring::statistics::percentile::{PerPercentile, Percentile};

/// A kind of run: its requests as (done, latency) in nanoseconds, and the true percentiles.
struct Scenario {
    name: &'static str,
    run: fn(&mut Random) -> Vec<(u64, u64)>,
    truth: fn(Percentile) -> f64,
}

const GAP_NS: u64 = 500_000;
const REQUESTS: u64 = 20_000;
const SCALE_NS: f64 = 1e6;

/// Independent exponential latencies.
fn independent(random: &mut Random) -> Vec<(u64, u64)> {
    (0..REQUESTS)
        .map(|index| (index * GAP_NS, (SCALE_NS * random.exponential()) as u64))
        .collect()
}

fn exponential_quantile(percentile: Percentile) -> f64 {
    -SCALE_NS * percentile.tail().ln()
}

/// Log-normal latencies whose logarithm is an AR(1) series of coefficient `r`.
fn autoregressive(random: &mut Random, r: f64) -> Vec<(u64, u64)> {
    let mut state = random.normal();
    (0..REQUESTS)
        .map(|index| {
            state = r * state + (1.0 - r * r).sqrt() * random.normal();
            (index * GAP_NS, (SCALE_NS * (0.5 * state).exp()) as u64)
        })
        .collect()
}

fn log_normal_quantile(percentile: Percentile) -> f64 {
    // Standard normal quantiles.
    let point = match percentile {
        Percentile::P50 => 0.0,
        Percentile::P90 => 1.281_552,
        Percentile::P99 => 2.326_348,
        Percentile::P99_9 => 3.090_232,
        Percentile::P99_99 => 3.719_016,
    };
    SCALE_NS * (0.5f64 * point).exp()
}

/// A server that stands still for `pause_ns` again and again, between exponential stretches of
/// work of mean `work_ns`: a request that meets a pause waits for its end.
fn pausing(random: &mut Random, pause_ns: f64, work_ns: f64) -> Vec<(u64, u64)> {
    let cycle = pause_ns + work_ns;
    // The stationary process: within a pause with the pauses' share of time.
    let mut pause_end = if random.uniform() < pause_ns / cycle {
        pause_ns * random.uniform()
    } else {
        work_ns * random.exponential() + pause_ns
    };
    (0..REQUESTS)
        .map(|index| {
            let intended = (index * GAP_NS) as f64;
            while pause_end < intended {
                pause_end += work_ns * random.exponential() + pause_ns;
            }
            let waiting = pause_end - intended;
            let wait = if waiting <= pause_ns { waiting } else { 0.0 };
            let latency = wait + SCALE_NS * random.exponential();
            ((intended + latency) as u64, latency as u64)
        })
        .collect()
}

/// The quantile of a wait that is uniform up to `pause_ns` with the pauses' share of time (0
/// otherwise), plus an exponential; by bisection of its distribution function.
fn pausing_quantile(percentile: Percentile, pause_ns: f64, work_ns: f64) -> f64 {
    let share = pause_ns / (pause_ns + work_ns);
    let tail = |time: f64| {
        let plain = (-time / SCALE_NS).exp();
        let step = SCALE_NS / pause_ns;
        let paused = if time < pause_ns {
            1.0 - time / pause_ns + step * (1.0 - plain)
        } else {
            step * ((-(time - pause_ns) / SCALE_NS).exp() - plain)
        };
        (1.0 - share) * plain + share * paused
    };
    let (mut low, mut high) = (0.0, 1e10);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if tail(middle) > percentile.tail() {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

const SCENARIOS: [Scenario; 7] = [
    Scenario {
        name: "independent",
        run: independent,
        truth: exponential_quantile,
    },
    Scenario {
        name: "AR(1) 0.9",
        run: |random| autoregressive(random, 0.9),
        truth: log_normal_quantile,
    },
    Scenario {
        name: "AR(1) 0.99",
        run: |random| autoregressive(random, 0.99),
        truth: log_normal_quantile,
    },
    Scenario {
        name: "AR(1) 0.998",
        run: |random| autoregressive(random, 0.998),
        truth: log_normal_quantile,
    },
    Scenario {
        name: "20 ms pause in 0.5 s",
        run: |random| pausing(random, 2e7, 4.8e8),
        truth: |percentile| pausing_quantile(percentile, 2e7, 4.8e8),
    },
    Scenario {
        name: "100 ms pause in 1 s",
        run: |random| pausing(random, 1e8, 9e8),
        truth: |percentile| pausing_quantile(percentile, 1e8, 9e8),
    },
    Scenario {
        name: "300 ms pause in 2 s",
        run: |random| pausing(random, 3e8, 1.7e9),
        truth: |percentile| pausing_quantile(percentile, 3e8, 1.7e9),
    },
];

/// What the intervals of one percentile did over many runs.
#[derive(Clone, Copy, Default)]
struct Coverage {
    naive: f64,
    allowed_for: f64,
    open: f64,
    requests_each: f64,
}

fn coverage(scenario: &Scenario, repetitions: u64) -> PerPercentile<Coverage> {
    let shown = [
        Percentile::P50,
        Percentile::P90,
        Percentile::P99,
        Percentile::P99_9,
    ];
    let mut sums = [Coverage::default(); 4];
    for seed in 0..repetitions {
        let mut random = Random::new(seed);
        let mut values = histogram();
        let mut timeline = Timeline::new(INTERVAL_NS);
        for (done_ns, latency_ns) in (scenario.run)(&mut random) {
            values.record(latency_ns).unwrap();
            timeline.record(done_ns, latency_ns);
        }
        let each = PerPercentile::from_fn(|percentile| {
            design_effect(&timeline, percentile).map_or(1.0, |effect| effect.requests_each())
        });
        let allowing = figures(&values, None, &each, &Withheld::new());
        let naive = figures(
            &values,
            None,
            &PerPercentile::from_fn(|_| 1.0),
            &Withheld::new(),
        );
        for (sum, percentile) in sums.iter_mut().zip(shown) {
            let truth = (scenario.truth)(percentile);
            let covers = |interval: &crate::judgement::figures::Interval| {
                let above = interval.high_ns.is_none_or(|high| truth <= high as f64);
                f64::from(u8::from(interval.low_ns as f64 <= truth && above))
            };
            let interval = &allowing.intervals[percentile.name()];
            sum.allowed_for += covers(interval);
            sum.open += f64::from(u8::from(interval.high_ns.is_none()));
            sum.naive += covers(&naive.intervals[percentile.name()]);
            sum.requests_each += each[percentile];
        }
    }
    let runs = repetitions as f64;
    PerPercentile::from_fn(|percentile| {
        let sum = sums.get(percentile as usize).copied().unwrap_or_default();
        Coverage {
            naive: sum.naive / runs,
            allowed_for: sum.allowed_for / runs,
            open: sum.open / runs,
            requests_each: sum.requests_each / runs,
        }
    })
}

#[test]
fn independent_requests_are_covered_and_hardly_paid_for() {
    for (percentile, found) in coverage(&SCENARIOS[0], 60).iter().take(4) {
        assert!(
            found.allowed_for >= 0.88,
            "{percentile:?}: {}",
            found.allowed_for
        );
        assert!(
            found.requests_each < 1.5,
            "{percentile:?}: {}",
            found.requests_each
        );
        assert!(found.open == 0.0, "{percentile:?}: {}", found.open);
    }
}

#[test]
fn dependent_requests_are_covered_where_the_naive_interval_is_not() {
    for scenario in [&SCENARIOS[2], &SCENARIOS[5]] {
        for (percentile, found) in coverage(scenario, 60).iter().take(3) {
            let name = scenario.name;
            assert!(
                found.naive <= 0.7,
                "{name} {percentile:?}: naive {}",
                found.naive
            );
            assert!(
                found.allowed_for >= 0.8,
                "{name} {percentile:?}: {}",
                found.allowed_for
            );
        }
    }
}

#[test]
fn the_design_effect_of_an_autoregression_is_the_known_one() {
    // For the median of a Gaussian AR(1) series the indicator's correlation at lag k is
    // (2 / π) asin(r^k): the sum over lags is the variance ratio.
    let r: f64 = 0.9;
    let correlations = (1..200).map(|lag| r.powi(lag).asin() * 2.0 / std::f64::consts::PI);
    let truth = 1.0 + 2.0 * correlations.sum::<f64>();
    let mut sum = 0.0;
    for seed in 0..20 {
        let mut timeline = Timeline::new(INTERVAL_NS);
        for (done_ns, latency_ns) in autoregressive(&mut Random::new(seed), r) {
            timeline.record(done_ns, latency_ns);
        }
        sum += design_effect(&timeline, Percentile::P50)
            .unwrap()
            .variance_ratio;
    }
    let ratio = sum / 20.0 / truth;
    assert!((0.8..1.3).contains(&ratio), "{ratio} of {truth}");
}

/// `cargo test --release coverage_table -- --ignored --nocapture` prints the table of the room's
/// documentation.
#[test]
#[ignore = "prints a table, takes a minute"]
fn coverage_table() {
    for scenario in &SCENARIOS {
        let found = coverage(scenario, 1_000);
        for (percentile, coverage) in found.iter().take(4) {
            println!(
                "| {} | {} | {:.1}% | {:.1}% | {:.1}% | {:.1} |",
                scenario.name,
                percentile.label(),
                100.0 * coverage.naive,
                100.0 * coverage.allowed_for,
                100.0 * coverage.open,
                coverage.requests_each
            );
        }
    }
}

#[test]
fn independent_samples_are_covered_as_promised() {
    // Exact coverage is at least 95%; 2,000 repetitions have a standard error of 0.5%.
    let mut random = Random::new(11);
    for (percentile, count) in [(Percentile::P50, 100), (Percentile::P99, 1_000)] {
        let found = ranks(percentile, count);
        let (low, high) = (found.low.unwrap() as usize, found.high.unwrap() as usize);
        let mut covered = 0;
        for _ in 0..2_000 {
            let mut sample: Vec<f64> = (0..count).map(|_| random.uniform()).collect();
            sample.sort_by(f64::total_cmp);
            let truth = percentile.fraction();
            covered += u32::from(sample[low - 1] <= truth && truth <= sample[high - 1]);
        }
        let share = f64::from(covered) / 2_000.0;
        assert!((0.935..=0.985).contains(&share), "{percentile:?}: {share}");
    }
}
