//! Sets every key before the run, so that no GET misses: one blocking connection,
//! commands in batches.

use std::io::{self, Read, Write};
use std::time::Duration;

use anyhow::{anyhow, bail, Context};
use socket2::{Socket, Type};

use super::load::Endpoint;
use crate::protocol::{Answer, BodySink, ReplyKind, RespParser, Status, Step};
use crate::traffic::Traffic;

/// Commands sent before their answers are read: so many,
const BATCH: usize = 512;

/// or as many as fill so many bytes, which bounds the memory that large values take.
const BATCH_BYTES: usize = 256 * 1024;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

fn connect(endpoint: &Endpoint) -> io::Result<Socket> {
    let address = &endpoint.address;
    let socket = Socket::new(address.domain(), Type::STREAM, None)?;
    if let Some(source) = &endpoint.source {
        socket.bind(source)?;
    }
    if address.is_unix() {
        socket.connect(address)?;
    } else {
        socket.connect_timeout(address, PATIENCE)?;
        socket.set_tcp_nodelay(true)?;
    }
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.set_write_timeout(Some(PATIENCE))?;
    Ok(socket)
}

/// A sink that ignores all content, because the answer to SET is only a status.
struct Ignored;

impl BodySink for Ignored {
    fn piece(&mut self, _bytes: &[u8]) {}
}

/// Sets every key of the traffic's key space; returns how many.
///
/// # Errors
/// The first command that fails.
pub fn preload(endpoint: &Endpoint, traffic: &Traffic) -> anyhow::Result<u64> {
    set_all(endpoint, traffic)
        .map_err(explained)
        .context("the keys cannot be set before the run")
}

/// The kernel calls a time-out a resource that is unavailable.
fn explained(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref::<io::Error>().map(io::Error::kind) {
        Some(io::ErrorKind::WouldBlock) => anyhow!(
            "the server did not answer within {} s; check whether it is a Redis server",
            PATIENCE.as_secs()
        ),
        Some(io::ErrorKind::UnexpectedEof) => anyhow!("the server closed the connection"),
        _ => error,
    }
}

fn set_all(endpoint: &Endpoint, traffic: &Traffic) -> anyhow::Result<u64> {
    let mut stream = connect(endpoint)?;
    let mut parser = RespParser::default();
    let mut batch = Vec::new();
    let mut set = 0;
    let mut waiting = 0;
    for key in traffic.preload() {
        traffic.encode_preload(key, &mut batch);
        waiting += 1;
        set += 1;
        if waiting == BATCH || batch.len() >= BATCH_BYTES {
            exchange(&mut stream, &mut parser, &mut batch, waiting)?;
            waiting = 0;
        }
    }
    exchange(&mut stream, &mut parser, &mut batch, waiting)?;
    Ok(set)
}

fn exchange(
    stream: &mut Socket,
    parser: &mut RespParser,
    batch: &mut Vec<u8>,
    mut waiting: usize,
) -> anyhow::Result<()> {
    stream.write_all(batch)?;
    batch.clear();
    let mut buffer = [0; 16 * 1024];
    while waiting > 0 {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        let mut bytes = &buffer[..count];
        while !bytes.is_empty() {
            let (used, step) = parser.advance(bytes, &mut Ignored)?;
            bytes = &bytes[used..];
            if let Step::Complete(answer) = step {
                refuse(&answer, parser)?;
                waiting = waiting.saturating_sub(1);
            }
        }
    }
    Ok(())
}

fn refuse(answer: &Answer, parser: &RespParser) -> anyhow::Result<()> {
    match answer.status {
        Status::Reply(ReplyKind::Simple) => Ok(()),
        _ => bail!("the server says {:?}", parser.error_text()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_does_not_answer_is_named() {
        for (kind, says) in [
            (io::ErrorKind::WouldBlock, "did not answer within 10 s"),
            (io::ErrorKind::UnexpectedEof, "closed the connection"),
        ] {
            let line = explained(io::Error::from(kind).into()).to_string();
            assert!(line.contains(says), "{line}");
        }
    }
}
