//! Where requests go: a URL made into addresses.

use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use anyhow::{anyhow, bail, Context};
use socket2::SockAddr;

/// The wire protocol that a URL's scheme asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// `http://`
    Http,
    /// `https://`
    Https,
    /// `redis://`
    Redis,
}

impl Scheme {
    /// Its name in a URL.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::Redis => "redis",
        }
    }

    fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
            Self::Redis => 6379,
        }
    }
}

/// An address that takes the place of a look-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// The host as a URL has it,
    pub host: String,
    /// and its port.
    pub port: u16,
    /// Where to connect instead.
    pub address: IpAddr,
}

impl Resolution {
    /// Whether it is about a URL's host and port.
    pub fn is_of(&self, url: &Url) -> bool {
        self.port == url.port && self.host.eq_ignore_ascii_case(&url.host)
    }
}

/// A URL taken apart. Nothing is resolved yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// The protocol.
    pub scheme: Scheme,
    /// Host name or address, without brackets; an IPv6 address may have a zone: `fe80::1%eth0`.
    pub host: String,
    /// Port, the scheme's own when none was given.
    pub port: u16,
    /// Path and query, at least `/`.
    pub path: String,
}

impl Url {
    /// Reads `http://host:port/path?query`, `https://…`, `redis://host:port`, or
    /// `host:port/path`, which means http.
    ///
    /// # Errors
    /// What is wrong.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let wrong =
            |reason: &str| anyhow!("{text:?} is not a URL that runfair-load can use: {reason}");
        // After a port, path or query it begins another URL.
        let named = text
            .split_once("://")
            .filter(|(scheme, _)| !scheme.contains([':', '/', '?', '#']));
        let (scheme, rest) = match named {
            Some(("http", rest)) => (Scheme::Http, rest),
            Some(("https", rest)) => (Scheme::Https, rest),
            Some(("redis", rest)) => (Scheme::Redis, rest),
            Some(_) => return Err(wrong("the scheme must be http, https or redis")),
            None => (Scheme::Http, text),
        };
        let cut = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(cut);
        if authority.contains('@') {
            return Err(wrong(
                "user and password in a URL are not supported; use --header",
            ));
        }
        let path = path.split('#').next().unwrap_or_default();
        if path
            .bytes()
            .any(|byte| byte <= b' ' || byte == 0x7f || !byte.is_ascii())
        {
            return Err(wrong(
                "spaces and other special characters must be escaped as %XX",
            ));
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(bracketed) => {
                let (host, port) = bracketed
                    .split_once(']')
                    .ok_or_else(|| wrong("an IPv6 address ends with ]"))?;
                let (address, zone) = match host.split_once('%') {
                    Some((address, zone)) => (address, Some(zone)),
                    None => (host, None),
                };
                if address.parse::<Ipv6Addr>().is_err() {
                    return Err(wrong("the text in brackets is not an IPv6 address"));
                }
                if zone.is_some_and(|zone| zone.is_empty() || zone == "25") {
                    return Err(wrong("the name of a zone must follow the %, as in %eth0"));
                }
                match port {
                    "" => (host, None),
                    _ => (
                        host,
                        Some(
                            port.strip_prefix(':')
                                .ok_or_else(|| wrong("a colon must precede the port"))?,
                        ),
                    ),
                }
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        if host.is_empty() {
            return Err(wrong("the URL has no host"));
        }
        if !host
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._:%".contains(&byte))
        {
            return Err(wrong(
                "the host has characters that are not allowed in a name",
            ));
        }
        let port = match port {
            None => scheme.default_port(),
            Some(digits) => match digits.parse::<u16>() {
                Ok(port) if port > 0 => port,
                _ => return Err(wrong("a port is a number from 1 to 65535")),
            },
        };
        Ok(Self {
            scheme,
            // RFC 6874: the % before a zone may be written %25.
            host: host.replacen("%25", "%", 1),
            port,
            path: if path.is_empty() {
                "/".to_owned()
            } else if path.starts_with('/') {
                path.to_owned()
            } else {
                format!("/{path}")
            },
        })
    }

    /// What the Host header says: no port where it is the scheme's own.
    pub fn host_header(&self) -> String {
        let name = self.name();
        let host = if name.contains(':') {
            format!("[{name}]")
        } else {
            name.to_owned()
        };
        if self.port == self.scheme.default_port() {
            host
        } else {
            format!("{host}:{}", self.port)
        }
    }

    /// The host without a zone, which is this machine's own affair (RFC 6874, section 1).
    pub fn name(&self) -> &str {
        self.host.split('%').next().unwrap_or_default()
    }

    /// The host's addresses, IPv4 and IPv6 as the resolver orders them.
    ///
    /// # Errors
    /// There is none, or the look-up takes too long.
    pub fn resolve(&self, timeout_ns: u64) -> anyhow::Result<Vec<SocketAddr>> {
        let (host, port) = (self.host.clone(), self.port);
        let look_up = move || {
            let addresses = (host.as_str(), port).to_socket_addrs()?;
            Ok::<Vec<_>, io::Error>(addresses.collect())
        };
        let host = &self.host;
        let Some(addresses) = within(timeout_ns, look_up) else {
            bail!(
                "the look-up of the name {host:?} took longer than {:.1} s; check the resolver, \
                 give a longer --connect-timeout, or give the address with --resolve",
                timeout_ns as f64 / 1e9
            );
        };
        let wrong = || format!("the name {host:?} does not resolve");
        let addresses = addresses.with_context(wrong)?;
        if addresses.is_empty() {
            bail!("{}: the name has no address", wrong());
        }
        Ok(addresses)
    }
}

/// What a task that blocks returns, unless it takes too long: then it goes on by itself.
fn within<T: Send + 'static>(
    timeout_ns: u64,
    task: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (give, given) = channel();
    let thread = thread::spawn(move || {
        // Nobody waits for it any more: nobody is to be told.
        let _ = give.send(task());
    });
    let value = given.recv_timeout(Duration::from_nanos(timeout_ns)).ok()?;
    // The value was its last word; a process is made later, best without other threads.
    let _ = thread.join();
    Some(value)
}

/// The source address as a socket's, any port; it is tried.
///
/// # Errors
/// This machine does not have it.
pub fn source_address(address: IpAddr) -> anyhow::Result<SockAddr> {
    let wanted = SocketAddr::new(address, 0);
    TcpListener::bind(wanted)
        .with_context(|| format!("this machine cannot use --source-address {address}"))?;
    Ok(SockAddr::from(wanted))
}

/// The address of a unix socket.
///
/// # Errors
/// The path is too long for one.
pub fn unix_address(path: &Path) -> anyhow::Result<SockAddr> {
    SockAddr::unix(path).with_context(|| format!("{path:?} cannot be a unix socket's address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_that_people_write() {
        let url = Url::parse("http://localhost:8080/a?b=c#d").unwrap();
        assert_eq!((url.host.as_str(), url.port), ("localhost", 8080));
        assert_eq!(url.path, "/a?b=c");
        assert_eq!(url.host_header(), "localhost:8080");
        let url = Url::parse("127.0.0.1:8080").unwrap();
        assert_eq!((url.scheme, url.path.as_str()), (Scheme::Http, "/"));
        let url = Url::parse("localhost:8080/go?to=http://h/").unwrap();
        assert_eq!((url.port, url.path.as_str()), (8080, "/go?to=http://h/"));
        let url = Url::parse("https://example.test?q").unwrap();
        assert_eq!((url.port, url.path.as_str()), (443, "/?q"));
        assert_eq!(url.host_header(), "example.test");
        let url = Url::parse("redis://[::1]").unwrap();
        assert_eq!((url.host.as_str(), url.port), ("::1", 6379));
        assert_eq!(
            Url::parse("http://[::1]:81/").unwrap().host_header(),
            "[::1]:81"
        );
    }

    #[test]
    fn a_zone_belongs_to_the_address_and_not_to_the_name() {
        for text in ["http://[fe80::1%25eth0]:81/", "http://[fe80::1%eth0]:81/"] {
            let url = Url::parse(text).unwrap();
            assert_eq!((url.host.as_str(), url.name()), ("fe80::1%eth0", "fe80::1"));
            assert_eq!(url.host_header(), "[fe80::1]:81");
        }
        // The loopback interface is the first of every machine.
        let addresses = Url::parse("http://[fe80::1%1]:81/").unwrap();
        let addresses = addresses.resolve(60_000_000_000).unwrap();
        let [SocketAddr::V6(address)] = addresses[..] else {
            panic!("one IPv6 address was due: {addresses:?}");
        };
        assert_eq!(address.scope_id(), 1);
    }

    #[test]
    fn a_task_that_takes_too_long_is_not_waited_for() {
        let (_hold, held) = channel::<()>();
        assert_eq!(within(1_000_000, move || held.recv().is_ok()), None);
        assert_eq!(within(60_000_000_000, || 7), Some(7));
    }

    #[test]
    fn an_address_of_another_machine_is_none_to_connect() {
        assert!(source_address(IpAddr::from([127, 0, 0, 2])).is_ok());
        let error = source_address(IpAddr::from([192, 0, 2, 1])).unwrap_err();
        assert!(error.to_string().contains("--source-address 192.0.2.1"));
    }

    #[test]
    fn what_is_no_url_says_why() {
        for (text, why) in [
            ("http://[fe80::1%]/", "zone"),
            ("http://[fe80::1%25]/", "zone"),
            ("ftp://host/", "scheme"),
            ("http:///path", "no host"),
            ("http://host:0/", "port"),
            ("http://host:99999/", "port"),
            ("http://ho st/", "host has characters"),
            ("http://host/a b", "escaped"),
            ("http://[::1/", "ends with ]"),
            ("http://[host]/", "not an IPv6"),
            ("http://me:secret@host/", "password"),
        ] {
            let error = Url::parse(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn a_name_that_does_not_resolve_says_so() {
        let url = Url::parse("http://no-such-name.invalid/").unwrap();
        let error = url.resolve(60_000_000_000).unwrap_err().to_string();
        assert!(error.contains("does not resolve") && error.contains("no-such-name.invalid"));
    }
}
