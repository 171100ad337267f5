//! The load that a run carries out. All settings are resolved, so that the engine needs no
//! further information.

use socket2::SockAddr;

use crate::judgement::evidence::Mode;
use crate::schedule::{Schedule, Shard};
use crate::traffic::Traffic;
use crate::transport::tls::Tls;

/// The rule that decides when the next request is sent.
pub enum Discipline {
    /// Open loop: a schedule that is fixed before the run.
    Open(Schedule),
    /// Closed loop: the answer to the previous request.
    Closed {
        /// The loop ends after this number of requests,
        requests: Option<u64>,
        /// or after this many ns, whichever comes first.
        duration_ns: Option<u64>,
    },
}

/// The protocol of the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1.
    Http,
    /// HTTP/2, gRPC inside it too.
    Http2,
    /// RESP2.
    Resp,
}

/// A server to which connections are opened.
pub struct Endpoint {
    /// The address of the server ([`super::address`]).
    pub address: SockAddr,
    /// The local address of the connections; `None` stands for any.
    pub source: Option<SockAddr>,
    /// The TLS settings, if TLS is used.
    pub tls: Option<Tls>,
}

/// A load without the servers to which it is sent.
pub struct Load {
    /// The protocol of requests and answers.
    pub protocol: Protocol,
    /// Whether TLS is used.
    pub over_tls: bool,
    /// Whether a unix socket is used.
    pub over_unix: bool,
    /// The rule that decides when requests are sent.
    pub discipline: Discipline,
    /// The share of this process in the schedule; the whole in a closed loop.
    pub shard: Shard,
    /// The instant of CLOCK_MONOTONIC, in ns, at which the run starts. `None`: when all
    /// connections are open.
    pub start_at_ns: Option<u64>,
    /// The requests.
    pub traffic: Traffic,
    /// The precision of sending.
    pub mode: Mode,
    /// The number of connections of all threads together. It is at least the number of
    /// threads.
    pub connections: usize,
    /// The greatest number of connections if more are opened while all are busy;
    /// `connections` if no more may be opened.
    pub max_connections: usize,
    /// The number of requests after which a connection is closed and replaced.
    pub new_connection_every: Option<u64>,
    /// The number of threads.
    pub threads: usize,
    /// Requests under way on one connection: pipelined, or streams of HTTP/2.
    pub pipeline: usize,
    /// Requests intended before this instant, in ns since the start, belong to the warm-up.
    pub warmup_ns: u64,
    /// The greatest time for an answer, in ns.
    pub timeout_ns: u64,
    /// The greatest time for all first connections together, in ns.
    pub connect_timeout_ns: u64,
    /// The length of an interval of the log, in ns.
    pub interval_ns: u64,
    /// The share of the answers whose bodies are checked, 0 to 1.
    pub check_share: f64,
    /// The seed for choosing the answers to check.
    pub seed: u64,
    /// The processors to which threads are pinned, one each in turn. If it is empty,
    /// threads are not pinned.
    pub processors: Vec<usize>,
    /// Whether these processors are kept awake between requests in the exact modes.
    pub keep_awake: bool,
    /// Whether every request is recorded.
    pub records: bool,
}

impl Load {
    /// Whether the schedule is fixed beforehand.
    pub fn is_open(&self) -> bool {
        matches!(self.discipline, Discipline::Open(_))
    }

    /// The processors that must not sleep between requests. In the exact modes these are
    /// the processors of the threads, because timers must fire in time. The mode `economy`
    /// keeps none awake, because it should use little of the machine.
    pub fn kept_awake(&self) -> &[usize] {
        if !self.keep_awake || !self.is_open() || self.mode == Mode::Economy {
            return &[];
        }
        &self.processors[..self.processors.len().min(self.threads)]
    }

    /// The end of the schedule, in ns since the start; `None` if a closed loop ends after a
    /// number of requests.
    pub fn horizon_ns(&self) -> Option<u64> {
        match &self.discipline {
            Discipline::Open(schedule) => Some(schedule.horizon_ns()),
            Discipline::Closed { duration_ns, .. } => *duration_ns,
        }
    }

    /// Whether answers are read as soon as they come. This is necessary if the kernel does
    /// not stamp arrivals, if one stamp would cover several answers, or if an answer causes
    /// a new connection.
    pub fn reads_at_once(&self) -> bool {
        !self.is_stamped() || self.new_connection_every.is_some()
    }

    /// Requests after which a connection is replaced. An HTTP/2 connection numbers its streams
    /// with 30 bits (RFC 9113, section 5.1.1).
    pub fn requests_each(&self) -> u64 {
        let most = match self.protocol {
            Protocol::Http2 => 1 << 30,
            Protocol::Http | Protocol::Resp => u64::MAX,
        };
        self.new_connection_every.unwrap_or(most).min(most)
    }

    /// Whether there may be more connections than at the start.
    pub fn may_grow(&self) -> bool {
        self.max_connections > self.connections
    }

    /// Whether the kernel's receive stamps tell when an answer came. A closed loop
    /// reads at once and its latencies leave out stalls anyway: it goes without. So does
    /// HTTP/2, whose frames of several streams, and of none, come in one segment.
    pub fn is_stamped(&self) -> bool {
        self.is_open() && !self.over_unix && self.pipeline == 1 && self.protocol != Protocol::Http2
    }
}
