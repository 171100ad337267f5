//! Static files over HTTP/1.1, a thread a connection; see `langbench/file-server/contract.md`.

mod answer;
mod byte_range;
mod connection;
mod date;
mod failure;
mod request;
mod server;
mod target;
mod termination;

use std::net::TcpListener;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use runfair_harness::{cannot_be_listened_on, serve, Counts, Failure, Options, UserError};

use crate::server::{allow_open_files, check, lengthen_backlog, Server};
use crate::termination::Termination;

fn main() -> ExitCode {
    serve("file-server", "standard", |options, address, ready| {
        let run = if options.has("count") { run::<true> } else { run::<false> };
        run(options, address, ready)
    })
}

fn run<const COUNT: bool>(
    options: &Options,
    address: (&str, u16),
    ready: &dyn Fn(u16),
) -> Result<Counts, Failure> {
    let termination = Termination::block()?;
    allow_open_files();
    let path = options.text("input")?;
    let folder = Path::new(path).join("files");
    check(&folder).map_err(|error| UserError(format!("input {path:?} cannot be read: {error}")))?;
    let listening = TcpListener::bind(address)
        .and_then(|listening| lengthen_backlog(&listening).map(|()| listening))
        .map_err(|error| cannot_be_listened_on(address, &error))?;
    let port = listening.local_addr()?.port();
    let server = Arc::new(Server::<COUNT>::new(folder, listening));
    let accepting = Arc::clone(&server);
    thread::spawn(move || accepting.accept());
    ready(port);
    termination.wait()?;
    Ok(server.stop())
}
