//! Where requests go: a URL made into addresses.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};

use socket2::SockAddr;
use thiserror::Error;

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
    fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
            Self::Redis => 6379,
        }
    }
}

/// Why a target cannot be used.
#[derive(Debug, Error)]
pub enum TargetError {
    /// The URL is not one.
    #[error("{url:?} is not a URL this program can use: {reason}")]
    Url {
        /// As it was given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The name has no address.
    #[error("the name {host:?} does not resolve: {reason}")]
    Name {
        /// The host's name.
        host: String,
        /// What the resolver said.
        reason: String,
    },
    /// A unix socket's path that no address can hold.
    #[error("{path:?} cannot be a unix socket's address: {reason}")]
    Unix {
        /// As it was given.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// A URL taken apart. Nothing is resolved yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// The protocol.
    pub scheme: Scheme,
    /// Host name or address, without brackets.
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
    /// [`TargetError::Url`] says what is wrong.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        let wrong = |reason: &str| TargetError::Url {
            url: text.to_owned(),
            reason: reason.to_owned(),
        };
        let (scheme, rest) = match text.split_once("://") {
            Some(("http", rest)) => (Scheme::Http, rest),
            Some(("https", rest)) => (Scheme::Https, rest),
            Some(("redis", rest)) => (Scheme::Redis, rest),
            Some(_) => return Err(wrong("the scheme must be http, https or redis")),
            None => (Scheme::Http, text),
        };
        let cut = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(cut);
        if authority.contains('@') {
            return Err(wrong("user and password in it are not used; send a header"));
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
                if host.parse::<std::net::Ipv6Addr>().is_err() {
                    return Err(wrong("what stands in brackets is no IPv6 address"));
                }
                match port {
                    "" => (host, None),
                    _ => (
                        host,
                        Some(
                            port.strip_prefix(':')
                                .ok_or_else(|| wrong("a port follows a colon"))?,
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
            return Err(wrong("it has no host"));
        }
        if !host
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._:%".contains(&byte))
        {
            return Err(wrong("the host has characters that no name has"));
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
            host: host.to_owned(),
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
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        if self.port == self.scheme.default_port() {
            host
        } else {
            format!("{host}:{}", self.port)
        }
    }

    /// The host's addresses, IPv4 and IPv6 as the resolver orders them.
    ///
    /// # Errors
    /// [`TargetError::Name`] when there is none.
    pub fn resolve(&self) -> Result<Vec<SocketAddr>, TargetError> {
        let wrong = |reason: String| TargetError::Name {
            host: self.host.clone(),
            reason,
        };
        let addresses: Vec<_> = (self.host.as_str(), self.port)
            .to_socket_addrs()
            .map_err(|error| wrong(error.to_string()))?
            .collect();
        if addresses.is_empty() {
            return Err(wrong("it has no address".to_owned()));
        }
        Ok(addresses)
    }
}

/// The address of a unix socket.
///
/// # Errors
/// [`TargetError::Unix`] when the path is too long for one.
pub fn unix_address(path: &Path) -> Result<SockAddr, TargetError> {
    SockAddr::unix(path).map_err(|error| TargetError::Unix {
        path: path.to_owned(),
        reason: error.to_string(),
    })
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
    fn what_is_no_url_says_why() {
        for (text, why) in [
            ("ftp://host/", "scheme"),
            ("http:///path", "no host"),
            ("http://host:0/", "port"),
            ("http://host:99999/", "port"),
            ("http://ho st/", "host has characters"),
            ("http://host/a b", "escaped"),
            ("http://[::1/", "ends with ]"),
            ("http://[host]/", "no IPv6"),
            ("http://me:secret@host/", "password"),
        ] {
            let error = Url::parse(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn a_name_that_does_not_resolve_says_so() {
        let url = Url::parse("http://no-such-name.invalid/").unwrap();
        let error = url.resolve().unwrap_err().to_string();
        assert!(error.contains("does not resolve") && error.contains("no-such-name.invalid"));
    }
}
