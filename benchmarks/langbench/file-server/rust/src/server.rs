//! Connections, a thread each, until SIGTERM.

use std::collections::HashMap;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use runfair_harness::{Counter, Counts};

use crate::answer::COUNTERS;
use crate::connection::Connection;

const STOP_LIMIT: Duration = Duration::from_secs(2);
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);
/// Linux's own limit (net.core.somaxconn).
const BACKLOG: libc::c_int = 4096;
/// 1,024 connections, each with a file.
const MOST_OPEN_FILES: libc::rlim_t = 4096;

/// A listening socket and the connections that came from it.
pub struct Server<const COUNT: bool> {
    folder: PathBuf,
    listening: TcpListener,
    state: Mutex<State<COUNT>>,
    changed: Condvar,
}

#[derive(Default)]
struct State<const COUNT: bool> {
    clients: HashMap<u64, Arc<TcpStream>>,
    accepted: u64,
    stopping: bool,
    /// On the connections that have ended.
    counter: Counter<COUNT>,
}

impl<const COUNT: bool> Server<COUNT> {
    pub fn new(folder: PathBuf, listening: TcpListener) -> Self {
        Self { folder, listening, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Takes connections until the server stops.
    pub fn accept(self: &Arc<Self>) {
        loop {
            let accepted = self.listening.accept();
            let mut state = self.state();
            if state.stopping {
                return;
            }
            match accepted {
                Ok((client, _)) => self.start(&mut state, client),
                Err(_) => {
                    // A client that was gone already, or too many open files.
                    drop(state);
                    thread::sleep(ACCEPT_PAUSE);
                }
            }
        }
    }

    fn start(self: &Arc<Self>, state: &mut State<COUNT>, client: TcpStream) {
        let number = state.accepted;
        let client = Arc::new(client);
        let server = Arc::clone(self);
        let converse = {
            let client = Arc::clone(&client);
            move || server.converse(number, &client)
        };
        // Where no more threads are to be had, the connection is closed.
        if thread::Builder::new().spawn(converse).is_ok() {
            state.accepted += 1;
            state.clients.insert(number, client);
        }
    }

    fn converse(&self, number: u64, client: &TcpStream) {
        let mut counter = Counter::default();
        let conversation =
            Connection::new(client).and_then(|mut one| one.converse(&self.folder, &mut counter));
        // An error is that nobody is there any more to be told.
        drop(conversation);
        let mut state = self.state();
        state.counter.add_all(&counter);
        state.clients.remove(&number);
        drop(state);
        self.changed.notify_one();
    }

    /// Lets the requests under way be answered, for a while; what was counted.
    pub fn stop(&self) -> Counts {
        let mut state = self.state();
        state.stopping = true;
        // SAFETY: the socket lives as long as the server. Wakes the thread that accepts.
        unsafe { libc::shutdown(self.listening.as_raw_fd(), libc::SHUT_RD) };
        for client in state.clients.values() {
            // Those that wait for a request find none; one that has left cannot be told.
            let _ = client.shutdown(Shutdown::Read);
        }
        let under_way = |state: &mut State<COUNT>| !state.clients.is_empty();
        drop(self.changed.wait_timeout_while(state, STOP_LIMIT, under_way));
        self.state().counter.counts(&COUNTERS)
    }

    fn state(&self) -> MutexGuard<'_, State<COUNT>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the folder can be read.
pub fn check(folder: &Path) -> io::Result<()> {
    folder.read_dir().map(drop)
}

/// Lets more clients wait than `TcpListener::bind` does.
pub fn lengthen_backlog(listening: &TcpListener) -> io::Result<()> {
    // SAFETY: the descriptor is open.
    match unsafe { libc::listen(listening.as_raw_fd(), BACKLOG) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

pub fn allow_open_files() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` lives here. Where it cannot be raised, connections beyond it wait.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 && limit.rlim_cur < MOST_OPEN_FILES
        {
            limit.rlim_cur = MOST_OPEN_FILES.min(limit.rlim_max);
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}
