//! Errors of the command line: one line each, which says what to do.

use std::io;
use std::path::PathBuf;

use crate::schedule::ScheduleError;
use crate::traffic::{FeedError, FileError, HttpError, KeySpaceError, OperationsError, RedisError};
use crate::transport::target::TargetError;

/// A command line that makes no plan.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// Nothing to send to.
    #[error(
        "the command names no URL; say where to send requests, such as http://localhost:8080/"
    )]
    NoUrl,
    /// A URL that is none.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Scheme and `--protocol` disagree.
    #[error("the URL says {scheme}, but --protocol says {protocol}; leave --protocol out, or write {instead}://HOST:PORT")]
    SchemeAndProtocol {
        /// Of the URL.
        scheme: &'static str,
        /// As asked.
        protocol: &'static str,
        /// The scheme that goes with the protocol.
        instead: &'static str,
    },
    /// Servers that cannot share requests.
    #[error("{first} and {other} differ in their {what}, but all servers of a run get the same requests; give all servers the same {what}, or give each server its own run")]
    UnlikeTargets {
        /// What is not the same.
        what: &'static str,
        /// The first URL.
        first: String,
        /// The one that differs from it.
        other: String,
    },
    /// A server twice.
    #[error("{0} is given twice; name each server once")]
    SameTarget(String),
    /// A pool that would shrink.
    #[error("--max-connections {max_connections} is less than --connections {connections}, the number of connections at the start; give at least --max-connections {connections}")]
    FewerThanAtFirst {
        /// The most.
        max_connections: u64,
        /// Those at the start.
        connections: u64,
    },
    /// Several names for one socket.
    #[error("--unix-socket names the socket of one server, but the command has several URLs; give one URL")]
    TargetsOfSocket,
    /// A server without a connection.
    #[error("{targets} servers cannot share --connections {connections}, because each server needs its own connection; give at least --connections {targets}")]
    TargetsOverConnections {
        /// How many servers.
        targets: usize,
        /// How many connections.
        connections: u64,
    },

    /// Neither an open nor a closed loop.
    #[error("the command has neither --rate nor --closed; give a rate such as --rate 1000, or give --closed to saturate the server")]
    NoRate,
    /// A closed loop with what only a schedule has.
    #[error("--closed cannot be used with {0}, because a closed loop has no schedule: a connection sends when its last answer is complete; leave one of the two out")]
    ClosedWith(&'static str),
    /// A share of nothing.
    #[error("--shard {number}/{of} would send nothing, because the schedule has fewer than {number} requests; use fewer shards, or run longer")]
    EmptyShard {
        /// Which share.
        number: u64,
        /// Of how many.
        of: u64,
    },
    /// A start that is over.
    #[error("--start-at {0} is an instant that has passed; give a later instant of this host's CLOCK_MONOTONIC")]
    StartPassed(u64),
    /// A start that is too far ahead.
    #[error("--start-at {given} is {ahead} from now; give an instant of this host's CLOCK_MONOTONIC within the next {most}")]
    StartFar {
        /// As given, ns.
        given: u64,
        /// The time until then.
        ahead: String,
        /// The most.
        most: String,
    },
    /// Two ends.
    #[error("--duration and --requests exclude each other, because a run ends by one of the two; leave one of the two out")]
    TwoEnds,
    /// No connection, thread or request.
    #[error("with {0} 0 nothing could be sent; give 1 or more")]
    Zero(&'static str),
    /// A time of zero where it makes no sense.
    #[error("{option} {given} is too short; give {least} or more")]
    TooShort {
        /// Which option.
        option: &'static str,
        /// As given.
        given: String,
        /// The shortest that makes sense.
        least: String,
    },
    /// More than there can be.
    #[error("{option} {given} is too many; {most} is the most")]
    TooMany {
        /// Which option.
        option: &'static str,
        /// As given.
        given: u64,
        /// The most.
        most: u64,
    },
    /// A thread without a connection.
    #[error("--threads {threads} cannot share --connections {connections}, because each thread needs a connection of its own; give more connections or fewer threads")]
    ThreadsOverConnections {
        /// Threads asked for.
        threads: u64,
        /// Connections asked for.
        connections: u64,
    },
    /// Processors to be kept awake, and none named.
    #[error("--keep-awake keeps the processors of --cpus awake, but the command has no --cpus; name the processors, or leave --keep-awake out")]
    KeepAwakeWithoutProcessors,
    /// Rows that no request holds a value of.
    #[error("--feed has no effect, because no path, header or body contains ${{feed:NAME}}; write ${{feed:NAME}} in a request, or leave --feed out")]
    FeedUnused,
    /// An order of nothing.
    #[error("--feed-order sets the order of the rows of --feed, but the command has no --feed; leave --feed-order out")]
    OrderWithoutFeed,
    /// Rows run out.
    #[error("--feed {path} has {rows} rows, but the run sends more requests; give as many rows as requests, or give --feed-order random")]
    TooFewRows {
        /// The file.
        path: String,
        /// How many it has.
        rows: u64,
    },
    /// Rows may run out.
    #[error("a closed loop without --requests sends an unknown number of requests, so --feed may have too few rows; give --requests, or give --feed-order random")]
    RowsUnknown,
    /// A file of rows that holds none.
    #[error(transparent)]
    Feed(#[from] FeedError),
    /// Half of what a client shows.
    #[error("--certificate and --key belong together; give both, or neither")]
    HalfIdentity,
    /// An address for a host that no URL has.
    #[error("--resolve {host}:{port} has no effect, because no URL has this host and port; leave --resolve out")]
    ResolvesNothing {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// A socket that has no address.
    #[error("--unix-socket cannot be used with {0}, because a unix socket has no address; leave one of the two out")]
    SocketWith(&'static str),
    /// Threads that would share a processor.
    #[error("--threads {threads} cannot share the {processors} processors of --cpus, because each thread needs a processor of its own; name more processors or give fewer threads")]
    ThreadsOverProcessors {
        /// Threads asked for.
        threads: u64,
        /// Processors named.
        processors: usize,
    },
    /// A warm-up that leaves nothing.
    #[error("--warmup {warmup} is not shorter than the run of {run}, so nothing would be measured; shorten the warm-up or lengthen the run")]
    Warmup {
        /// Length of the warm-up.
        warmup: String,
        /// Length of the run.
        run: String,
    },
    /// The rate, the end and the process do not go together.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),

    /// An option of the other protocol.
    #[error("{0} is for HTTP, but the target speaks RESP (Redis); leave {0} out")]
    OnlyHttp(&'static str),
    /// An option of the other protocol.
    #[error(
        "{0} is for Redis, but the target speaks HTTP; leave {0} out, or write redis://HOST:PORT"
    )]
    OnlyRedis(&'static str),
    /// An option of HTTP/2 where it is not spoken.
    #[error("{0} is for HTTP/2; add --http2, or leave {0} out")]
    OnlyHttp2(&'static str),
    /// HTTP/1.1's way to share a connection.
    #[error("--pipeline cannot be used with HTTP/2, where requests share a connection as streams; write --streams {0}")]
    PipelineOfStreams(u64),
    /// No method of a service.
    #[error("--grpc {0:?} names no method; name a service and its method, such as helloworld.Greeter/SayHello")]
    GrpcMethod(String),
    /// A call and what it brings itself.
    #[error(
        "--grpc cannot be used with {0}, because a call is a POST of one message to the method's \
         own path; leave {0} out"
    )]
    GrpcWith(&'static str),
    /// Two paths.
    #[error(
        "with --grpc the URL cannot have the path {0}, because the path of a call is its method; \
         end the URL after the port"
    )]
    GrpcPath(String),
    /// A method, and a file that names methods.
    #[error("--grpc cannot be used with --traffic, because the paths in the file of --traffic are the methods; write --protocol grpc instead of --grpc")]
    GrpcTwoMethods,
    /// Calls of nothing.
    #[error("--protocol grpc needs methods; give --traffic with a file of requests whose paths are methods, or give one method with --grpc SERVICE/METHOD")]
    GrpcWithoutMethod,
    /// An option of TLS where there is none.
    #[error("{0} is for TLS; write https:// in the URL, or leave {0} out")]
    OnlyTls(&'static str),
    /// Two answers to one question of trust.
    #[error("--ca and --insecure exclude each other, because --ca trusts the authorities of a file and --insecure trusts any certificate; leave one of the two out")]
    TwoTrusts,

    /// Two bodies.
    #[error("--body and --body-file exclude each other, because a request has one body; leave one of the two out")]
    TwoBodies,
    /// The body cannot be read.
    #[error("--body-file {path:?} cannot be read: {source}")]
    BodyFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A traffic file and what it says itself.
    #[error("--traffic cannot be used with {0}, because the file states this for each request; leave {0} out")]
    FileWith(&'static str),
    /// An order of nothing.
    #[error("--order sets the order of the requests of --traffic, but the command has no --traffic; leave --order out")]
    OrderWithoutFile,
    /// The traffic file is wrong.
    #[error(transparent)]
    File(#[from] FileError),
    /// A trace without a file.
    #[error(
        "{0} needs --traffic, because a trace is a file of requests with time stamps (at_ns or \
         at_s)"
    )]
    TraceWithoutFile(&'static str),
    /// A trace with what it brings itself.
    #[error("{trace} cannot be used with {other}, because a trace has time stamps and an order of its own; leave {other} out{hint}")]
    TraceWith {
        /// How the trace was asked for.
        trace: &'static str,
        /// What contradicts it.
        other: &'static str,
        /// What to do instead.
        hint: &'static str,
    },
    /// A speed of nothing recorded.
    #[error("--speed needs --arrivals trace, because only a recorded trace can be played faster; leave --speed out")]
    SpeedWithoutTrace,
    /// Keys that nothing draws from.
    #[error("--keys has no effect, because no path, header or body contains ${{key}}; write ${{key}} in a request, or write redis://HOST:PORT")]
    KeysUnused,
    /// No such mixture of commands.
    #[error("--operations: {0}")]
    Operations(#[from] OperationsError),
    /// No such key space.
    #[error("--keys: {0}")]
    Keys(#[from] KeySpaceError),
    /// Requests that cannot be sent.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// Commands that cannot be sent.
    #[error(transparent)]
    Redis(#[from] RedisError),

    /// Not a share.
    #[error("--check-share {0} is not a share; give a number from 0 to 1")]
    CheckShare(f64),
    /// A rule that is never looked at.
    #[error("--check-share 0 cannot be used with {0}, because no body would be checked; leave one of the two out")]
    ChecksNothing(&'static str),
    /// A share of nothing.
    #[error("--check-share needs a rule for the body; say what the body should be (--expect-body-sha256, --expect-body-contains, --expect-json, or \"expect\" in the traffic file)")]
    NothingToCheck,
    /// Every body contains nothing.
    #[error("--expect-body-contains has an empty text, which every body contains; leave --expect-body-contains out")]
    ContainsNothing,

    /// The file's folder is missing.
    #[error("{option} {path:?} cannot be written, because there is no folder {folder:?}; make the folder first")]
    NoFolder {
        /// Which option.
        option: &'static str,
        /// The file.
        path: PathBuf,
        /// The folder it would be in.
        folder: PathBuf,
    },
    /// A folder where a file should be.
    #[error("{option} {path:?} is a folder; name a file")]
    IsFolder {
        /// Which option.
        option: &'static str,
        /// The folder.
        path: PathBuf,
    },
    /// One would overwrite the other.
    #[error("{first} and {second} name the same file, {path:?}; name two files")]
    SameFile {
        /// One option.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// An output without a name.
    #[error("only --json can be written to standard output; name a file for {0}")]
    NotStandardOutput(&'static str),
}
