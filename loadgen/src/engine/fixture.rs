//! A worker whose server is the test itself.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::thread;

use clap::Parser;
use socket2::{SockAddr, SockRef};
use tempfile::NamedTempFile;

use super::load::Endpoint;
use super::shared_schedule::SharedSchedule;
use super::worker::{Setting, Worker};
use crate::cli::arguments::Arguments;
use crate::cli::Plan;
use crate::schedule::Shard;
use crate::transport::stream::Stream;

/// An answer without a body.
pub(super) const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

/// The server's receive buffer, which the kernel does not enlarge then.
const SERVER_BUFFER_BYTES: usize = 1 << 18;

/// A file with more bytes than the buffers of both sockets hold.
pub(super) fn large_body() -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    file.as_file().set_len(16 << 20).unwrap();
    file
}

/// A worker whose connections are open, and the server's ends of them. The server has begun each
/// with `greeting`, and goes on listening. The run has not begun.
pub(super) fn connected(
    connections: usize,
    options: &[&str],
    greeting: &'static [u8],
    run: impl FnOnce(&mut Worker, Vec<TcpStream>),
) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    SockRef::from(&listener)
        .set_recv_buffer_size(SERVER_BUFFER_BYTES)
        .unwrap();
    let address = listener.local_addr().unwrap();
    let url = format!("http://{address}/");
    let number = connections.to_string();
    let usual = ["runfair-load", "--rate", "1000", "--connections", &number];
    let words = usual.iter().chain(options).copied();
    let arguments = Arguments::try_parse_from(words.chain([url.as_str()])).unwrap();
    let plan = Plan::of(arguments).unwrap();
    let endpoints = [Endpoint {
        address: SockAddr::from(address),
        source: None,
        tls: None,
    }];
    let (hand_over, _handed_over) = channel();
    let (_give_back, emptied) = channel();
    let setting = Setting {
        load: &plan.load,
        endpoints: &endpoints,
        shared: &SharedSchedule::new(Shard::WHOLE),
    };
    let mut worker = Worker::new(setting, 0, hand_over, emptied).unwrap();
    let accepting = thread::spawn(move || {
        let accept = |_| {
            let (mut peer, _) = listener.accept().unwrap();
            peer.write_all(greeting).unwrap();
            peer
        };
        let peers: Vec<_> = (0..connections).map(accept).collect();
        (peers, listener)
    });
    worker.connect().unwrap();
    let (peers, _listener) = accepting.join().unwrap();
    run(&mut worker, peers);
}

/// A worker whose only request has been sent, and the server's end of its connection. The
/// server has begun with `greeting`.
pub(super) fn with_request(
    options: &[&str],
    greeting: &'static [u8],
    run: fn(&mut Worker, TcpStream),
) {
    connected(1, options, greeting, |worker, mut peers| {
        let peer = peers.remove(0);
        worker.begin(worker.start_ns);
        worker.send_due();
        assert_eq!(worker.in_flight, 1);
        assert!(peer.peek(&mut [0]).unwrap() > 0);
        let stream = worker.pool.connections[0].stream.as_ref();
        // epoll tells of room once. If a rest waits for room, the worker must hear of it.
        if !stream.is_some_and(Stream::is_sending) {
            while worker.pool.epoll.wait(0).unwrap() > 0 {} // of before the answer
        }
        run(worker, peer);
    });
}
