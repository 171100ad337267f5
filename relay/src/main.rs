//! The command `runfair-relay`: reads the command line, relays, reports.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;
use runfair_load::cli::arguments::Processors;
use runfair_load::cli::Stop;
use runfair_load::kernel::{clock, signal, thread};
use runfair_load::report::printable::printable;
use runfair_relay::accounting::records::Header;
use runfair_relay::accounting::report::{Frame, ReportFile, Started};
use runfair_relay::accounting::{schema_text, Account, QueryRecords, Report};
use runfair_relay::calibration::calibrate;
use runfair_relay::cli::{Command, Plan};
use runfair_relay::wire::{Length, Listener, Place, Relay, Target};

/// The exit status if the user made a mistake or the system refuses a request.
const MISTAKE: u8 = 2;

fn main() -> ExitCode {
    let outcome = match Command::parse(std::env::args_os()) {
        Ok(Command::Relay(plan)) => relay(&plan),
        Ok(Command::Calibrate(length, processors)) => calibration(length, processors.as_ref()),
        Ok(Command::Schema) => print(&schema_text()),
        Err(Stop::Told(text)) => print(&text),
        Err(Stop::Mistaken(line)) => Err(anyhow::Error::msg(line)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error is closed, only the exit status reports the error.
            let _ = writeln!(
                io::stderr(),
                "runfair-relay: {}",
                printable(&format!("{error:#}"))
            );
            ExitCode::from(MISTAKE)
        }
    }
}

fn relay(plan: &Plan) -> anyhow::Result<()> {
    settle(plan.processors.as_ref())?;
    signal::catch();
    let listener = Listener::open(&plan.listen).context("--listen")?;
    let target = Target::of(&plan.to).context("--to")?;
    let report = ReportFile::create(&plan.report)
        .with_context(|| format!("--report {:?} cannot be written", plan.report))?;
    let (account, frame) = relayed(plan, listener, target)?;
    finish(account, frame, report)
}

/// Runs the relay until it ends.
fn relayed(plan: &Plan, listener: Listener, target: Target) -> anyhow::Result<(Account, Frame)> {
    let started = Started {
        realtime_ns: clock::realtime_ns(),
        monotonic_ns: clock::monotonic_ns(),
    };
    let records = plan
        .records
        .as_ref()
        .map(|path| {
            let header = Header::new(plan.protocol, plan.length.delay_ns, started);
            QueryRecords::create(path, &header)
                .with_context(|| format!("--records {path:?} cannot be written"))
        })
        .transpose()?;
    let place = listener.place().clone();
    let account = Account::new(records);
    let mut relay = Relay::new(listener, target, plan.protocol, plan.length, account)?;
    if plan.watch_stdin {
        relay.watch_stdin()?;
    }
    print(&ready(&place))?;
    relay.run(signal::asked)?;
    let frame = Frame {
        started,
        ended_ns: clock::monotonic_ns(),
        listen: place.to_string(),
        to: plan.to.to_string(),
        protocol: plan.protocol,
        delay_ns: plan.length.delay_ns,
        records: plan.records.clone(),
    };
    Ok((relay.close(), frame))
}

fn finish(mut account: Account, frame: Frame, report: ReportFile) -> anyhow::Result<()> {
    let torn = account
        .close(frame.ended_ns)
        .and_then(QueryRecords::failure)
        .map(|(path, error)| format!("--records {path:?} is not complete: {error}"));
    report
        .write(&Report::of(&account, frame))
        .context("--report cannot be written")?;
    torn.map_or(Ok(()), |torn| Err(anyhow::Error::msg(torn)))
}

fn calibration(length: Length, processors: Option<&Processors>) -> anyhow::Result<()> {
    settle(processors)?;
    let outcome = calibrate(length)?;
    print(&format!("{}\n", serde_json::to_string_pretty(&outcome)?))
}

fn settle(processors: Option<&Processors>) -> anyhow::Result<()> {
    processors.map_or(Ok(()), |processors| {
        thread::pin(&processors.0).context("--cpus: this process may not use these processors")
    })
}

/// The line for standard output that reports that clients can connect.
fn ready(place: &Place) -> String {
    let event = match place {
        Place::Tcp { port, .. } => serde_json::json!({"event": "ready", "port": port}),
        Place::Unix(path) => serde_json::json!({"event": "ready", "path": path}),
    };
    format!("{event}\n")
}

/// Prints a text. If the reader has left, this is not an error.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output cannot be written")
        }
        _ => Ok(()),
    }
}
