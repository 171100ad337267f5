//! An address at which a server listens: a TCP port, or a unix socket.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use socket2::SockAddr;

/// The prefix of the address of a unix socket.
const UNIX: &str = "unix:";

/// The reason why an address cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// The text is not an address.
    #[error("{0:?} is not an address; write HOST:PORT, such as 127.0.0.1:5432, or unix:PATH")]
    NotAPlace(String),
    /// The host's name has no address.
    #[error("the name {host:?} does not resolve: {reason}")]
    Name {
        /// The host's name.
        host: String,
        /// The resolver's message.
        reason: String,
    },
    /// The path does not fit into an address.
    #[error("{path:?} cannot be the address of a unix socket ({reason}); use a shorter path")]
    Path {
        /// The path as it was given.
        path: PathBuf,
        /// The problem of the path.
        reason: std::io::Error,
    },
}

/// An address as written on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// `host:port`.
    Tcp {
        /// The host's name or address, without brackets.
        host: String,
        /// The port; 0 stands for any free port.
        port: u16,
    },
    /// `unix:path`, or an absolute path.
    Unix(PathBuf),
}

impl Place {
    /// Parses `HOST:PORT`, `[ADDRESS]:PORT`, `unix:PATH` or `/PATH`.
    ///
    /// # Errors
    /// [`PlaceError::NotAPlace`].
    pub fn parse(text: &str) -> Result<Self, PlaceError> {
        let wrong = || PlaceError::NotAPlace(text.to_owned());
        if let Some(path) = text.strip_prefix(UNIX) {
            return (!path.is_empty())
                .then(|| Self::Unix(path.into()))
                .ok_or_else(wrong);
        }
        if text.starts_with('/') {
            return Ok(Self::Unix(text.into()));
        }
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let port = port.parse().map_err(|_| wrong())?;
        let bracketed = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let host = match bracketed {
            Some(address) => address,
            None if host.contains([':', '/']) => return Err(wrong()),
            None => host,
        };
        if host.is_empty() {
            return Err(wrong());
        }
        Ok(Self::Tcp {
            host: host.to_owned(),
            port,
        })
    }

    /// The addresses of this place. There is at least one.
    ///
    /// # Errors
    /// The name cannot be resolved, or the path is too long.
    pub fn addresses(&self) -> Result<Vec<SockAddr>, PlaceError> {
        match self {
            Self::Unix(path) => {
                SockAddr::unix(path)
                    .map(|address| vec![address])
                    .map_err(|reason| PlaceError::Path {
                        path: path.clone(),
                        reason,
                    })
            }
            Self::Tcp { host, port } => {
                let unresolved = |reason: String| PlaceError::Name {
                    host: host.clone(),
                    reason,
                };
                let found: Vec<SockAddr> = (host.as_str(), *port)
                    .to_socket_addrs()
                    .map_err(|error| unresolved(error.to_string()))?
                    .map(SockAddr::from)
                    .collect();
                if found.is_empty() {
                    return Err(unresolved("it has no address".to_owned()));
                }
                Ok(found)
            }
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unix(path) => write!(out, "{UNIX}{}", path.display()),
            Self::Tcp { host, port } if host.contains(':') => write!(out, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(out, "{host}:{port}"),
        }
    }
}

impl From<SocketAddr> for Place {
    fn from(address: SocketAddr) -> Self {
        Self::Tcp {
            host: address.ip().to_string(),
            port: address.port(),
        }
    }
}

/// The target of the relay. Its addresses are looked up once and tried in turn.
#[derive(Clone, Debug)]
pub struct Target {
    addresses: Vec<SockAddr>,
}

impl Target {
    /// # Errors
    /// The same errors as of [`Place::addresses`].
    pub fn of(place: &Place) -> Result<Self, PlaceError> {
        Ok(Self {
            addresses: place.addresses()?,
        })
    }

    /// The address to try after this many addresses failed.
    pub fn address(&self, tried: usize) -> Option<&SockAddr> {
        self.addresses.get(tried)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_that_people_write() {
        for (text, written) in [
            ("localhost:5432", "localhost:5432"),
            ("[::1]:0", "[::1]:0"),
            ("unix:run/db", "unix:run/db"),
            ("/tmp/.s.PGSQL.5432", "unix:/tmp/.s.PGSQL.5432"),
        ] {
            assert_eq!(Place::parse(text).unwrap().to_string(), written);
        }
        for text in [
            "",
            "5432",
            ":5432",
            "host:",
            "host:70000",
            "a:b:1",
            "unix:",
            "http://a:1",
        ] {
            let error = Place::parse(text).unwrap_err().to_string();
            assert!(error.contains("HOST:PORT"), "{text}: {error}");
        }
    }

    #[test]
    fn addresses_are_looked_up_or_the_reason_given() {
        let place = Place::parse("127.0.0.1:7").unwrap();
        let target = Target::of(&place).unwrap();
        assert!(target.address(0).is_some() && target.address(1).is_none());
        let long = Place::Unix("x".repeat(200).into());
        assert!(long
            .addresses()
            .unwrap_err()
            .to_string()
            .contains("shorter path"));
        let unknown = Place::parse("no-such-name.invalid:1").unwrap();
        assert!(unknown
            .addresses()
            .unwrap_err()
            .to_string()
            .contains("does not resolve"));
    }
}
