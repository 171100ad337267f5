//! A token goes around a ring of actors.

use runfair_harness::Failure;

use crate::stage::{Address, Ended, Mailbox, Stage};
use crate::{next, Work};

enum Message {
    Next(Address<Self>),
    Token {
        left: u64,
        x: u64,
    },
    /// Stops so many nodes, one after the other.
    Stop(u64),
}

pub fn start<const COUNT: bool>(work: Work, stage: &mut Stage<COUNT>) -> Result<(), Failure> {
    let ring: Vec<_> =
        (0..work.actors).map(|i| stage.spawn(|mailbox| node(i, work.actors, mailbox))).collect();
    for (node, next) in ring.iter().zip(ring.iter().cycle().skip(1)) {
        node.send(Message::Next(next.clone()))?;
    }
    Ok(ring[0].send(Message::Token { left: work.amount, x: work.seed })?)
}

async fn node<const COUNT: bool>(
    i: u64,
    actors: u64,
    mut mailbox: Mailbox<Message, COUNT>,
) -> Ended<COUNT> {
    let Message::Next(following) = mailbox.take().await? else {
        return Err("a token came before the next node's address".into());
    };
    loop {
        match mailbox.take().await? {
            Message::Token { left: 0, x } => {
                following.send(Message::Stop(actors - 1))?;
                return mailbox.end(computed(x, i));
            }
            Message::Token { left, x } => {
                following.send(Message::Token { left: left - 1, x: computed(x, i) })?;
            }
            Message::Stop(nodes) => {
                if nodes > 1 {
                    following.send(Message::Stop(nodes - 1))?;
                }
                return mailbox.end(0);
            }
            Message::Next(_) => return Err("a second address came".into()),
        }
    }
}

const fn computed(x: u64, i: u64) -> u64 {
    (next(x) + i) & 0xffff
}
