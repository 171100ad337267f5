//! Computes when a request could have been sent if the generator had never been late.
//!
//! A request that is sent late keeps its connection busy for longer. The waits of later
//! requests would then be attributed to the server. Therefore a connection stores the time
//! by which it is behind a punctual generator's, and the next request counts as free to be
//! sent earlier by this time.

/// If handing over a connection takes longer than this, in ns, the generator was absent.
pub(super) const ABSENCE_NS: u64 = 1_000_000;

/// The instant from which a connection is free for another request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Availability {
    /// Since when, ns since the start.
    pub free_ns: u64,
    /// How much earlier a punctual generator would have had it, ns.
    pub behind_ns: u64,
}

/// The instant at which a request could have been sent, and the delay that its connection
/// keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PunctualSend {
    /// When a punctual generator could have sent it: no earlier than intended.
    pub free_ns: u64,
    /// How far the connection is behind while it carries it, ns.
    pub behind_ns: u64,
}

impl Availability {
    /// The punctual send of a request that goes now. `watched_since_ns`: since when, without a
    /// pause, requests were due, no connection was known to be free, and the worker
    /// looked for one.
    ///
    /// A connection that came free under its eyes was handed over. What that takes is
    /// lateness of this request but not of the next: in the backlog of a slow server
    /// it would add up to one of the generator. One that was free before, with its
    /// answer still unread, stood idle for the generator's own lateness.
    #[inline]
    pub fn punctual_send(
        self,
        intended_ns: u64,
        now_ns: u64,
        watched_since_ns: Option<u64>,
    ) -> PunctualSend {
        let ready_ns = intended_ns.max(self.free_ns).min(now_ns);
        let free_ns = intended_ns
            .max(self.free_ns.saturating_sub(self.behind_ns))
            .min(now_ns);
        let taken_ns = now_ns - ready_ns;
        let handed_over = watched_since_ns.is_some_and(|since_ns| since_ns <= ready_ns);
        let carried_ns = if handed_over && taken_ns <= ABSENCE_NS {
            0
        } else {
            taken_ns
        };
        PunctualSend {
            free_ns,
            behind_ns: ready_ns - free_ns + carried_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000;
    const MS: u64 = 1_000_000;

    /// Sends requests on one connection of a server that takes `service_ns`; the
    /// generator is back at `back_ns` of each, reads only then whether the connection is
    /// free, and hands over within `handing_ns`. Returns (queue wait, send lag) of each.
    fn sent(
        intended_ns: &[u64],
        service_ns: u64,
        back_ns: impl Fn(u64) -> u64,
        handing_ns: u64,
    ) -> Vec<(u64, u64)> {
        let mut availability = Availability::default();
        let mut watched_since_ns = 0;
        let mut sent_ns = 0;
        intended_ns
            .iter()
            .map(|&intended_ns| {
                let back_ns = back_ns(intended_ns);
                if intended_ns > sent_ns {
                    watched_since_ns = back_ns; // nothing was due before
                }
                let now_ns = back_ns.max(availability.free_ns) + handing_ns;
                let punctual =
                    availability.punctual_send(intended_ns, now_ns, Some(watched_since_ns));
                sent_ns = now_ns;
                availability = Availability {
                    free_ns: now_ns + service_ns,
                    behind_ns: punctual.behind_ns,
                };
                (punctual.free_ns - intended_ns, now_ns - punctual.free_ns)
            })
            .collect()
    }

    #[test]
    fn a_tick_is_the_generators_lateness_for_all_that_it_holds_up() {
        let intended: Vec<u64> = (1..=5).map(|number| number * 180 * US).collect();
        let fates = sent(&intended, 100 * US, |_| MS, 0);
        for (number, (waited_ns, lag_ns)) in fates.iter().enumerate() {
            assert_eq!(*waited_ns, 0, "{fates:?}");
            let went_ns = MS + 100 * US * number as u64;
            assert_eq!(*lag_ns, went_ns - intended[number], "{fates:?}");
        }
    }

    #[test]
    fn a_server_slower_than_its_requests_is_waited_for_in_a_tick_too() {
        let intended: Vec<u64> = (1..=5).map(|number| number * 100 * US).collect();
        let fates = sent(&intended, 180 * US, |_| MS, 0);
        for (number, (waited_ns, _)) in fates.iter().enumerate() {
            // Each takes 80 µs longer than there is until the next.
            assert_eq!(*waited_ns, 80 * US * number as u64, "{fates:?}");
        }
    }

    #[test]
    fn a_tick_that_finds_its_answers_unread_is_the_generators_lateness_too() {
        // Four requests in each of many ticks of a millisecond, all sent before the next
        // is due.
        let intended: Vec<u64> = (0..100)
            .flat_map(|tick| [400, 600, 800, 1000].map(|offset| tick * MS + offset * US))
            .collect();
        let fates = sent(&intended, 40 * US, |ns| ns.div_ceil(MS) * MS, 35 * US);
        assert!(fates.iter().all(|(waited_ns, _)| *waited_ns == 0));
    }

    #[test]
    fn one_absence_after_another_is_all_the_generators() {
        // Away from 100 to 300 ms, and once more before all is sent.
        let intended: Vec<u64> = (0..400).map(|number| number * 2 * MS).collect();
        let back = |intended_ns: u64| match intended_ns {
            ns if ns < 100 * MS => ns,
            ns if ns < 200 * MS => 300 * MS,
            ns => ns.max(330 * MS),
        };
        let fates = sent(&intended, 200 * US, back, 20 * US);
        assert!(fates.iter().all(|(waited_ns, _)| *waited_ns == 0));
        assert!(fates[50].1 >= 200 * MS && fates[100].1 >= 130 * MS);
        assert!(fates[399].1 < MS, "it catches up: {:?}", fates[399]);
    }

    #[test]
    fn a_long_backlog_is_the_servers_however_long_it_lasts() {
        // Every answer takes five times as long as there is until the next request.
        let intended: Vec<u64> = (0..1_000).map(|number| number * MS).collect();
        let fates = sent(&intended, 5 * MS, |intended_ns| intended_ns, 30 * US);
        let lag_ns = fates.iter().map(|(_, lag_ns)| *lag_ns).max().unwrap();
        assert!(lag_ns <= 60 * US, "{lag_ns}");
        assert!(fates[999].0 > 3_900 * MS);
    }

    #[test]
    fn an_absence_in_a_backlog_is_not_the_servers() {
        let busy = Availability {
            free_ns: 10 * MS,
            behind_ns: 0,
        };
        let punctual = busy.punctual_send(MS, 60 * MS, Some(MS));
        assert_eq!((punctual.free_ns, punctual.behind_ns), (10 * MS, 50 * MS));
        let next = Availability {
            free_ns: 65 * MS,
            behind_ns: punctual.behind_ns,
        };
        assert_eq!(
            next.punctual_send(2 * MS, 65 * MS, Some(MS)).free_ns,
            15 * MS
        );
    }
}
