//! What a run is to do, all resolved: the engine reads it and asks nothing more.

use socket2::SockAddr;

use super::pacing::Mode;
use crate::schedule::Schedule;
use crate::traffic::Traffic;
use crate::transport::tls::Tls;

/// What decides when the next request goes.
pub enum Discipline {
    /// A schedule fixed beforehand.
    Open(Schedule),
    /// The answer to the one before.
    Closed {
        /// Ends after so many requests,
        requests: Option<u64>,
        /// or so many ns, whichever comes first.
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

/// A server that connections go to.
pub struct Endpoint {
    /// The address of its connections ([`super::address`]).
    pub address: SockAddr,
    /// The address of this machine that they come from; any where `None`.
    pub source: Option<SockAddr>,
    /// TLS, where it is spoken.
    pub tls: Option<Tls>,
}

/// A run, but for where it goes.
pub struct Load {
    /// What is spoken.
    pub protocol: Protocol,
    /// Inside TLS.
    pub over_tls: bool,
    /// Over a unix socket.
    pub over_unix: bool,
    /// When requests go.
    pub discipline: Discipline,
    /// What they are.
    pub traffic: Traffic,
    /// How exactly they go.
    pub mode: Mode,
    /// Connections of all threads together; no fewer than threads.
    pub connections: usize,
    /// As many as they may become while all are busy; `connections` where they may not.
    pub max_connections: usize,
    /// Requests after which a connection is closed and replaced.
    pub new_connection_every: Option<u64>,
    /// Threads.
    pub threads: usize,
    /// Requests under way on one connection: pipelined, or streams of HTTP/2.
    pub pipeline: usize,
    /// Requests intended before this many ns are of the warm-up.
    pub warmup_ns: u64,
    /// How long an answer may take, ns.
    pub timeout_ns: u64,
    /// How long the first connections may take altogether, ns.
    pub connect_timeout_ns: u64,
    /// Length of an interval of the log, ns.
    pub interval_ns: u64,
    /// Which share of the answers' bodies is tested, 0 to 1.
    pub check_share: f64,
    /// Seed of the choice of answers to test.
    pub seed: u64,
    /// Processors that the threads are kept on, one each in turn; empty: anywhere.
    pub processors: Vec<usize>,
    /// Whether those are kept from sleeping between requests in the exact modes.
    pub keep_awake: bool,
    /// Whether every request is recorded.
    pub records: bool,
}

impl Load {
    /// Whether the schedule is fixed beforehand.
    pub fn is_open(&self) -> bool {
        matches!(self.discipline, Discipline::Open(_))
    }

    /// The processors that are not to sleep between requests: the threads' own, where a
    /// timer's wake is to come in time. `economy` is for little use of the machine.
    pub fn kept_awake(&self) -> &[usize] {
        if !self.keep_awake || !self.is_open() || self.mode == Mode::Economy {
            return &[];
        }
        &self.processors[..self.processors.len().min(self.threads)]
    }

    /// When the schedule ends, ns since the start; `None` for a number of requests
    /// in a closed loop.
    pub fn horizon_ns(&self) -> Option<u64> {
        match &self.discipline {
            Discipline::Open(schedule) => Some(schedule.horizon_ns()),
            Discipline::Closed { duration_ns, .. } => *duration_ns,
        }
    }

    /// Whether answers are read as soon as they come from the start: where the
    /// kernel stamps no arrivals, where one stamp would stand for several answers, and where
    /// an answer lets a new connection begin.
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
