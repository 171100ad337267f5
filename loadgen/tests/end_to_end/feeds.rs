//! Values of a file in paths, headers and bodies.

use std::collections::BTreeSet;

use crate::generator::command::Finished;
use crate::generator::Generator;
use crate::servers::Honest;

const ROWS: &str = "user,token\nann lee,t-0\nbob,t-1\n\"cy \"\"d\"\"\",t-2\n";

/// A generator with a feed; the server's path takes the user, a header the token, the body both.
fn fed(server: &Honest, options: &str, name: &str, rows: &str) -> Generator {
    let generator = Generator::new(server.url("/users/${feed:user}"), options);
    let feed = generator.path(name);
    std::fs::write(&feed, rows).unwrap();
    generator
        .option("--feed", feed)
        .option("--header", "Token: ${feed:token}")
        .option("--body", "${feed:user} has ${feed:token}")
}

fn refused(run: &Finished, says: &str) {
    assert!(run.mistake().contains(says), "{}", run.mistake());
}

#[test]
fn each_request_gets_its_row_in_order() {
    let server = Honest::start();
    let options = "--rate 50 --requests 3 --connections 1";
    let run = fed(&server, options, "rows.csv", ROWS).measure();
    assert_eq!(run.fates().3, 3, "{:?}", run.failures());
    let seen: Vec<_> = server
        .seen()
        .into_iter()
        .map(|request| {
            let token = request.header("token").unwrap().to_owned();
            (
                request.path,
                token,
                String::from_utf8(request.body).unwrap(),
            )
        })
        .collect();
    let due = [
        ("/users/ann%20lee", "t-0", "ann lee has t-0"),
        ("/users/bob", "t-1", "bob has t-1"),
        ("/users/cy%20%22d%22", "t-2", "cy \"d\" has t-2"),
    ]
    .map(|(path, token, body)| (path.to_owned(), token.to_owned(), body.to_owned()));
    assert_eq!(seen, due);
    let feed = &run.result["traffic"]["feed"];
    assert_eq!(feed["rows"], 3);
    assert_eq!(feed["order"], "file");
    assert_eq!(feed["sha256"].as_str().unwrap().len(), 64);
}

#[test]
fn rows_are_drawn_whole_and_alike_with_the_same_seed() {
    let rows: String = (0..20)
        .map(|row| format!("{{\"user\": \"u{row}\", \"token\": {row}}}\n"))
        .collect();
    let paths = |seed: u64| {
        let server = Honest::start();
        let options =
            format!("--rate 500 --requests 100 --connections 1 --feed-order random --seed {seed}");
        let run = fed(&server, &options, "rows.jsonl", &rows).measure();
        assert_eq!(run.fates().3, 100, "{:?}", run.failures());
        let seen = server.seen();
        for request in &seen {
            let token = request.header("token").unwrap();
            assert_eq!(request.path, format!("/users/u{token}"));
        }
        seen.into_iter()
            .map(|request| request.path)
            .collect::<Vec<_>>()
    };
    let drawn = paths(1);
    assert!(drawn.iter().collect::<BTreeSet<_>>().len() > 10);
    assert_eq!(drawn, paths(1));
    assert_ne!(drawn, paths(2));
}

#[test]
fn rows_that_run_out_are_one_line_before_anything_is_sent() {
    let server = Honest::start();
    for options in [
        "--rate 10 --requests 4",
        "--rate 10 --duration 1s",
        "--rate 1000 --duration 1s --arrivals poisson",
        "--closed --requests 4",
    ] {
        let run = fed(&server, options, "rows.csv", ROWS).finish();
        refused(&run, "has 3 rows, but the run sends more requests");
    }
    let run = fed(&server, "--closed --duration 1s", "rows.csv", ROWS).finish();
    refused(&run, "give --requests, or give --feed-order random");
    assert_eq!(server.count(), 0);
}

#[test]
fn a_column_that_is_missing_or_unused_is_one_line() {
    let server = Honest::start();
    let options = "--rate 10 --requests 1";
    let run = fed(&server, options, "rows.csv", "user,name\nann,a\n").finish();
    refused(
        &run,
        "the feed has no column \"token\"; its columns are user, name",
    );
    let generator = Generator::new(server.url("/"), options);
    let feed = generator.path("rows.csv");
    std::fs::write(&feed, ROWS).unwrap();
    refused(
        &generator.option("--feed", feed).finish(),
        "write ${feed:NAME} in a request, or leave --feed out",
    );
    assert_eq!(server.count(), 0);
}
