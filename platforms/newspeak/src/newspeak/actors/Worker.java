package newspeak.actors;

import java.util.ArrayList;
import java.util.List;
import newspeak.objects.SPromise;
import newspeak.runtime.Interruption;
import newspeak.runtime.Universe;

/** What a thread is doing for actors. */
public final class Worker {
  private final Universe universe;
  private boolean started;
  private Actor actor;
  private Object thread; // null while this runs turns
  private final List<SPromise> broken = new ArrayList<>();
  /** Actors that this thread made ready: the others take some when they have nothing to do. */
  private final ReadyQueue ready = new ReadyQueue();

  public Worker(Universe universe) {
    this.universe = universe;
  }

  public Actor actor() {
    return actor;
  }

  /** What the program's own thread that this runs is in the language; null while it runs turns. */
  public Object thread() {
    return thread;
  }

  void start() {
    started = true;
  }

  /** Whether this is a thread that runs actors. */
  boolean isStarted() {
    return started;
  }

  ReadyQueue ready() {
    return ready;
  }

  void enter(Actor entered) {
    actor = entered;
  }

  /** This is a thread that a turn of the actor spawned. */
  void enter(Actor entered, Object entering) {
    actor = entered;
    thread = entering;
  }

  void leave() {
    actor = null;
  }

  /** This turn, or one of its threads, broke a promise. */
  void broke(SPromise promise) {
    (thread == null ? broken : actor.threads(universe).broken()).add(promise);
  }

  /** This turn reports what its threads broke. */
  void take(List<SPromise> promises) {
    broken.addAll(promises);
    promises.clear();
  }

  /**
   * Reports the promises without a listener that the turn broke. A promise of another actor is
   * looked at there: the turn that got it may still be about to listen.
   */
  void endTurn() {
    if (broken.isEmpty()) {
      return;
    }
    List<SPromise> looked = List.copyOf(broken);
    broken.clear(); // an error's text is code of the program, and may break other promises
    for (SPromise one : looked) {
      try {
        report(one);
      } catch (Interruption wanted) {
        // Who interrupts does not wait for this report.
      }
    }
  }

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
