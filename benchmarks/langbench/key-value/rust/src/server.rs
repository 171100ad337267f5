//! Connections, each on a thread of its own.

use std::collections::HashMap;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use runfair_harness::{cannot_be_listened_on, Counts, Failure};

use crate::requests::{Ended, Requests};
use crate::session::Session;
use crate::statistics::Totals;
use crate::store::Store;
use crate::system;

const LEAVE_LIMIT: Duration = Duration::from_secs(1);
/// Descriptors may run out; the next connections wait in the kernel until some end.
const SHORTAGE_PAUSE: Duration = Duration::from_millis(10);

type Connections = HashMap<i32, Arc<TcpStream>>;

pub struct Server {
    store: Store,
    totals: Totals,
    /// By the number of their descriptor.
    connections: Mutex<Connections>,
    left: Condvar,
}

/// Serves until SIGTERM, and returns what was counted.
pub fn run(store: Store, address: (&str, u16), ready: &dyn Fn(u16)) -> Result<Counts, Failure> {
    system::raise_file_limit();
    let termination = system::Termination::blocked();
    let listener = TcpListener::bind(address)
        .and_then(|listener| system::lengthen_backlog(&listener).map(|()| Arc::new(listener)))
        .map_err(|error| cannot_be_listened_on(address, &error))?;
    let server = Arc::new(Server {
        store,
        totals: Totals::default(),
        connections: Mutex::default(),
        left: Condvar::new(),
    });
    let accepting = {
        let (server, listener) = (Arc::clone(&server), Arc::clone(&listener));
        thread::spawn(move || server.accept(&listener))
    };
    ready(listener.local_addr()?.port());
    termination.wait();
    system::shut_down(&listener);
    if accepting.join().is_err() {
        return Err(io::Error::other("the thread that accepts has failed").into());
    }
    server.let_leave();
    let entries = server.store.entries();
    Ok(if server.store.counting() { server.totals.sum().counts(entries) } else { Vec::new() })
}

impl Server {
    fn accept(self: Arc<Self>, listener: &TcpListener) {
        loop {
            match listener.accept() {
                Ok((connection, _)) => self.begin(Arc::new(connection)),
                Err(failure) if system::is_shut_down(&failure) => return,
                Err(_) => thread::sleep(SHORTAGE_PAUSE),
            }
        }
    }

    fn begin(self: &Arc<Self>, connection: Arc<TcpStream>) {
        self.connections().insert(connection.as_raw_fd(), Arc::clone(&connection));
        let server = Arc::clone(self);
        let served = Arc::clone(&connection);
        let begun = thread::Builder::new().spawn(move || {
            server.serve(&served);
            server.leave(&served);
        });
        if begun.is_err() {
            self.leave(&connection); // no thread is to be had
        }
    }

    fn serve(&self, connection: &TcpStream) {
        // A connection that is gone already cannot be set; what is read from it will say so.
        let _ = connection.set_nodelay(true);
        let mut requests = Requests::new(connection);
        let mut session = Session::new(&self.store, &self.totals);
        if let Err(Ended::Protocol(mistake)) = answer(&mut requests, &mut session) {
            requests.replies().error(&[b"ERR Protocol error: ", mistake.as_slice()].concat());
        }
        // An end or a reset by the client is an end like any other.
        let _ = requests.replies().send();
    }

    fn leave(&self, connection: &TcpStream) {
        // Shut, because whoever else holds it may keep it open a little longer.
        let _ = connection.shutdown(Shutdown::Both);
        self.connections().remove(&connection.as_raw_fd());
        self.left.notify_one();
    }

    fn let_leave(&self) {
        let connections = self.connections();
        for connection in connections.values() {
            // What has been received is still read and answered.
            let _ = connection.shutdown(Shutdown::Read);
        }
        // Who does not take the answers is left to the end of the process.
        drop(self.left.wait_timeout_while(connections, LEAVE_LIMIT, |left| !left.is_empty()));
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn answer(requests: &mut Requests, session: &mut Session) -> Result<(), Ended> {
    while session.is_open() {
        let words = requests.next_words()?;
        if !words.is_empty() {
            session.answer(words, requests.replies());
        }
        requests.replies().send_if_many()?;
    }
    Ok(())
}
