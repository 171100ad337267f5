//! An actor sends many messages at once to another, which counts them.

use runfair_harness::Failure;

use crate::stage::{Address, Ended, Mailbox, Stage};
use crate::Work;

enum ToProducer {
    Start(Address<ToCounter>),
    Total(u64),
}

enum ToCounter {
    Increment,
    Retrieve(Address<ToProducer>),
}

pub fn start<const COUNT: bool>(work: Work, stage: &mut Stage<COUNT>) -> Result<(), Failure> {
    let counter = stage.spawn(count);
    let producer = stage.spawn(|mailbox| produce(work, mailbox));
    Ok(producer.send(ToProducer::Start(counter))?)
}

async fn produce<const COUNT: bool>(
    work: Work,
    mut mailbox: Mailbox<ToProducer, COUNT>,
) -> Ended<COUNT> {
    loop {
        match mailbox.take().await? {
            ToProducer::Start(counter) => {
                for _ in 0..work.amount {
                    counter.send(ToCounter::Increment)?;
                }
                counter.send(ToCounter::Retrieve(mailbox.address.clone()))?;
            }
            ToProducer::Total(total) => return mailbox.end(total),
        }
    }
}

async fn count<const COUNT: bool>(mut mailbox: Mailbox<ToCounter, COUNT>) -> Ended<COUNT> {
    let mut total = 0;
    loop {
        match mailbox.take().await? {
            ToCounter::Increment => total += 1,
            ToCounter::Retrieve(producer) => {
                producer.send(ToProducer::Total(total))?;
                return mailbox.end(0);
            }
        }
    }
}
