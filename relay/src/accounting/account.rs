//! The running account of a relay: its counts and records.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use runfair_measuring::recording::histogram::histogram;

use super::quantiles::Quantiles;
use super::records::{Outcome, QueryRecords};
use super::report::{Bytes, Connections, Punctuality as Punctual, Queries};
use crate::dialogue::{Query, Unparsed};
use crate::wire::pipe::Punctuality;

/// Everything that is counted and recorded while the relay runs.
pub struct Account {
    /// The counts of connections.
    pub connections: Connections,
    /// The bytes that the relay sent, by direction.
    pub bytes: Bytes,
    /// The counts of queries by outcome.
    pub queries: Queries,
    /// The times from forwarding a query to the arrival of its answer.
    pub server_time: Histogram<u64>,
    /// The times from the arrival of a query to the delivery of its answer.
    pub whole_time: Histogram<u64>,
    /// The connections that were read as plain TCP, by reason.
    pub unparsed_streams: BTreeMap<String, u64>,
    lateness: Histogram<u64>,
    held_back: u64,
    records: Option<QueryRecords>,
}

impl Account {
    /// An empty account. If there is a file for records, it writes them.
    pub fn new(records: Option<QueryRecords>) -> Self {
        Self {
            connections: Connections::default(),
            bytes: Bytes::default(),
            queries: Queries::default(),
            server_time: histogram(),
            whole_time: histogram(),
            lateness: histogram(),
            held_back: 0,
            unparsed_streams: BTreeMap::new(),
            records,
        }
    }

    /// Counts a query whose answer was delivered.
    pub fn delivered(&mut self, query: &Query, connection: u32) {
        if query.login {
            self.queries.logins += 1;
            return;
        }
        let outcome = if query.failed {
            self.queries.failed += 1;
            Outcome::Failed
        } else {
            Outcome::Good
        };
        self.queries.answered += 1;
        let server_ns = query.answered_ns.saturating_sub(query.forwarded_ns);
        let whole_ns = query.delivered_ns.saturating_sub(query.arrived_ns);
        self.server_time.saturating_record(server_ns);
        self.whole_time.saturating_record(whole_ns);
        self.record(query, connection, outcome);
    }

    /// Counts a query whose connection ended before the answer was delivered, or whose
    /// answer can no longer be recognised.
    pub fn unfinished(&mut self, query: &Query, connection: u32) {
        if query.login {
            return;
        }
        self.queries.unfinished += 1;
        self.record(query, connection, Outcome::Unfinished);
    }

    /// Counts a connection whose queries can no longer be distinguished.
    pub fn unparsed(&mut self, reason: &Unparsed) {
        *self.unparsed_streams.entry(reason.to_string()).or_default() += 1;
    }

    /// Counts requests to cancel that were passed on.
    pub fn cancelled(&mut self, requests: u64) {
        self.queries.cancellations += requests;
    }

    /// Counts a client whose request for encryption was declined.
    pub fn encryption_declined(&mut self) {
        self.queries.encryption_declined += 1;
    }

    /// Writes records to their file if there are many or if they are old.
    pub fn keep(&mut self, now_ns: u64) {
        if let Some(records) = &mut self.records {
            records.keep(now_ns);
        }
    }

    /// Writes all records to their file, which is then complete. Returns the file, which
    /// knows whether writing failed.
    pub fn close(&mut self, now_ns: u64) -> Option<&QueryRecords> {
        if let Some(records) = &mut self.records {
            records.commit(now_ns);
        }
        self.records.as_ref()
    }

    /// The delays of segments after the instants at which they were due.
    pub fn punctuality(&self) -> Punctual {
        Punctual {
            delay_error_ns: Quantiles::of(&self.lateness),
            held_back: self.held_back,
        }
    }

    fn record(&mut self, query: &Query, connection: u32, outcome: Outcome) {
        if let Some(records) = &mut self.records {
            records.add(query, connection, outcome);
        }
    }
}

impl Punctuality for Account {
    fn late(&mut self, lateness_ns: u64) {
        self.lateness.saturating_record(lateness_ns);
    }

    fn held_back(&mut self) {
        self.held_back += 1;
    }
}
