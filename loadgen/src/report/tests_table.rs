//! The table for people, against golden files, and against hostile text.

use serde_json::json;

use super::result::*;
use super::target_share::TargetShare;
use super::tests_result::{crate_file, figures, sample};
use super::*;
use crate::judgement::counts::Failures;
use crate::judgement::evidence::{Loop, Mode};
use crate::judgement::figures::Figures;

/// Compares with `tests/golden/NAME`; RUNFAIR_GOLDEN=write makes the file anew.
pub(super) fn golden(name: &str, text: &str) {
    let path = crate_file("tests/golden").join(name);
    if std::env::var_os("RUNFAIR_GOLDEN").is_some_and(|value| value == "write") {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, expected, "tests/golden/{name} differs");
}

fn changed(figures: &Figures, change: impl FnOnce(&mut serde_json::Value)) -> Figures {
    let mut value = serde_json::to_value(figures).unwrap();
    change(&mut value);
    serde_json::from_value(value).unwrap()
}

/// A short economy run with a warm-up, failures, and two percentiles that cannot be said.
fn flagged() -> RunResult {
    let mut result = sample();
    result.mode = Some(Mode::Economy);
    result.resolution_ns = Some(1_000_000);
    result.warmup_ns = 5_000_000_000;
    result.requests.good = 99_988;
    result.requests.failed = 12;
    result.requests.completed = 99_998;
    result.requests.failures.wrong_status = 10;
    result.requests.failures.reset = 2;
    result.requests.checked = 1_000;
    result.requests.unasked = 1;
    result.requests.complaint = Some("status 500 instead of 200 to 399".to_owned());
    result.reconnects = 2;
    let unsayable = changed(&result.latency_ns, |latency| {
        latency["p99_9"] = json!(null);
        latency["withheld"] = json!({
            "p99_9": "48.0 µs of 328 µs are the generator's own lateness",
            "p99_99": "too few requests: 30000, p99.99 needs 36887",
        });
        latency["p99_99"] = json!(null);
        latency["intervals"]
            .as_object_mut()
            .unwrap()
            .remove("p99_9");
        latency["intervals"]
            .as_object_mut()
            .unwrap()
            .remove("p99_99");
        latency["intervals"]["p99"]["high_ns"] = json!(null);
    });
    let measured = Phase {
        from_ns: 5_000_000_000,
        good: 49_998,
        failed: 2,
        latency_ns: unsayable.clone(),
        ..result.phases[0].clone()
    };
    let warmup = Phase {
        name: PhaseName::Warmup,
        to_ns: 5_000_000_000,
        good: 49_990,
        failed: 10,
        latency_ns: figures(49_990, 80_000),
        ..result.phases[0].clone()
    };
    result.phases = vec![warmup, measured];
    result.latency_ns = unsayable;
    result.verdict = serde_json::from_value(json!({"state": "flagged", "findings": [
        {
            "check": "send_lag", "severity": "warning", "figures": ["latency_ns.p99_9"],
            "message": "the generator itself added 7.1% (limit 5%) to p99.9",
            "advice": "use --mode default, or give the generator a processor of its own",
        },
        {
            "check": "resolution", "severity": "limitation", "figures": [],
            "message": "economy sends once a tick of 1 ms", "advice": "",
        },
    ]}))
    .unwrap();
    result
}

fn closed() -> RunResult {
    let mut result = sample();
    result.loop_kind = Loop::Closed;
    result.arrivals = None;
    result.mode = None;
    result.resolution_ns = None;
    result.generator.threads[0].kept_awake = false;
    result.pipeline = 16;
    result.ended = Ended::Interrupted;
    result.elapsed_ns = 3_210_000_000;
    result.rate.offered_per_s = None;
    result.rate.ratio = None;
    result.rate.achieved_per_s = 220_431.7;
    result.generator.cpu_us_per_request = Some(0.31);
    result.verdict = serde_json::from_value(json!({"state": "flagged", "findings": [{
        "check": "closed_loop", "severity": "warning",
        "figures": ["latency_ns.p50", "latency_ns.p99", "latency_ns.max"],
        "message": "closed loop: a server that stalls is asked less",
        "advice": "use --rate for latencies",
    }]}))
    .unwrap();
    result
}

#[test]
fn a_fair_run() {
    golden("table-fair.txt", &table(&sample(), &Screen::plain()));
}

#[test]
fn a_shard_says_that_its_rate_is_a_share() {
    let mut result = sample();
    if let Some(arrivals) = &mut result.arrivals {
        arrivals.shard = crate::schedule::Shard::new(2, 3);
    }
    let text = table(&result, &Screen::plain());
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(
        words.join(" ").contains(", the share of shard 2 of 3"),
        "{text}"
    );
}

#[test]
fn a_trace_of_one_instant_is_no_closed_loop() {
    let mut result = sample();
    result.rate.offered_per_s = None;
    result.rate.ratio = None;
    let text = table(&result, &Screen::plain());
    assert!(text.contains("no rate was offered"), "{text}");
    assert!(!text.contains("closed loop"), "{text}");
}

#[test]
fn a_flagged_run_with_a_warm_up() {
    golden("table-flagged.txt", &table(&flagged(), &Screen::plain()));
}

#[test]
fn a_closed_run_interrupted() {
    golden("table-closed.txt", &table(&closed(), &Screen::plain()));
}

#[test]
fn a_colour_terminal_with_unicode() {
    let screen = Screen {
        columns: 100,
        colour: true,
        unicode: true,
    };
    golden("table-terminal.txt", &table(&flagged(), &screen));
}

#[test]
fn a_narrow_screen() {
    let screen = Screen {
        columns: 44,
        ..Screen::plain()
    };
    let text = table(&flagged(), &screen);
    golden("table-narrow.txt", &text);
    let (first, _) = text.split_once("latency  ").unwrap();
    assert!(
        first.lines().all(|line| line.chars().count() <= 44),
        "{first}"
    );
}

#[test]
fn lines_keep_to_the_screen() {
    for result in [sample(), flagged(), closed()] {
        for line in table(&result, &Screen::plain()).lines() {
            assert!(line.chars().count() <= 80, "{line:?}");
        }
    }
}

#[test]
fn what_is_withheld_shows_no_number() {
    let text = table(&flagged(), &Screen::plain());
    let row = |name: &str| {
        text.lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_else(|| panic!("no row {name}"))
            .to_owned()
    };
    assert!(row("p99.9 ")[8..43].trim() == "withheld", "{text}");
    assert!(row("p99.99")[8..43].trim() == "too few requests", "{text}");
    assert!(row("p99  ").contains("[161 us, no bound]"), "{text}");
}

#[test]
fn a_percentile_whose_interval_is_missing_is_never_a_number() {
    let mut result = sample();
    // A value is there, and no interval: it must not be printed all the same.
    result.latency_ns = changed(&result.latency_ns, |latency| {
        latency["intervals"] = json!({});
    });
    let text = table(&result, &Screen::plain());
    assert_eq!(text.matches("too few requests").count(), 5, "{text}");
}

#[test]
fn a_void_figure_is_no_number_and_a_flagged_one_has_a_star() {
    let mut result = sample();
    result.verdict = serde_json::from_value(json!({"state": "void", "findings": [
        {"check": "a", "severity": "fault", "figures": ["latency_ns.p99", "send_lag_ns.max"],
         "message": "", "advice": ""},
        {"check": "b", "severity": "warning", "figures": ["latency_ns.p90"],
         "message": "", "advice": ""},
    ]}))
    .unwrap();
    let text = table(&result, &Screen::plain());
    assert!(text.contains("p99          void "), "{text}");
    assert!(
        text.contains("p90       82.0 us* [80.4 us, 84.5 us]"),
        "{text}"
    );
    assert_eq!(text.matches(" void").count(), 3, "{text}");
    assert_eq!(text.matches('*').count(), 2, "{text}");
    // A fault of the whole run leaves no number at all.
    result.verdict = serde_json::from_value(json!({"state": "void", "findings": [
        {"check": "a", "severity": "fault", "figures": [], "message": "", "advice": ""},
    ]}))
    .unwrap();
    let text = table(&result, &Screen::plain());
    assert_eq!(text.matches(" void").count(), 4 * 6 + 1, "{text}");
}

#[test]
fn what_failures_leave_open_shows_both_ends() {
    let mut result = sample();
    let open = |figures: &Figures| {
        changed(figures, |value| {
            let bracket = |low_ns: u64, high_ns: Option<u64>| {
                let least_ns = high_ns.unwrap_or(10_000_000_000);
                json!({"low_ns": low_ns, "high_ns": high_ns, "high_at_least_ns": least_ns})
            };
            value["brackets"]["p99"] = bracket(8_260_000, Some(102_700_000));
            value["brackets"]["p99_9"] = bracket(102_700_000, None);
            value["brackets"]["max"] = bracket(10_000_000_000, None);
            for name in ["p99", "p99_9", "max"] {
                value[name] = json!(null);
            }
        })
    };
    result.latency_ns = open(&result.latency_ns);
    result.service_time_ns = open(&result.service_time_ns);
    golden("table-failing.txt", &table(&result, &Screen::plain()));
}

#[test]
fn a_run_without_a_good_answer_has_no_figures_and_both_counts() {
    let mut result = sample();
    let nothing = changed(&figures(0, 1), |value| {
        for name in ["min", "mean", "p50", "p90", "p99", "p99_9", "p99_99", "max"] {
            value[name] = json!(null);
        }
        value["intervals"] = json!({});
    });
    result.latency_ns = nothing.clone();
    result.service_time_ns = nothing;
    result.requests.good = 0;
    result.requests.completed = 0;
    result.requests.failed = 100_000;
    result.requests.failures.refused = 100_000;
    result.generator.cpu_us_per_request = None;
    result.rate.ratio = Some(0.0);
    result.rate.achieved_per_s = 0.0;
    golden("table-nothing.txt", &table(&result, &Screen::plain()));
}

#[test]
fn several_servers_are_told_apart() {
    let mut result = sample();
    let share = |port: u16, good: u64, failed: u64| TargetShare {
        url: format!("http://127.0.0.1:{port}/"),
        connections: 25,
        sent: good + failed,
        completed: good,
        good,
        failed,
        failures: Failures::default(),
        latency_ns: figures(good, u64::from(port) * 10),
    };
    result.targets = vec![share(8080, 60_000, 0), share(8081, 39_000, 1_000)];
    golden("table-servers.txt", &table(&result, &Screen::plain()));
}

#[test]
fn hostile_text_never_reaches_the_terminal_raw() {
    const ATTACK: &str = "\x1b]0;owned\x07\x1b[2J\r\n\u{9b}31m\u{202e}";
    let mut result = sample();
    result.target = format!("http://{ATTACK}/");
    result.requests.complaint = Some(format!("-ERR {ATTACK}"));
    result.arrivals.as_mut().unwrap().rate = Some(ATTACK.to_owned());
    result.verdict = serde_json::from_value(json!({"state": "void", "findings": [{
        "check": "failures", "severity": "fault", "figures": [format!("latency{ATTACK}")],
        "message": format!("the server said {ATTACK}"), "advice": ATTACK,
    }]}))
    .unwrap();
    for unicode in [false, true] {
        let screen = Screen {
            unicode,
            ..Screen::plain()
        };
        let text = table(&result, &screen);
        let raw: Vec<char> = text
            .chars()
            .filter(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}')
            .collect();
        assert_eq!(raw, [], "{text:?}");
        assert!(
            text.contains("owned"),
            "the text itself is still to be seen"
        );
    }
}
