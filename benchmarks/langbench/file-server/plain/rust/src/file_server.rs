//! A file server, written from the contract alone: `langbench/file-server/contract.md`. A connection
//! is a thread.

mod connection;
mod request;
mod response;
mod system;

use std::collections::HashMap;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use runfair_harness::{
    cannot_be_listened_on, serve, Counts as Counters, Failure, Options, UserError,
};

use crate::response::Counts;

const STOP_LIMIT: Duration = Duration::from_secs(2);
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

struct Server {
    folder: PathBuf,
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Default)]
struct State {
    stopping: bool,
    begun: u64,
    clients: HashMap<u64, Arc<TcpStream>>,
    ended: Counts,
}

impl Server {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept(self: Arc<Self>, listener: &TcpListener) {
        loop {
            let accepted = listener.accept();
            let mut state = self.state();
            if state.stopping {
                return;
            }
            let Ok((client, _)) = accepted else {
                drop(state);
                thread::sleep(ACCEPT_PAUSE); // too many files are open
                continue;
            };
            let client = Arc::new(client);
            state.begun += 1;
            let number = state.begun;
            state.clients.insert(number, Arc::clone(&client));
            let server = Arc::clone(&self);
            if thread::Builder::new().spawn(move || server.serve(number, &client)).is_err() {
                state.clients.remove(&number); // no thread can be started
            }
        }
    }

    fn serve(&self, number: u64, client: &TcpStream) {
        let mut counts = Counts::default();
        // An error is that the client has left.
        let _ = connection::converse(client, &self.folder, &mut counts);
        let mut state = self.state();
        state.ended.requests += counts.requests;
        state.ended.body_bytes += counts.body_bytes;
        state.clients.remove(&number);
        self.left.notify_one();
    }

    fn stop(&self, listener: &TcpListener) -> Counts {
        let mut state = self.state();
        state.stopping = true;
        system::shut_down(listener);
        for client in state.clients.values() {
            let _ = client.shutdown(Shutdown::Read);
        }
        let is_serving = |state: &mut State| !state.clients.is_empty();
        drop(self.left.wait_timeout_while(state, STOP_LIMIT, is_serving));
        self.state().ended.clone()
    }
}

fn run(options: &Options, address: (&str, u16), ready: &dyn Fn(u16)) -> Result<Counters, Failure> {
    let signals = system::block_termination();
    system::raise_file_limit();
    let path = options.text("input")?;
    let folder = Path::new(path).join("files");
    folder
        .read_dir()
        .map_err(|error| UserError(format!("input {path:?} cannot be read: {error}")))?;
    let listener =
        TcpListener::bind(address).map_err(|error| cannot_be_listened_on(address, &error))?;
    system::lengthen_backlog(&listener);
    let listener = Arc::new(listener);
    let server = Arc::new(Server { folder, state: Mutex::default(), left: Condvar::new() });
    let (accepting, accepted) = (Arc::clone(&server), Arc::clone(&listener));
    thread::spawn(move || accepting.accept(&accepted));
    ready(listener.local_addr()?.port());
    system::wait_for(&signals);
    let counts = server.stop(&listener);
    if !options.has("count") {
        return Ok(Vec::new());
    }
    Ok(vec![("requests", counts.requests), ("body_bytes", counts.body_bytes)])
}

fn main() -> ExitCode {
    serve("file-server", "plain", run)
}
