use std::io;
use std::net::{TcpListener, ToSocketAddrs};

use runfair_harness::{cannot_be_listened_on, UserError};
use socket2::{Domain, Socket, Type};

/// Linux's own limit. The standard library's listeners, and so those of tokio, have a queue for
/// 128 connections.
const BACKLOG: i32 = 4096;

/// A socket that listens, whatever the framework.
pub fn listening(address: (&str, u16)) -> Result<TcpListener, UserError> {
    bound(address).map_err(|error| cannot_be_listened_on(address, &error))
}

fn bound(address: (&str, u16)) -> io::Result<TcpListener> {
    let Some(address) = address.to_socket_addrs()?.next() else {
        return Err(io::ErrorKind::AddrNotAvailable.into());
    };
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}
