//! The connections, each on a thread of its own.

use std::collections::HashMap;
use std::io::{BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use runfair_harness::{cannot_be_listened_on, Counts as Counters, Failure};

use crate::requests::{next_request, Ended};
use crate::session::{error, Counts, Session};
use crate::store::Store;
use crate::system;

const LEAVE_LIMIT: Duration = Duration::from_secs(1);
const SHORTAGE_PAUSE: Duration = Duration::from_millis(10);

pub struct Server {
    pub store: Store,
    pub counting: bool,
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Default)]
struct State {
    stopping: bool,
    begun: u64,
    open: HashMap<u64, (Arc<TcpStream>, Arc<Mutex<Counts>>)>,
    ended: Counts,
}

pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves until SIGTERM, and returns the counts.
pub fn run(
    store: Store,
    counting: bool,
    address: (&str, u16),
    ready: &dyn Fn(u16),
) -> Result<Counters, Failure> {
    system::raise_file_limit();
    let signals = system::block_termination();
    let listener =
        TcpListener::bind(address).map_err(|error| cannot_be_listened_on(address, &error))?;
    system::lengthen_backlog(&listener);
    let listener = Arc::new(listener);
    let (state, left) = (Mutex::default(), Condvar::new());
    let server = Arc::new(Server { store, counting, state, left });
    let (accepting, accepted) = (Arc::clone(&server), Arc::clone(&listener));
    thread::spawn(move || accepting.accept(&accepted));
    ready(listener.local_addr()?.port());
    system::wait_for(&signals);
    server.stop(&listener);
    let entries = server.store.entries();
    Ok(if counting { server.sum().counters(entries) } else { Vec::new() })
}

impl Server {
    fn accept(self: Arc<Self>, listener: &TcpListener) {
        while !locked(&self.state).stopping {
            let Ok((connection, _)) = listener.accept() else {
                thread::sleep(SHORTAGE_PAUSE); // too many files are open
                continue;
            };
            let server = Arc::clone(&self);
            // Without a thread the connection is closed.
            let _ = thread::Builder::new().spawn(move || server.serve(&Arc::new(connection)));
        }
    }

    fn serve(&self, connection: &Arc<TcpStream>) {
        let published = Arc::new(Mutex::new(Counts::default()));
        let number = self.begin(connection, &published);
        // A reset by the client is an end like any other.
        let _ = connection.set_nodelay(true);
        let mut session = Session::new(self, &published);
        if let Err(Ended::Protocol(mistake)) = converse(connection, &mut session) {
            let text = [b"ERR Protocol error: ", mistake.as_slice()].concat();
            let _ = connection.as_ref().write_all(&error(&text));
        }
        let _ = connection.shutdown(Shutdown::Both);
        self.end(number);
    }

    fn begin(&self, connection: &Arc<TcpStream>, published: &Arc<Mutex<Counts>>) -> u64 {
        let mut state = locked(&self.state);
        state.begun += 1;
        let number = state.begun;
        state.open.insert(number, (Arc::clone(connection), Arc::clone(published)));
        if state.stopping {
            let _ = connection.shutdown(Shutdown::Read);
        }
        number
    }

    fn end(&self, number: u64) {
        let mut state = locked(&self.state);
        if let Some((_, counts)) = state.open.remove(&number) {
            state.ended.add(&locked(&counts));
        }
        self.left.notify_one();
    }

    /// The counts of all connections, open and closed.
    pub fn sum(&self) -> Counts {
        let state = locked(&self.state);
        let mut sum = Counts::default();
        sum.add(&state.ended);
        for (_, counts) in state.open.values() {
            sum.add(&locked(counts));
        }
        sum
    }

    fn stop(&self, listener: &TcpListener) {
        let mut state = locked(&self.state);
        state.stopping = true;
        system::shut_down(listener);
        for (connection, _) in state.open.values() {
            let _ = connection.shutdown(Shutdown::Read);
        }
        drop(self.left.wait_timeout_while(state, LEAVE_LIMIT, |state| !state.open.is_empty()));
    }
}

fn converse(connection: &TcpStream, session: &mut Session) -> Result<(), Ended> {
    let mut reader = BufReader::new(connection);
    let mut writer = connection;
    while session.open {
        let words = next_request(&mut reader)?;
        if !words.is_empty() {
            writer.write_all(&session.reply(words))?;
        }
    }
    Ok(())
}
