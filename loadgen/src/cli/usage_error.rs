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
    #[error("no URL: say where to send, such as http://localhost:8080/")]
    NoUrl,
    /// A URL that is none.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Scheme and `--protocol` disagree.
    #[error("the URL says {scheme}, --protocol says {protocol}: leave --protocol out, or write {instead}://HOST:PORT")]
    SchemeAndProtocol {
        /// Of the URL.
        scheme: &'static str,
        /// As asked.
        protocol: &'static str,
        /// The scheme that goes with the protocol.
        instead: &'static str,
    },
    /// Servers that cannot share requests.
    #[error("{first} and {other} differ in their {what}: all servers of a run get the same requests; give them one {what}, or a run each")]
    UnlikeTargets {
        /// What is not the same.
        what: &'static str,
        /// The first URL.
        first: String,
        /// The one that differs from it.
        other: String,
    },
    /// A server twice.
    #[error("{0} is given twice: name each server once")]
    SameTarget(String),
    /// A pool that would shrink.
    #[error("--max-connections {max_connections} is less than --connections {connections}: the pool begins with the latter; give at least as many")]
    FewerThanAtFirst {
        /// The most.
        max_connections: u64,
        /// Those at the start.
        connections: u64,
    },
    /// Several names for one socket.
    #[error("--unix-socket with several URLs: the socket is one server's; give one URL")]
    TargetsOfSocket,
    /// A server without a connection.
    #[error("{targets} URLs but --connections {connections}: each server needs one; give at least --connections {targets}")]
    TargetsOverConnections {
        /// How many servers.
        targets: usize,
        /// How many connections.
        connections: u64,
    },

    /// Neither an open nor a closed loop.
    #[error("neither --rate nor --closed: say how much to send, such as --rate 1000, or --closed to saturate the server")]
    NoRate,
    /// A closed loop with what only a schedule has.
    #[error("--closed with {0}: a closed loop has no schedule, it sends when an answer is complete; leave one of them out")]
    ClosedWith(&'static str),
    /// Two ends.
    #[error("both --duration and --requests: a run ends by one of them; leave the other out")]
    TwoEnds,
    /// No connection, thread or request.
    #[error("{0} 0: nothing could be sent; give 1 or more")]
    Zero(&'static str),
    /// A time of zero where it makes no sense.
    #[error("{option} {given}: it must be {least} or more")]
    TooShort {
        /// Which option.
        option: &'static str,
        /// As given.
        given: String,
        /// The shortest that makes sense.
        least: String,
    },
    /// More than there can be.
    #[error("{option} {given}: {most} is the most")]
    TooMany {
        /// Which option.
        option: &'static str,
        /// As given.
        given: u64,
        /// The most.
        most: u64,
    },
    /// A thread without a connection.
    #[error("--threads {threads} with --connections {connections}: each thread needs a connection of its own; give more connections or fewer threads")]
    ThreadsOverConnections {
        /// Threads asked for.
        threads: u64,
        /// Connections asked for.
        connections: u64,
    },
    /// Processors to be kept awake, and none named.
    #[error("--keep-awake is about the processors of --cpus: name them, or leave it out")]
    KeepAwakeWithoutProcessors,
    /// Rows that no request holds a value of.
    #[error("--feed without ${{feed:NAME}}: no path, header or body takes a value of it; use one, or leave --feed out")]
    FeedUnused,
    /// An order of nothing.
    #[error("--feed-order without --feed: there are no rows; leave it out")]
    OrderWithoutFeed,
    /// Rows run out.
    #[error("--feed {path} has {rows} rows, and the run sends more requests: give as many rows as requests, or --feed-order random to draw them")]
    TooFewRows {
        /// The file.
        path: String,
        /// How many it has.
        rows: u64,
    },
    /// Rows may run out.
    #[error("--feed with --closed and no --requests: nobody knows how many rows are needed; give --requests, or --feed-order random")]
    RowsUnknown,
    /// A file of rows that holds none.
    #[error(transparent)]
    Feed(#[from] FeedError),
    /// Half of what a client shows.
    #[error("--certificate and --key go together: give both, or none")]
    HalfIdentity,
    /// An address for a host that no URL has.
    #[error("--resolve {host}:{port}: no URL has this host and port; leave it out")]
    ResolvesNothing {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// A socket that has no address.
    #[error("--unix-socket with {0}: a unix socket has no address; leave one of them out")]
    SocketWith(&'static str),
    /// Threads that would share a processor.
    #[error("--threads {threads} on {processors} of --cpus: each thread needs a processor of its own; name more processors or give fewer threads")]
    ThreadsOverProcessors {
        /// Threads asked for.
        threads: u64,
        /// Processors named.
        processors: usize,
    },
    /// A warm-up that leaves nothing.
    #[error("--warmup {warmup} in a run of {run}: nothing would be left to measure; shorten the warm-up or lengthen the run")]
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
    #[error("{0} is for HTTP, but the target speaks RESP (Redis); leave it out")]
    OnlyHttp(&'static str),
    /// An option of the other protocol.
    #[error(
        "{0} is for Redis, but the target speaks HTTP; leave it out, or write redis://HOST:PORT"
    )]
    OnlyRedis(&'static str),
    /// An option of HTTP/2 where it is not spoken.
    #[error("{0} is for HTTP/2: add --http2, or leave it out")]
    OnlyHttp2(&'static str),
    /// HTTP/1.1's way to share a connection.
    #[error("--pipeline with HTTP/2: there, requests share a connection as streams; write --streams {0}")]
    PipelineOfStreams(u64),
    /// No method of a service.
    #[error("--grpc {0:?}: name a service and its method, such as helloworld.Greeter/SayHello")]
    GrpcMethod(String),
    /// A call and what it brings itself.
    #[error(
        "--grpc with {0}: a call is a POST of one message to the method's own path; leave {0} out"
    )]
    GrpcWith(&'static str),
    /// Two paths.
    #[error(
        "--grpc with the path {0}: the path of a call is its method; end the URL after the port"
    )]
    GrpcPath(String),
    /// A method, and a file that names methods.
    #[error("--grpc with --traffic: the paths of the file are the methods; write --protocol grpc in place of --grpc")]
    GrpcTwoMethods,
    /// Calls of nothing.
    #[error("--protocol grpc without --traffic: give a file of requests whose paths are methods, or one method by --grpc SERVICE/METHOD")]
    GrpcWithoutMethod,
    /// An option of TLS where there is none.
    #[error("{0} is for TLS; write https://, or leave it out")]
    OnlyTls(&'static str),
    /// Two answers to one question of trust.
    #[error("both --ca and --insecure: trust the authorities of a file or anything; leave one of them out")]
    TwoTrusts,

    /// Two bodies.
    #[error("both --body and --body-file: a request has one body; leave one of them out")]
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
    #[error("--traffic with {0}: the file says that of each request; leave {0} out")]
    FileWith(&'static str),
    /// An order of nothing.
    #[error("--order without --traffic: there is one request, and no order; leave it out")]
    OrderWithoutFile,
    /// The traffic file is wrong.
    #[error(transparent)]
    File(#[from] FileError),
    /// A trace without a file.
    #[error(
        "{0} without --traffic: a trace is a file of requests with time stamps (at_ns or at_s)"
    )]
    TraceWithoutFile(&'static str),
    /// A trace with what it brings itself.
    #[error("{trace} with {other}: a trace has time stamps and an order of its own; leave {other} out{hint}")]
    TraceWith {
        /// How the trace was asked for.
        trace: &'static str,
        /// What contradicts it.
        other: &'static str,
        /// What to do instead.
        hint: &'static str,
    },
    /// A speed of nothing recorded.
    #[error("--speed without --arrivals trace: only a recorded trace can be played faster; leave it out")]
    SpeedWithoutTrace,
    /// Keys that nothing draws from.
    #[error("--keys without ${{key}}: no path, header or body of the HTTP traffic draws a key; use ${{key}} in one, or write redis://HOST:PORT")]
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
    #[error("--check-share {0}: a share is from 0 to 1")]
    CheckShare(f64),
    /// A rule that is never looked at.
    #[error("--check-share 0 with {0}: no body would be checked; leave one of them out")]
    ChecksNothing(&'static str),
    /// A share of nothing.
    #[error("--check-share without a rule for the body: say what it should be (--expect-body-sha256, --expect-body-contains, --expect-json, or \"expect\" in the traffic file)")]
    NothingToCheck,
    /// Every body contains nothing.
    #[error("--expect-body-contains with an empty text: every body contains it; leave it out")]
    ContainsNothing,

    /// The file's folder is missing.
    #[error("{option} {path:?}: there is no folder {folder:?}; make it first")]
    NoFolder {
        /// Which option.
        option: &'static str,
        /// The file.
        path: PathBuf,
        /// The folder it would be in.
        folder: PathBuf,
    },
    /// A folder where a file should be.
    #[error("{option} {path:?}: this is a folder; name a file")]
    IsFolder {
        /// Which option.
        option: &'static str,
        /// The folder.
        path: PathBuf,
    },
    /// One would overwrite the other.
    #[error("{first} and {second} name the same file, {path:?}; name two")]
    SameFile {
        /// One option.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// An output without a name.
    #[error("{0} -: only --json can be written to standard output; name a file")]
    NotStandardOutput(&'static str),
}
