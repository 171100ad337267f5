package newspeak.actors;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import newspeak.runtime.Interruption;
import newspeak.runtime.Universe;

/** A communicating event loop: messages, and the right to run one turn at a time. */
public final class Actor {
  /** Closed while the actor neither runs nor waits for a thread. */
  private final Mailbox mailbox = new Mailbox();
  private final Scheduler scheduler;
  private Map<Path, Object> singletons; // null until the actor wants a module once
  private Threads threads; // null until the actor wants threads

  Actor(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** Another actor of the same program. */
  Actor sibling() {
    return scheduler.newActor();
  }

  /** The modules that this actor wanted once, by their files. */
  public Map<Path, Object> singletons() {
    if (singletons == null) {
      singletons = new HashMap<>();
    }
    return singletons;
  }

  /** The threads that share this actor's objects; for its own turns. */
  public Threads threads(Universe universe) {
    if (threads == null) {
      threads = new Threads(universe, this);
    }
    return threads;
  }

  @TruffleBoundary
  public void send(Message message) {
    if (mailbox.add(message)) {
      scheduler.ready(this);
    }
  }

  private void endThreads(Worker worker) {
    if (threads != null) {
      try {
        threads.endTurn();
      } catch (Interruption wanted) {
        threads.leave();
      }
      worker.take(threads.broken());
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
      endThreads(worker);
      worker.endTurn();
      endThreads(worker); // the text of an error is code, which may use threads
    }
    worker.leave();
    return !mailbox.close();
  }
}
