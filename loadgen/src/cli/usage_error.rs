//! Errors of the command line: one line each, which says what to do.

use std::io;
use std::path::PathBuf;

use crate::schedule::ScheduleError;
use crate::traffic::{FeedError, FileError, HttpError, KeySpaceError, OperationsError, RedisError};
use crate::transport::target::TargetError;

/// A command line that makes no plan.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum UsageError {
    #[error(
        "the command names no URL; say where to send requests, such as http://localhost:8080/"
    )]
    NoUrl,
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error("the URL says {scheme}, but --protocol says {protocol}; leave --protocol out, or write {instead}://HOST:PORT")]
    SchemeAndProtocol {
        scheme: &'static str,
        protocol: &'static str,
        instead: &'static str,
    },
    #[error("{first} and {other} differ in their {what}, but all servers of a run get the same requests; give all servers the same {what}, or give each server its own run")]
    UnlikeTargets {
        what: &'static str,
        first: String,
        other: String,
    },
    #[error("{0} is given twice; name each server once")]
    SameTarget(String),
    #[error("--max-connections {max_connections} is less than --connections {connections}, the number of connections at the start; give at least --max-connections {connections}")]
    FewerThanAtFirst {
        max_connections: u64,
        connections: u64,
    },
    #[error("--unix-socket names the socket of one server, but the command has several URLs; give one URL")]
    TargetsOfSocket,
    #[error("{targets} servers cannot share --connections {connections}, because each server needs its own connection; give at least --connections {targets}")]
    TargetsOverConnections { targets: usize, connections: u64 },

    #[error("the command has neither --rate nor --closed; give a rate such as --rate 1000, or give --closed to saturate the server")]
    NoRate,
    #[error("--closed cannot be used with {0}, because a closed loop has no schedule: a connection sends when its last answer is complete; leave one of the two out")]
    ClosedWith(&'static str),
    #[error("--shard {number}/{of} would send nothing, because the schedule has fewer than {number} requests; use fewer shards, or run longer")]
    EmptyShard { number: u64, of: u64 },
    #[error("--start-at {0} is an instant that has passed; give a later instant of this host's CLOCK_MONOTONIC")]
    StartPassed(u64),
    #[error("--start-at {given} is {ahead} from now; give an instant of this host's CLOCK_MONOTONIC within the next {most}")]
    StartFar {
        given: u64,
        ahead: String,
        most: String,
    },
    #[error("--duration and --requests exclude each other, because a run ends by one of the two; leave one of the two out")]
    TwoEnds,
    #[error("with {0} 0 nothing could be sent; give 1 or more")]
    Zero(&'static str),
    #[error("{option} {given} is too short; give {least} or more")]
    TooShort {
        option: &'static str,
        given: String,
        least: String,
    },
    #[error("{option} {given} is too many; {most} is the most")]
    TooMany {
        option: &'static str,
        given: u64,
        most: u64,
    },
    #[error("--threads {threads} cannot share --connections {connections}, because each thread needs a connection of its own; give more connections or fewer threads")]
    ThreadsOverConnections { threads: u64, connections: u64 },
    #[error("--keep-awake keeps the processors of --cpus awake, but the command has no --cpus; name the processors, or leave --keep-awake out")]
    KeepAwakeWithoutProcessors,
    #[error("--feed has no effect, because no path, header or body contains ${{feed:NAME}}; write ${{feed:NAME}} in a request, or leave --feed out")]
    FeedUnused,
    #[error("--feed-order sets the order of the rows of --feed, but the command has no --feed; leave --feed-order out")]
    OrderWithoutFeed,
    #[error("--feed {path} has {rows} rows, but the run sends more requests; give as many rows as requests, or give --feed-order random")]
    TooFewRows { path: String, rows: u64 },
    #[error("a closed loop without --requests sends an unknown number of requests, so --feed may have too few rows; give --requests, or give --feed-order random")]
    RowsUnknown,
    #[error(transparent)]
    Feed(#[from] FeedError),
    #[error("--certificate and --key belong together; give both, or neither")]
    HalfIdentity,
    #[error("--resolve {host}:{port} has no effect, because no URL has this host and port; leave --resolve out")]
    ResolvesNothing { host: String, port: u16 },
    #[error("--unix-socket cannot be used with {0}, because a unix socket has no address; leave one of the two out")]
    SocketWith(&'static str),
    #[error("--threads {threads} cannot share the {processors} processors of --cpus, because each thread needs a processor of its own; name more processors or give fewer threads")]
    ThreadsOverProcessors { threads: u64, processors: usize },
    #[error("--warmup {warmup} is not shorter than the run of {run}, so nothing would be measured; shorten the warm-up or lengthen the run")]
    Warmup { warmup: String, run: String },
    #[error(transparent)]
    Schedule(#[from] ScheduleError),

    #[error("{0} is for HTTP, but the target speaks RESP (Redis); leave {0} out")]
    OnlyHttp(&'static str),
    #[error(
        "{0} is for Redis, but the target speaks HTTP; leave {0} out, or write redis://HOST:PORT"
    )]
    OnlyRedis(&'static str),
    #[error("{0} is for HTTP/2; add --http2, or leave {0} out")]
    OnlyHttp2(&'static str),
    #[error("--pipeline cannot be used with HTTP/2, where requests share a connection as streams; write --streams {0}")]
    PipelineOfStreams(u64),
    #[error("--grpc {0:?} names no method; name a service and its method, such as helloworld.Greeter/SayHello")]
    GrpcMethod(String),
    #[error(
        "--grpc cannot be used with {0}, because a call is a POST of one message to the method's \
         own path; leave {0} out"
    )]
    GrpcWith(&'static str),
    #[error(
        "with --grpc the URL cannot have the path {0}, because the path of a call is its method; \
         end the URL after the port"
    )]
    GrpcPath(String),
    #[error("--grpc cannot be used with --traffic, because the paths in the file of --traffic are the methods; write --protocol grpc instead of --grpc")]
    GrpcTwoMethods,
    #[error("--protocol grpc needs methods; give --traffic with a file of requests whose paths are methods, or give one method with --grpc SERVICE/METHOD")]
    GrpcWithoutMethod,
    #[error("{0} is for TLS; write https:// in the URL, or leave {0} out")]
    OnlyTls(&'static str),
    #[error("--ca and --insecure exclude each other, because --ca trusts the authorities of a file and --insecure trusts any certificate; leave one of the two out")]
    TwoTrusts,

    #[error("--body and --body-file exclude each other, because a request has one body; leave one of the two out")]
    TwoBodies,
    #[error("--body-file {path:?} cannot be read: {source}")]
    BodyFile { path: PathBuf, source: io::Error },
    #[error("--traffic cannot be used with {0}, because the file states this for each request; leave {0} out")]
    FileWith(&'static str),
    #[error("--order sets the order of the requests of --traffic, but the command has no --traffic; leave --order out")]
    OrderWithoutFile,
    #[error(transparent)]
    File(#[from] FileError),
    #[error(
        "{0} needs --traffic, because a trace is a file of requests with time stamps (at_ns or \
         at_s)"
    )]
    TraceWithoutFile(&'static str),
    #[error("{trace} cannot be used with {other}, because a trace has time stamps and an order of its own; leave {other} out{hint}")]
    TraceWith {
        trace: &'static str,
        other: &'static str,
        hint: &'static str,
    },
    #[error("--speed needs --arrivals trace, because only a recorded trace can be played faster; leave --speed out")]
    SpeedWithoutTrace,
    #[error("--keys has no effect, because no path, header or body contains ${{key}}; write ${{key}} in a request, or write redis://HOST:PORT")]
    KeysUnused,
    #[error("--operations: {0}")]
    Operations(#[from] OperationsError),
    #[error("--keys: {0}")]
    Keys(#[from] KeySpaceError),
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error(transparent)]
    Redis(#[from] RedisError),

    #[error("--check-share {0} is not a share; give a number from 0 to 1")]
    CheckShare(f64),
    #[error("--check-share 0 cannot be used with {0}, because no body would be checked; leave one of the two out")]
    ChecksNothing(&'static str),
    #[error("--check-share needs a rule for the body; say what the body should be (--expect-body-sha256, --expect-body-contains, --expect-json, or \"expect\" in the traffic file)")]
    NothingToCheck,
    #[error("--expect-body-contains has an empty text, which every body contains; leave --expect-body-contains out")]
    ContainsNothing,

    #[error("{option} {path:?} cannot be written, because there is no folder {folder:?}; make the folder first")]
    NoFolder {
        option: &'static str,
        path: PathBuf,
        folder: PathBuf,
    },
    #[error("{option} {path:?} is a folder; name a file")]
    IsFolder { option: &'static str, path: PathBuf },
    #[error("{first} and {second} name the same file, {path:?}; name two files")]
    SameFile {
        first: &'static str,
        second: &'static str,
        path: PathBuf,
    },
    #[error("only --json can be written to standard output; name a file for {0}")]
    NotStandardOutput(&'static str),
}

/// Refuses the first of these options that is given.
pub(super) fn refuse<const N: usize>(
    options: [(bool, &'static str); N],
    error: impl Fn(&'static str) -> UsageError,
) -> Result<(), UsageError> {
    match options.into_iter().find(|(given, _)| *given) {
        Some((_, option)) => Err(error(option)),
        None => Ok(()),
    }
}
