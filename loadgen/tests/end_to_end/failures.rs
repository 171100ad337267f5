//! Failed requests are in the percentiles: leaving them out would make a server look faster.

use crate::generator::{first_that, Generator, Measurement};
use crate::servers::Honest;

/// 9 of 1,000 requests time out and 8 are slow, so p99 is one of the slow ones. Of the good
/// answers alone it would be a fast one.
#[test]
fn time_outs_count_among_the_slowest() {
    let server = Honest::start();
    let lines: Vec<String> = (0..1_000)
        .map(|number| match number % 111 {
            50 => r#"{"path": "/slow/900"}"#.to_owned(),
            100 if number < 900 => r#"{"path": "/slow/100"}"#.to_owned(),
            _ => r#"{"path": "/"}"#.to_owned(),
        })
        .collect();
    let count = |path: &str| lines.iter().filter(|line| line.contains(path)).count();
    assert_eq!((count("/slow/900"), count("/slow/100")), (9, 8));
    // A machine that stands still makes further requests slow, and the generator late itself.
    let run = first_that(
        || {
            let options = "--rate 500 --requests 1000 --connections 20 --timeout 400ms";
            Generator::new(server.url("/"), options)
                .traffic(&lines.join("\n"))
                .measure()
        },
        |run: &Measurement| {
            run.failures() == [("timed_out", 9)].into()
                && run.recorded_percentile("latency", 9_900) < 100_000_000
                && run.result["latency_ns"]["p99"].is_number()
        },
    );
    assert_eq!(run.failures(), [("timed_out", 9)].into());
    assert!(run.recorded_percentile("latency", 9_900) < 100_000_000);
    let latency = &run.result["latency_ns"];
    assert!(run.count("/latency_ns/p99") >= 100_000_000, "{latency}");
    // One of those that timed out is the greatest; how long it would have taken, nobody knows.
    assert!(latency["max"].is_null(), "{latency}");
    assert!(latency["brackets"]["max"]["high_ns"].is_null(), "{latency}");
    assert!(run.count("/latency_ns/brackets/max/low_ns") >= 400_000_000);
    assert!(run.run.stdout.contains(">="), "{}", run.run.stdout);
    let distribution = std::fs::read_to_string(&run.run.files["hgrm"]).unwrap();
    let told = "#[9 of 1000 requests failed: percentiles above 99.1000% are lower limits]\n";
    assert!(distribution.starts_with(told), "{distribution}");
}
