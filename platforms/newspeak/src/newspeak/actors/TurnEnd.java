package newspeak.actors;

import java.util.ArrayList;
import java.util.List;
import newspeak.objects.SPromise;
import newspeak.runtime.Interruption;
import newspeak.runtime.Universe;

/**
 * What follows each turn of an actor, once it has wanted threads or broken a promise: the threads
 * go on, and the promises without a listener that the turn and its threads broke are reported.
 */
final class TurnEnd {
  private final Universe universe;
  private final Actor actor;
  private final List<SPromise> broken = new ArrayList<>();
  private Threads threads; // null until the actor wants threads

  TurnEnd(Universe universe, Actor actor) {
    this.universe = universe;
    this.actor = actor;
  }

  Threads threads() {
    if (threads == null) {
      threads = new Threads(universe, actor);
    }
    return threads;
  }

  void broke(SPromise promise) {
    broken.add(promise);
  }

  void run() {
    endThreads();
    if (!broken.isEmpty()) {
      reportAll();
      endThreads(); // the text of an error is code, which may use threads
    }
  }

  private void endThreads() {
    if (threads != null) {
      try {
        threads.endTurn();
      } catch (Interruption wanted) {
        threads.leave();
      }
      universe.makings().endTurn(actor);
    }
  }

  private void reportAll() {
    List<SPromise> looked = List.copyOf(broken);
    broken.clear(); // the text of an error may break others: the actor's next turn reports them
    for (SPromise one : looked) {
      try {
        report(one);
      } catch (Interruption wanted) {
        // Who interrupts does not wait for this report.
      }
    }
  }

  /** A promise of another actor is looked at there: its turn may still be about to listen. */
  private void report(SPromise promise) {
    if (promise.isHeard()) {
      return;
    }
    Look look = new Look(universe, promise,
        universe.signals().traces().unhandled(promise.outcome().value()));
    if (promise.owner() == actor) {
      look.execute(actor);
    } else {
      promise.owner().send(look);
    }
  }

  /**
   * A turn that looks whether its actor listens to a promise which another one broke. The other
   * actor told the error's text, because the error is one of its objects.
   */
  private static final class Look extends Message {
    private final Universe universe;
    private final SPromise promise;
    private final String error;

    Look(Universe universe, SPromise promise, String error) {
      this.universe = universe;
      this.promise = promise;
      this.error = error;
    }

    @Override
    void execute(Actor actor) {
      if (!promise.isHeard()) {
        universe.console().error("A promise was broken, but nobody listens to it: " + error);
      }
    }
  }
}
