//! Actors, and the mailbox of the actor main, to which each of them sends its end.

use std::future::Future;

use runfair_harness::{Counter, Failure};
use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver, UnboundedSender};

const MESSAGES: usize = 0;

/// Where to send an actor's messages.
pub type Address<M> = UnboundedSender<M>;

/// An actor's mailbox, which knows its own address.
pub struct Mailbox<M, const COUNT: bool> {
    pub address: Address<M>,
    messages: UnboundedReceiver<M>,
    counter: Counter<COUNT>,
}

impl<M, const COUNT: bool> Mailbox<M, COUNT> {
    /// Waits for the next message.
    pub async fn take(&mut self) -> Result<M, Failure> {
        let message = self.messages.recv().await.ok_or("the mailbox is closed")?;
        self.counter.tick(MESSAGES);
        Ok(message)
    }

    /// What an actor with this mailbox gives back at its end.
    pub fn end(self, result: u64) -> Ended<COUNT> {
        Ok((result, self.counter))
    }
}

/// An actor's result, and what it counted.
pub type Ended<const COUNT: bool> = Result<(u64, Counter<COUNT>), Failure>;

/// Main's side of the actors.
pub struct Stage<const COUNT: bool> {
    main: UnboundedSender<Ended<COUNT>>,
    ends: UnboundedReceiver<Ended<COUNT>>,
    actors: u64,
}

impl<const COUNT: bool> Stage<COUNT> {
    pub fn new() -> Self {
        let (main, ends) = unbounded_channel();
        Self { main, ends, actors: 0 }
    }

    /// Starts an actor.
    pub fn spawn<M, F>(&mut self, actor: impl FnOnce(Mailbox<M, COUNT>) -> F) -> Address<M>
    where
        F: Future<Output = Ended<COUNT>> + Send + 'static,
    {
        let (address, messages) = unbounded_channel();
        let counter = Counter::default();
        let ended = actor(Mailbox { address: address.clone(), messages, counter });
        let main = self.main.clone();
        self.actors += 1;
        // If `main` has failed, its mailbox is closed, and the result is dropped.
        tokio::spawn(async move { main.send(ended.await).ok() });
        address
    }

    /// The sum of all actors' results, and what they counted.
    pub async fn ended(mut self) -> Ended<COUNT> {
        let (mut sum, mut counter) = (0, Counter::default());
        for _ in 0..self.actors {
            let (result, counted) =
                self.ends.recv().await.ok_or("the mailbox of main is closed")??;
            sum += result;
            counter.add_all(&counted);
        }
        Ok((sum, counter))
    }
}
