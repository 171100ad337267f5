//! What the server saw, by its own clock and its own order, is the schedule.

use crate::generator::{first_that, Generator, Measurement};
use crate::servers::http::Request;
use crate::servers::Honest;

/// Two readings of the realtime clock against the monotonic one may differ so much, ns.
const CLOCK_ERROR_NS: u64 = 200_000;

/// A run over one connection, which keeps the order, with what the server saw.
struct Seen {
    run: Measurement,
    requests: Vec<Request>,
}

/// A machine that stands still holds a few requests up; one of several runs has none of them.
const LATEST_NS: u64 = 50_000_000;

impl Seen {
    fn is_undisturbed(&self) -> bool {
        self.run.is_undisturbed() && self.latest_ns() < LATEST_NS
    }

    /// How late the latest request came.
    fn latest_ns(&self) -> u64 {
        let start_ns = self.run.count("/started/realtime_ns");
        let late_ns = self.run.records.iter().zip(&self.requests);
        late_ns
            .map(|(record, request)| {
                request
                    .received_ns
                    .saturating_sub(start_ns + record.intended_ns)
            })
            .max()
            .unwrap_or_default()
    }
}

fn seen(options: &str) -> Seen {
    let once = || {
        let server = Honest::start();
        let run = Generator::new(server.url("/n/${sequence}"), options).measure();
        assert_eq!(run.fates().0, run.fates().3, "{:?}", run.failures());
        Seen {
            run,
            requests: server.seen(),
        }
    };
    first_that(once, Seen::is_undisturbed)
}

/// Requests came in the order of the schedule, none before its instant, and most
/// closer to their own instant than to the next but one.
fn kept(Seen { run, requests }: &Seen, gap_ns: u64) {
    let start_ns = run.count("/started/realtime_ns");
    let mut late_ns = Vec::new();
    for (record, request) in run.records.iter().zip(requests) {
        assert_eq!(request.path, format!("/n/{}", record.index));
        let intended_ns = start_ns + record.intended_ns;
        assert!(
            request.received_ns + CLOCK_ERROR_NS >= intended_ns,
            "request {} came {} ns before its instant",
            record.index,
            intended_ns - request.received_ns
        );
        late_ns.push(request.received_ns.saturating_sub(intended_ns));
    }
    late_ns.sort_unstable();
    let median_ns = late_ns[late_ns.len() / 2];
    assert!(median_ns < gap_ns, "the median came {median_ns} ns late");
}

#[test]
fn a_constant_rate_is_a_grid() {
    let seen = seen("--rate 200 --duration 1s --connections 1");
    assert_eq!(seen.requests.len(), 200);
    for record in &seen.run.records {
        assert_eq!(record.intended_ns, record.index * 5_000_000);
    }
    kept(&seen, 5_000_000);
}

#[test]
fn poisson_arrivals_come_when_they_were_drawn() {
    let options = "--rate 200 --requests 200 --arrivals poisson --connections 1 --seed 3";
    let first = seen(options);
    kept(&first, 5_000_000);
    let mut gaps: Vec<u64> = first
        .run
        .records
        .windows(2)
        .map(|pair| pair[1].intended_ns - pair[0].intended_ns)
        .collect();
    gaps.sort_unstable();
    // The quartiles of an exponential are 0.29 and 1.39 of its mean.
    assert!(gaps[50] < 2_500_000 && gaps[150] > 5_000_000, "{gaps:?}");
    let again = seen(options);
    let instants = |run: &Measurement| -> Vec<u64> {
        run.records
            .iter()
            .map(|record| record.intended_ns)
            .collect()
    };
    assert_eq!(
        instants(&first.run),
        instants(&again.run),
        "a pure function of the seed"
    );
}

#[test]
fn stages_hold_what_they_were_asked_to() {
    let seen = seen("--rate 100:500ms,300:500ms --connections 1");
    assert_eq!(seen.requests.len(), 200);
    let start_ns = seen.run.count("/started/realtime_ns");
    let early = seen
        .requests
        .iter()
        .filter(|request| request.received_ns < start_ns + 500_000_000)
        .count();
    assert!(
        (40..=51).contains(&early),
        "{early} of 50 came in the first stage"
    );
    kept(&seen, 5_000_000);
}

#[test]
fn a_trace_is_played_at_its_own_instants_and_speed() {
    let lines = r#"
{"path":"/n/0","at_s":1000.0}
{"path":"/n/1","at_s":1000.1}
{"path":"/n/2","at_s":1000.11}
{"path":"/n/3","at_s":1001.0}
"#;
    let options = "--arrivals trace --speed 2 --connections 1";
    let once = || {
        let server = Honest::start();
        let run = Generator::new(server.url("/"), options)
            .traffic(lines)
            .measure();
        Seen {
            run,
            requests: server.seen(),
        }
    };
    let seen = first_that(once, Seen::is_undisturbed);
    assert_eq!(seen.run.fates(), (4, 4, 4, 4));
    let instants: Vec<u64> = seen
        .run
        .records
        .iter()
        .map(|record| record.intended_ns)
        .collect();
    assert_eq!(instants, [0, 50_000_000, 55_000_000, 500_000_000]);
    kept(&seen, 100_000_000);
}
