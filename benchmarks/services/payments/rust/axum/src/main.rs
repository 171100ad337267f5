//! The service `payments` on axum: benchmarks/services/payments/contract.md.

mod application;
mod failure;
mod orders;

use std::future::IntoFuture;
use std::process::ExitCode;
use std::time::Duration;

use axum::serve::ListenerExt;
use payments_domain::{connections, description, Payments};
use runfair_harness::{serve, Address, Failure, Options, Ready};
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::signal::unix::{signal, SignalKind};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::application::application;
use crate::orders::Orders;

/// The contract's 5 s, less what ending the process takes.
const STOP_LIMIT: Duration = Duration::from_secs(4);

fn main() -> ExitCode {
    serve(&description("axum"), |options, address, ready| {
        runtime::Builder::new_multi_thread()
            .worker_threads(options.threads as usize)
            .enable_all()
            .build()?
            .block_on(run(options, address, ready))
    })
}

async fn run(options: &Options, address: &Address, ready: Ready<'_>) -> Result<(), Failure> {
    let payments = Payments::read(options)?;
    let connections = connections(options)?;
    let orders = match options.text("database") {
        "" => None,
        database => Some(Orders::open(database, connections).await?),
    };
    let mut terminate = signal(SignalKind::terminate())?;
    let listener = TcpListener::bind((address.host.as_str(), address.port))
        .await
        .map_err(|error| address.cannot_be_listened_on(&error))?;
    let port = listener.local_addr()?.port();
    let listener = listener.tap_io(|connection| {
        // A connection that is gone already cannot be set; what is read from it will say so.
        let _ = connection.set_nodelay(true);
    });
    let (stop, mut stopping) = watch::channel(());
    let serving = axum::serve(listener, application(payments, orders))
        .with_graceful_shutdown(async move { drop(stopping.changed().await) })
        .into_future();
    let serving = tokio::spawn(serving);
    ready.say(port)?;
    terminate.recv().await;
    drop(stop);
    tokio::select! {
        _ = serving => {}
        // A connection that asks nothing is left to the end of the process.
        () = sleep(STOP_LIMIT) => {}
    }
    Ok(())
}
