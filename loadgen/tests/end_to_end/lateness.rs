//! Who was late: the server that does not keep up, or the generator that was starved.

use std::thread;
use std::time::Duration;

use crate::generator::records::Record;
use crate::generator::{typical, undisturbed, Generator, Measurement};
use crate::servers::Honest;

#[test]
fn a_rate_that_the_server_cannot_reach_is_a_warning() {
    // One connection of 5 ms answers takes 200/s at most.
    let options = "--rate 500 --duration 400ms --connections 1";
    let run = undisturbed(|| Generator::new(Honest::start().url("/slow/5"), options).measure());
    assert_eq!(run.fates(), (200, 200, 200, 200));
    assert!(
        run.findings("warning").contains(&"rate"),
        "{:?}",
        run.findings("warning")
    );
    // The last may find the connection free just before the schedule's end.
    let own = run.count("/rate/late_by_generator");
    assert!(own < 20, "{own} of 200 are the generator's fault");
    assert_eq!(run.state() == "void", own > 0, "{}", run.run.stdout);
    let number = |pointer: &str| run.result.pointer(pointer).unwrap().as_f64().unwrap();
    assert!((number("/rate/offered_per_s") - 500.0).abs() < 1e-6);
    assert!(number("/rate/achieved_per_s") < 250.0);
    assert!(number("/rate/ratio") < 0.5);
    assert!(run.run.stdout.contains("achieved"), "{}", run.run.stdout);
}

#[test]
fn a_flagged_run_may_be_made_a_failure() {
    // A closed loop is flagged by its nature.
    let server = Honest::start();
    let options = "--closed --requests 50 --fail-on flagged";
    let run = Generator::new(server.url("/"), options).finish();
    assert_eq!(run.status, Some(4), "{}", run.stdout);
}

#[test]
fn a_requirement_that_is_not_shown_to_be_met_is_a_failure() {
    let server = Honest::start();
    for (requirement, status, told) in [
        ("failed < 50%", 0, "failed < 50%: met (0"),
        ("failed < 0.1%", 4, "failed < 0.1%: not shown to be met (0"),
        // 100 requests have no p99.99.
        ("p99.99 < 5s", 4, "p99.99 < 5s: not shown to be met ("),
    ] {
        let run = Generator::new(server.url("/"), "--rate 200 --requests 100")
            .option("--require", requirement)
            .finish();
        assert_eq!(run.status, Some(status), "{}", run.stdout);
        assert!(run.stdout.contains(told), "{}", run.stdout);
    }
}

#[test]
fn a_punctual_run_is_fair() {
    // What a busy machine does to the generator, and nothing else, may spoil it.
    const BUSY: [&str; 5] = [
        "arrivals",
        "disturbance",
        "generator_cpu",
        "rate",
        "send_lag",
    ];
    let server = Honest::start();
    let run = Generator::new(
        server.url("/slow/50"),
        "--rate 100 --requests 100 --connections 32",
    )
    .option("--expect-body-contains", "hello")
    .measure();
    let doubts = [run.findings("warning"), run.findings("fault")].concat();
    assert!(
        doubts.iter().all(|check| BUSY.contains(check)),
        "{doubts:?}"
    );
    assert_eq!(run.state() == "fair", doubts.is_empty(), "{}", run.state());
}

#[test]
fn memory_is_the_generators_own_and_not_its_parents() {
    let server = Honest::start();
    // The parent's greatest size is in what the kernel tells of a child that has
    // done no more than replace itself.
    let ballast = std::hint::black_box(vec![1u8; 200 << 20]);
    let run = Generator::new(server.url("/"), "--rate 500 --requests 50").measure();
    assert!(ballast.iter().all(|byte| *byte == 1));
    let memory = run.count("/generator/peak_rss_bytes");
    assert!((1 << 20..100 << 20).contains(&memory), "{memory}");
}

#[test]
fn what_cannot_be_sent_at_all_is_counted_unsent() {
    let server = Honest::start();
    let options = "--rate 1000 --duration 300ms --connections 1 --timeout 900ms";
    let run = Generator::new(server.url("/slow/50"), options).measure();
    let (scheduled, sent, completed, good) = run.fates();
    assert_eq!(scheduled, 300);
    assert!(
        sent < 60 && completed == sent && good == sent,
        "{:?}",
        run.fates()
    );
    assert_eq!(run.failures()["unsent"], 300 - sent);
    assert!(
        run.findings("warning").contains(&"rate"),
        "{}",
        run.run.stdout
    );
}

#[test]
fn a_fast_server_is_no_excuse_for_a_slow_generator() {
    // 300 ms of 500/s: 100 requests were more than 100 ms late, and not for want of a connection.
    let slow = |run: &Measurement| run.above_ms("send_lag", 100);
    let shown = |run: &Measurement| (60..=220).contains(&slow(run)) && blames_the_generator(run);
    let once = || starved("--rate 500 --duration 1s");
    let run = typical(|| undisturbed(once), shown);
    assert_eq!(run.fates(), (500, 500, 500, 500));
    assert!(
        shown(&run),
        "{} lags above 100 ms; lagged and waited {:?} ns",
        slow(&run),
        lagged_and_waited(&run)
    );
    assert_ne!(run.state(), "fair", "{}", run.run.stdout);
    assert!(
        run.findings("warning").contains(&"send_lag"),
        "{:?}",
        run.findings("warning")
    );
    for name in ["p90", "max"] {
        assert!(run.result["latency_ns"][name].is_null(), "{name} is shown");
        assert!(run.result["latency_ns"]["withheld"][name].is_string());
    }
    assert!(run.run.stdout.contains("withheld"), "{}", run.run.stdout);
}

#[test]
fn a_generator_starved_at_the_end_is_void() {
    // The last requests go only after the schedule's end, though connections were free.
    let run = undisturbed(|| starved("--rate 500 --duration 500ms"));
    assert_eq!(run.fates().0, run.fates().1);
    assert_eq!(run.state(), "void", "{}", run.run.stdout);
    assert!(
        run.findings("fault").contains(&"rate"),
        "{:?}",
        run.findings("fault")
    );
    assert!(run.count("/rate/late_by_generator") > 10);
}

#[test]
fn a_generator_starved_is_to_blame_where_answers_have_no_stamps_too() {
    let run = undisturbed(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("web.socket");
        let server = Honest::unix(&path);
        let generator = Generator::new("http://localhost/", "--rate 500 --duration 1s")
            .option("--unix-socket", &path);
        stopped(&server, generator)
    });
    // What the generator reads late it takes for the server's time, on a busy machine.
    let (lagged, waited) = lagged_and_waited(&run);
    assert!(lagged > waited, "lagged {lagged} ns, waited {waited} ns");
}

#[test]
fn a_tick_of_a_millisecond_is_no_wait_for_a_connection() {
    // Several requests a tick on one connection, whose answers take far less than there
    // is between two of them: each answer of a tick's last is still unread at the next.
    for rate in [2000, 4000] {
        let options = format!("--mode economy --rate {rate} --requests 1200 --connections 1");
        let once = || Generator::new(Honest::start().url("/"), &options).measure();
        let few = |run: &Measurement| keeps_few_waiting(&run.records);
        let run = typical(|| undisturbed(once), few);
        assert!(
            keeps_few_waiting(&run.records),
            "at {rate}/s {} of 1200 waited for a connection, {} had to",
            waiting(&run.records),
            held_up_by_the_server(&run.records)
        );
    }
}

fn keeps_few_waiting(records: &[Record]) -> bool {
    let waiting = waiting(records);
    waiting < 600 && waiting <= held_up_by_the_server(records) + 120
}

/// How many requests waited for a connection.
fn waiting(records: &[Record]) -> usize {
    let waits = records.iter().filter(|record| record.queue_wait_ns() > 0);
    waits.count()
}

/// How many requests a punctual generator would have had to let wait for the one
/// connection, by the time that each answer took.
fn held_up_by_the_server(records: &[Record]) -> usize {
    let mut records: Vec<&Record> = records.iter().collect();
    records.sort_unstable_by_key(|record| record.index);
    let mut free_ns = 0;
    records
        .iter()
        .filter(|record| {
            let waits = free_ns > record.intended_ns;
            free_ns = free_ns.max(record.intended_ns) + record.service_time_ns();
            waits
        })
        .count()
}

#[test]
fn what_is_due_goes_before_what_is_done_ten_times_a_second() {
    // Every hundredth request is due just when intervals are handed over.
    let options = "--mode precise --rate 1000 --requests 3000 --connections 20";
    let run = undisturbed(|| Generator::new(Honest::start().url("/"), options).measure());
    let median_lag_ns = |meets: bool| {
        let mut lags: Vec<u64> = run
            .records
            .iter()
            .filter(|record| (record.index % 100 == 0) == meets)
            .map(Record::send_lag_ns)
            .collect();
        lags.sort_unstable();
        lags[lags.len() / 2]
    };
    let (meeting, others) = (median_lag_ns(true), median_lag_ns(false));
    assert!(
        meeting < 20 * others,
        "{meeting} ns late where the others are {others} ns late"
    );
}

/// Requests went late because the generator was not there, not for want of a connection.
fn blames_the_generator(run: &Measurement) -> bool {
    let (lagged, waited) = lagged_and_waited(run);
    lagged > 10 * waited
}

/// All send lags, and all queue waits, ns.
fn lagged_and_waited(run: &Measurement) -> (u64, u64) {
    let sum = |of: fn(&Record) -> u64| -> u64 { run.records.iter().map(of).sum() };
    (sum(Record::send_lag_ns), sum(Record::queue_wait_ns))
}

/// A run whose generator is stopped for 300 ms once 130 requests have come.
fn starved(options: &str) -> Measurement {
    let server = Honest::start();
    stopped(&server, Generator::new(server.url("/"), options))
}

fn stopped(server: &Honest, generator: Generator) -> Measurement {
    let running = generator.start();
    server.wait_for(130);
    running.signal("STOP");
    thread::sleep(Duration::from_millis(300));
    running.signal("CONT");
    Measurement::of(running.finish())
}
