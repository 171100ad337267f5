//! The service `payments` on tonic: benchmarks/services/payments/contract.md.

mod calls;
mod generated;

use std::process::ExitCode;
use std::time::Duration;

use payments_domain::Payments;
use runfair_harness::{cannot_be_listened_on, serve, Counts, Failure, Options};
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::signal::unix::{signal, SignalKind};
use tokio::sync::watch;
use tokio::time::sleep;
use tonic::transport::server::TcpIncoming;
use tonic::transport::Server;

use crate::calls::Calls;
use crate::generated::payments_server::PaymentsServer;

/// The contract's 5 s, less what ending the process takes.
const STOP_LIMIT: Duration = Duration::from_secs(4);

fn main() -> ExitCode {
    serve("payments", "tonic", |options, address, ready| {
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
    let payments = Payments::read(options)?;
    let mut terminate = signal(SignalKind::terminate())?;
    let listener =
        TcpListener::bind(address).await.map_err(|error| cannot_be_listened_on(address, &error))?;
    let port = listener.local_addr()?.port();
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let (stop, mut stopping) = watch::channel(());
    let serving = Server::builder()
        .add_service(PaymentsServer::new(Calls::of(payments)))
        .serve_with_incoming_shutdown(incoming, async move { drop(stopping.changed().await) });
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
