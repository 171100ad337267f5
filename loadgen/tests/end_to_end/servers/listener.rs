//! A listener that accepts until it is dropped.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// Where it listens.
#[derive(Clone, Debug)]
enum Place {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// A server on loopback or a unix socket: a thread that accepts and one for each
/// connection. Dropping it ends the listening; a connection's thread ends with its
/// connection.
pub struct Server {
    place: Place,
    stopping: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves every TCP connection by `serve`, which is told its number from 0.
    /// What it returns is how the conversation ended, of which there is nobody to tell.
    pub fn tcp<F>(serve: F) -> Self
    where
        F: Fn(TcpStream, usize) -> io::Result<()> + Send + Sync + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = Place::Tcp(listener.local_addr().unwrap());
        Self::accepting(place, serve, move || {
            let (stream, _) = listener.accept()?;
            stream.set_nodelay(true)?;
            Ok(stream)
        })
    }

    /// The same on a unix socket.
    pub fn unix<F>(path: &Path, serve: F) -> Self
    where
        F: Fn(UnixStream, usize) -> io::Result<()> + Send + Sync + 'static,
    {
        let listener = UnixListener::bind(path).unwrap();
        let place = Place::Unix(path.to_owned());
        Self::accepting(place, serve, move || Ok(listener.accept()?.0))
    }

    fn accepting<S, F, A>(place: Place, serve: F, accept: A) -> Self
    where
        S: Send + 'static,
        F: Fn(S, usize) -> io::Result<()> + Send + Sync + 'static,
        A: Fn() -> io::Result<S> + Send + 'static,
    {
        let stopping = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopping);
        let serve = Arc::new(serve);
        let accepting = thread::spawn(move || {
            for number in 0.. {
                let accepted = accept();
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = accepted else { continue };
                let serve = Arc::clone(&serve);
                thread::spawn(move || serve(stream, number));
            }
        });
        Self {
            place,
            stopping,
            accepting: Some(accepting),
        }
    }

    /// `127.0.0.1:port`.
    ///
    /// # Panics
    /// It listens on a unix socket.
    pub fn address(&self) -> SocketAddr {
        match &self.place {
            Place::Tcp(address) => *address,
            Place::Unix(path) => panic!("{} is no address and port", path.display()),
        }
    }

    /// `http://127.0.0.1:port` and a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        // A last connection wakes the thread that accepts.
        let woken = match &self.place {
            Place::Tcp(address) => TcpStream::connect(address).is_ok(),
            Place::Unix(path) => UnixStream::connect(path).is_ok(),
        };
        if let (true, Some(thread)) = (woken, self.accepting.take()) {
            let ended = thread.join();
            assert!(
                ended.is_ok() || thread::panicking(),
                "the accepting thread panicked"
            );
        }
    }
}
