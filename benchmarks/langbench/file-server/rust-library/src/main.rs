//! Static files by tower-http's ServeDir on axum; see `langbench/file-server/contract.md`.

use std::future::IntoFuture;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use axum::serve::ListenerExt;
use axum::Router;
use runfair_harness::{cannot_be_listened_on, serve, Counts, Failure, Options, UserError};
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::signal::unix::{signal, SignalKind};
use tokio::sync::watch;
use tokio::time::sleep;
use tower_http::services::ServeDir;

const STOP_LIMIT: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    serve("file-server", "library", |options, address, ready| {
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
    let path = options.text("input")?;
    let folder = Path::new(path).join("files");
    folder
        .read_dir()
        .map_err(|error| UserError(format!("input {path:?} cannot be read: {error}")))?;
    let mut terminate = signal(SignalKind::terminate())?;
    let listener =
        TcpListener::bind(address).await.map_err(|error| cannot_be_listened_on(address, &error))?;
    let port = listener.local_addr()?.port();
    let listener = listener.tap_io(|connection| {
        // A connection that is gone already cannot be set; what is read from it will say so.
        let _ = connection.set_nodelay(true);
    });
    let files = ServeDir::new(folder).append_index_html_on_directories(false);
    let (stop, mut stopping) = watch::channel(());
    let serving = axum::serve(listener, Router::new().fallback_service(files))
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
