//! A run as asked for, complete and free of contradictions.

use anyhow::{anyhow, bail, Context};

use crate::engine::load::{Load, Protocol};
use crate::report::result::{ArrivalPlan, TrafficSummary};
use crate::transport::target::{Resolution, Scheme, Url};
use crate::transport::tls::{Identity, Trust};
use runfair_measuring::command_line::duration::format_duration_ns;

use super::arguments::{Arguments, OutputArguments, ProtocolArguments, ProtocolChoice};
use super::contents;
use super::outputs;
use super::refusal::refuse;
use super::timing;

/// Connections that one address pair can have: its ports (RFC 9293 §3.1), times a few
/// addresses; beyond it a typing error is likelier than a plan.
const CONNECTIONS_MAX: u64 = 1_000_000;
/// Threads that a kernel's processor mask can hold apart (`CPU_SETSIZE`).
const THREADS_MAX: u64 = 1024;
/// Requests under way on one connection: redis-benchmark and wrk scripts use 16 to 512.
const PIPELINE_MAX: u64 = 65_536;
/// The shortest interval of the log: the coarsest mode's tick.
const INTERVAL_MIN_NS: u64 = 1_000_000;

/// One server.
pub struct Target {
    /// What was asked, as given.
    pub text: String,
    /// The same taken apart.
    pub url: Url,
}

/// A run as asked for. Nothing is connected, resolved or opened yet but the files
/// that say what to send.
pub struct Plan {
    /// Where to, as given; at least one.
    pub targets: Vec<Target>,
    /// How to reach them.
    pub options: ProtocolArguments,
    /// Whom to trust; nobody where no TLS is spoken.
    pub trust: Option<Trust>,
    /// What a server is shown of the client, where it is to be.
    pub identity: Option<Identity>,
    /// The run itself.
    pub load: Load,
    /// What the result says of the schedule; nothing of a closed loop.
    pub arrivals: Option<ArrivalPlan>,
    /// What the result says of the traffic.
    pub traffic_summary: TrafficSummary,
    /// What is written where, and what the run is to show.
    pub outputs: OutputArguments,
}

impl Plan {
    /// The servers, as given.
    pub fn target_names(&self) -> Vec<&str> {
        let names = self.targets.iter().map(|target| target.text.as_str());
        names.collect()
    }

    /// Makes the plan, reading `--body-file` and `--traffic`.
    ///
    /// # Errors
    /// The first mistake, in one line that says what to do: what does not go together first, then
    /// what files hold.
    pub fn of(arguments: Arguments) -> anyhow::Result<Self> {
        let (targets, protocol) = targets(&arguments)?;
        // They agree in all that the requests and the trust are made of.
        let url = &targets[0].url;
        check_http2(&arguments, url, protocol)?;
        timing::check(&arguments)?;
        check_sizes(&arguments)?;
        let trust = trust(&arguments, url)?;
        let identity = identity(&arguments.protocol)?;
        check_addresses(&arguments, &targets)?;
        outputs::check(&arguments)?;
        let contents = match protocol {
            Protocol::Http | Protocol::Http2 => contents::http(&arguments, url)?,
            Protocol::Resp => contents::redis(&arguments)?,
        };
        let timing = timing::timing(&arguments, contents.trace)?;
        contents::check_rows(contents.rows, &timing.discipline, &arguments)?;
        let Arguments {
            load: size,
            pacing,
            protocol: options,
            output: outputs,
            machine,
            ..
        } = arguments;
        let load = Load {
            protocol,
            over_tls: trust.is_some(),
            over_unix: options.unix_socket.is_some(),
            discipline: timing.discipline,
            shard: timing.shard,
            start_at_ns: pacing.start_at,
            traffic: contents.traffic,
            mode: timing.mode,
            // Bounded by `check_sizes`, so they fit.
            connections: size.connections as usize,
            max_connections: size.max_connections.unwrap_or(size.connections) as usize,
            new_connection_every: size.new_connection_every,
            threads: machine.threads as usize,
            pipeline: size.streams.unwrap_or(size.pipeline) as usize,
            warmup_ns: timing.warmup_ns,
            timeout_ns: size.timeout,
            connect_timeout_ns: size.connect_timeout,
            interval_ns: outputs.interval,
            check_share: contents.check_share,
            seed: pacing.seed,
            processors: machine.cpus.map_or_else(Vec::new, |one| one.0),
            keep_awake: machine.keep_awake,
            records: outputs.records.is_some(),
        };
        Ok(Self {
            targets,
            trust,
            identity,
            load,
            arrivals: timing.arrivals,
            traffic_summary: contents.summary,
            options,
            outputs,
        })
    }
}

/// All URLs, and what is spoken at each of them.
fn targets(arguments: &Arguments) -> anyhow::Result<(Vec<Target>, Protocol)> {
    let mut targets: Vec<Target> = Vec::new();
    let mut spoken = None;
    for text in &arguments.urls {
        let (url, protocol) = endpoint(text, arguments.protocol.protocol)?;
        let protocol = match protocol {
            Protocol::Http if asks_for_http2(&arguments.protocol) => Protocol::Http2,
            other => other,
        };
        spoken = Some(protocol);
        if let Some(first) = targets.first() {
            let differs = [
                ("scheme", first.url.scheme != url.scheme),
                ("path", first.url.path != url.path),
            ];
            if let Some((what, _)) = differs.into_iter().find(|(_, differs)| *differs) {
                bail!(
                    "{first} and {other} differ in their {what}, but all servers of a run get the \
                     same requests; give all servers the same {what}, or give each server its own \
                     run",
                    first = first.text,
                    other = text
                );
            }
        }
        if targets.iter().any(|target| target.url == url) {
            bail!("{0} is given twice; name each server once", text);
        }
        targets.push(Target {
            text: text.clone(),
            url,
        });
    }
    if targets.len() > 1 && arguments.protocol.unix_socket.is_some() {
        bail!(
            "--unix-socket names the socket of one server, but the command has several URLs; give \
             one URL"
        );
    }
    let protocol = spoken.context(
        "the command names no URL; say where to send requests, such as http://localhost:8080/",
    )?;
    Ok((targets, protocol))
}

/// The URL and what is spoken there: its scheme says it, or `--protocol` where it has none.
fn endpoint(target: &str, asked: Option<ProtocolChoice>) -> anyhow::Result<(Url, Protocol)> {
    if asked == Some(ProtocolChoice::Resp) && !target.contains("://") {
        return redis(Url::parse(&format!("redis://{target}"))?, target);
    }
    let url = Url::parse(target)?;
    let disagree = |scheme, protocol, instead| {
        anyhow!(
            "the URL says {scheme}, but --protocol says {protocol}; leave --protocol out, or write \
             {instead}://HOST:PORT"
        )
    };
    match (url.scheme, asked) {
        (Scheme::Redis, Some(ProtocolChoice::Http)) => Err(disagree("redis", "http", "http")),
        (Scheme::Redis, Some(ProtocolChoice::Grpc)) => Err(disagree("redis", "grpc", "http")),
        (Scheme::Redis, _) => redis(url, target),
        (Scheme::Http, Some(ProtocolChoice::Resp)) => Err(disagree("http", "resp", "redis")),
        (Scheme::Https, Some(ProtocolChoice::Resp)) => Err(disagree("https", "resp", "redis")),
        (Scheme::Http | Scheme::Https, _) => Ok((url, Protocol::Http)),
    }
}

/// A Redis server. Its URL must not name a database, because no connection selects one.
fn redis(url: Url, target: &str) -> anyhow::Result<(Url, Protocol)> {
    if url.path != "/" {
        bail!(
            "{target} names a path, but runfair-load uses database 0 only; write redis://HOST:PORT"
        );
    }
    Ok((url, Protocol::Resp))
}

fn asks_for_http2(options: &ProtocolArguments) -> bool {
    options.http2 || options.calls()
}

/// Whether what is asked of HTTP/2 and gRPC goes together.
fn check_http2(arguments: &Arguments, url: &Url, protocol: Protocol) -> anyhow::Result<()> {
    let options = &arguments.protocol;
    if protocol == Protocol::Resp {
        let both = [
            (options.http2, "--http2"),
            (options.grpc.is_some(), "--grpc"),
        ];
        refuse(both, contents::only_http)?;
    }
    if protocol != Protocol::Http2 {
        return match arguments.load.streams {
            Some(_) => bail!("--streams is for HTTP/2; add --http2, or leave --streams out"),
            None => Ok(()),
        };
    }
    if arguments.load.pipeline != 1 {
        bail!(
            "--pipeline cannot be used with HTTP/2, where requests share a connection as streams; \
             write --streams {0}",
            arguments.load.pipeline
        );
    }
    if options.calls() && url.path != "/" {
        bail!(
            "with --grpc the URL cannot have the path {0}, because the path of a call is its \
             method; end the URL after the port",
            url.path
        );
    }
    let Some(method) = &options.grpc else {
        return match arguments.traffic.traffic {
            None if options.calls() => bail!(
                "--protocol grpc needs methods; give --traffic with a file of requests whose paths \
                 are methods, or give one method with --grpc SERVICE/METHOD"
            ),
            _ => Ok(()),
        };
    };
    let is_method = method.split_once('/').is_some_and(|(service, method)| {
        !service.is_empty() && !method.is_empty() && !method.contains('/')
    });
    if !is_method {
        bail!(
            "--grpc {0:?} names no method; name a service and its method, such as \
             helloworld.Greeter/SayHello",
            method
        );
    }
    if arguments.traffic.method.is_some() {
        bail!(
            "--grpc cannot be used with --method, because a call is a POST of one message to the \
             method's own path; leave --method out"
        );
    }
    match arguments.traffic.traffic {
        Some(_) => bail!(
            "--grpc cannot be used with --traffic, because the paths in the file of --traffic are \
             the methods; write --protocol grpc instead of --grpc"
        ),
        None => Ok(()),
    }
}

fn check_sizes(arguments: &Arguments) -> anyhow::Result<()> {
    let threads = arguments.machine.threads;
    let connections = arguments.load.connections;
    let max_connections = arguments.load.max_connections.unwrap_or(connections);
    let every = arguments.load.new_connection_every.unwrap_or(1);
    for (option, given, most) in [
        ("--connections", connections, CONNECTIONS_MAX),
        ("--max-connections", max_connections, CONNECTIONS_MAX),
        ("--new-connection-every", every, u64::MAX),
        ("--threads", threads, THREADS_MAX),
        ("--pipeline", arguments.load.pipeline, PIPELINE_MAX),
        (
            "--streams",
            arguments.load.streams.unwrap_or(1),
            PIPELINE_MAX,
        ),
    ] {
        if given == 0 {
            bail!("with {option} 0 nothing could be sent; give 1 or more");
        }
        if given > most {
            bail!("{option} {given} is too many; give at most {most}");
        }
    }
    if max_connections < connections {
        bail!(
            "--max-connections {max_connections} is less than --connections {connections}, the \
             number of connections at the start; give at least --max-connections {connections}"
        );
    }
    if threads > connections {
        bail!(
            "--threads {threads} cannot share --connections {connections}, because each thread \
             needs a connection of its own; give more connections or fewer threads"
        );
    }
    let targets = arguments.urls.len();
    if targets as u64 > connections {
        bail!(
            "{targets} servers cannot share --connections {connections}, because each server needs \
             its own connection; give at least --connections {targets}"
        );
    }
    if let Some(processors) = &arguments.machine.cpus {
        let processors = processors.0.len();
        if (processors as u64) < threads {
            bail!(
                "--threads {threads} cannot share the {processors} processors of --cpus, because \
                 each thread needs a processor of its own; name more processors or give fewer \
                 threads"
            );
        }
    }
    if arguments.machine.keep_awake && arguments.machine.cpus.is_none() {
        bail!(
            "--keep-awake keeps the processors of --cpus awake, but the command has no --cpus; \
             name the processors, or leave --keep-awake out"
        );
    }
    for (option, given_ns, least_ns) in [
        ("--timeout", arguments.load.timeout, 1),
        ("--connect-timeout", arguments.load.connect_timeout, 1),
        ("--interval", arguments.output.interval, INTERVAL_MIN_NS),
    ] {
        if given_ns < least_ns {
            bail!(
                "{option} {given} is too short; give {least} or more",
                given = format_duration_ns(given_ns),
                least = format_duration_ns(least_ns)
            );
        }
    }
    Ok(())
}

/// What a server is shown of the client.
fn identity(options: &ProtocolArguments) -> anyhow::Result<Option<Identity>> {
    match (&options.certificate, &options.key) {
        (Some(certificate), Some(key)) => Ok(Some(Identity {
            certificate: certificate.clone(),
            key: key.clone(),
        })),
        (None, None) => Ok(None),
        _ => bail!("--certificate and --key belong together; give both, or neither"),
    }
}

/// Whether what is said of addresses is about something.
fn check_addresses(arguments: &Arguments, targets: &[Target]) -> anyhow::Result<()> {
    let options = &arguments.protocol;
    if options.unix_socket.is_some() {
        let addresses = [
            (!options.resolve.is_empty(), "--resolve"),
            (options.source_address.is_some(), "--source-address"),
        ];
        refuse(addresses, |option| {
            anyhow!(
                "--unix-socket cannot be used with {option}, because a unix socket has no address; \
                 leave one of the two out"
            )
        })?;
    }
    let unused = |one: &&Resolution| !targets.iter().any(|target| one.is_of(&target.url));
    match options.resolve.iter().find(unused) {
        Some(Resolution { host, port, .. }) => bail!(
            "--resolve {host}:{port} has no effect, because no URL has this host and port; leave \
             --resolve out"
        ),
        None => Ok(()),
    }
}

fn trust(arguments: &Arguments, url: &Url) -> anyhow::Result<Option<Trust>> {
    let options = &arguments.protocol;
    if url.scheme != Scheme::Https {
        let of_tls = [
            (options.ca.is_some(), "--ca"),
            (options.insecure, "--insecure"),
            (options.server_name.is_some(), "--server-name"),
            (options.certificate.is_some(), "--certificate"),
            (options.key.is_some(), "--key"),
        ];
        return refuse(of_tls, |option| {
            anyhow!("{option} is for TLS; write https:// in the URL, or leave {option} out")
        })
        .map(|()| None);
    }
    match (&options.ca, options.insecure) {
        (Some(_), true) => bail!(
            "--ca and --insecure exclude each other, because --ca trusts the authorities of a file \
             and --insecure trusts any certificate; leave one of the two out"
        ),
        (Some(path), false) => Ok(Some(Trust::File(path.clone()))),
        (None, true) => Ok(Some(Trust::Anything)),
        (None, false) => Ok(Some(Trust::System)),
    }
}
