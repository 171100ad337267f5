//! Compares direct round trips with round trips through the relay.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use anyhow::Context;
use hdrhistogram::Histogram;
use runfair_measuring::kernel::thread::cpu_ns;
use runfair_measuring::recording::histogram::histogram;
use serde::Serialize;

use super::echo::{self, Client};
use crate::accounting::{Account, Quantiles};
use crate::dialogue::Protocol;
use crate::wire::{Length, Listener, Place, Relay, Target, REFUSED};

/// The number of questions in one turn. If a round trip takes 1 ms, a turn takes some
/// hundredths of a second.
const TURN_QUESTIONS: u64 = 50;
/// The number of turns with and without the relay. They contain 2,000 questions, which are
/// enough for a confidence interval of the 99th percentile (`order_statistics::least_count`:
/// 368).
const TURNS: u64 = 40;
/// The longest time that a calibration takes, whatever the declared round trip is: about 20 s.
const LONGEST_NS: u64 = 20_000_000_000;
/// The least number of turns. Fewer turns could not give a tail percentile.
const LEAST_TURNS: u64 = 1;

/// The reason why the relay is not calibrated: its thread ended before the measurement.
const ENDED: &str = "the relay ended before the measurement";
/// The reason why the echo server and its client do not work.
const LOOPBACK: &str = "the loopback interface cannot be used";

/// The delay that the relay adds, and its cost. Percentiles of a difference are differences
/// of percentiles.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Calibration {
    /// The declared round trip.
    pub delay_ns: u64,
    /// The number of questions, asked directly and through the relay.
    pub questions: u64,
    /// The times of round trips without the relay.
    pub direct_ns: Quantiles,
    /// The times of round trips through the relay.
    pub relayed_ns: Quantiles,
    /// The delay that the relay adds at the median, beyond the declared round trip.
    pub added_p50_ns: Option<i64>,
    /// The delay that the relay adds at the 99th percentile, beyond the declared round
    /// trip.
    pub added_p99_ns: Option<i64>,
    /// The delays of segments after the instants at which they were due.
    pub delay_error_ns: Quantiles,
    /// The CPU time of the relay's thread per question.
    pub cpu_us_per_query: f64,
}

/// Calibrates a relay with this declared round trip.
///
/// # Errors
/// The relay or the echo server does not work on this machine.
pub fn calibrate(length: Length) -> anyhow::Result<Calibration> {
    let server = echo::serve(2).context(LOOPBACK)?;
    let listener = Listener::open(&Place::from(SocketAddr::from(([127, 0, 0, 1], 0))))?;
    let relayed = listener.place().addresses()?;
    let relayed = relayed.first().and_then(socket2::SockAddr::as_socket);
    let relayed = relayed.context(ENDED)?;
    let target = Target::of(&Place::from(server))?;
    let account = Account::new(None);
    let mut relay =
        Relay::new(listener, target, Protocol::Tcp, length, account).context(REFUSED)?;
    let over = AtomicBool::new(false);
    let (outcome, outcomes) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            let ran = relay.run(|| over.load(Ordering::Relaxed));
            // If the receiver is gone, no caller needs the result.
            let _ = outcome.send(ran.map(|()| (cpu_ns(), relay.close())));
        });
        let measured = measure(server, relayed, length);
        over.store(true, Ordering::Relaxed);
        let (cpu_ns, account) = outcomes.recv().ok().context(ENDED)?.context(REFUSED)?;
        let (direct, relayed) = measured.context(LOOPBACK)?;
        Ok(compared(length, &direct, &relayed, &account, cpu_ns))
    })
}

/// Measures direct and relayed round trips, in alternating turns.
fn measure(
    direct: SocketAddr,
    relayed: SocketAddr,
    length: Length,
) -> io::Result<(Histogram<u64>, Histogram<u64>)> {
    let mut clients = [Client::connect(direct)?, Client::connect(relayed)?];
    let mut times = [histogram(), histogram()];
    for client in &mut clients {
        client.ask()?; // this question includes the handshake
    }
    let affordable = LONGEST_NS / (length.delay_ns.max(1) * TURN_QUESTIONS).max(1);
    for _ in 0..affordable.clamp(LEAST_TURNS, TURNS) {
        for (client, times) in clients.iter_mut().zip(&mut times) {
            for _ in 0..TURN_QUESTIONS {
                times.saturating_record(client.ask()?);
            }
        }
    }
    let [direct, relayed] = times;
    Ok((direct, relayed))
}

fn compared(
    length: Length,
    direct: &Histogram<u64>,
    relayed: &Histogram<u64>,
    account: &Account,
    cpu_ns: u64,
) -> Calibration {
    let (direct_ns, relayed_ns) = (Quantiles::of(direct), Quantiles::of(relayed));
    let added = |without: Option<u64>, with: Option<u64>| {
        Some(with? as i64 - without? as i64 - length.delay_ns as i64)
    };
    Calibration {
        delay_ns: length.delay_ns,
        questions: relayed_ns.count,
        direct_ns,
        relayed_ns,
        added_p50_ns: added(direct_ns.p50, relayed_ns.p50),
        added_p99_ns: added(direct_ns.p99, relayed_ns.p99),
        delay_error_ns: account.punctuality().delay_error_ns,
        cpu_us_per_query: cpu_ns as f64 / 1e3 / relayed_ns.count.max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_beyond_the_declared_delay() {
        let of = |value: u64| {
            let mut values = histogram();
            values.record_n(value, 1_000).unwrap();
            values
        };
        let length = Length { delay_ns: 1_000 };
        let outcome = compared(length, &of(200), &of(1_250), &Account::new(None), 5_000_000);
        assert_eq!(outcome.added_p50_ns, Some(50));
        assert_eq!(outcome.added_p99_ns, Some(50));
        assert!((outcome.cpu_us_per_query - 5.0).abs() < 1e-9);
    }

    #[test]
    fn a_relay_is_longer_than_no_relay() {
        let length = Length { delay_ns: 200_000 };
        let outcome = calibrate(length).unwrap();
        assert_eq!(outcome.direct_ns.count, TURNS * TURN_QUESTIONS);
        assert_eq!(outcome.relayed_ns.count, outcome.direct_ns.count);
        assert!(outcome.relayed_ns.min.unwrap() >= length.delay_ns);
        assert!(outcome.cpu_us_per_query > 0.0);
        // Each question makes a segment in each direction, and so does the question
        // before the measurement.
        assert_eq!(outcome.delay_error_ns.count, 2 * (outcome.questions + 1));
    }
}
