//! Outputs of the peers as their programs printed them, cut to what is read.

use std::path::Path;

use super::ab::AB;
use super::autocannon::AUTOCANNON;
use super::fortio::FORTIO;
use super::h2load::H2LOAD;
use super::hey::HEY;
use super::k6::K6;
use super::oha::OHA;
use super::vegeta::VEGETA;
use super::wrk::{WRK, WRK2};
use super::*;
use crate::tools::{Pace, Reading};

const CLOSED: Pace = Pace::Closed { depth: 1 };
const OPEN: Pace = Pace::Constant { rate_per_s: 10_000 };

fn load(scratch: &Path, pace: Pace, every_request: bool) -> Load<'_> {
    Load {
        port: 80,
        connections: 50,
        pace,
        seconds: 5,
        every_request,
        scratch,
    }
}

/// Reads an output; `files` are what the tool left behind.
fn read(tool: &Tool, output: &str, files: &[(&str, &str)]) -> Result<Reading, String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let every_request = files.iter().any(|(name, _)| *name == "requests");
    (tool.read)(&load(folder.path(), OPEN, every_request), output)
}

fn figures(reading: &Reading) -> (Option<u64>, [Option<u64>; 4]) {
    let latency = reading.latency;
    (
        reading.completed,
        [
            latency.p50_ns,
            latency.p99_ns,
            latency.p99_9_ns,
            latency.max_ns,
        ],
    )
}

#[test]
fn wrk_is_read() {
    let output = "Running 1s test @ http://127.0.0.1:18431/
  1 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   249.72us  468.78us   5.11ms   96.03%
    Req/Sec    51.26k     2.23k   53.90k    50.00%
  Latency Distribution
     50%  166.00us
     75%  208.00us
     90%  240.00us
     99%    3.12ms
  51041 requests in 1.00s, 4.97MB read
Requests/sec:  50903.97
";
    assert_eq!(
        figures(&read(&WRK, output, &[]).unwrap()),
        (
            Some(51_041),
            [Some(166_000), Some(3_120_000), None, Some(5_110_000)]
        )
    );
}

#[test]
fn the_spectrum_of_wrk2_is_read() {
    let output = "  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    0.96ms
 75.000%    1.32ms
 99.000%  105.90ms
 99.900%  190.00ms
100.000%    0.20s

  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)
       0.020     0.000000            1         1.00
  99000 requests in 10.00s, 9.00MB read
";
    assert_eq!(
        figures(&read(&WRK2, output, &[]).unwrap()),
        (
            Some(99_000),
            [
                Some(960_000),
                Some(105_900_000),
                Some(190_000_000),
                Some(200_000_000)
            ]
        )
    );
}

#[test]
fn h2load_is_read_with_and_without_its_log() {
    let output = "finished in 1.00s, 200.00 req/s, 19.92KB/s
requests: 200 total, 210 started, 199 done, 200 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 200 2xx, 0 3xx, 0 4xx, 0 5xx
                     min         max         mean         sd        +/- sd
time for request:      418us      5.17ms      1.08ms      1.10ms    90.50%
time for connect:        9us        62us        40us        16us    70.00%
";
    let without = read(&H2LOAD, output, &[]).unwrap();
    assert_eq!(without.sent, Some(210));
    assert_eq!(
        figures(&without),
        (Some(199), [None, None, None, Some(5_170_000)])
    );
    let log =
        "1795305333285784\t200\t1261\n1795305333285789\t200\t1275\n1795305333285793\t200\t74\n";
    let with = read(&H2LOAD, output, &[("requests", log)]).unwrap();
    assert_eq!(with.latency.p50_ns, Some(1_261_000));
    assert_eq!(with.latency.max_ns, Some(1_275_000));
    assert!(read(&H2LOAD, output, &[("requests", "nonsense\n")]).is_err());
}

#[test]
fn oha_is_read() {
    let output = r#"{"summary":{"successRate":1.0,"slowest":0.004878519},
        "latencyPercentiles":{"p50":0.000295744,"p99":0.004687388,"p99.9":0.0048,"p99.99":0.0049},
        "statusCodeDistribution":{"200":200}}"#;
    assert_eq!(
        figures(&read(&OHA, output, &[]).unwrap()),
        (
            Some(200),
            [
                Some(295_744),
                Some(4_687_388),
                Some(4_800_000),
                Some(4_878_519)
            ]
        )
    );
}

#[test]
fn fortio_is_read() {
    let file = r#"{"RequestedQPS":"200","DurationHistogram":{"Count":400,"Max":0.001299001,
        "Percentiles":[{"Percentile":50,"Value":0.0006},{"Percentile":99,"Value":0.00124},
        {"Percentile":99.9,"Value":0.00129}]}}"#;
    assert_eq!(
        figures(&read(&FORTIO, "", &[("fortio.json", file)]).unwrap()),
        (
            Some(400),
            [
                Some(600_000),
                Some(1_240_000),
                Some(1_290_000),
                Some(1_299_001)
            ]
        )
    );
    assert!(read(&FORTIO, "", &[]).is_err());
}

#[test]
fn vegeta_is_read() {
    let output = r#"{"latencies":{"mean":563269,"50th":427974,"90th":584182,"99th":4548790,
        "max":5505326},"requests":200,"success":1}"#;
    assert_eq!(
        figures(&read(&VEGETA, output, &[]).unwrap()),
        (
            Some(200),
            [Some(427_974), Some(4_548_790), None, Some(5_505_326)]
        )
    );
}

#[test]
fn dropped_iterations_of_k6_count_as_scheduled() {
    let file = r#"{"metrics":{"http_reqs":{"count":401},"dropped_iterations":{"count":354},
        "http_req_duration":{"p(50)":0.54606,"p(99)":1.335275,"p(99.9)":4.6424,"max":5.98748}}}"#;
    let reading = read(&K6, "", &[("k6.json", file)]).unwrap();
    assert_eq!(reading.scheduled, Some(755));
    assert_eq!(
        figures(&reading),
        (
            Some(401),
            [
                Some(546_060),
                Some(1_335_275),
                Some(4_642_400),
                Some(5_987_480)
            ]
        )
    );
}

#[test]
fn autocannon_is_read() {
    let output = r#"{"2xx":201,"latency":{"p50":1,"p99":20,"p99_9":20,"max":21,"totalCount":392},
        "requests":{"total":201,"sent":401}}"#;
    let reading = read(&AUTOCANNON, output, &[]).unwrap();
    assert_eq!(reading.sent, Some(401));
    assert_eq!(
        figures(&reading),
        (
            Some(201),
            [
                Some(1_000_000),
                Some(20_000_000),
                Some(20_000_000),
                Some(21_000_000)
            ]
        )
    );
}

#[test]
fn hey_is_read_whichever_way_it_prints_percent() {
    let output = "Summary:
  Total:	1.0102 secs
  Slowest:	0.0050 secs

Latency distribution:
  50%% in 0.0007 secs
  99%% in 0.0049 secs

Status code distribution:
  [200]	200 responses
";
    let expected = (
        Some(200),
        [Some(700_000), Some(4_900_000), None, Some(5_000_000)],
    );
    assert_eq!(figures(&read(&HEY, output, &[]).unwrap()), expected);
    let once = output.replace("%%", "%");
    assert_eq!(figures(&read(&HEY, &once, &[]).unwrap()), expected);
}

#[test]
fn ab_is_read() {
    let output = "Complete requests:      52809
Percentage of the requests served within a certain time (ms)
  50%      0
  99%      3
 100%      8 (longest request)
";
    assert_eq!(
        figures(&read(&AB, output, &[]).unwrap()),
        (
            Some(52_809),
            [Some(0), Some(3_000_000), None, Some(8_000_000)]
        )
    );
}

#[test]
fn nonsense_is_an_error_where_a_figure_is_needed() {
    for tool in [
        &WRK,
        &WRK2,
        &H2LOAD,
        &OHA,
        &FORTIO,
        &VEGETA,
        &K6,
        &AUTOCANNON,
    ] {
        assert!(
            read(tool, "Segmentation fault\n", &[]).is_err(),
            "{}",
            tool.name
        );
    }
}

#[test]
fn every_peer_produces_some_load_and_none_pretends() {
    let folder = tempfile::tempdir().unwrap();
    for tool in PEERS {
        assert!(tool.can(CLOSED) || tool.can(OPEN), "{}", tool.name);
        for pace in [CLOSED, OPEN, Pace::Closed { depth: 16 }] {
            let Some(arguments) = (tool.arguments)(&load(folder.path(), pace, false)) else {
                continue;
            };
            let files = (tool.files)(&load(folder.path(), pace, false));
            let texts = files.into_iter().map(|(_, content)| content);
            let all = arguments
                .into_iter()
                .chain(texts)
                .collect::<Vec<_>>()
                .join(" ");
            assert!(all.contains("http://127.0.0.1:80/"), "{}: {all}", tool.name);
            match pace {
                // The rate, or the rate of one connection.
                OPEN => assert!(all.contains("10000") || all.contains("200"), "{all}"),
                Pace::Closed { depth: 16 } => assert!(all.contains("16"), "{all}"),
                _ => {}
            }
        }
    }
}
