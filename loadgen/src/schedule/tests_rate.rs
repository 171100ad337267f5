//! Tests of the rate profile: reading, exactness, inversion.

use super::*;
use proptest::prelude::*;

const SECOND_NS: u64 = 1_000_000_000;

fn profile(text: &str) -> RateProfile {
    text.parse().unwrap()
}

#[test]
fn texts_are_read_and_written() {
    for (text, canonical) in [
        ("10000", "10000"),
        ("10k", "10000"),
        ("1.5M", "1500000"),
        ("0.000001", "0.000001"),
        ("2.50", "2.5"),
        ("1000:10s,2000:10s", "1000:10s,2000:10s"),
        ("1000..5000:30s,5000:10s", "1000..5000:30s,5000:10s"),
        ("1k:90s, 0:500ms, 2k", "1000:1m30s,0:500ms,2000"),
        ("0..100:1s", "0..100:1s"),
    ] {
        assert_eq!(profile(text).to_string(), canonical);
        assert_eq!(profile(canonical), profile(text));
    }
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    for (text, message) in [
        ("0", "at rate 0 nothing would ever be sent; give a rate above 0"),
        ("0:10s,0:5s", "at rate 0 nothing would ever be sent; give a rate above 0"),
        (
            "",
            "rate, stage 1 (at character 1): a rate is missing; write, for example, 1000 or 1000:10s",
        ),
        (
            "1000:10s,x",
            "rate, stage 2 (at character 10): \"x\" is not a rate; write requests per second, such as 1000, 2.5 or 10k",
        ),
        (
            "-5",
            "rate, stage 1 (at character 1): \"-5\" is not a rate; write requests per second, such as 1000, 2.5 or 10k",
        ),
        (
            "1000,2000:5s",
            "rate, stage 1 (at character 1): only the last stage may be without a duration; write 1000:10s",
        ),
        (
            "1000:10",
            "rate, stage 1 (at character 1): 10 has no unit; write 10s",
        ),
        (
            "1..5",
            "rate, stage 1 (at character 1): a ramp needs a duration; write 1..5:10s",
        ),
        (
            "1000:0s",
            "rate, stage 1 (at character 1): the duration of the stage is 0; give a longer duration",
        ),
        (
            "1000:1s,0",
            "rate, stage 2 (at character 9): rate 0 without a duration would never end; write 0:10s",
        ),
        (
            "1.0000001",
            "rate, stage 1 (at character 1): \"1.0000001\" is too exact a rate; round it to a millionth of a request per second",
        ),
        (
            "2000M",
            "rate, stage 1 (at character 1): \"2000M\" is too high a rate; give at most 1000000000 requests per second",
        ),
        (
            "1:5000000h,1:5000000h",
            "the stages of the rate together last longer than 584 years; give shorter stages",
        ),
    ] {
        let error = text.parse::<RateProfile>().unwrap_err();
        assert_eq!(error.to_string(), message, "for {text:?}");
    }
}

#[test]
fn a_constant_rate_does_not_drift() {
    for (text, micro) in [
        ("3", 3_000_000_u128),
        ("10000", 10_000_000_000),
        ("0.7", 700_000),
        ("333333.333333", 333_333_333_333),
    ] {
        let rate = profile(text);
        for k in [0, 1, 2, 999, 1_000_003, 999_999_999, 1_000_000_000] {
            let product = u128::from(k) * 1_000_000_000_000_000;
            let rounded = (2 * product + micro) / (2 * micro);
            assert_eq!(
                rate.instant_of_count(k).map(u128::from),
                Some(rounded),
                "{k} of {text}"
            );
        }
    }
}

#[test]
fn a_silent_stage_is_leapt_over() {
    let rate = profile("1000:10s,0:5s,1000:10s");
    assert_eq!(rate.instant_of_count(9_999), Some(9_999_000_000));
    assert_eq!(rate.instant_of_count(10_000), Some(15 * SECOND_NS));
    assert_eq!(rate.instant_of(10_000.0), Some(15 * SECOND_NS));
    assert_eq!(rate.expected_at(12 * SECOND_NS), 10_000.0);
    assert_eq!(rate.instant_of_count(19_999), Some(24_999_000_000));
    assert_eq!(rate.instant_of_count(20_000), None);
    assert_eq!(rate.instant_of(20_000.0), None);
    assert_eq!(rate.expected_at(100 * SECOND_NS), 20_000.0);
    assert_eq!(rate.duration_ns(), Some(25 * SECOND_NS));
}

#[test]
fn a_ramp_joins_its_neighbours() {
    let rate = profile("1000:10s,1000..5000:30s,5000");
    // 10 000 + (1000 + 5000) / 2 · 30
    assert_eq!(rate.expected_at(40 * SECOND_NS), 100_000.0);
    assert_eq!(rate.instant_of_count(100_000), Some(40 * SECOND_NS));
    assert_eq!(rate.instant_of_count(105_000), Some(41 * SECOND_NS));
    assert_eq!(rate.duration_ns(), None);
}

/// Profiles of up to five stages, some silent, the last perhaps endless.
fn profiles() -> impl Strategy<Value = String> {
    let rate = prop_oneof![Just(0u64), 1u64..1_000_000_000_000]
        .prop_map(|micro| format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000));
    let stage = (
        rate.clone(),
        proptest::option::of(rate),
        1u64..100_000_000_000,
    )
        .prop_map(|(from, to, duration_ns)| match to {
            Some(to) => format!("{from}..{to}:{duration_ns}ns"),
            None => format!("{from}:{duration_ns}ns"),
        });
    let last = proptest::option::of(1u64..1_000_000).prop_map(|rate| rate.map(|r| r.to_string()));
    (proptest::collection::vec(stage, 1..5), last)
        .prop_map(|(stages, last)| stages.into_iter().chain(last).collect::<Vec<_>>().join(","))
        .prop_filter("some rate", |text| text.parse::<RateProfile>().is_ok())
}

proptest! {
    #[test]
    fn canonical_text_names_the_same_profile(text in profiles()) {
        let rate = profile(&text);
        prop_assert_eq!(profile(&rate.to_string()), rate);
    }

    #[test]
    fn expected_arrivals_and_their_inverse_are_monotone(text in profiles(), a: f64, b: f64) {
        let rate = profile(&text);
        let ends_ns = rate.duration_ns().unwrap_or(200_000_000_000);
        let (early, late) = (a.abs().fract().min(b.abs().fract()), a.abs().fract().max(b.abs().fract()));
        let at = |part: f64| rate.expected_at((part * ends_ns as f64) as u64);
        prop_assert!(at(early) <= at(late) + 1e-9 * at(late));
        let (low, high) = (early * at(1.0), late * at(1.0));
        if let (Some(low_ns), Some(high_ns)) = (rate.instant_of(low), rate.instant_of(high)) {
            prop_assert!(low_ns <= high_ns);
        }
    }

    #[test]
    fn the_inverse_undoes_the_sum(text in profiles(), part in 0.0f64..1.0) {
        let rate = profile(&text);
        let ends_ns = rate.duration_ns().unwrap_or(500_000_000_000);
        let requests = part * rate.expected_at(ends_ns);
        prop_assume!(requests < rate.expected_at(ends_ns));
        let at_ns = rate.instant_of(requests).unwrap();
        // Rounded to a nanosecond: Λ is off by at most that nanosecond's arrivals.
        let around = (rate.expected_at(at_ns.saturating_sub(1)), rate.expected_at(at_ns + 1));
        let slack = 1e-12 * requests;
        prop_assert!(around.0 - slack <= requests && requests <= around.1 + slack,
            "{requests} → {at_ns} ns → {around:?}");
    }

    #[test]
    fn both_inverses_agree(text in profiles(), part in 0.0f64..1.0) {
        let rate = profile(&text);
        let all = rate.expected_at(rate.duration_ns().unwrap_or(500_000_000_000));
        let k = (part * all) as u64;
        if let (Some(exact_ns), Some(float_ns)) = (rate.instant_of_count(k), rate.instant_of(k as f64)) {
            // The float may fall on the other side of a silent stage's edge.
            let gap = (rate.expected_at(exact_ns) - rate.expected_at(float_ns)).abs();
            let one_ns = rate.expected_at(exact_ns + 1) - rate.expected_at(exact_ns.saturating_sub(1));
            prop_assert!(gap <= one_ns + 1e-12 * all, "{k}: {exact_ns} and {float_ns}");
        }
    }

    #[test]
    fn no_text_panics(text in "[0-9.:,kMs -]{0,20}") {
        let _ = text.parse::<RateProfile>();
    }
}
