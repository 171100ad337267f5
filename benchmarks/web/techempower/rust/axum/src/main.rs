//! The web tests on axum: benchmarks/web/techempower/contract.md.

mod application;
mod failure;

use std::env;
use std::future::IntoFuture;
use std::process::ExitCode;
use std::time::Duration;

use axum::serve::ListenerExt;
use runfair_harness::{serve, Counts, Failure, Options};
use techempower_domain::{listening, Database};
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::signal::unix::{signal, SignalKind};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::application::application;

/// The contract's 5 s, less what ending the process takes.
const STOP_LIMIT: Duration = Duration::from_secs(4);

fn main() -> ExitCode {
    serve("techempower", "axum", |options, address, ready| {
        runtime::Builder::new_multi_thread()
            .worker_threads(options.number("threads")? as usize)
            .enable_all()
            .build()?
            .block_on(run(options, address, ready))
    })
}

async fn run(
    options: &Options,
    address: (&str, u16),
    ready: &dyn Fn(u16),
) -> Result<Counts, Failure> {
    let connections = options.number("connections")? as usize;
    let database = match env::var("DATABASE_URL") {
        Ok(url) => Some(Database::open(&url, connections).await?),
        Err(_) => None,
    };
    let mut terminate = signal(SignalKind::terminate())?;
    let listener = listening(address)?;
    let port = listener.local_addr()?.port();
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?.tap_io(|connection| {
        // A connection that is gone already cannot be set; what is read from it will say so.
        let _ = connection.set_nodelay(true);
    });
    let (stop, mut stopping) = watch::channel(());
    let serving = axum::serve(listener, application(database))
        .with_graceful_shutdown(async move { drop(stopping.changed().await) })
        .into_future();
    let serving = tokio::spawn(serving);
    ready(port);
    terminate.recv().await;
    drop(stop);
    tokio::select! {
        _ = serving => {}
        // A connection that asks nothing is left to the end of the process.
        () = sleep(STOP_LIMIT) => {}
    }
    Ok(Vec::new())
}
