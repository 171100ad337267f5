//! The web tests on ntex: benchmarks/web/techempower/contract.md.

mod application;
mod failure;

use std::env;
use std::net::TcpListener;
use std::panic::resume_unwind;
use std::process::ExitCode;
use std::sync::mpsc::{self, Sender};
use std::sync::Arc;
use std::thread;

use ntex::http::{header, HttpServiceConfig};
use ntex::rt::{DefaultRuntime, System};
use ntex::time::Seconds;
use ntex::web::middleware::DefaultHeaders;
use ntex::web::{App, HttpServer};
use ntex::SharedCfg;
use runfair_harness::{serve, Counts, Failure, Options};
use techempower_domain::{listening, Database, Shares};
use tokio::signal::unix::{signal, SignalKind};

use crate::application::{database_tests, json, plaintext};

/// The contract's 5 s, less what ending the process takes.
const STOP_LIMIT: Seconds = Seconds(4);
/// As behind any load balancer, longer than a client keeps an idle connection.
const KEEP_ALIVE: Seconds = Seconds(75);

fn main() -> ExitCode {
    serve("techempower", "ntex", run)
}

fn run(options: &Options, address: (&str, u16), ready: &dyn Fn(u16)) -> Result<Counts, Failure> {
    let workers = options.number("threads")? as usize;
    let connections = options.number("connections")? as usize;
    let listener = listening(address)?;
    let port = listener.local_addr()?.port();
    let (start, started) = mpsc::channel();
    // ntex's loop takes no future that borrows, as `ready` does.
    let serving = thread::spawn(move || {
        let serving = serve_until_terminated(listener, workers, connections, start);
        System::new("ntex", DefaultRuntime).block_on(serving)
    });
    if started.recv().is_ok() {
        ready(port);
    }
    serving.join().unwrap_or_else(|panic| resume_unwind(panic))?;
    Ok(Vec::new())
}

async fn serve_until_terminated(
    listener: TcpListener,
    workers: usize,
    connections: usize,
    start: Sender<()>,
) -> Result<(), Failure> {
    // Each worker has a pool of its own, whose connections it serves itself.
    let shares = Arc::new(Shares::new(connections, workers));
    let url = env::var("DATABASE_URL").ok();
    if let Some(url) = &url {
        // A worker that cannot reach the database only logs the error, so it is reported here.
        drop(Database::open(url, 1).await?);
    }
    let server = HttpServer::new(async move || {
        let application = App::new()
            .middleware(DefaultHeaders::new().header(header::SERVER, "ntex"))
            .service((plaintext, json));
        let Some(url) = url.clone() else { return application };
        let share = shares.next();
        application
            .state_factory(async move || Database::open(&url, share).await)
            .configure(database_tests)
    });
    let mut terminate = signal(SignalKind::terminate())?;
    let http = HttpServiceConfig::new().set_keepalive(KEEP_ALIVE);
    let server = server
        .workers(workers)
        .config(SharedCfg::new("techempower").add(http))
        // ntex takes up signals only some time after it has begun to listen.
        .disable_signals()
        .shutdown_timeout(STOP_LIMIT)
        .listen(listener)?
        .run();
    start.send(())?;
    terminate.recv().await;
    server.stop(true).await;
    Ok(())
}
