//! Chooses one of the addresses of a host's name. It is chosen once, for all threads,
//! before the run.

use std::io;
use std::os::fd::AsRawFd;

use socket2::{SockAddr, Socket};

use runfair_measuring::kernel::epoll::Epoll;
use runfair_measuring::kernel::{clock, socket};

/// The time for which an address is tried before the next address is tried too, in ns (RFC
/// 8305 §5, Connection Attempt Delay).
const ATTEMPT_DELAY_NS: u64 = 250_000_000;

/// The first address that accepts a connection. Addresses are tried in order. The next
/// address is tried at once if one fails, otherwise after a pause, while earlier addresses
/// may still answer. If there is only one address, it is not tried. The connection of the
/// trial is closed again.
///
/// # Errors
/// One line that says why the last address failed, or that no address answered in time.
pub fn choose(
    source: Option<&SockAddr>,
    addresses: &[SockAddr],
    timeout_ns: u64,
) -> Result<SockAddr, String> {
    if let [only] = addresses {
        return Ok(only.clone());
    }
    let start_ns = clock::monotonic_ns();
    let mut epoll = Epoll::new().map_err(|error| error.to_string())?;
    let mut attempts: Vec<Option<Socket>> = Vec::new();
    let mut reason = "the name has no address".to_owned();
    let mut next_ns = 0;
    loop {
        let now_ns = clock::monotonic_ns() - start_ns;
        let hopeless = attempts.iter().all(Option::is_none);
        if attempts.len() < addresses.len() && (hopeless || now_ns >= next_ns) {
            let number = attempts.len();
            next_ns = now_ns + ATTEMPT_DELAY_NS;
            match begin(source, &addresses[number], number, &epoll) {
                Ok((_, true)) => return Ok(addresses[number].clone()),
                Ok((socket, false)) => attempts.push(Some(socket)),
                Err(error) => {
                    reason = unreachable_line(&addresses[number], &error);
                    attempts.push(None);
                }
            }
            continue;
        }
        if hopeless {
            return Err(reason);
        }
        if now_ns >= timeout_ns {
            let names: Vec<String> = addresses.iter().map(printed).collect();
            return Err(format!(
                "none of {} accepted a connection within {:.1} s; is the server running there? \
                 (--connect-timeout sets this limit)",
                names.join(", "),
                timeout_ns as f64 / 1e9
            ));
        }
        let mut until_ns = timeout_ns;
        if attempts.len() < addresses.len() {
            until_ns = until_ns.min(next_ns);
        }
        let ready = epoll
            .wait(until_ns - now_ns)
            .map_err(|error| error.to_string())?;
        for event in 0..ready {
            let number = epoll.event(event).token as usize;
            let Some(socket) = &attempts[number] else {
                continue;
            };
            match socket::established(socket) {
                Ok(true) => return Ok(addresses[number].clone()),
                Ok(false) => {}
                Err(error) => {
                    reason = unreachable_line(&addresses[number], &error);
                    attempts[number] = None;
                }
            }
        }
    }
}

fn begin(
    source: Option<&SockAddr>,
    address: &SockAddr,
    number: usize,
    epoll: &Epoll,
) -> io::Result<(Socket, bool)> {
    let (socket, established) = socket::connect(source, address, false)?;
    epoll.watch(socket.as_raw_fd(), number as u64)?;
    Ok((socket, established))
}

/// The reason why an address cannot be reached, and what to do.
pub fn unreachable_line(address: &SockAddr, error: &io::Error) -> String {
    let remedy = if socket::is_shortage(error) {
        "this machine has no socket or port left; use fewer connections"
    } else {
        "is the server running there?"
    };
    format!("cannot connect to {}: {error}; {remedy}", printed(address))
}

fn printed(address: &SockAddr) -> String {
    match (address.as_socket(), address.as_pathname()) {
        (Some(address), _) => address.to_string(),
        (None, Some(path)) => path.display().to_string(),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{SocketAddr, TcpListener, TcpStream};

    fn any() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 0))
    }

    /// An address whose queue is full: further handshakes get no answer.
    fn hanging() -> (SockAddr, Socket, TcpStream) {
        let listener = Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
        listener.bind(&any().into()).unwrap();
        listener.listen(0).unwrap();
        let address = listener.local_addr().unwrap();
        let first = TcpStream::connect(address.as_socket().unwrap()).unwrap();
        (address, listener, first)
    }

    fn refusing() -> SockAddr {
        let listener = TcpListener::bind(any()).unwrap();
        listener.local_addr().unwrap().into()
    }

    #[test]
    fn one_that_hangs_or_refuses_is_passed_over() {
        let good = TcpListener::bind(any()).unwrap();
        let address = SockAddr::from(good.local_addr().unwrap());
        let (hanging, _listener, _first) = hanging();
        for before in [hanging, refusing()] {
            let chosen = choose(None, &[before, address.clone()], 5_000_000_000).unwrap();
            assert_eq!(chosen.as_socket(), address.as_socket());
        }
    }

    #[test]
    fn the_first_of_several_good_ones_is_taken() {
        let listeners = [(); 2].map(|()| TcpListener::bind(any()).unwrap());
        let addresses = listeners
            .each_ref()
            .map(|listener| SockAddr::from(listener.local_addr().unwrap()));
        let chosen = choose(None, &addresses, 5_000_000_000).unwrap();
        assert_eq!(chosen.as_socket(), addresses[0].as_socket());
    }

    #[test]
    fn where_none_answers_one_line_says_so() {
        let (hanging, _listener, _first) = hanging();
        let error = choose(None, &[refusing(), hanging.clone()], 300_000_000).unwrap_err();
        let name = hanging.as_socket().unwrap().to_string();
        assert!(
            error.contains(&name) && error.contains("--connect-timeout"),
            "{error}"
        );
        let last = refusing();
        let error = choose(None, &[refusing(), last.clone()], 5_000_000_000).unwrap_err();
        let name = last.as_socket().unwrap().to_string();
        assert!(
            error.contains(&name) && error.contains("refused"),
            "{error}"
        );
        assert!(choose(None, &[], 1_000_000).is_err());
    }

    #[test]
    fn a_lone_address_is_not_tried() {
        let lone = refusing();
        let chosen = choose(None, std::slice::from_ref(&lone), 1).unwrap();
        assert_eq!(chosen.as_socket(), lone.as_socket());
    }
}
