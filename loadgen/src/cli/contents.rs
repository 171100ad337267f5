//! What is sent: from options or a file to the traffic of a run.

use std::path::Path;

use anyhow::{anyhow, bail};
use clap::ValueEnum;

use crate::engine::load::Discipline;
use crate::judgement::evidence::Process;
use crate::protocol::expectation::{BodyRule, Expectation};
use crate::report::result::{FeedSummary, TrafficSummary};
use crate::schedule::Trace;
use crate::traffic::{
    Body, Feed, FeedOrder, Http2Spec, HttpSpec, KeySpace, Order, RedisSpec, RequestSpec, Traffic,
    TrafficFile,
};
use crate::transport::target::Url;

use super::arguments::{Arguments, CheckArguments, TrafficArguments};
use super::refusal::refuse;

/// Length of a Redis value where none is asked for.
const DEFAULT_VALUE_BYTES: u64 = 64;
/// What is done with them where nothing is asked for.
const DEFAULT_OPERATIONS: &str = "set,get";
/// Keys where none are asked for: every command hits the same one, as redis-benchmark's do.
const DEFAULT_KEYS: u64 = 1;

/// What is sent.
pub(super) struct Contents {
    /// The requests or commands.
    pub traffic: Traffic,
    /// What the result says of them.
    pub summary: TrafficSummary,
    /// Their own instants, where they are to be kept.
    pub trace: Option<Trace>,
    /// The rows that are used once each, where there are such.
    pub rows: Option<u64>,
    /// The share of the bodies to check.
    pub check_share: f64,
}

/// The option that asks for a trace, if one does.
pub(super) fn trace_option(arguments: &Arguments) -> Option<&'static str> {
    if arguments.pacing.arrivals == Some(Process::Trace) {
        return Some("--arrivals trace");
    }
    (arguments.traffic.order == Some(Order::Trace)).then_some("--order trace")
}

/// Says that an option is for HTTP.
pub(super) fn only_http(option: &str) -> anyhow::Error {
    anyhow!("{option} is for HTTP, but the target speaks RESP (Redis); leave {option} out")
}

/// Redis commands.
pub(super) fn redis(arguments: &Arguments) -> anyhow::Result<Contents> {
    let traffic = &arguments.traffic;
    let checks = &arguments.checks;
    let of_http = [
        (traffic.method.is_some(), "--method"),
        (!traffic.header.is_empty(), "--header"),
        (traffic.body.is_some(), "--body"),
        (traffic.body_file.is_some(), "--body-file"),
        (traffic.traffic.is_some(), "--traffic"),
        (traffic.order.is_some(), "--order"),
        (traffic.feed.is_some(), "--feed"),
        (traffic.feed_order.is_some(), "--feed-order"),
        (checks.expect_status.is_some(), "--expect-status"),
    ];
    refuse(of_http, only_http)?;
    refuse(body_rules(checks), only_http)?;
    let trace = trace_option(arguments).is_some();
    refuse([(trace, "--arrivals trace")], only_http)?;
    let options = &arguments.protocol;
    let operations = match &options.operations {
        Some(operations) => operations.clone(),
        None => DEFAULT_OPERATIONS.parse()?,
    };
    let keys = key_space(options.keys.unwrap_or(DEFAULT_KEYS))?;
    let value_bytes = options.value_bytes.unwrap_or(DEFAULT_VALUE_BYTES);
    let traffic = Traffic::redis(RedisSpec {
        keys,
        value_bytes,
        operations: operations.clone(),
        preloaded: options.preload,
        seed: arguments.pacing.seed,
    })?;
    Ok(Contents {
        summary: TrafficSummary {
            operations: Some(operations.to_string()),
            keys: Some(keys.keys()),
            value_bytes: Some(value_bytes),
            templates: traffic.templates().to_vec(),
            ..TrafficSummary::default()
        },
        traffic,
        trace: None,
        rows: None,
        check_share: share(checks)?.unwrap_or(1.0),
    })
}

/// HTTP requests: one as the options say, or those of a file.
pub(super) fn http(arguments: &Arguments, url: &Url) -> anyhow::Result<Contents> {
    let options = &arguments.protocol;
    let of_redis = [
        (options.value_bytes.is_some(), "--value-bytes"),
        (options.operations.is_some(), "--operations"),
        (options.preload, "--preload"),
    ];
    refuse(of_redis, |option| {
        anyhow!(
            "{option} is for Redis, but the target speaks HTTP; leave {option} out, or write \
             redis://HOST:PORT"
        )
    })?;
    let keys = options.keys.map(key_space).transpose()?;
    let expect = expectation(&arguments.checks)?;
    let source = match &arguments.traffic.traffic {
        Some(path) => from_file(path, arguments, url, &expect)?,
        None => Source {
            requests: vec![one_request(arguments, url, expect)?],
            order: Order::File,
            summary: TrafficSummary::default(),
            trace: None,
        },
    };
    let feed = feed(arguments)?;
    let any = |of: &dyn Fn(&RequestSpec) -> bool| source.requests.iter().any(of);
    if feed.is_some() && !any(&|request| holds(request, "${feed:")) {
        bail!(
            "--feed has no effect, because no path, header or body contains ${{feed:NAME}}; write \
             ${{feed:NAME}} in a request, or leave --feed out"
        );
    }
    let feed_summary = feed.as_ref().map(|feed| feed_summary(arguments, feed));
    let rows = feed.as_ref().filter(|feed| feed.order() == FeedOrder::File);
    let rows = rows.map(Feed::rows);
    if keys.is_some() && !any(&|request| holds(request, "${key}")) {
        bail!(
            "--keys has no effect, because no path, header or body contains ${{key}}; write \
             ${{key}} in a request, or write redis://HOST:PORT"
        );
    }
    let share = share(&arguments.checks)?;
    if share.is_some() && !any(&|request| !request.expect.body.is_empty()) {
        bail!(
            "--check-share needs a rule that bodies must follow; say what the body should be \
             (--expect-body-sha256, --expect-body-contains, --expect-json, or \"expect\" in the \
             traffic file)"
        );
    }
    let spec = HttpSpec {
        requests: source.requests,
        authority: url.host_header(),
        order: source.order,
        keys,
        feed,
        seed: arguments.pacing.seed,
    };
    let traffic = if options.http2 || options.calls() {
        Traffic::http2(Http2Spec {
            http: spec,
            scheme: url.scheme.name(),
            calls: options.calls(),
        })?
    } else {
        Traffic::http(spec)?
    };
    Ok(Contents {
        rows,
        summary: TrafficSummary {
            keys: options.keys,
            feed: feed_summary,
            templates: traffic.templates().to_vec(),
            ..source.summary
        },
        traffic,
        trace: source.trace,
        check_share: share.unwrap_or(1.0),
    })
}

fn key_space(keys: u64) -> anyhow::Result<KeySpace> {
    KeySpace::new(keys).map_err(|error| anyhow!("--keys: {error}"))
}

/// Where HTTP requests come from.
struct Source {
    requests: Vec<RequestSpec>,
    order: Order,
    summary: TrafficSummary,
    trace: Option<Trace>,
}

fn from_file(
    path: &Path,
    arguments: &Arguments,
    url: &Url,
    expect: &Expectation,
) -> anyhow::Result<Source> {
    let TrafficArguments {
        method,
        header,
        body,
        body_file,
        order,
        ..
    } = &arguments.traffic;
    let of_one_request = [
        (method.is_some(), "--method"),
        (!header.is_empty(), "--header"),
        (body.is_some(), "--body"),
        (body_file.is_some(), "--body-file"),
    ];
    refuse(of_one_request, |option| {
        anyhow!(
            "--traffic cannot be used with {option}, because the file states the method, headers \
             and body of each request; leave {option} out"
        )
    })?;
    if url.path != "/" {
        bail!(
            "with --traffic the URL cannot have the path {0}, because the file states the path of \
             each request; end the URL after the port",
            url.path
        );
    }
    let file = TrafficFile::read(path)?;
    let file_sha256 = hex::encode(file.sha256());
    let (order, trace) = match trace_option(arguments) {
        Some(_) => {
            let trace = file.trace(arguments.pacing.speed.unwrap_or(1.0))?;
            (Order::Trace, Some(trace))
        }
        None => (order.unwrap_or(Order::File), None),
    };
    let mut requests = file.into_requests();
    for request in &mut requests {
        if request.expect == Expectation::default() {
            request.expect = expect.clone();
        }
    }
    Ok(Source {
        requests,
        order,
        summary: TrafficSummary {
            file: Some(path.to_owned()),
            file_sha256: Some(file_sha256),
            order: Some(name(order)),
            ..TrafficSummary::default()
        },
        trace,
    })
}

fn one_request(
    arguments: &Arguments,
    url: &Url,
    expect: Expectation,
) -> anyhow::Result<RequestSpec> {
    let options = &arguments.traffic;
    if options.order.is_some_and(|order| order != Order::Trace) {
        bail!(
            "--order sets the order of the requests of --traffic, but the command has no \
             --traffic; leave --order out"
        );
    }
    if let Some(trace) = trace_option(arguments) {
        bail!(
            "{trace} needs --traffic, because a trace is a file of requests with time stamps \
             (at_ns or at_s)"
        );
    }
    let body = match (&options.body, &options.body_file) {
        (Some(_), Some(_)) => bail!(
            "--body and --body-file exclude each other, because a request has one body; leave one \
             of the two out"
        ),
        (Some(text), None) => Body::Text(text.clone()),
        (None, Some(path)) => Body::Bytes(
            std::fs::read(path)
                .map_err(|source| anyhow!("--body-file {path:?} cannot be read: {source}"))?,
        ),
        (None, None) => Body::Empty,
    };
    let call = arguments.protocol.grpc.as_ref();
    let path = call.map_or_else(|| url.path.clone(), |method| format!("/{method}"));
    let default_method = match body {
        Body::Empty if call.is_none() => "GET",
        _ => "POST",
    };
    let method = options.method.as_deref().unwrap_or(default_method);
    Ok(RequestSpec {
        headers: options.header.clone(),
        body,
        expect,
        place: Some("the request".to_owned()),
        ..RequestSpec::new(method, path)
    })
}

/// Whether a request has a field that begins so.
fn holds(request: &RequestSpec, field: &str) -> bool {
    let in_body = matches!(&request.body, Body::Text(text) if text.contains(field));
    in_body
        || request.path.contains(field)
        || request
            .headers
            .iter()
            .any(|(_, value)| value.contains(field))
}

fn feed(arguments: &Arguments) -> anyhow::Result<Option<Feed>> {
    let options = &arguments.traffic;
    let order = options.feed_order.unwrap_or(FeedOrder::File);
    match &options.feed {
        Some(path) => Ok(Some(Feed::read(path, order, arguments.pacing.seed)?)),
        None if options.feed_order.is_some() => bail!(
            "--feed-order sets the order of the rows of --feed, but the command has no --feed; \
             leave --feed-order out"
        ),
        None => Ok(None),
    }
}

fn feed_summary(arguments: &Arguments, feed: &Feed) -> FeedSummary {
    FeedSummary {
        file: arguments.traffic.feed.clone().unwrap_or_default(),
        sha256: hex::encode(feed.sha256()),
        rows: feed.rows(),
        order: name(feed.order()),
    }
}

/// Refuses rows that would run out.
pub(super) fn check_rows(
    rows: Option<u64>,
    discipline: &Discipline,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let Some(rows) = rows else {
        return Ok(());
    };
    let too_few = match discipline {
        // Of a random process too the schedule is known.
        Discipline::Open(schedule) => schedule
            .arrivals(0, 1)
            .nth(usize::try_from(rows).unwrap_or(usize::MAX))
            .is_some(),
        Discipline::Closed {
            requests: Some(requests),
            ..
        } => *requests > rows,
        Discipline::Closed { requests: None, .. } => bail!(
            "a closed loop without --requests sends an unknown number of requests, so --feed may \
             have too few rows; give --requests, or give --feed-order random"
        ),
    };
    let path = arguments.traffic.feed.as_deref().unwrap_or(Path::new(""));
    if too_few {
        bail!(
            "--feed {path} has {rows} rows, but the run sends more requests; give as many rows as \
             requests, or give --feed-order random",
            path = path.display()
        );
    }
    Ok(())
}

fn expectation(checks: &CheckArguments) -> anyhow::Result<Expectation> {
    let mut body = Vec::new();
    body.extend(checks.expect_body_sha256.map(BodyRule::Sha256));
    if let Some(text) = &checks.expect_body_contains {
        if text.is_empty() {
            bail!(
                "--expect-body-contains has an empty text, which every body contains; leave \
                 --expect-body-contains out"
            );
        }
        body.push(BodyRule::Contains(text.clone().into_bytes()));
    }
    if !checks.expect_json.is_empty() {
        body.push(BodyRule::Json(checks.expect_json.clone()));
    }
    Ok(Expectation {
        status: checks.expect_status.clone().unwrap_or_default(),
        body,
    })
}

/// The share of the bodies to check, where one is asked for.
fn share(checks: &CheckArguments) -> anyhow::Result<Option<f64>> {
    let Some(share) = checks.check_share else {
        return Ok(None);
    };
    if !(0.0..=1.0).contains(&share) {
        bail!("--check-share {share} is not a share; give a number from 0 to 1");
    }
    if share == 0.0 {
        refuse(body_rules(checks), |option| {
            anyhow!(
                "--check-share 0 cannot be used with {option}, because no body would be checked; \
                 leave one of the two out"
            )
        })?;
    }
    Ok(Some(share))
}

/// The options that say what a body must be.
fn body_rules(checks: &CheckArguments) -> [(bool, &'static str); 3] {
    let contains = checks.expect_body_contains.is_some();
    [
        (checks.expect_body_sha256.is_some(), "--expect-body-sha256"),
        (contains, "--expect-body-contains"),
        (!checks.expect_json.is_empty(), "--expect-json"),
    ]
}

/// A value's name on the command line.
fn name(value: impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}
