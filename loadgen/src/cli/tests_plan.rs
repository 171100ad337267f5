//! Plans that are made, and contradictions with the exact line that each gives.

use std::path::Path;

use super::arguments::SchemaChoice;
use super::{Command, Plan};
use crate::engine::load::{Discipline, Protocol};
use crate::judgement::evidence::{Mode, Process};
use crate::report::ProgressStyle;
use crate::schedule::End;
use crate::traffic::Expected;
use crate::transport::tls::Trust;
use runfair_measuring::command_line::Stop;
use runfair_measuring::kernel::clock::monotonic_ns;

const URL: &str = "http://localhost:8080/";

fn command(words: &[&str]) -> Result<Command, Stop> {
    Command::parse(std::iter::once("runfair-load").chain(words.iter().copied()))
}

fn plan(words: &[&str]) -> Plan {
    match command(words) {
        Ok(Command::Load(plan)) => *plan,
        Ok(_) => panic!("{words:?} is no run"),
        Err(stop) => panic!("{words:?}: {stop:?}"),
    }
}

fn line(words: &[&str]) -> String {
    match command(words) {
        Err(Stop::Mistaken(line)) => line,
        Err(Stop::Told(text)) => panic!("{words:?} tells {text}"),
        Ok(_) => panic!("{words:?} is taken"),
    }
}

fn end(plan: &Plan) -> End {
    match &plan.load.discipline {
        Discipline::Open(schedule) => schedule.spec().end,
        Discipline::Closed { .. } => panic!("a closed loop"),
    }
}

fn wire(plan: &Plan, index: u64) -> String {
    let mut out = Vec::new();
    plan.load.traffic.encode(index, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn defaults_are_modest_and_open() {
    let plan = plan(&["--rate", "10k", URL]);
    assert_eq!(end(&plan), End::Duration(10_000_000_000));
    assert_eq!(
        (plan.load.connections, plan.load.threads, plan.load.pipeline),
        (50, 1, 1)
    );
    assert_eq!(
        (plan.load.mode, plan.load.protocol),
        (Mode::Default, Protocol::Http)
    );
    assert_eq!(
        (plan.load.timeout_ns, plan.load.connect_timeout_ns),
        (10_000_000_000, 5_000_000_000)
    );
    assert_eq!(
        (plan.load.interval_ns, plan.load.warmup_ns),
        (100_000_000, 0)
    );
    assert_eq!((plan.load.check_share, plan.load.seed), (1.0, 1));
    assert_eq!(plan.outputs.progress, ProgressStyle::Auto);
    assert!(plan.trust.is_none() && !plan.options.preload && plan.outputs.fail_on.is_none());
    let arrivals = plan.arrivals.as_ref().unwrap();
    assert_eq!(arrivals.process, Process::Constant);
    assert_eq!(arrivals.rate.as_deref(), Some("10000"));
    assert_eq!(arrivals.rate_per_s, Some(10_000.0));
    assert!(wire(&plan, 0).starts_with("GET / HTTP/1.1\r\nHost: localhost:8080\r\n"));
}

#[test]
fn stages_say_how_long_the_run_is() {
    let staged = plan(&[
        "--rate",
        "1000:10s,2000..5000:30s",
        "--arrivals",
        "poisson",
        URL,
    ]);
    assert_eq!(end(&staged), End::Duration(40_000_000_000));
    let arrivals = staged.arrivals.unwrap();
    assert_eq!(arrivals.process, Process::Poisson);
    // 10 s of 1,000 and 30 s of 3,500 on the average.
    assert_eq!(arrivals.rate_per_s, Some((10_000.0 + 105_000.0) / 40.0));
    let shorter = plan(&["--rate", "1000:10s,5000:30s", "--duration", "15s", URL]);
    assert_eq!(end(&shorter), End::Duration(15_000_000_000));
    let counted = plan(&["--rate", "1000", "--requests", "10k", URL]);
    assert_eq!(end(&counted), End::Requests(10_000));
}

#[test]
fn a_shard_keeps_the_schedule_and_says_its_share() {
    let words = ["--rate", "100", "--requests", "10", "--shard", "2/3", URL];
    let plan = plan(&words);
    let Discipline::Open(schedule) = &plan.load.discipline else {
        panic!("an open loop has a schedule");
    };
    let indices = plan.load.shard.arrivals(schedule, 0, 1);
    assert!(indices.map(|arrival| arrival.index).eq([1, 4, 7]));
    assert_eq!(schedule.arrivals(0, 1).count(), 10);
    assert_eq!(plan.load.horizon_ns(), Some(100_000_000));
    let arrivals = plan.arrivals.unwrap();
    assert_eq!(arrivals.rate_per_s, Some(100.0), "of the whole schedule");
    let shard = arrivals.shard.unwrap();
    assert_eq!((shard.number(), shard.of()), (2, 3));
}

#[test]
fn a_start_lies_ahead_but_not_far() {
    let now_ns = monotonic_ns();
    let soon = (now_ns + 60_000_000_000).to_string();
    let planned = plan(&["--rate", "1", "--start-at", &soon, URL]);
    assert_eq!(planned.load.start_at_ns, soon.parse().ok());
    let far = (now_ns + 7_200_000_000_000).to_string();
    let line = line(&["--rate", "1", "--start-at", &far, URL]);
    assert!(line.contains("within the next 1h"), "{line}");
}

#[test]
fn a_closed_loop_has_no_schedule() {
    let counted = plan(&["--closed", "--requests", "1M", "--pipeline", "16", URL]);
    assert!(counted.arrivals.is_none());
    assert!(matches!(
        counted.load.discipline,
        Discipline::Closed {
            requests: Some(1_000_000),
            duration_ns: None
        }
    ));
    assert!(matches!(
        plan(&["--closed", URL]).load.discipline,
        Discipline::Closed {
            requests: None,
            duration_ns: Some(10_000_000_000)
        }
    ));
}

#[test]
fn redis_by_scheme_or_by_protocol() {
    let by_scheme = plan(&[
        "--rate",
        "1",
        "--keys",
        "5",
        "--operations",
        "get",
        "redis://h",
    ]);
    assert_eq!(
        (by_scheme.load.protocol, by_scheme.targets[0].url.port),
        (Protocol::Resp, 6379)
    );
    assert!(wire(&by_scheme, 0).starts_with("*2\r\n$3\r\nGET\r\n$16\r\nkey:"));
    assert_eq!(by_scheme.load.traffic.preload(), 0..5);
    assert_eq!(by_scheme.traffic_summary.operations.as_deref(), Some("get"));
    assert_eq!(by_scheme.traffic_summary.value_bytes, Some(64));
    let by_protocol = plan(&["--rate", "1", "--protocol", "resp", "localhost:7000"]);
    assert_eq!(
        (by_protocol.load.protocol, by_protocol.targets[0].url.port),
        (Protocol::Resp, 7000)
    );
    assert_eq!(by_protocol.load.traffic.templates(), ["SET", "GET"]);
}

#[test]
fn http_requests_and_their_rules() {
    let plan = plan(&[
        "--rate",
        "1",
        "--header",
        "X-A: b",
        "--body",
        "{\"n\":${sequence}}",
        "--expect-status",
        "201",
        "--expect-json",
        "/ok=true",
        "--expect-json",
        "/n=1",
        "--check-share",
        "0.5",
        "http://localhost/orders?x=1",
    ]);
    let text = wire(&plan, 41);
    assert!(
        text.starts_with("POST /orders?x=1 HTTP/1.1\r\nHost: localhost\r\n"),
        "{text}"
    );
    assert!(
        text.contains("\r\nX-A: b\r\n") && text.ends_with("\r\n\r\n{\"n\":41}"),
        "{text}"
    );
    assert_eq!(plan.load.check_share, 0.5);
    let Expected::Http(expected) = plan.load.traffic.expectation(0, 0) else {
        panic!("no HTTP");
    };
    assert!(expected.status.allows(201) && !expected.status.allows(200));
    assert_eq!(expected.body.len(), 1);
}

#[test]
fn tls_trusts_whom_it_is_told() {
    let trusting = |words: &[&str]| {
        let mut all = vec!["--rate", "1", "https://localhost"];
        all.extend(words);
        plan(&all)
    };
    assert_eq!(trusting(&[]).trust, Some(Trust::System));
    assert_eq!(trusting(&[]).options.server_name, None);
    assert_eq!(trusting(&["--insecure"]).trust, Some(Trust::Anything));
    let own = trusting(&["--ca", "ca.pem", "--server-name", "other"]);
    assert_eq!(own.trust, Some(Trust::File("ca.pem".into())));
    assert_eq!(own.options.server_name.as_deref(), Some("other"));
}

#[test]
fn a_traffic_file_in_order_or_as_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traffic.jsonl");
    std::fs::write(
        &path,
        "{\"path\":\"/a\",\"at_s\":1.0,\"expect\":{\"status\":404}}\n{\"path\":\"/b\",\"at_s\":3.0}\n",
    )
    .unwrap();
    let file = path.to_str().unwrap();
    let in_order = plan(&[
        "--rate",
        "10",
        "--traffic",
        file,
        "--expect-status",
        "201",
        URL,
    ]);
    assert_eq!(in_order.load.traffic.templates(), ["GET /a", "GET /b"]);
    assert_eq!(in_order.traffic_summary.order.as_deref(), Some("file"));
    assert_eq!(
        in_order
            .traffic_summary
            .file_sha256
            .as_ref()
            .map(String::len),
        Some(64)
    );
    // The file's own rule wins; the command line's is for the rest.
    let allows = |template, code| match in_order.load.traffic.expectation(0, template) {
        Expected::Http(expected) => expected.status.allows(code),
        Expected::Reply(_) => panic!("no HTTP"),
    };
    assert!(allows(0, 404) && !allows(0, 201) && allows(1, 201) && !allows(1, 200));

    for how in [["--arrivals", "trace"], ["--order", "trace"]] {
        let mut words = vec!["--traffic", file, "--speed", "2", URL];
        words.extend(how);
        let trace = plan(&words);
        let Discipline::Open(schedule) = &trace.load.discipline else {
            panic!("a closed loop");
        };
        let at: Vec<u64> = schedule
            .arrivals(0, 1)
            .map(|arrival| arrival.intended_ns)
            .collect();
        assert_eq!(at, [0, 1_000_000_000]);
        assert_eq!(trace.arrivals.as_ref().unwrap().process, Process::Trace);
        assert_eq!(trace.arrivals.as_ref().unwrap().speed, 2.0);
    }
}

#[test]
fn keys_are_for_http_too_where_a_field_draws_them() {
    let plan = plan(&["--rate", "1", "--keys", "9", "http://localhost/item/${key}"]);
    assert!(
        wire(&plan, 0).starts_with("GET /item/00000000000"),
        "{}",
        wire(&plan, 0)
    );
}

#[test]
fn schemas_and_records_need_no_url() {
    assert!(matches!(
        command(&["--schema", "result"]),
        Ok(Command::Schema(SchemaChoice::Result))
    ));
    assert!(matches!(
        command(&["--schema", "traffic"]),
        Ok(Command::Schema(SchemaChoice::Traffic))
    ));
    match command(&["records", "run.records"]) {
        Ok(Command::Records(file)) => assert_eq!(file, Path::new("run.records")),
        _ => panic!("not the second form"),
    }
}

/// Every contradiction with its exact line.
#[test]
fn contradictions_are_one_line_that_says_what_to_do() {
    let cases: &[(&[&str], &str)] = &[
        (&[], "the command names no URL; say where to send requests, such as http://localhost:8080/"),
        (&["--rate", "1"], "the command names no URL; say where to send requests, such as http://localhost:8080/"),
        (&["--rate", "1", URL, "redis://h"], "http://localhost:8080/ and redis://h differ in their scheme, but all servers of a run get the same requests; give all servers the same scheme, or give each server its own run"),
        (&["--rate", "1", URL, "http://localhost:8081/a"], "http://localhost:8080/ and http://localhost:8081/a differ in their path, but all servers of a run get the same requests; give all servers the same path, or give each server its own run"),
        (&["--rate", "1", URL, "localhost:8080"], "localhost:8080 is given twice; name each server once"),
        (&["--rate", "1", "--unix-socket", "s", URL, "http://localhost:8081/"], "--unix-socket names the socket of one server, but the command has several URLs; give one URL"),
        (&["--rate", "1", "--connections", "1", URL, "http://localhost:8081/"], "2 servers cannot share --connections 1, because each server needs its own connection; give at least --connections 2"),
        (&[URL], "the command has neither --rate nor --closed; give a rate such as --rate 1000, or give --closed to saturate the server"),
        (&["--closed", "--rate", "1", URL], "--closed cannot be used with --rate, because a closed loop has no schedule: a connection sends when its last answer is complete; leave one of the two out"),
        (&["--closed", "--max-connections", "100", URL], "--closed cannot be used with --max-connections, because a closed loop has no schedule: a connection sends when its last answer is complete; leave one of the two out"),
        (&["--rate", "1", "--max-connections", "20", URL], "--max-connections 20 is less than --connections 50, the number of connections at the start; give at least --max-connections 50"),
        (&["--rate", "1", "--new-connection-every", "0", URL], "with --new-connection-every 0 nothing could be sent; give 1 or more"),
        (&["--closed", "--mode", "precise", URL], "--closed cannot be used with --mode, because a closed loop has no schedule: a connection sends when its last answer is complete; leave one of the two out"),
        (&["--closed", "--arrivals", "poisson", URL], "--closed cannot be used with --arrivals, because a closed loop has no schedule: a connection sends when its last answer is complete; leave one of the two out"),
        (&["--closed", "--shard", "1/2", URL], "--closed cannot be used with --shard, because a closed loop has no schedule: a connection sends when its last answer is complete; leave one of the two out"),
        (&["--rate", "1", "--shard", "3/2", URL], "invalid value '3/2' for '--shard <K/N>': write K/N, such as 1/2: shard K of N, with N from 1 to 64 and K from 1 to N"),
        (&["--rate", "1", "--requests", "2", "--shard", "3/3", URL], "--shard 3/3 would send nothing, because the schedule has fewer than 3 requests; use fewer shards, or run longer"),
        (&["--rate", "1", "--start-at", "noon", URL], "invalid value 'noon' for '--start-at <NS>': write an instant of CLOCK_MONOTONIC as a whole number of nanoseconds"),
        (&["--rate", "1", "--start-at", "1", URL], "--start-at 1 is an instant that has passed; give a later instant of this host's CLOCK_MONOTONIC"),
        (&["--closed", "--order", "trace", URL], "--closed cannot be used with --order trace, because a closed loop has no schedule: a connection sends when its last answer is complete; leave one of the two out"),
        (&["--rate", "1", "--duration", "1s", "--requests", "5", URL], "--duration and --requests exclude each other, because a run ends by one of the two; leave one of the two out"),
        (&["--rate", "0", URL], "invalid value '0' for '--rate <R|STAGES>': at rate 0 nothing would ever be sent; give a rate above 0"),
        (&["--rate", "1", "--duration", "10", URL], "invalid value '10' for '--duration <TIME>': 10 has no unit; write 10s"),
        (&["--rate", "1", "--duration", "0s", URL], "with --duration 0 nothing could be sent; give a longer duration"),
        (&["--closed", "--duration", "0s", URL], "with --duration 0 nothing could be sent; give a longer duration"),
        (&["--rate", "1", "--requests", "0", URL], "with --requests 0 nothing could be sent; give 1 or more"),
        (&["--rate", "1", "--connections", "0", URL], "with --connections 0 nothing could be sent; give 1 or more"),
        (&["--rate", "1", "--threads", "0", URL], "with --threads 0 nothing could be sent; give 1 or more"),
        (&["--rate", "1", "--pipeline", "0", URL], "with --pipeline 0 nothing could be sent; give 1 or more"),
        (&["--rate", "1", "--pipeline", "70k", URL], "--pipeline 70000 is too many; give at most 65536"),
        (&["--rate", "1", "--threads", "3", "--connections", "2", URL], "--threads 3 cannot share --connections 2, because each thread needs a connection of its own; give more connections or fewer threads"),
        (&["--rate", "1", "--keep-awake", URL], "--keep-awake keeps the processors of --cpus awake, but the command has no --cpus; name the processors, or leave --keep-awake out"),
        (&["--rate", "1", "--certificate", "c.pem", "https://h"], "--certificate and --key belong together; give both, or neither"),
        (&["--rate", "1", "--certificate", "c.pem", "--key", "k.pem", URL], "--certificate is for TLS; write https:// in the URL, or leave --certificate out"),
        (&["--rate", "1", "--resolve", "other:80:127.0.0.1", URL], "--resolve other:80 has no effect, because no URL has this host and port; leave --resolve out"),
        (&["--rate", "1", "--resolve", "localhost:8080", URL], "invalid value 'localhost:8080' for '--resolve <HOST:PORT:ADDRESS>': write HOST:PORT:ADDRESS, such as example.test:443:127.0.0.1 or example.test:443:::1"),
        (&["--rate", "1", "--source-address", "127.0.0.1", "--unix-socket", "s", URL], "--unix-socket cannot be used with --source-address, because a unix socket has no address; leave one of the two out"),
        (&["--rate", "1", "--threads", "3", "--cpus", "0-1", URL], "--threads 3 cannot share the 2 processors of --cpus, because each thread needs a processor of its own; name more processors or give fewer threads"),
        (&["--rate", "1", "--timeout", "0s", URL], "--timeout 0s is too short; give 1ns or more"),
        (&["--rate", "1", "--interval", "10us", URL], "--interval 10us is too short; give 1ms or more"),
        (&["--rate", "1", "--warmup", "10s", URL], "--warmup 10s is not shorter than the run of 10s, so nothing would be measured; shorten the warm-up or lengthen the run"),
        (&["--closed", "--duration", "1s", "--warmup", "2s", URL], "--warmup 2s is not shorter than the run of 1s, so nothing would be measured; shorten the warm-up or lengthen the run"),
        (&["--rate", "100", "--requests", "11", "--warmup", "1s", URL], "--warmup 1s is not shorter than the run of 110ms, so nothing would be measured; shorten the warm-up or lengthen the run"),
        (&["--rate", "1000:5s", "--duration", "10s", URL], "the stages of the rate end after 5s, but the run lasts 10s; add a last stage without a duration"),
        (&["--rate", "1", "--protocol", "resp", URL], "the URL says http, but --protocol says resp; leave --protocol out, or write redis://HOST:PORT"),
        (&["--rate", "1", "--protocol", "http", "redis://h"], "the URL says redis, but --protocol says http; leave --protocol out, or write http://HOST:PORT"),
        (&["--rate", "1", "ftp://h"], "\"ftp://h\" is not a URL that runfair-load can use: the scheme must be http, https or redis"),
        (&["--rate", "1", "--keys", "5", URL], "--keys has no effect, because no path, header or body contains ${key}; write ${key} in a request, or write redis://HOST:PORT"),
        (&["--rate", "1", "--value-bytes", "5", URL], "--value-bytes is for Redis, but the target speaks HTTP; leave --value-bytes out, or write redis://HOST:PORT"),
        (&["--rate", "1", "--operations", "get", URL], "--operations is for Redis, but the target speaks HTTP; leave --operations out, or write redis://HOST:PORT"),
        (&["--rate", "1", "--preload", URL], "--preload is for Redis, but the target speaks HTTP; leave --preload out, or write redis://HOST:PORT"),
        (&["--rate", "1", "--method", "PUT", "redis://h"], "--method is for HTTP, but the target speaks RESP (Redis); leave --method out"),
        (&["--rate", "1", "--expect-status", "200", "redis://h"], "--expect-status is for HTTP, but the target speaks RESP (Redis); leave --expect-status out"),
        (&["--rate", "1", "--keys", "0", "redis://h"], "--keys: a key space needs at least 1 key"),
        (&["--rate", "1", "redis://h:6379/5"], "redis://h:6379/5 names a path, but runfair-load uses database 0 only; write redis://HOST:PORT"),
        (&["--rate", "1", "redis://h", "redis://h:6380/5"], "redis://h:6380/5 names a path, but runfair-load uses database 0 only; write redis://HOST:PORT"),
        (&["--rate", "1", "--http2", "redis://h"], "--http2 is for HTTP, but the target speaks RESP (Redis); leave --http2 out"),
        (&["--rate", "1", "--streams", "4", URL], "--streams is for HTTP/2; add --http2, or leave --streams out"),
        (&["--rate", "1", "--http2", "--streams", "0", URL], "with --streams 0 nothing could be sent; give 1 or more"),
        (&["--rate", "1", "--http2", "--pipeline", "4", URL], "--pipeline cannot be used with HTTP/2, where requests share a connection as streams; write --streams 4"),
        (&["--rate", "1", "--grpc", "Say", "http://h"], "--grpc \"Say\" names no method; name a service and its method, such as helloworld.Greeter/SayHello"),
        (&["--rate", "1", "--grpc", "a.B/C", "http://h/path"], "with --grpc the URL cannot have the path /path, because the path of a call is its method; end the URL after the port"),
        (&["--rate", "1", "--grpc", "a.B/C", "--traffic", "f", "http://h"], "--grpc cannot be used with --traffic, because the paths in the file of --traffic are the methods; write --protocol grpc instead of --grpc"),
        (&["--rate", "1", "--protocol", "grpc", "http://h"], "--protocol grpc needs methods; give --traffic with a file of requests whose paths are methods, or give one method with --grpc SERVICE/METHOD"),
        (&["--rate", "1", "--protocol", "grpc", "redis://h:1"], "the URL says redis, but --protocol says grpc; leave --protocol out, or write http://HOST:PORT"),
        (&["--rate", "1", "--grpc", "a.B/C", "--method", "GET", "http://h"], "--grpc cannot be used with --method, because a call is a POST of one message to the method's own path; leave --method out"),
        (&["--rate", "1", "--http2", "--header", "Connection: close", URL], "the request: HTTP/2 has no header Connection; leave it out"),
        (&["--rate", "1", "--insecure", URL], "--insecure is for TLS; write https:// in the URL, or leave --insecure out"),
        (&["--rate", "1", "--ca", "x", "--insecure", "https://h"], "--ca and --insecure exclude each other, because --ca trusts the authorities of a file and --insecure trusts any certificate; leave one of the two out"),
        (&["--rate", "1", "--body", "x", "--body-file", "y", URL], "--body and --body-file exclude each other, because a request has one body; leave one of the two out"),
        (&["--rate", "1", "--body-file", "/absent", URL], "--body-file \"/absent\" cannot be read: No such file or directory (os error 2)"),
        (&["--rate", "1", "--traffic", "/absent", URL], "/absent: cannot be read: No such file or directory (os error 2)"),
        (&["--rate", "1", "--traffic", "x", "--method", "GET", URL], "--traffic cannot be used with --method, because the file states the method, headers and body of each request; leave --method out"),
        (&["--rate", "1", "--traffic", "x", "http://h/path"], "with --traffic the URL cannot have the path /path, because the file states the path of each request; end the URL after the port"),
        (&["--rate", "1", "--feed-order", "random", URL], "--feed-order sets the order of the rows of --feed, but the command has no --feed; leave --feed-order out"),
        (&["--rate", "1", "--body", "${feed:a}", URL], "the request: the body: the field ${feed:a} needs rows; add --feed FILE.csv or FILE.jsonl"),
        (&["--rate", "1", "--body", "${feed:a\nb}", URL], "the request: the body: the field ${feed:a\\nb} needs rows; add --feed FILE.csv or FILE.jsonl"),
        (&["--rate", "1", "--feed", "x.csv", "redis://h"], "--feed is for HTTP, but the target speaks RESP (Redis); leave --feed out"),
        (&["--rate", "1", "--feed", "/absent.csv", URL], "--feed /absent.csv: cannot be read: No such file or directory (os error 2)"),
        (&["--rate", "1", "--order", "random", URL], "--order sets the order of the requests of --traffic, but the command has no --traffic; leave --order out"),
        (&["--arrivals", "trace", URL], "--arrivals trace needs --traffic, because a trace is a file of requests with time stamps (at_ns or at_s)"),
        (&["--arrivals", "trace", "--rate", "5", "--traffic", "x", URL], "--arrivals trace cannot be used with --rate, because a trace has time stamps and an order of its own; leave --rate out, and use --speed to replay the trace faster"),
        (&["--arrivals", "poisson", "--order", "trace", "--traffic", "x", URL], "--order trace cannot be used with --arrivals, because a trace has time stamps and an order of its own; leave --arrivals out"),
        (&["--arrivals", "trace", "--order", "random", "--traffic", "x", URL], "--arrivals trace cannot be used with --order, because a trace has time stamps and an order of its own; leave --order out"),
        (&["--rate", "1", "--speed", "2", URL], "--speed needs --arrivals trace, because only a recorded trace can be played faster; leave --speed out"),
        (&["--rate", "1", "--check-share", "1.5", URL], "--check-share 1.5 is not a share; give a number from 0 to 1"),
        (&["--rate", "1", "--check-share", "NaN", URL], "--check-share NaN is not a share; give a number from 0 to 1"),
        (&["--rate", "1", "--check-share", "0.5", URL], "--check-share needs a rule that bodies must follow; say what the body should be (--expect-body-sha256, --expect-body-contains, --expect-json, or \"expect\" in the traffic file)"),
        (&["--rate", "1", "--check-share", "0", "--expect-body-contains", "x", URL], "--check-share 0 cannot be used with --expect-body-contains, because no body would be checked; leave one of the two out"),
        (&["--rate", "1", "--expect-body-contains", "", URL], "--expect-body-contains has an empty text, which every body contains; leave --expect-body-contains out"),
        (&["--rate", "1", "--method", "get", URL], "the request: HTTP methods are case-sensitive: write GET, not get"),
        (&["--rate", "1", "--json", "/absent/x.json", URL], "--json \"/absent/x.json\" cannot be written, because there is no folder \"/absent\"; make the folder first"),
        (&["--rate", "1", "--hlog", "/", URL], "--hlog \"/\" is a folder; name a file"),
        (&["--rate", "1", "--hlog", "-", URL], "only --json can be written to standard output; name a file for --hlog"),
        (&["--rate", "1", "--hlog", "same", "--hgrm", "./same", URL], "--hlog and --hgrm name the same file, \"./same\"; name two files"),
        (&["--rate", "1", "--mode", "fast", URL], "invalid value 'fast' for '--mode <MODE>'; [possible values: economy, default, precise]"),
        (&["--rate", "1", "--expect-json", "/a=yes", URL], "invalid value '/a=yes' for '--expect-json <POINTER=JSON>': the value after = is not JSON: expected value at line 1 column 1; write a text in quotes: /name=\"value\""),
        (&["--rate", "1", "--duraton", "1s", URL], "unexpected argument '--duraton' found; tip: a similar argument exists: '--duration'"),
        (&["--rate", "1", "--schema", "result"], "the argument '--schema <SCHEMA>' cannot be used with one or more of the other specified arguments"),
    ];
    for (words, expected) in cases {
        assert_eq!(line(words), *expected, "{words:?}");
    }
}

#[test]
fn a_trace_without_time_stamps_names_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traffic.jsonl");
    std::fs::write(&path, "{\"path\":\"/a\",\"at_ns\":1}\n{\"path\":\"/b\"}\n").unwrap();
    let file = path.to_str().unwrap();
    assert_eq!(
        line(&["--arrivals", "trace", "--traffic", file, URL]),
        format!("{file}:2: the request has neither at_ns nor at_s; a trace needs one of them on every line")
    );
}

#[test]
fn a_result_never_overwrites_what_the_run_reads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traffic.jsonl");
    std::fs::write(&path, "{\"path\":\"/a\"}\n").unwrap();
    let file = path.to_str().unwrap();
    assert_eq!(
        line(&["--rate", "1", "--traffic", file, "--json", file, URL]),
        format!("--traffic and --json name the same file, {path:?}; name two files")
    );
    let other = folder.path().join("other");
    std::fs::write(&other, "").unwrap();
    let other = other.to_str().unwrap();
    for (option, more) in [
        ("--feed", &[][..]),
        ("--certificate", &["--key", other]),
        ("--key", &["--certificate", other]),
    ] {
        let arguments = ["--rate", "1", option, file, "--records", file, "https://h/"];
        assert_eq!(
            line(&[&arguments, more].concat()),
            format!("{option} and --records name the same file, {path:?}; name two files")
        );
    }
    // A device may be named as often as one likes.
    plan(&[
        "--rate",
        "1",
        "--json",
        "/dev/null",
        "--hlog",
        "/dev/null",
        URL,
    ]);
}

#[test]
fn hostile_words_never_reach_the_terminal_raw() {
    const ATTACK: &str = "\x1b]0;owned\x07\x1b[2J\u{9b}31m\u{202e}";
    for words in [
        vec!["--rate", ATTACK, URL],
        vec![ATTACK],
        vec!["--rate", "1", "--method", ATTACK, URL],
        vec!["--rate", "1", "--traffic", ATTACK, URL],
        vec!["--rate", "1", "--json", "\x1b[2J/x", URL],
        vec!["--rate", "1", "--header", "X: a\r\nY: b", URL],
        vec!["--rate", "1", &format!("http://{ATTACK}/")],
        vec!["--rate", "1", &format!("--{ATTACK}")],
    ] {
        let line = line(&words);
        assert!(
            line.chars().all(|c| !c.is_control() && c != '\u{202e}'),
            "{line:?}"
        );
        assert!(!line.is_empty());
    }
}
