//! One run from plan to result.

use std::io::{self, IsTerminal};
use std::net::SocketAddr;

use anyhow::bail;
use socket2::SockAddr;

use super::evidence::failed;
use super::files::{self, Files};
use super::progress::progress;
use super::result::result;
use crate::cli::Plan;
use crate::engine::address::choose;
use crate::engine::crew;
use crate::engine::load::{Endpoint, Protocol};
use crate::engine::preload::preload;
use crate::engine::streams::ALPN;
use crate::recording::collector::Interval;
use crate::report::{ProgressReporter, ProgressStyle, RunResult, Screen};
use crate::transport::target::{source_address, unix_address, Url};
use crate::transport::tls::Tls;
use runfair_measuring::kernel::{clock, descriptors, signal};

/// Shortest time between two progress messages, ns.
const PROGRESS_NS: u64 = 250_000_000;

/// A finished run.
pub struct Session {
    /// What it found.
    pub result: RunResult,
    /// A file that could not be written to its end.
    pub unwritten: Option<anyhow::Error>,
}

/// Carries out a plan; progress goes to standard error.
///
/// # Errors
/// Nothing was measured.
pub fn carry_out(plan: &Plan, screen: Screen) -> anyhow::Result<Session> {
    let load = &plan.load;
    descriptors::make_room(load.max_connections as u64, load.threads as u64)?;
    let mut files = Files::create(&plan.outputs)?;
    let endpoints = endpoints(plan)?;
    if plan.options.preload {
        for endpoint in &endpoints {
            preload(endpoint, &load.traffic)?;
        }
    }
    signal::catch();
    let style = match plan.outputs.progress {
        ProgressStyle::Auto if io::stderr().is_terminal() => ProgressStyle::Line,
        asked => asked,
    };
    let mut reporter = ProgressReporter::new(style, screen, io::stderr());
    let mut told_ns = 0;
    let comments = comments(plan);
    let discipline = if load.is_open() { "open" } else { "closed" };
    let observer = |interval: &Interval<'_>| {
        if interval.to_ns >= told_ns + PROGRESS_NS {
            told_ns = interval.to_ns;
            // A standard error that nobody reads is no reason to end a run.
            let _ = reporter.tell(&progress(load, interval));
        }
    };
    let (run, outputs) = crew::run(
        load,
        &endpoints,
        |start| files.begin(start, discipline, &comments),
        observer,
    )?;
    let _ = reporter.end();
    let complete = files::complete(&outputs);
    let measured = &run.totals.measured;
    let failed = failed(load, &run.totals.counts, &measured.given_up);
    let distribution = files.write_percentiles(&measured.latency, &failed, discipline);
    let result = result(plan, &run);
    let written = files.write_result(&result);
    Ok(Session {
        result,
        unwritten: complete.and(distribution).and(written).err(),
    })
}

/// What the interval log says of itself.
fn comments(plan: &Plan) -> Vec<String> {
    let load = match &plan.arrivals {
        Some(arrivals) => format!(
            "open loop, {} arrivals, rate {}, seed {}{}",
            arrivals.process.name(),
            arrivals.rate.as_deref().unwrap_or("as recorded"),
            arrivals.seed,
            arrivals.shard.map_or_else(String::new, |shard| format!(
                ", shard {} of {}",
                shard.number(),
                shard.of()
            ))
        ),
        None => "closed loop".to_owned(),
    };
    vec![
        format!("runfair-load {}", env!("CARGO_PKG_VERSION")),
        format!("{}: {load}", plan.target_names().join(" ")),
        "values in ns; Interval_Max in ms".to_owned(),
    ]
}

/// Where the plan's connections go.
fn endpoints(plan: &Plan) -> anyhow::Result<Vec<Endpoint>> {
    plan.targets
        .iter()
        .map(|target| endpoint(plan, &target.url))
        .collect()
}

/// One server: its name resolved, and one of its addresses chosen.
fn endpoint(plan: &Plan, url: &Url) -> anyhow::Result<Endpoint> {
    let name = plan.options.server_name.as_deref().unwrap_or(url.name());
    let application = (plan.load.protocol == Protocol::Http2).then_some(ALPN);
    let tls = plan
        .trust
        .as_ref()
        .map(|trust| Tls::new(trust, plan.identity.as_ref(), name, application))
        .transpose()?;
    let source = plan
        .options
        .source_address
        .map(source_address)
        .transpose()?;
    let address = match &plan.options.unix_socket {
        Some(path) => unix_address(path)?,
        None => address(plan, url, source.as_ref())?,
    };
    Ok(Endpoint {
        address,
        source,
        tls,
    })
}

/// The address of a URL's host. Its look-up and its choice share the time to connect.
fn address(plan: &Plan, url: &Url, source: Option<&SockAddr>) -> anyhow::Result<SockAddr> {
    let start_ns = clock::monotonic_ns();
    let timeout_ns = plan.load.connect_timeout_ns;
    let mut addresses = match plan.options.resolve.iter().find(|one| one.is_of(url)) {
        Some(told) => vec![SocketAddr::new(told.address, url.port)],
        None => url.resolve(timeout_ns)?,
    };
    if let Some(address) = plan.options.source_address {
        addresses.retain(|one| one.is_ipv4() == address.is_ipv4());
        if addresses.is_empty() {
            bail!(
                "--source-address {address}: {} has no address of the same family (IPv4 or IPv6)",
                url.host
            );
        }
    }
    let addresses: Vec<_> = addresses.into_iter().map(SockAddr::from).collect();
    let left_ns = timeout_ns.saturating_sub(clock::monotonic_ns() - start_ns);
    choose(source, &addresses, left_ns).map_err(anyhow::Error::msg)
}
