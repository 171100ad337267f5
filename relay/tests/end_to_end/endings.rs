//! The end of a relay: by a signal, or by the end of the process that started it.

use std::io::{Read, Write};

use super::process::Relay;
use super::servers::{echo, serving};

#[test]
fn either_signal_ends_it_with_a_report_whatever_is_open() {
    for signal in ["TERM", "INT"] {
        let mut relay = Relay::to(serving(echo), "--delay 1ms");
        let mut client = relay.connect();
        client.write_all(b"?").unwrap();
        client.read_exact(&mut [0]).unwrap();
        relay.signal(signal);
        assert_eq!(relay.wait(), Some(0));
        let report = relay.read().report;
        assert_eq!(report.connections.open_at_end, 1);
        assert_eq!((report.delay_ns, report.queries.answered), (1_000_000, 1));
        assert!(report.cost.cpu_user_ns + report.cost.cpu_system_ns > 0);
        assert!(report.elapsed_ns > 0 && report.started.realtime_ns > 0);
        assert!(!matches!(client.read(&mut [0]), Ok(1..)));
    }
}

#[test]
fn the_end_of_standard_input_ends_it_where_that_is_watched() {
    let mut relay = Relay::to(serving(echo), "--watch-stdin");
    relay.close_stdin();
    assert_eq!(relay.wait(), Some(0));
    assert_eq!(relay.read().report.connections.accepted, 0);
    let mut relay = Relay::to(serving(echo), "");
    relay.close_stdin();
    let mut client = relay.connect();
    client.write_all(b"?").unwrap();
    client.read_exact(&mut [0]).unwrap();
    assert_eq!(relay.finish().report.queries.answered, 1);
}
