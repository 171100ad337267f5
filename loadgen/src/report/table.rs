//! A run's result for people: one screen, every number with what it is worth.

use super::lines::{clipped, wrapped};
use super::opening::OpeningTimes;
use super::quantities;
use super::result::{Ended, Phase, PhaseName, Protocol, RunResult, Streams};
use super::screen::{Ink, Screen};
use super::target_share::TargetShare;
use super::units;
use crate::judgement::evidence::{Loop, Mode, Process};
use crate::judgement::finding::Finding;
use crate::judgement::nanoseconds::Nanoseconds;
use crate::judgement::requirement::{Meets, Outcome};
use crate::judgement::verdict::State;

/// How much of what a server said of itself is shown; the JSON has all of it.
const COMPLAINT_LETTERS: usize = 300;
/// Width of the labels at the margin.
const LABEL_COLUMNS: usize = 10;

/// The result as text, each line ended.
pub fn table(result: &RunResult, screen: &Screen) -> String {
    let mut page = Page {
        screen,
        lines: Vec::new(),
    };
    page.entry("target", &target(result));
    page.entry("load", &load(result));
    if let Some(text) = mode(result) {
        page.entry("mode", &text);
    }
    page.blank();
    page.figures(result);
    page.blank();
    page.entry("requests", &requests(result));
    page.entry("answers", &answers(result));
    if let Some(complaint) = &result.requests.complaint {
        page.entry(
            "",
            &format!("first error: {}", clipped(complaint, COMPLAINT_LETTERS)),
        );
    }
    page.entry("connect", &opening(result));
    page.entry("rate", &rate(result));
    page.entry("generator", &cost(result));
    for outcome in &result.requirements {
        page.entry("require", &requirement(outcome));
    }
    page.blank();
    page.verdict(result);
    let mut text = page.lines.join("\n");
    text.push('\n');
    text
}

/// A requirement, whether it is met, and the interval that decides it.
fn requirement(outcome: &Outcome) -> String {
    let word = match outcome.meets {
        Meets::Yes => "met",
        Meets::No => "not met",
        Meets::Unclear => "not shown to be met",
    };
    format!("{}: {word} ({})", outcome.requirement, outcome.interval)
}

/// Lines being gathered for a screen.
struct Page<'a> {
    screen: &'a Screen,
    lines: Vec<String>,
}

impl Page<'_> {
    fn blank(&mut self) {
        self.lines.push(String::new());
    }

    /// A label at the margin and its text beside it, made safe and broken into lines.
    fn entry(&mut self, label: &str, text: &str) {
        self.indented(label, &self.screen.show(text), LABEL_COLUMNS);
    }

    fn indented(&mut self, label: &str, text: &str, indent: usize) {
        let width = self.screen.columns.saturating_sub(indent);
        for (number, line) in wrapped(text, width).into_iter().enumerate() {
            let label = if number == 0 { label } else { "" };
            self.lines.push(format!("{label:indent$}{line}"));
        }
    }

    /// What was measured; where a warm-up was marked, that too, and both together.
    fn figures(&mut self, result: &RunResult) {
        let mut lines = quantities::of_run(result, self.screen);
        if result.phases.len() > 1 {
            let mut parts: Vec<_> = result
                .phases
                .iter()
                .map(|phase| (name(phase), &phase.latency_ns))
                .collect();
            parts.push(("whole run", &result.latency_ns));
            lines.push(String::new());
            lines.extend(quantities::of_parts(&parts, &result.verdict, self.screen));
        }
        if !result.targets.is_empty() {
            let names: Vec<_> = (1..=result.targets.len()).map(server).collect();
            let parts: Vec<_> = names
                .iter()
                .zip(&result.targets)
                .map(|(name, target)| (name.as_str(), &target.latency_ns))
                .collect();
            lines.push(String::new());
            lines.extend(quantities::of_parts(&parts, &result.verdict, self.screen));
        }
        if lines.iter().any(|line| line.contains(quantities::STAR)) {
            lines.push(format!(
                "{} flagged: the verdict says why",
                quantities::STAR
            ));
        }
        self.lines.extend(lines);
        if result.phases.len() > 1 {
            for phase in &result.phases {
                self.entry(name(phase), &phase_counts(phase));
            }
        }
        for (number, target) in (1..).zip(&result.targets) {
            self.entry(&server(number), &target_counts(target));
        }
    }

    fn verdict(&mut self, result: &RunResult) {
        let state = result.verdict.state;
        let ink = match state {
            State::Fair => Ink::Green,
            State::Flagged => Ink::Yellow,
            State::Void => Ink::Red,
        };
        self.lines.push(format!(
            "{} {}",
            self.screen.paint(Ink::Bold, "VERDICT"),
            self.screen.paint(ink, state.name())
        ));
        for finding in &result.verdict.findings {
            self.finding(finding);
        }
    }

    /// What was found, of which figures, and what to do about it.
    fn finding(&mut self, finding: &Finding) {
        const INDENT: usize = 13;
        let severity = finding.severity.name();
        let figures = if finding.figures.is_empty() {
            String::new()
        } else {
            format!("{}: ", finding.figures.join(", "))
        };
        let found = format!("[{}] {figures}{}", finding.check, finding.message);
        self.indented(
            &format!("  {severity:<11}"),
            &self.screen.show(&found),
            INDENT,
        );
        if !finding.advice.is_empty() {
            let advice = format!("-> {}", finding.advice);
            self.indented("", &self.screen.show(&advice), INDENT);
        }
    }
}

fn plural(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", units::count(count))
}

fn target(result: &RunResult) -> String {
    let protocol = match result.protocol {
        Protocol::Http => "HTTP/1.1",
        Protocol::Http2 => "HTTP/2",
        Protocol::Grpc => "gRPC over HTTP/2",
        Protocol::Resp => "RESP2",
    };
    let tls = if result.tls { " inside TLS" } else { "" };
    let target = match result.targets.len() {
        0 => result.target.clone(),
        several => format!("{several} servers"),
    };
    format!(
        "{target} · {protocol}{tls} · {} · {}",
        plural(result.connections, "connection"),
        plural(result.threads, "thread")
    )
}

fn load(result: &RunResult) -> String {
    let mut parts = match (&result.arrivals, result.loop_kind) {
        (Some(arrivals), Loop::Open) => {
            let process = match arrivals.process {
                Process::Constant => "constant arrivals".to_owned(),
                Process::Poisson => format!("Poisson arrivals, seed {}", arrivals.seed),
                Process::Trace => format!("a trace at {} times its speed", arrivals.speed),
            };
            let asked = arrivals
                .rate
                .as_ref()
                .map(|rate| format!("{rate} requests/s"));
            let mut parts = vec!["open loop".to_owned(), process];
            parts.extend(asked);
            parts
        }
        _ => vec!["closed loop: each connection waits for its answer".to_owned()],
    };
    if let Some(horizon_ns) = result.horizon_ns {
        parts.push(format!("for {}", units::length(horizon_ns)));
    }
    if result.warmup_ns > 0 {
        let warmup = units::length(result.warmup_ns);
        parts.push(format!("the first {warmup} marked as warm-up"));
    }
    match &result.streams {
        None if result.pipeline > 1 => parts.push(format!("pipelined by {}", result.pipeline)),
        None => {}
        Some(streams) => {
            let each = plural(result.pipeline, "stream");
            parts.push(format!("{each} a connection"));
            if streams.allowed < result.pipeline {
                parts.push(format!("the server takes {}", streams.allowed));
            }
        }
    }
    if result.ended == Ended::Interrupted {
        let elapsed = Nanoseconds(result.elapsed_ns);
        parts.push(format!("interrupted after {elapsed}"));
    }
    parts.join(" · ")
}

fn mode(result: &RunResult) -> Option<String> {
    let mode = result.mode?;
    let resolution = units::length(result.resolution_ns?);
    Some(match mode {
        Mode::Economy => format!(
            "economy · resolution {resolution}: requests wait for the next tick and are \
             sent together; the wait counts as send lag and latency"
        ),
        Mode::Default => format!("default · resolution {resolution}: a timer for each request"),
        Mode::Precise => {
            format!("precise · resolution {resolution}: a spin before each request")
        }
    })
}

const fn name(phase: &Phase) -> &'static str {
    match phase.name {
        PhaseName::Warmup => "warm-up",
        PhaseName::Measured => "measured",
    }
}

fn server(number: usize) -> String {
    format!("server {number}")
}

fn target_counts(target: &TargetShare) -> String {
    format!(
        "{} · {} · {} sent · good {} · failed {}",
        target.url,
        plural(target.connections, "connection"),
        units::count(target.sent),
        units::count(target.good),
        units::count(target.failed)
    )
}

fn phase_counts(phase: &Phase) -> String {
    format!(
        "{} to {} · good {} · failed {}",
        units::length(phase.from_ns),
        units::length(phase.to_ns),
        units::count(phase.good),
        units::count(phase.failed)
    )
}

fn requests(result: &RunResult) -> String {
    let requests = &result.requests;
    format!(
        "{} scheduled · {} sent · {} completed",
        units::count(requests.scheduled),
        units::count(requests.sent),
        units::count(requests.completed)
    )
}

/// Good and failed are both said, also where one of them is none.
fn answers(result: &RunResult) -> String {
    let requests = &result.requests;
    let mut text = format!(
        "good {} · failed {}",
        units::count(requests.good),
        units::count(requests.failed)
    );
    let kinds: Vec<String> = requests
        .failures
        .by_kind()
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{} {kind}", units::count(count)))
        .collect();
    if !kinds.is_empty() {
        text += &format!(" ({})", kinds.join(", "));
    }
    for (what, codes) in result.streams.iter().flat_map(Streams::named) {
        if !codes.is_empty() {
            let codes = codes
                .iter()
                .map(|(code, count)| format!("{} {code}", units::count(*count)));
            text += &format!(" · {what} {}", codes.collect::<Vec<_>>().join(", "));
        }
    }
    if requests.misses > 0 {
        text += &format!(
            " · {} of the good answers found no value",
            units::count(requests.misses)
        );
    }
    if requests.checked > 0 {
        text += &format!(" · {} bodies checked", units::count(requests.checked));
    }
    if requests.unasked > 0 {
        let times = plural(requests.unasked, "time");
        text += &format!(" · unrequested bytes {times}");
    }
    if result.reconnects > 0 {
        text += &format!(" · {}", plural(result.reconnects, "reconnect"));
    }
    text
}

/// How long connections took to open, and why there were more of them than at first.
fn opening(result: &RunResult) -> String {
    let times = |times: &OpeningTimes| {
        format!(
            "p50 {}, p99 {}",
            Nanoseconds(times.p50),
            Nanoseconds(times.p99)
        )
    };
    let opening = &result.opening;
    let mut text = plural(opening.connect_ns.count, "connection");
    if result.connections_added > 0 {
        text += &format!(", {} added", units::count(result.connections_added));
    }
    if result.connections_replaced > 0 {
        text += &format!(", {} replaced", units::count(result.connections_replaced));
    }
    text += &format!(" · connect {}", times(&opening.connect_ns));
    if let Some(handshake_ns) = &opening.tls_handshake_ns {
        text += &format!(" · TLS handshake {}", times(handshake_ns));
    }
    text
}

fn rate(result: &RunResult) -> String {
    let achieved = units::rate(result.rate.achieved_per_s);
    let share = match result.arrivals.as_ref().and_then(|plan| plan.shard) {
        Some(shard) => format!(", the share of shard {} of {}", shard.number(), shard.of()),
        None => String::new(),
    };
    match (result.rate.offered_per_s, result.rate.ratio) {
        (Some(offered), Some(ratio)) => format!(
            "{achieved} achieved of {} offered ({}){share}",
            units::rate(offered),
            units::percentage_reached(ratio)
        ),
        _ => {
            let why = match result.loop_kind {
                Loop::Open => "all requests at one instant",
                Loop::Closed => "closed loop",
            };
            format!("{achieved} achieved, {why}: no rate was offered")
        }
    }
}

fn cost(result: &RunResult) -> String {
    let generator = &result.generator;
    let cpu = match generator.cpu_us_per_request {
        Some(cpu_us) => format!(
            "{} of CPU a request",
            Nanoseconds((cpu_us * 1e3).round() as u64)
        ),
        None => "no request completed".to_owned(),
    };
    let memory = units::bytes(generator.peak_rss_bytes);
    let awake = generator.threads.iter().filter(|thread| thread.kept_awake);
    let awake = match awake.count() {
        0 => "",
        all if all == generator.threads.len() => " · kept awake",
        _ => " · partly kept awake",
    };
    format!("{cpu} · {memory} of memory at most{awake}")
}
