package newspeak.actors;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import newspeak.objects.SPromise;
import newspeak.runtime.Sending;
import newspeak.runtime.Universe;

/** What a thread is doing for actors. */
public final class Worker {
  private Actor actor;
  private final List<SPromise> broken = new ArrayList<>();
  private Universe universe;
  /** Actors that this thread made ready: the others take some when they have nothing to do. */
  private final ConcurrentLinkedQueue<Actor> ready = new ConcurrentLinkedQueue<>();

  public Actor actor() {
    return actor;
  }

  void start(Universe running) {
    universe = running;
  }

  /** Whether this is a thread that runs actors. */
  boolean isStarted() {
    return universe != null;
  }

  ConcurrentLinkedQueue<Actor> ready() {
    return ready;
  }

  void enter(Actor entered) {
    actor = entered;
  }

  void leave() {
    actor = null;
  }

  /** A promise that this turn broke. */
  void broke(SPromise promise) {
    broken.add(promise);
  }

  /**
   * Reports the promises without a listener that the turn broke. A promise of another actor is
   * looked at there: the turn that got it may still be about to listen.
   */
  void endTurn() {
    if (broken.isEmpty()) {
      return;
    }
    for (SPromise promise : List.copyOf(broken)) {
      if (promise.owner() == actor) {
        reportIfUnheard(universe, promise);
      } else {
        promise.owner().send(new Look(universe, promise));
      }
    }
    broken.clear();
  }

  private static void reportIfUnheard(Universe universe, SPromise promise) {
    if (!promise.isHeard()) {
      universe.console().error("A promise was broken, but nobody listens to it: "
          + Sending.text(universe, promise.outcome().value()));
    }
  }

  /** A turn that looks whether its actor listens to a promise which another one broke. */
  private static final class Look extends Message {
    private final Universe universe;
    private final SPromise promise;

    Look(Universe universe, SPromise promise) {
      this.universe = universe;
      this.promise = promise;
    }

    @Override
    void execute(Actor actor) {
      reportIfUnheard(universe, promise);
    }
  }
}
