package newspeak.actors;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The actors that one thread made ready, oldest first. Where two actors answer each other there is
 * one at a time: it has a place of its own, before the queue. Other threads leave that one to the
 * owner, unless the owner is busy with a long turn: handing every message to another thread costs
 * more than most turns take.
 */
final class ReadyQueue {
  private final AtomicReference<Actor> first = new AtomicReference<>();
  private final ConcurrentLinkedQueue<Actor> others = new ConcurrentLinkedQueue<>();
  /** How often the owner took an actor, and how often it had when an idle thread last looked. */
  private final AtomicInteger taken = new AtomicInteger();
  private volatile int seen = -1;

  /** Adds an actor; true if it is the only one. Called by the owner alone. */
  boolean add(Actor actor) {
    if (first.get() == null && others.isEmpty()) {
      first.set(actor);
      return true;
    }
    others.add(actor);
    return false;
  }

  /** The oldest actor, or null. Called by the owner alone. */
  Actor take() {
    taken.lazySet(taken.get() + 1);
    Actor actor = first.get() == null ? null : first.getAndSet(null);
    return actor != null ? actor : others.poll();
  }

  /** An actor for another thread, or null. */
  Actor steal() {
    Actor actor = others.poll();
    return actor == null && taken.get() == seen ? first.getAndSet(null) : actor;
  }

  /**
   * Whether another thread should take an actor. Each idle thread calls this about every
   * millisecond.
   */
  boolean isLeft() {
    int before = seen;
    seen = taken.get();
    return !others.isEmpty() || before == seen && first.get() != null;
  }
}
