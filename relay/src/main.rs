//! The command `runfair-relay`: reads the command line, relays, reports.

use std::process::ExitCode;

use anyhow::Context;
use runfair_measuring::command_line::console::{self, print};
use runfair_measuring::command_line::processors::Processors;
use runfair_measuring::kernel::{clock, signal, thread};
use runfair_relay::accounting::records::Header;
use runfair_relay::accounting::report::{Frame, ReportFile, Started};
use runfair_relay::accounting::{schema_text, Account, QueryRecords, Report};
use runfair_relay::calibration::calibrate;
use runfair_relay::cli::{Command, Plan};
use runfair_relay::wire::{Length, Listener, Place, Relay, Target, REFUSED};

fn main() -> ExitCode {
    let asked = Command::parse(std::env::args_os());
    console::run("runfair-relay", asked, |command| {
        match command {
            Command::Relay(plan) => relay(&plan),
            Command::Calibrate(length, processors) => calibration(length, processors.as_ref()),
            Command::Schema => print(&schema_text()),
        }?;
        Ok(ExitCode::SUCCESS)
    })
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
    let mut relay =
        Relay::new(listener, target, plan.protocol, plan.length, account).context(REFUSED)?;
    if plan.watch_stdin {
        relay.watch_stdin().context(REFUSED)?;
    }
    print(&ready(&place))?;
    relay.run(signal::asked).context(REFUSED)?;
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
