package newspeak.actors;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import newspeak.runtime.Universe;

/**
 * What is made once, while it is made: other threads that want it wait. Those of other actors wait
 * only during the turn in which it is made, and only if no actor then waits for itself. Otherwise
 * the other actor makes one, too, so that no actor waits without end.
 */
public final class Makings {
  /** How soon a thread sees that another actor is ready with what it waits for. */
  private static final long LOOK_AGAIN_MS = 1;

  private final Universe universe;
  private final List<Making> open = new ArrayList<>();
  private final List<Wait> waits = new ArrayList<>();

  private static final class Making {
    private final Object key;
    private final Worker maker;
    private final Actor actor;
    private boolean awaited; // by another thread of the actor
    private boolean longerThanTurn;

    Making(Object key, Worker maker) {
      this.key = key;
      this.maker = maker;
      this.actor = maker.actor();
    }
  }

  /** A thread of one actor waits for what another actor makes. */
  private record Wait(Actor actor, Actor maker) {}

  public Makings(Universe universe) {
    this.universe = universe;
  }

  /**
   * Makes what one actor wants once. `known` answers what was made, or null. `make` stores what it
   * makes where `known` finds it.
   */
  public <T> T forActor(Object key, Supplier<T> known, Supplier<T> make) {
    return once(key, false, known, make);
  }

  /** The same for all actors. */
  public <T> T forAll(Object key, Supplier<T> known, Supplier<T> make) {
    return once(key, true, known, make);
  }

  private <T> T once(Object key, boolean all, Supplier<T> known, Supplier<T> make) {
    Making mine = new Making(key, universe.worker());
    for (Making other = begin(mine, all); other != null; other = begin(mine, all)) {
      waitFor(other, mine.actor);
    }
    try {
      T made = known.get();
      return made == null ? make.get() : made;
    } finally {
      end(mine);
    }
  }

  /** Answers null, or whose end is to be waited for before. A thread never waits for itself. */
  private synchronized Making begin(Making mine, boolean all) {
    for (Making other : open) {
      if (!other.key.equals(mine.key) || other.maker == mine.maker) {
        continue;
      }
      if (other.actor == mine.actor) {
        other.awaited = true;
        return other;
      }
      if (all && !other.longerThanTurn && !isWaiting(other.actor, mine.actor)) {
        waits.add(new Wait(mine.actor, other.actor));
        return other;
      }
    }
    open.add(mine);
    return null;
  }

  /** Whether an actor waits for another one, or for one that does. */
  private boolean isWaiting(Actor actor, Actor other) {
    return actor == other || waits.stream()
        .anyMatch(one -> one.actor == actor && isWaiting(one.maker, other));
  }

  private void waitFor(Making other, Actor actor) {
    Threads threads = actor.threads(universe);
    if (other.actor == actor) {
      threads.waitUntil(() -> isOver(other), Threads.FOR_EVER);
      return;
    }
    try {
      boolean over = false;
      while (!over) {
        over = threads.waitUntil(() -> isOver(other) || isLongerThanTurn(other), LOOK_AGAIN_MS);
      }
      threads.change(); // the end of the turn may wait for this thread
    } finally {
      synchronized (this) {
        waits.remove(new Wait(actor, other.actor));
      }
    }
  }

  private synchronized boolean isOver(Making one) {
    return !open.contains(one);
  }

  private synchronized boolean isLongerThanTurn(Making one) {
    return one.longerThanTurn;
  }

  private void end(Making mine) {
    synchronized (this) {
      open.remove(mine);
    }
    if (mine.awaited) {
      mine.actor.threads(universe).change();
    }
  }

  /** What a thread of this actor still makes, other actors do not wait for any longer. */
  synchronized void endTurn(Actor actor) {
    open.stream().filter(one -> one.actor == actor).forEach(one -> one.longerThanTurn = true);
  }
}
