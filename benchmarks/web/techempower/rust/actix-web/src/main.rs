//! The web tests on Actix Web: benchmarks/web/techempower/contract.md.

mod application;
mod failure;

use std::env;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use actix_web::middleware::DefaultHeaders;
use actix_web::rt::signal::unix::{signal, SignalKind};
use actix_web::rt::System;
use actix_web::{http::header, App, HttpServer};
use runfair_harness::{serve, Counts, Failure, Options};
use techempower_domain::{listening, Database, Shares};

use crate::application::{database_tests, json, plaintext};

/// The contract's 5 s, less what ending the process takes.
const STOP_LIMIT_S: u64 = 4;
/// As behind any load balancer, longer than a client keeps an idle connection.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

fn main() -> ExitCode {
    serve("techempower", "actix-web", |options, address, ready| {
        System::new().block_on(run(options, address, ready))
    })
}

async fn run(
    options: &Options,
    address: (&str, u16),
    ready: &dyn Fn(u16),
) -> Result<Counts, Failure> {
    let workers = options.number("threads")? as usize;
    // Each worker has a pool of its own, whose connections it serves itself.
    let shares = Arc::new(Shares::new(options.number("connections")? as usize, workers));
    let url = env::var("DATABASE_URL").ok();
    if let Some(url) = &url {
        // A worker that cannot reach the database only logs the error, so it is reported here.
        drop(Database::open(url, 1).await?);
    }
    let listener = listening(address)?;
    let port = listener.local_addr()?.port();
    let server = HttpServer::new(move || {
        let application = App::new()
            .wrap(DefaultHeaders::new().add((header::SERVER, "actix-web")))
            .service(plaintext)
            .service(json);
        let Some(url) = url.clone() else { return application };
        let share = shares.next();
        let database = move || {
            let url = url.clone();
            async move { Database::open(&url, share).await }
        };
        application.data_factory(database).configure(database_tests)
    });
    let mut terminate = signal(SignalKind::terminate())?;
    let server = server
        .workers(workers)
        .keep_alive(KEEP_ALIVE)
        .tcp_nodelay(true)
        // Actix Web takes up signals only some time after it has begun to listen.
        .shutdown_signal(async move {
            terminate.recv().await;
        })
        .shutdown_timeout(STOP_LIMIT_S)
        .listen(listener)?
        .run();
    ready(port);
    server.await?;
    Ok(Vec::new())
}
