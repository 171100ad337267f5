//! An HTTP server that answers well and notes what it saw.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::authority::Acceptor;
use super::http::{answer, chunked, Request, Requests};
use super::{Authority, Server};

/// What `/` answers.
pub const GREETING: &[u8] = b"hello\n";

/// Where the server stops for a while, all connections of it together.
#[derive(Clone, Copy, Debug)]
pub struct Freeze {
    /// Begins with the request that comes after so many others.
    pub after: usize,
    /// How long nothing is answered.
    pub lasts: Duration,
}

/// What all connections share.
#[derive(Default)]
struct Shared {
    seen: Mutex<Vec<Request>>,
    freeze: Option<Freeze>,
    frozen_until: Mutex<Option<Instant>>,
}

/// The server. The path says what it answers: `/` a greeting, `/chunked` the same in
/// chunks, `/echo` the request's body, `/slow/5` the greeting after 5 ms,
/// `/status/404` that status, `/json` a document.
pub struct Honest {
    /// The server as such.
    pub server: Server,
    shared: Arc<Shared>,
}

impl Honest {
    /// On TCP.
    pub fn start() -> Self {
        Self::tcp(Shared::default())
    }

    /// On TCP, once stopping in the middle.
    pub fn freezing(freeze: Freeze) -> Self {
        Self::tcp(Shared {
            freeze: Some(freeze),
            ..Shared::default()
        })
    }

    fn tcp(shared: Shared) -> Self {
        let shared = Arc::new(shared);
        let serving = Arc::clone(&shared);
        Self {
            server: Server::tcp(move |stream, _| serving.serve(stream)),
            shared,
        }
    }

    /// On a unix socket.
    pub fn unix(path: &Path) -> Self {
        let shared = Arc::new(Shared::default());
        let serving = Arc::clone(&shared);
        Self {
            server: Server::unix(path, move |stream, _| serving.serve(stream)),
            shared,
        }
    }

    /// Inside TLS, with a certificate for `name`.
    pub fn tls(authority: &Authority, name: &str) -> Self {
        Self::inside(authority.acceptor(name))
    }

    /// Inside TLS as an acceptor speaks it.
    pub fn inside(acceptor: Acceptor) -> Self {
        let shared = Arc::new(Shared::default());
        let serving = Arc::clone(&shared);
        let server = Server::tcp(move |stream, _| serving.serve(acceptor.accept(stream)?));
        Self { server, shared }
    }

    /// Its URL with a path.
    pub fn url(&self, path: &str) -> String {
        self.server.url(path)
    }

    /// How many requests have come.
    pub fn count(&self) -> usize {
        self.shared.seen.lock().unwrap().len()
    }

    /// The requests in the order in which they came.
    pub fn seen(&self) -> Vec<Request> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// Waits until so many requests have come.
    ///
    /// # Panics
    /// They do not within 30 s.
    pub fn wait_for(&self, count: usize) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while self.count() < count {
            assert!(
                Instant::now() < deadline,
                "{} of {count} requests came",
                self.count()
            );
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Shared {
    fn serve<L: Read + Write>(&self, link: L) -> io::Result<()> {
        let mut requests = Requests::of(link);
        while let Some(request) = requests.next()? {
            let bytes = answer_to(&request);
            self.note(request);
            self.wait_out_the_freeze();
            requests.link.write_all(&bytes)?;
        }
        Ok(())
    }

    fn note(&self, request: Request) {
        let mut seen = self.seen.lock().unwrap();
        seen.push(request);
        if let Some(freeze) = self.freeze.filter(|freeze| freeze.after + 1 == seen.len()) {
            *self.frozen_until.lock().unwrap() = Some(Instant::now() + freeze.lasts);
        }
    }

    fn wait_out_the_freeze(&self) {
        let until = *self.frozen_until.lock().unwrap();
        if let Some(left) = until.and_then(|until| until.checked_duration_since(Instant::now())) {
            thread::sleep(left);
        }
    }
}

fn answer_to(request: &Request) -> Vec<u8> {
    let path = request.path.split('?').next().unwrap_or_default();
    let mut parts = path[1..].split('/');
    let bytes = match (parts.next(), parts.next()) {
        (Some("chunked"), None) => chunked(GREETING, 2),
        (Some("echo"), None) => answer(200, &request.body),
        (Some("json"), None) => answer(200, br#"{"state":"ready","items":[{"id":7}]}"#),
        (Some("status"), Some(status)) => answer(status.parse().unwrap(), GREETING),
        (Some("slow"), Some(millis)) => {
            thread::sleep(Duration::from_millis(millis.parse().unwrap()));
            answer(200, GREETING)
        }
        _ => answer(200, GREETING),
    };
    if request.method != "HEAD" {
        return bytes;
    }
    let end = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap();
    bytes[..end + 4].to_vec()
}
