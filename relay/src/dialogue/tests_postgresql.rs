//! Tests of PostgreSQL's protocol, with valid and invalid conversations.

use proptest::prelude::*;

use super::conversation::{Protocol, Unparsed};
use super::tests_script::{play, understood, Says, Understood};

fn typed(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 4).to_be_bytes();
    [&[kind][..], &length, body].concat()
}

fn startup(code: u32, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 8).to_be_bytes();
    [&length[..], &code.to_be_bytes(), body].concat()
}

/// Messages with bodies of some bytes each.
fn messages(kinds: &str) -> Vec<u8> {
    kinds
        .bytes()
        .flat_map(|kind| typed(kind, if kind == b'Z' { b"I" } else { b"body" }))
        .collect()
}

fn client(kinds: &str) -> Says {
    Says::Client(messages(kinds))
}

fn server(kinds: &str) -> Says {
    Says::Server(messages(kinds))
}

/// A login with a password, and then the given conversation.
fn after_login(steps: &[Says]) -> Understood {
    let login = [
        Says::Client(startup(196_608, b"user\0me\0\0")),
        server("R"),
        client("p"),
        server("RSSKZ"),
    ];
    let script = [&login[..], steps].concat();
    let understood = understood(Protocol::PostgreSql, &script);
    assert_eq!(understood.logins, 1);
    understood
}

/// Bytes of messages with a body of four bytes.
const EACH: u64 = 9;
const READY: u64 = 6;

#[test]
fn a_simple_query_is_answered_by_ready() {
    let seen = after_login(&[
        client("Q"),
        server("TDDCZ"),
        client("Q"),
        server("EZ"),
        server("NA"), // without a request: a notice, a notification
        client("F"),
        server("VZ"),
        client("X"),
    ]);
    let rows = [
        (EACH, 4 * EACH + READY, false),
        (EACH, EACH + READY, true),
        (EACH, 3 * EACH + READY, false),
    ];
    assert_eq!(seen.queries, rows);
    assert_eq!((seen.unanswered, seen.unparsed), (0, None));
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let seen = after_login(&[
        client("PBDESBESPBESQ"),
        server("12TDCZ2CZ"),
        server("EZ"),
        client("S"),
        server("CZZ"),
    ]);
    let requests: Vec<_> = seen.queries.iter().map(|(bytes, ..)| *bytes).collect();
    assert_eq!(requests, [5 * EACH, 3 * EACH, 4 * EACH, EACH, EACH]);
    let failed: Vec<_> = seen.queries.iter().map(|(.., failed)| *failed).collect();
    assert_eq!(failed, [false, false, true, false, false]);
}

#[test]
fn copying_in_lasts_until_the_data_ends() {
    // A simple COPY; the second client does not wait for the server's CopyInResponse.
    for steps in [
        vec![client("Q"), server("G"), client("dddc"), server("CZ")],
        vec![client("Qdddc"), server("GCZ")],
    ] {
        let steps = [steps, vec![client("Q"), server("CZ")]].concat();
        let seen = after_login(&steps);
        assert_eq!(seen.queries.len(), 2);
        assert_eq!((seen.queries[0].0, seen.queries[1].0), (5 * EACH, EACH));
    }
}

#[test]
fn copying_in_by_the_extended_protocol_ignores_the_sync_before_the_data() {
    for steps in [
        vec![client("PBES"), server("12G"), client("ddcS"), server("CZ")],
        vec![client("PBE"), server("12G"), client("ddcS"), server("CZ")],
        vec![client("PBESddcS"), server("12GCZ")],
        vec![
            client("PBES"),
            server("12G"),
            client("ddSHdcS"),
            server("CZ"),
        ],
    ] {
        let steps = [steps, vec![client("PBES"), server("12CZ")]].concat();
        let seen = after_login(&steps);
        assert_eq!((seen.queries.len(), seen.unanswered), (2, 0), "{steps:?}");
        assert_eq!(seen.queries[1].0, 4 * EACH);
    }
}

#[test]
fn copying_in_that_fails_early_leaves_the_next_query_alone() {
    let seen = after_login(&[
        client("Q"),
        server("G"),
        client("dd"),
        server("EZ"),
        client("df"),
        client("Q"),
        server("CZ"),
    ]);
    let failed: Vec<_> = seen.queries.iter().map(|(.., failed)| *failed).collect();
    assert_eq!((failed, seen.unparsed), (vec![true, false], None));
}

#[test]
fn copying_out_and_several_results_are_one_answer() {
    let seen = after_login(&[client("Q"), server("HddddcCTDDCZ")]);
    assert_eq!(seen.queries, [(EACH, 11 * EACH + READY, false)]);
}

#[test]
fn a_request_to_cancel_has_no_answer() {
    let cancel = [Says::Client(startup(80_877_102, b"12345678"))];
    let seen = understood(Protocol::PostgreSql, &cancel);
    assert_eq!((seen.cancellations, seen.unanswered), (1, 0));
}

#[test]
fn a_query_without_an_answer_stays_open() {
    let seen = after_login(&[client("QQ"), server("CZ"), server("E")]);
    assert_eq!((seen.queries.len(), seen.unanswered), (1, 1));
}

#[test]
fn what_is_not_the_protocol_is_said() {
    let name = "PostgreSQL's protocol 3";
    let first = |bytes: &[u8]| {
        let script = [Says::Client(bytes.to_vec())];
        understood(Protocol::PostgreSql, &script).unparsed
    };
    for other in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        b"\0\0\0\x07abcdef",
        b"\0\0\x27\x11abcdefgh",
        &startup(131_072, b"version 2"),
    ] {
        assert_eq!(first(other), Some(Unparsed::Client(name)), "{other:?}");
    }
    let then = |steps: &[Says]| after_login(steps).unparsed;
    let wrong = Says::Client(b"!".to_vec());
    assert_eq!(then(&[wrong]), Some(Unparsed::Client(name)));
    let short = Says::Server(b"T\0\0\0\x03".to_vec());
    assert_eq!(then(&[short]), Some(Unparsed::Server(name)));
    assert_eq!(then(&[server("Z")]), Some(Unparsed::Unasked));
    assert_eq!(then(&[client("Q"), server("CZZ")]), Some(Unparsed::Unasked));
}

/// A request in some form, with its answer that ends with one ReadyForQuery.
fn exchange() -> impl Strategy<Value = (String, String)> {
    prop_oneof![
        Just(("Q".into(), "TDCZ".into())),
        Just(("PBDES".into(), "12TDDCZ".into())),
        Just(("BEBES".into(), "2DC2DCZ".into())),
        Just(("PBES".into(), "1EZ".into())),
        Just(("S".into(), "Z".into())),
        Just(("Qddc".into(), "GCZ".into())),
        Just(("PBESdcS".into(), "12GCZ".into())),
        Just(("F".into(), "NVAZ".into())),
    ]
}

proptest! {
    #[test]
    fn however_it_is_cut_each_request_has_its_answer(
        exchanges in prop::collection::vec(exchange(), 1..12),
        batch in 1_usize..6,
        sizes in prop::collection::vec(1_usize..40, 1..20),
    ) {
        let mut script = vec![Says::Client(startup(196_608, b"\0")), server("RZ")];
        for pipelined in exchanges.chunks(batch) {
            script.push(client(&pipelined.iter().map(|(asked, _)| asked.as_str()).collect::<String>()));
            script.push(server(&pipelined.iter().map(|(_, said)| said.as_str()).collect::<String>()));
        }
        let seen = play(Protocol::PostgreSql, &script, &sizes);
        prop_assert_eq!((&seen.unparsed, seen.unanswered), (&None, 0));
        prop_assert_eq!(seen.queries.len(), exchanges.len());
        for (query, (asked, said)) in seen.queries.iter().zip(&exchanges) {
            prop_assert_eq!(query.0, messages(asked).len() as u64);
            prop_assert_eq!(query.1, messages(said).len() as u64);
            prop_assert_eq!(query.2, said.contains('E'));
        }
    }

    #[test]
    fn no_bytes_panic(
        pieces in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 0..60)), 0..20),
        login in any::<bool>(),
    ) {
        let mut script = if login {
            vec![Says::Client(startup(196_608, b"\0")), server("RZ")]
        } else {
            Vec::new()
        };
        script.extend(pieces.into_iter().map(|(from_client, bytes)| {
            if from_client { Says::Client(bytes) } else { Says::Server(bytes) }
        }));
        play(Protocol::PostgreSql, &script, &[7, 1, 30]);
    }

    #[test]
    fn no_order_of_messages_panics(
        turns in prop::collection::vec((any::<bool>(), "[BCDEFHPQSXcdfpGZTWA]{1,12}"), 1..20),
    ) {
        let mut script = vec![Says::Client(startup(196_608, b"\0")), server("RZ")];
        script.extend(turns.into_iter().map(|(from_client, kinds)| {
            if from_client { client(&kinds) } else { server(&kinds) }
        }));
        play(Protocol::PostgreSql, &script, &[5]);
    }
}
