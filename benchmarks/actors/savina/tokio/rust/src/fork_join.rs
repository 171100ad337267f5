//! Actors that get many messages each, in turn; or that are made for one message each.

use runfair_harness::Failure;

use crate::stage::{Ended, Mailbox, Stage};
use crate::{next, Work};

pub fn send<const COUNT: bool>(work: Work, stage: &mut Stage<COUNT>) -> Result<(), Failure> {
    let workers: Vec<_> = (0..work.actors)
        .map(|i| stage.spawn(|mailbox| compute(work.seed + i, work.amount, mailbox)))
        .collect();
    for _ in 0..work.amount {
        for worker in &workers {
            worker.send(())?;
        }
    }
    Ok(())
}

pub fn create<const COUNT: bool>(work: Work, stage: &mut Stage<COUNT>) -> Result<(), Failure> {
    for i in 0..work.actors {
        stage.spawn(|mailbox| compute(work.seed + i, 1, mailbox)).send(())?;
    }
    Ok(())
}

/// Does a little work for each of the messages.
async fn compute<const COUNT: bool>(
    mut x: u64,
    messages: u64,
    mut mailbox: Mailbox<(), COUNT>,
) -> Ended<COUNT> {
    for _ in 0..messages {
        mailbox.take().await?;
        x = next(x);
    }
    mailbox.end(x)
}
