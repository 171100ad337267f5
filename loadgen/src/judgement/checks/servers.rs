//! Checks whether each of several servers received its share of the requests.

use crate::judgement::evidence::{share, Evidence};
use crate::judgement::figures::latency_paths;
use crate::judgement::finding::Finding;

/// The least part of a server's expected requests, which follow from its number of
/// connections. A server that is merely slower also gets fewer requests, because a request
/// is sent on a free connection.
const LEAST_PART: f64 = 0.5;

/// The least number of expected requests. With fewer, chance alone may halve the number.
const FEWEST: f64 = 20.0;

/// Flags the latencies if one of several servers received less than half of its expected
/// requests. The server was down, or so slow that the others did its work.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    let connections = evidence.servers.iter().map(|server| server.connections);
    let sent = evidence.servers.iter().map(|server| server.sent);
    let (connections, sent): (u64, u64) = (connections.sum(), sent.sum());
    evidence
        .servers
        .iter()
        .enumerate()
        .filter_map(|(number, server)| {
            let part = share(server.connections, connections);
            let due = part * sent as f64;
            if due < FEWEST || server.sent as f64 >= LEAST_PART * due {
                return None;
            }
            let finding = Finding::warning(
                "servers",
                format!(
                    "server {} of {} was sent {} of {sent} requests, although its connections are \
                     {:.0}% of all connections, so the other servers did its work",
                    number + 1,
                    evidence.servers.len(),
                    server.sent,
                    100.0 * part
                ),
                "see whether that server was down, or slower than the others",
            );
            Some(finding.about(latency_paths()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::evidence::Server;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    fn with(sent: &[u64]) -> Evidence {
        let mut run = honest();
        run.servers = sent
            .iter()
            .map(|&sent| Server {
                connections: 10,
                sent,
            })
            .collect();
        run
    }

    #[test]
    fn a_dead_one_is_caught_and_named() {
        let findings = check(&with(&[1_000, 980, 20]));
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Warning);
        assert!(findings[0].message.starts_with("server 3 of 3"));
        assert!(findings[0].concerns("latency_ns.p99"));
        assert!(!findings[0].concerns("send_lag_ns.p99"));
    }

    #[test]
    fn even_shares_a_lone_server_and_a_handful_of_requests_pass() {
        for sent in [
            &[1_000, 990, 1_010][..],
            &[700, 300],
            &[1_000],
            &[],
            &[30, 2],
        ] {
            assert_eq!(check(&with(sent)), [], "{sent:?}");
        }
    }
}
