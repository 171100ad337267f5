package newspeak.actors;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import newspeak.objects.SPromise;
import newspeak.runtime.Interruption;
import newspeak.runtime.Universe;

/** A communicating event loop: messages, and the right to run one turn at a time. */
public final class Actor {
  /** Closed while the actor neither runs nor waits for a thread. */
  private final Mailbox mailbox = new Mailbox();
  private final Scheduler scheduler;
  private Map<Path, Object> singletons; // null until the actor wants a module once
  private TurnEnd end; // null until the actor wants threads or breaks a promise

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
    return end(universe).threads();
  }

  /** A turn of this actor, or one of its threads, broke a promise. */
  void broke(Universe universe, SPromise promise) {
    end(universe).broke(promise);
  }

  private TurnEnd end(Universe universe) {
    if (end == null) {
      end = new TurnEnd(universe, this);
    }
    return end;
  }

  @TruffleBoundary
  public void send(Message message) {
    if (mailbox.add(message)) {
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
      if (end != null) {
        end.run();
      }
    }
    worker.leave();
    return !mailbox.close();
  }
}
