//! Tests of RESP, with valid and invalid conversations.

use proptest::prelude::*;

use super::conversation::{Protocol, Unparsed};
use super::tests_script::{play, understood, Says, Understood};

fn client(bytes: &str) -> Says {
    Says::Client(bytes.into())
}

fn server(bytes: &str) -> Says {
    Says::Server(bytes.into())
}

fn seen(script: &[Says]) -> Understood {
    understood(Protocol::Redis, script)
}

fn command(words: &[&str]) -> String {
    let arguments: String = words
        .iter()
        .map(|word| format!("${}\r\n{word}\r\n", word.len()))
        .collect();
    format!("*{}\r\n{arguments}", words.len())
}

#[test]
fn pipelined_commands_are_answered_in_order() {
    let (get, set) = (command(&["GET", "k"]), command(&["SET", "k", ""]));
    let understood = seen(&[
        client(&format!("{get}{set}PING\r\n\r\n*0\r\n  echo  hi \n")),
        server("$2\r\n\r\n\r\n-ERR no\r\n+PONG\r\n"),
        server("*2\r\n$-1\r\n*-1\r\n"),
    ]);
    let rows = [
        (get.len() as u64, 8, false),
        (set.len() as u64, 9, true),
        (6, 7, false),
        (2 + 4 + 12, 14, false),
    ];
    assert_eq!(understood.queries, rows);
    assert_eq!((understood.unanswered, understood.unparsed), (0, None));
}

#[test]
fn what_resp3_adds_is_read() {
    for (reply, failed) in [
        ("%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n#t\r\n", false),
        ("~2\r\n,1.5\r\n(12345678901234567890\r\n", false),
        ("_\r\n", false),
        ("=7\r\ntxt:abc\r\n", false),
        ("!5\r\nERR x\r\n", true),
        ("|1\r\n+ttl\r\n:1\r\n-ERR x\r\n", true),
        ("*2\r\n|1\r\n+k\r\n:1\r\n:5\r\n-inside\r\n", false),
        ("%0\r\n", false),
        ("|0\r\n*0\r\n", false),
    ] {
        let push = ">2\r\n+invalidate\r\n*1\r\n+k\r\n";
        let understood = seen(&[
            client("PING\r\nPING\r\n"),
            server(push),
            server(reply),
            server(push),
            server("+PONG\r\n"),
        ]);
        let answers: Vec<_> = understood
            .queries
            .iter()
            .map(|row| (row.1, row.2))
            .collect();
        assert_eq!(
            answers,
            [(reply.len() as u64, failed), (7, false)],
            "{reply:?}"
        );
        assert_eq!(understood.unparsed, None);
    }
}

#[test]
fn what_is_not_answered_once_a_command_is_said() {
    for (words, name) in [
        (&["subscribe", "news"][..], "SUBSCRIBE"),
        (&["MONITOR"], "MONITOR"),
        (&["client", "Reply", "off"], "a command after CLIENT REPLY"),
    ] {
        let understood = seen(&[client(&command(words))]);
        assert_eq!(
            understood.unparsed,
            Some(Unparsed::NotPaired(name.to_owned()))
        );
    }
    assert_eq!(seen(&[client(&command(&["CLIENT", "ID"]))]).unparsed, None);
    assert_eq!(
        seen(&[client(&command(&["GET", "MONITOR"]))]).unparsed,
        None
    );
}

#[test]
fn what_is_not_resp_is_said() {
    for other in [
        "*x\r\n",
        "*1\r\n+PING\r\n",
        "*1\r\n$-1\r\n",
        "\x16\x03\x01\n",
        "*1\r\n$9999999999\r\n",
    ] {
        let understood = seen(&[client(other)]);
        assert_eq!(
            understood.unparsed,
            Some(Unparsed::Client("RESP")),
            "{other:?}"
        );
    }
    for other in [
        "HTTP/1.1 200 OK\r\n",
        "$x\r\n",
        "+no\n",
        "*-2\r\n",
        "$?\r\n",
    ] {
        let understood = seen(&[client("PING\r\n"), server(other)]);
        assert_eq!(
            understood.unparsed,
            Some(Unparsed::Server("RESP")),
            "{other:?}"
        );
    }
    let understood = seen(&[server("+OK\r\n")]);
    assert_eq!(understood.unparsed, Some(Unparsed::Unasked));
    let deep = "*1\r\n".repeat(40);
    let understood = seen(&[client("PING\r\n"), server(&deep)]);
    assert_eq!(understood.unparsed, Some(Unparsed::Server("RESP")));
    let endless = "x".repeat(70_000);
    let script = [client(&endless)];
    let understood = play(Protocol::Redis, &script, &[1_000]);
    assert_eq!(understood.unparsed, Some(Unparsed::Client("RESP")));
}

fn reply() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("+OK\r\n".to_owned()),
        Just("$-1\r\n".to_owned()),
        any::<i64>().prop_map(|number| format!(":{number}\r\n")),
        "[a-z\r\n]{0,20}".prop_map(|text| format!("${}\r\n{text}\r\n", text.len())),
    ];
    leaf.prop_recursive(4, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|parts| format!(
                "*{}\r\n{}",
                parts.len(),
                parts.concat()
            )),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|parts| format!(
                "%{}\r\n{}",
                parts.len(),
                parts.concat().repeat(2)
            )),
            (inner.clone(), inner).prop_map(|(about, it)| format!("|1\r\n+key\r\n{about}{it}")),
        ]
    })
}

proptest! {
    #[test]
    fn however_it_is_cut_each_command_has_its_reply(
        exchanges in prop::collection::vec((prop::collection::vec("[a-y]{0,20}", 1..5), reply()), 1..12),
        batch in 1_usize..6,
        sizes in prop::collection::vec(1_usize..30, 1..20),
    ) {
        let said: Vec<(String, &String)> = exchanges
            .iter()
            .map(|(words, reply)| {
                (command(&words.iter().map(String::as_str).collect::<Vec<_>>()), reply)
            })
            .collect();
        let mut script = Vec::new();
        for pipelined in said.chunks(batch) {
            script.push(client(&pipelined.iter().map(|(asked, _)| asked.as_str()).collect::<String>()));
            script.push(server(&pipelined.iter().map(|(_, reply)| reply.as_str()).collect::<String>()));
        }
        let understood = play(Protocol::Redis, &script, &sizes);
        prop_assert_eq!((&understood.unparsed, understood.unanswered), (&None, 0));
        let rows: Vec<_> = said
            .iter()
            .map(|(asked, reply)| (asked.len() as u64, reply.len() as u64, false))
            .collect();
        prop_assert_eq!(understood.queries, rows);
    }

    #[test]
    fn no_bytes_panic(
        pieces in prop::collection::vec((any::<bool>(), "[*$+:%|>~0-9a-c\r\n-]{0,40}"), 0..20),
        others in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut script: Vec<Says> = pieces
            .into_iter()
            .map(|(from_client, text)| if from_client { client(&text) } else { server(&text) })
            .collect();
        script.push(Says::Server(others));
        play(Protocol::Redis, &script, &[3, 11]);
    }
}
