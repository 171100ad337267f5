//! An HTTP/2 and gRPC server by an implementation apart from the generator's, which answers well
//! and notes what it saw.

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use h2::server::{Builder, SendResponse};
use h2::RecvStream;
use http::{HeaderMap, Request, Response};
use tokio::sync::oneshot;

/// What the server saw, of all connections.
#[derive(Default)]
pub struct Seen {
    requests: AtomicUsize,
    under_way: AtomicUsize,
    most: AtomicUsize,
}

/// `/bytes/N` is answered with N bytes, `/echo` with the request's body, a gRPC call with its
/// message and the status that the header `x-status` asks for.
pub struct Multiplexed {
    address: SocketAddr,
    seen: Arc<Seen>,
    ending: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Multiplexed {
    /// A server that takes so many streams at once on a connection.
    pub fn start(streams: u32) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::<Seen>::default();
        let (ending, ended) = oneshot::channel();
        let noted = Arc::clone(&seen);
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_io()
                .build()
                .unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                tokio::spawn(accept(listener, streams, noted));
                // An error is the sender's end too.
                let _ = ended.await;
            });
        });
        Self {
            address,
            seen,
            ending: Some(ending),
            thread: Some(thread),
        }
    }

    /// `http://127.0.0.1:port` and a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Requests that came.
    pub fn count(&self) -> usize {
        self.seen.requests.load(Ordering::SeqCst)
    }

    /// The most that were under way at once.
    pub fn most_under_way(&self) -> usize {
        self.seen.most.load(Ordering::SeqCst)
    }
}

impl Drop for Multiplexed {
    fn drop(&mut self) {
        drop(self.ending.take());
        if let Some(thread) = self.thread.take() {
            assert!(thread.join().is_ok() || thread::panicking());
        }
    }
}

async fn accept(listener: tokio::net::TcpListener, streams: u32, seen: Arc<Seen>) {
    while let Ok((stream, _)) = listener.accept().await {
        let seen = Arc::clone(&seen);
        tokio::spawn(async move {
            stream.set_nodelay(true)?;
            let mut builder = Builder::new();
            builder.max_concurrent_streams(streams);
            let mut connection = builder.handshake(stream).await.map_err(other)?;
            while let Some(request) = connection.accept().await {
                let (request, respond) = request.map_err(other)?;
                tokio::spawn(answer(request, respond, Arc::clone(&seen)));
            }
            std::io::Result::Ok(())
        });
    }
}

fn other(error: h2::Error) -> std::io::Error {
    std::io::Error::other(error)
}

async fn answer(
    request: Request<RecvStream>,
    mut respond: SendResponse<Bytes>,
    seen: Arc<Seen>,
) -> Result<(), h2::Error> {
    seen.requests.fetch_add(1, Ordering::SeqCst);
    let under_way = seen.under_way.fetch_add(1, Ordering::SeqCst) + 1;
    seen.most.fetch_max(under_way, Ordering::SeqCst);
    let (head, mut stream) = request.into_parts();
    let mut body = Vec::new();
    while let Some(piece) = stream.data().await {
        let piece = piece?;
        stream.flow_control().release_capacity(piece.len())?;
        body.extend_from_slice(&piece);
    }
    // Others get to begin before this one is answered.
    tokio::task::yield_now().await;
    let path = head.uri.path();
    if let Some(count) = path.strip_prefix("/bytes/") {
        body = vec![b'x'; count.parse().unwrap()];
    }
    seen.under_way.fetch_sub(1, Ordering::SeqCst);
    let is_call = head
        .headers
        .get("content-type")
        .is_some_and(|kind| kind == "application/grpc");
    if !is_call {
        let mut stream = respond.send_response(Response::new(()), false)?;
        return stream.send_data(body.into(), true);
    }
    if head.headers.get("te").is_none_or(|te| te != "trailers") {
        respond.send_reset(h2::Reason::PROTOCOL_ERROR);
        return Ok(());
    }
    let response = Response::builder().header("content-type", "application/grpc");
    let mut stream = respond.send_response(response.body(()).unwrap(), false)?;
    stream.send_data(body.into(), false)?;
    let mut trailers = HeaderMap::new();
    let status = head.headers.get("x-status");
    trailers.insert("grpc-status", status.cloned().unwrap_or(0.into()));
    stream.send_trailers(trailers)
}
