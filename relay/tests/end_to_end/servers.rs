//! Servers for the tests.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// Serves every connection on its own thread until the test's process ends.
pub fn serving(serve: impl Fn(TcpStream) + Send + Clone + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            stream.set_nodelay(true).unwrap();
            thread::Builder::new()
                .stack_size(64 * 1024)
                .spawn(move || serve(stream))
                .unwrap();
        }
    });
    address
}

/// Sends back all bytes until the client's stream ends.
pub fn echo(mut stream: TcpStream) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        if stream.write_all(&buffer[..count]).is_err() {
            return;
        }
    }
}

/// A store that answers inline commands of Redis: each line after some time, with `+` and the
/// line, or with `-` and the line if the line begins with `bad`.
pub fn store(service: Duration) -> SocketAddr {
    serving(move |mut stream| {
        let (mut held, mut buffer) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            held.extend_from_slice(&buffer[..count]);
            while let Some(end) = held.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = held.drain(..=end).collect();
                let mark = if line.starts_with(b"bad") { b"-" } else { b"+" };
                thread::sleep(service);
                if stream.write_all(&[mark, &line[..]].concat()).is_err() {
                    return;
                }
            }
        }
    })
}

/// Closes a connection with a reset instead of an end.
pub fn reset(stream: TcpStream) {
    socket2::SockRef::from(&stream)
        .set_linger(Some(Duration::ZERO))
        .unwrap();
}
