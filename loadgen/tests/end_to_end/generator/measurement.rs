//! What a run left, and what is true of every run whatever the server did.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use runfair_load::report::RunResult;
use serde_json::Value;

use super::command::Finished;
use super::interval_log::IntervalLog;
use super::records::{Record, Records};

/// What a value may be off in a histogram of three digits: 0.1%, and 1 ns.
const PRECISION: f64 = 0.001;

/// A run may be tried so often before it is taken as it is.
const ATTEMPTS: usize = 10;

/// So many runs that fit show what a test asserts.
const ENOUGH: usize = 3;

/// So many runs that do not fit are not the machine's doing.
const TOO_MANY: usize = 5;

/// The share of a run that a thread of the generator may wait for a processor that others have: far
/// more than the generator itself allows, since tests run side by side.
const GREATEST_WAITING_SHARE: f64 = 0.1;

/// A quantity's name and how it follows from a record.
type Quantity = (&'static str, fn(&Record) -> u64);

/// The quantities of a request.
const QUANTITIES: [Quantity; 4] = [
    ("latency", Record::latency_ns),
    ("queue_wait", Record::queue_wait_ns),
    ("send_lag", Record::send_lag_ns),
    ("service_time", Record::service_time_ns),
];

/// Percentiles with their share of the values in 10,000.
const PERCENTILES: [(&str, u64); 5] = [
    ("p50", 5_000),
    ("p90", 9_000),
    ("p99", 9_900),
    ("p99_9", 9_990),
    ("p99_99", 9_999),
];

/// The first of a few runs that others left its processors, or else the last: one that waited for
/// a processor shows who was late no more.
pub fn undisturbed(run: impl Fn() -> Measurement) -> Measurement {
    first_that(run, Measurement::is_undisturbed)
}

/// Repeats a run until three runs fit, or until five do not, and returns the last. The servers run
/// in the test's own process. They may be late, which the accounts of the generator's threads do
/// not show. A mistake that the generator makes in most runs is found.
pub fn typical<T>(run: impl Fn() -> T, fits: impl Fn(&T) -> bool) -> T {
    let (mut fitting, mut others) = (0, 0);
    loop {
        let one = run();
        let count = if fits(&one) {
            &mut fitting
        } else {
            &mut others
        };
        *count += 1;
        if fitting == ENOUGH || others == TOO_MANY {
            return one;
        }
    }
}

/// The first of a few runs that fits, or else the last. What decides is whether the machine was
/// quiet, and not what the test asserts: a mistake made now and then would not be found.
pub fn first_that<T>(run: impl Fn() -> T, fits: impl Fn(&T) -> bool) -> T {
    let mut last = run();
    for _ in 1..ATTEMPTS {
        if fits(&last) {
            break;
        }
        last = run();
    }
    last
}

/// A finished run with its files read, all found to agree.
pub struct Measurement {
    /// The JSON document.
    pub result: Value,
    /// Every request.
    pub records: Vec<Record>,
    /// The interval log.
    pub log: IntervalLog,
    /// How the process ended.
    pub run: Finished,
}

impl Measurement {
    /// Reads all files of a run.
    ///
    /// # Panics
    /// A file is not valid, or two do not agree.
    pub fn of(run: Finished) -> Self {
        let json = std::fs::read_to_string(&run.files["json"])
            .unwrap_or_else(|error| panic!("no result ({error}): {}", run.stderr));
        let records = Records::read(&run.files["records"]);
        let measurement = Self {
            result: serde_json::from_str(&json).unwrap(),
            records: records.all,
            log: IntervalLog::read(&run.files["hlog"]),
            run,
        };
        assert_eq!(records.header["loop"], measurement.result["loop"]);
        assert_eq!(
            records.header["start_monotonic_ns"],
            measurement.result["started"]["monotonic_ns"]
        );
        measurement.comes_back_the_same();
        measurement.accounts_for_every_request();
        measurement.records_agree();
        measurement.histograms_agree();
        measurement.phases_make_the_whole();
        measurement.servers_make_the_whole();
        measurement.ends_by_its_verdict();
        measurement
    }

    /// A number of the document, by JSON pointer.
    ///
    /// # Panics
    /// There is none.
    pub fn count(&self, pointer: &str) -> u64 {
        self.result
            .pointer(pointer)
            .and_then(Value::as_u64)
            .unwrap_or_else(|| panic!("no number at {pointer}: {}", self.result))
    }

    /// (scheduled, sent, completed, good).
    pub fn fates(&self) -> (u64, u64, u64, u64) {
        let of = |name: &str| self.count(&format!("/requests/{name}"));
        (of("scheduled"), of("sent"), of("completed"), of("good"))
    }

    /// Failures that happened, by kind.
    pub fn failures(&self) -> BTreeMap<&str, u64> {
        let failures = self.result["requests"]["failures"].as_object().unwrap();
        failures
            .iter()
            .map(|(kind, count)| (kind.as_str(), count.as_u64().unwrap()))
            .filter(|(_, count)| *count > 0)
            .collect()
    }

    /// `fair`, `flagged` or `void`.
    pub fn state(&self) -> &str {
        self.result["verdict"]["state"].as_str().unwrap()
    }

    /// Names of the findings of a severity.
    pub fn findings(&self, severity: &str) -> Vec<&str> {
        self.result["verdict"]["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|finding| finding["severity"] == severity)
            .map(|finding| {
                finding["check"]
                    .as_str()
                    .expect("a finding names its check")
            })
            .collect()
    }

    /// Nothing was wrong with the answers. On a busy machine the generator may be too
    /// late by itself, and then says so.
    pub fn has_no_fault_of_the_server(&self) {
        let faults = self.findings("fault");
        assert!(faults.iter().all(|check| *check == "rate"), "{faults:?}");
    }

    /// Others left the generator its processors.
    pub fn is_undisturbed(&self) -> bool {
        self.greatest_waiting_share() <= GREATEST_WAITING_SHARE
    }

    /// The share of the run that a sending thread waited for a processor, of the one that waited
    /// most.
    fn greatest_waiting_share(&self) -> f64 {
        let threads = self.result["generator"]["threads"].as_array().unwrap();
        threads
            .iter()
            .filter_map(|thread| thread["run_queue_share"].as_f64())
            .fold(0.0, f64::max)
    }

    /// How many values of a quantity are above so many ms.
    pub fn above_ms(&self, quantity: &str, limit_ms: u64) -> usize {
        let (_, of) = QUANTITIES
            .iter()
            .find(|(name, _)| *name == quantity)
            .unwrap();
        self.recorded(quantity)
            .filter(|record| of(record) > limit_ms * 1_000_000)
            .count()
    }

    /// A percentile of a quantity from the raw records, ns; none is withheld here.
    pub fn recorded_percentile(&self, quantity: &str, per_ten_thousand: u64) -> u64 {
        at_rank(&self.sorted(quantity), per_ten_thousand)
    }

    /// Requests that have the quantity: latency and service time only the good.
    fn recorded<'a>(&'a self, quantity: &str) -> impl Iterator<Item = &'a Record> {
        let good_alone = matches!(quantity, "latency" | "service_time");
        self.records
            .iter()
            .filter(move |record| record.was_sent && (!good_alone || record.is_good()))
    }

    fn sorted(&self, quantity: &str) -> Vec<u64> {
        let (_, of) = QUANTITIES
            .iter()
            .find(|(name, _)| *name == quantity)
            .unwrap();
        let mut values: Vec<u64> = self.recorded(quantity).map(of).collect();
        values.sort_unstable();
        values
    }

    /// The document is whole by the type of which the schema is made.
    fn comes_back_the_same(&self) {
        let read: RunResult = serde_json::from_value(self.result.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), self.result);
    }

    fn accounts_for_every_request(&self) {
        let (scheduled, sent, completed, good) = self.fates();
        let failed = self.count("/requests/failed");
        let failures = self.failures();
        let kind = |name| failures.get(name).copied().unwrap_or_default();
        assert_eq!(good + failed, scheduled, "{failures:?}");
        assert_eq!(failures.values().sum::<u64>(), failed);
        assert_eq!(
            completed,
            good + kind("wrong_status") + kind("wrong_body") + kind("grpc_status")
        );
        assert!(
            completed <= sent && sent <= scheduled,
            "{completed}, {sent}, {scheduled}"
        );
        if self.result["protocol"] == "http" {
            let statuses = self.result["requests"]["statuses"].as_object().unwrap();
            let counted: u64 = statuses.values().map(|count| count.as_u64().unwrap()).sum();
            assert_eq!(counted, completed, "{statuses:?}");
        }
    }

    fn records_agree(&self) {
        let (scheduled, sent, _, _) = self.fates();
        let indices: Vec<u64> = self.records.iter().map(|record| record.index).collect();
        let share = &self.result["arrivals"]["shard"];
        let first = share["number"].as_u64().unwrap_or(1) - 1;
        let step = share["of"].as_u64().unwrap_or(1);
        let own: Vec<u64> = (0..scheduled).map(|number| first + number * step).collect();
        assert_eq!(indices, own, "each index of the share once");
        let mut failures: BTreeMap<&str, u64> = BTreeMap::new();
        for record in &self.records {
            if record.was_sent {
                let ordered = record.intended_ns <= record.free_ns
                    && record.free_ns <= record.sent_ns
                    && record.sent_ns <= record.done_ns;
                assert!(ordered, "instants out of order: {record:?}");
            } else {
                assert!(
                    record.intended_ns <= record.done_ns && !record.is_good(),
                    "{record:?}"
                );
            }
            if !record.is_good() {
                *failures.entry(&record.kind).or_default() += 1;
            }
        }
        assert_eq!(failures, self.failures());
        let carried = self.records.iter().filter(|record| record.was_sent).count();
        assert_eq!(carried as u64, sent);
        let misses = self
            .records
            .iter()
            .filter(|record| record.kind == "miss")
            .count();
        assert_eq!(misses as u64, self.count("/requests/misses"));
    }

    /// The document and the log, against the raw records.
    fn histograms_agree(&self) {
        for (quantity, _) in QUANTITIES {
            let values = self.sorted(quantity);
            let histogram = self.log.whole(quantity);
            let figures = &self.result[format!("{quantity}_ns")];
            assert_eq!(
                histogram.len(),
                values.len() as u64,
                "{quantity} in the log"
            );
            assert_eq!(
                figures["count"],
                values.len() as u64,
                "{quantity} in the document"
            );
            let (Some(least), Some(greatest)) = (values.first(), values.last()) else {
                continue;
            };
            near(figures["min"].as_u64(), *least, quantity, "min");
            near(figures["max"].as_u64(), *greatest, quantity, "max");
            near(Some(histogram.max()), *greatest, quantity, "max of the log");
            for (name, per_ten_thousand) in PERCENTILES {
                let value = at_rank(&values, per_ten_thousand);
                let shown = figures[name].as_u64();
                let withheld = figures["withheld"][name].is_string();
                let bracketed = figures["brackets"][name].is_object();
                let fates = [shown.is_some(), withheld, bracketed];
                let told = fates.iter().filter(|one| **one).count();
                assert_eq!(told, 1, "{quantity}.{name}: {figures}");
                if self.count("/requests/failed") == 0 {
                    near(shown, value, quantity, name);
                }
                // The log withholds nothing.
                let rank = rank(values.len(), per_ten_thousand);
                near(Some(logged_at(&histogram, rank)), value, quantity, name);
            }
        }
        self.distribution_agrees();
    }

    /// The distribution has every request after the warm-up, also the failed ones.
    fn distribution_agrees(&self) {
        let text = std::fs::read_to_string(&self.run.files["hgrm"]).unwrap();
        let measured = self.result["phases"].as_array().unwrap().last().unwrap();
        let count = |name: &str| measured[name].as_u64().unwrap();
        let total = format!("Total count    = {:12}]", count("good") + count("failed"));
        assert!(text.contains(&total), "{total} is not in: {text}");
        let told = text.contains("requests failed: percentiles above");
        assert_eq!(told, count("failed") > 0, "{text}");
    }

    fn phases_make_the_whole(&self) {
        let phases = self.result["phases"].as_array().unwrap();
        let warm = self.count("/warmup_ns") > 0;
        let names: Vec<_> = phases
            .iter()
            .map(|phase| phase["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            if warm {
                vec!["warmup", "measured"]
            } else {
                vec!["measured"]
            }
        );
        let sum = |pointer: &str| -> u64 {
            phases
                .iter()
                .map(|phase| phase.pointer(pointer).and_then(Value::as_u64).unwrap())
                .sum()
        };
        assert_eq!(sum("/good"), self.count("/requests/good"));
        assert_eq!(sum("/failed"), self.count("/requests/failed"));
        for (quantity, _) in QUANTITIES {
            let pointer = format!("/{quantity}_ns/count");
            assert_eq!(sum(&pointer), self.count(&pointer), "{quantity}");
        }
        let measured = self
            .records
            .iter()
            .filter(|record| record.measured && record.is_good());
        let last = &phases[phases.len() - 1];
        assert_eq!(last["good"], measured.count() as u64);
    }

    /// What was sent went to one of the servers, where there are several.
    fn servers_make_the_whole(&self) {
        let targets = self.result["targets"].as_array().unwrap();
        let sum = |pointer: &str| -> u64 {
            targets
                .iter()
                .map(|target| target.pointer(pointer).and_then(Value::as_u64).unwrap())
                .sum()
        };
        for (share, whole) in [
            ("/connections", "/connections"),
            ("/sent", "/requests/sent"),
            ("/completed", "/requests/completed"),
            ("/good", "/requests/good"),
            ("/latency_ns/count", "/latency_ns/count"),
        ] {
            let whole = if targets.is_empty() {
                0
            } else {
                self.count(whole)
            };
            assert_eq!(sum(share), whole, "{share}");
        }
        assert!(sum("/failed") <= self.count("/requests/failed"));
    }

    fn ends_by_its_verdict(&self) {
        let due = match self.state() {
            "fair" | "flagged" => 0,
            "void" => 3,
            other => panic!("a verdict of {other}"),
        };
        assert_eq!(
            self.run.status,
            Some(due),
            "{}: {}",
            self.state(),
            self.run.stderr
        );
        assert!(
            self.run.stdout.to_lowercase().contains(self.state()),
            "people are not told that it is {}: {}",
            self.state(),
            self.run.stdout
        );
    }
}

/// A percentile's rank among so many values: ⌈share × count⌉, from 1.
fn rank(count: usize, per_ten_thousand: u64) -> u64 {
    (count as u64 * per_ten_thousand).div_ceil(10_000).max(1)
}

/// The value at a percentile's rank of sorted values.
fn at_rank(sorted: &[u64], per_ten_thousand: u64) -> u64 {
    sorted[usize::try_from(rank(sorted.len(), per_ten_thousand) - 1).unwrap()]
}

/// The value at a rank of a histogram.
fn logged_at(histogram: &Histogram<u64>, rank: u64) -> u64 {
    let mut seen = 0;
    histogram
        .iter_recorded()
        .find(|cell| {
            seen += cell.count_since_last_iteration();
            seen >= rank
        })
        .expect("a rank among the values")
        .value_iterated_to()
}

/// A figure that is shown is the true one, to a histogram's precision.
fn near(shown: Option<u64>, truth: u64, quantity: &str, name: &str) {
    let Some(shown) = shown else { return };
    let off = shown.abs_diff(truth);
    assert!(
        off as f64 <= PRECISION * truth as f64 + 1.0,
        "{quantity}.{name} is said to be {shown} ns, the records say {truth} ns"
    );
}
