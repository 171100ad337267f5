//! A number goes to and fro between two actors.

use runfair_harness::Failure;

use crate::stage::{Address, Ended, Mailbox, Stage};
use crate::{next, Work};

enum ToPing {
    Start(Address<ToPong>),
    Number(u64),
}

enum ToPong {
    Number(u64, Address<ToPing>),
    Stop,
}

pub fn start<const COUNT: bool>(work: Work, stage: &mut Stage<COUNT>) -> Result<(), Failure> {
    let pong = stage.spawn(pong);
    let ping = stage.spawn(|mailbox| ping(work, mailbox));
    Ok(ping.send(ToPing::Start(pong))?)
}

async fn ping<const COUNT: bool>(work: Work, mut mailbox: Mailbox<ToPing, COUNT>) -> Ended<COUNT> {
    let ToPing::Start(pong) = mailbox.take().await? else {
        return Err("a number came before the start".into());
    };
    let mut x = work.seed;
    for _ in 0..work.amount {
        pong.send(ToPong::Number(x, mailbox.address.clone()))?;
        match mailbox.take().await? {
            ToPing::Number(reply) => x = reply,
            ToPing::Start(_) => return Err("a second start came".into()),
        }
    }
    pong.send(ToPong::Stop)?;
    mailbox.end(x)
}

async fn pong<const COUNT: bool>(mut mailbox: Mailbox<ToPong, COUNT>) -> Ended<COUNT> {
    loop {
        match mailbox.take().await? {
            ToPong::Number(x, ping) => ping.send(ToPing::Number(next(x)))?,
            ToPong::Stop => return mailbox.end(0),
        }
    }
}
