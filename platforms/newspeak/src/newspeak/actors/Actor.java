package newspeak.actors;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import java.util.concurrent.atomic.AtomicBoolean;
import newspeak.runtime.Interruption;

/** A communicating event loop: messages, and the right to run one turn at a time. */
public final class Actor {
  private final Mailbox mailbox = new Mailbox();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final Scheduler scheduler;

  Actor(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** Another actor of the same program. */
  Actor sibling() {
    return scheduler.newActor();
  }

  @TruffleBoundary
  public void send(Message message) {
    mailbox.add(message);
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      scheduler.ready(this);
    }
  }

  /** Runs so many turns at most; true if there is more to do. */
  boolean run(Worker worker, int turns) {
    worker.enter(this);
    for (int turn = 0; turn < turns; turn++) {
      Message message = mailbox.take();
      if (message == null) {
        break;
      }
      try {
        message.execute(this);
      } catch (Interruption wanted) {
        // The turn's promise stays unresolved: who interrupts does not wait for it.
      }
      worker.endTurn();
    }
    worker.leave();
    if (!mailbox.isEmpty()) {
      return true;
    }
    scheduled.set(false);
    // A message that came in between saw the actor scheduled, and left it to us.
    return !mailbox.isEmpty() && scheduled.compareAndSet(false, true);
  }
}
