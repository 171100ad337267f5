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
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use runfair_harness::{serve, Address, Description, Failure, Options, Ready, UserError};

use crate::server::{allow_open_files, check, Server};
use crate::termination::Termination;

fn main() -> ExitCode {
    let description = Description {
        name: "file-server",
        tier: "standard",
        workloads: &["logs", "small-files"],
        parameters: &[],
        inputs: 1,
        max_threads: i32::MAX as u64,
    };
    serve(&description, run)
}

fn run(options: &Options, address: &Address, ready: Ready) -> Result<(), Failure> {
    let termination = Termination::block()?;
    allow_open_files();
    let path = &options.inputs[0];
    let folder = path.join("files");
    check(&folder)
        .map_err(|error| UserError(format!("--input {path:?} cannot be read: {error}")))?;
    let listening = TcpListener::bind((address.host.as_str(), address.port))
        .map_err(|error| address.cannot_be_listened_on(&error))?;
    let port = listening.local_addr()?.port();
    let server = Arc::new(Server::new(folder, listening));
    let accepting = Arc::clone(&server);
    thread::spawn(move || accepting.accept());
    ready.say(port)?;
    termination.wait()?;
    server.stop();
    Ok(())
}
