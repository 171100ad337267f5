//! The running account of a relay.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use runfair_load::recording::figures::histogram;

use super::quantiles::Quantiles;
use super::records::{Outcome, QueryRecords};
use super::report::{Bytes, Connections, Punctuality as Punctual, Queries};
use crate::dialogue::{Query, Unparsed};
use crate::wire::pipe::Punctuality;

/// Everything that is counted and recorded while the relay runs.
pub struct Account {
    /// Connections.
    pub connections: Connections,
    /// Bytes that left on the far side.
    pub bytes: Bytes,
    queries: Queries,
    server_time: Histogram<u64>,
    whole_time: Histogram<u64>,
    lateness: Histogram<u64>,
    held_back: u64,
    unparsed: BTreeMap<String, u64>,
    records: Option<QueryRecords>,
}

impl Account {
    /// An empty one, which writes records where there is a file for them.
    pub fn new(records: Option<QueryRecords>) -> Self {
        Self {
            connections: Connections::default(),
            bytes: Bytes::default(),
            queries: Queries::default(),
            server_time: histogram(),
            whole_time: histogram(),
            lateness: histogram(),
            held_back: 0,
            unparsed: BTreeMap::new(),
            records,
        }
    }

    /// A query's answer was delivered.
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

    /// A query's connection ended first, or nobody can tell its answer any more.
    pub fn unfinished(&mut self, query: &Query, connection: u32) {
        if query.login {
            return;
        }
        self.queries.unfinished += 1;
        self.record(query, connection, Outcome::Unfinished);
    }

    /// A connection's queries cannot be told apart any more.
    pub fn unparsed(&mut self, reason: &Unparsed) {
        *self.unparsed.entry(reason.to_string()).or_default() += 1;
    }

    /// Requests to cancel passed.
    pub fn cancelled(&mut self, requests: u64) {
        self.queries.cancellations += requests;
    }

    /// A client was told that there is no encryption.
    pub fn encryption_declined(&mut self) {
        self.queries.encryption_declined += 1;
    }

    /// Puts records into their file, when there are many or they are old.
    pub fn keep(&mut self, now_ns: u64) {
        if let Some(records) = &mut self.records {
            records.keep(now_ns);
        }
    }

    /// Puts all records into their file, which is then complete; gives it for its failure.
    pub fn close(&mut self, now_ns: u64) -> Option<&QueryRecords> {
        if let Some(records) = &mut self.records {
            records.commit(now_ns);
        }
        self.records.as_ref()
    }

    /// How many queries ended how.
    pub fn queries(&self) -> Queries {
        self.queries
    }

    /// From forwarded to answered.
    pub fn server_time(&self) -> Quantiles {
        Quantiles::of(&self.server_time)
    }

    /// From arrived to delivered.
    pub fn whole_time(&self) -> Quantiles {
        Quantiles::of(&self.whole_time)
    }

    /// How well segments kept to their instants.
    pub fn punctuality(&self) -> Punctual {
        Punctual {
            delay_error_ns: Quantiles::of(&self.lateness),
            held_back: self.held_back,
        }
    }

    /// Connections that were read as plain TCP, by the reason.
    pub fn unparsed_streams(&self) -> BTreeMap<String, u64> {
        self.unparsed.clone()
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
