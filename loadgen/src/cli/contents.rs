//! What is sent: from options or a file to the traffic of a run.

use std::path::Path;

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
use super::usage_error::{refuse, UsageError};

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

/// Redis commands.
pub(super) fn redis(arguments: &Arguments) -> Result<Contents, UsageError> {
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
    refuse(of_http, UsageError::OnlyHttp)?;
    refuse(body_rules(checks), UsageError::OnlyHttp)?;
    let trace = trace_option(arguments).is_some();
    refuse([(trace, "--arrivals trace")], UsageError::OnlyHttp)?;
    let options = &arguments.protocol;
    let operations = match &options.operations {
        Some(operations) => operations.clone(),
        None => DEFAULT_OPERATIONS.parse()?,
    };
    let keys = KeySpace::new(options.keys.unwrap_or(DEFAULT_KEYS))?;
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
pub(super) fn http(arguments: &Arguments, url: &Url) -> Result<Contents, UsageError> {
    let options = &arguments.protocol;
    let of_redis = [
        (options.value_bytes.is_some(), "--value-bytes"),
        (options.operations.is_some(), "--operations"),
        (options.preload, "--preload"),
    ];
    refuse(of_redis, UsageError::OnlyRedis)?;
    let keys = options.keys.map(KeySpace::new).transpose()?;
    let expect = expectation(&arguments.checks)?;
    let source = match &arguments.traffic.traffic {
        Some(path) => from_file(path, arguments, &expect)?,
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
        return Err(UsageError::FeedUnused);
    }
    let feed_summary = feed.as_ref().map(|feed| feed_summary(arguments, feed));
    let rows = feed.as_ref().filter(|feed| feed.order() == FeedOrder::File);
    let rows = rows.map(Feed::rows);
    if keys.is_some() && !any(&|request| holds(request, "${key}")) {
        return Err(UsageError::KeysUnused);
    }
    let share = share(&arguments.checks)?;
    if share.is_some() && !any(&|request| !request.expect.body.is_empty()) {
        return Err(UsageError::NothingToCheck);
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
            scheme: url.scheme.into(),
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
    expect: &Expectation,
) -> Result<Source, UsageError> {
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
    refuse(of_one_request, UsageError::FileWith)?;
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
) -> Result<RequestSpec, UsageError> {
    let options = &arguments.traffic;
    if options.order.is_some_and(|order| order != Order::Trace) {
        return Err(UsageError::OrderWithoutFile);
    }
    if let Some(trace) = trace_option(arguments) {
        return Err(UsageError::TraceWithoutFile(trace));
    }
    let body = match (&options.body, &options.body_file) {
        (Some(_), Some(_)) => return Err(UsageError::TwoBodies),
        (Some(text), None) => Body::Text(text.clone()),
        (None, Some(path)) => {
            Body::Bytes(std::fs::read(path).map_err(|source| UsageError::BodyFile {
                path: path.clone(),
                source,
            })?)
        }
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

fn feed(arguments: &Arguments) -> Result<Option<Feed>, UsageError> {
    let options = &arguments.traffic;
    let order = options.feed_order.unwrap_or(FeedOrder::File);
    match &options.feed {
        Some(path) => Ok(Some(Feed::read(path, order, arguments.pacing.seed)?)),
        None if options.feed_order.is_some() => Err(UsageError::OrderWithoutFeed),
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
) -> Result<(), UsageError> {
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
        Discipline::Closed { requests: None, .. } => return Err(UsageError::RowsUnknown),
    };
    let path = arguments.traffic.feed.as_deref().unwrap_or(Path::new(""));
    if too_few {
        return Err(UsageError::TooFewRows {
            path: path.display().to_string(),
            rows,
        });
    }
    Ok(())
}

fn expectation(checks: &CheckArguments) -> Result<Expectation, UsageError> {
    let mut body = Vec::new();
    body.extend(checks.expect_body_sha256.map(BodyRule::Sha256));
    if let Some(text) = &checks.expect_body_contains {
        if text.is_empty() {
            return Err(UsageError::ContainsNothing);
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
fn share(checks: &CheckArguments) -> Result<Option<f64>, UsageError> {
    let Some(share) = checks.check_share else {
        return Ok(None);
    };
    if !(0.0..=1.0).contains(&share) {
        return Err(UsageError::CheckShare(share));
    }
    if share == 0.0 {
        refuse(body_rules(checks), UsageError::ChecksNothing)?;
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
