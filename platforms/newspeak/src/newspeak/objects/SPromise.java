package newspeak.objects;

import com.oracle.truffle.api.interop.TruffleObject;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import newspeak.actors.Actor;
import newspeak.actors.Reaction;

/**
 * A promise of one actor. Its state changes by compare-and-set alone: a list of reactions, newest
 * first, until it is resolved or broken; then the outcome, for ever. In between, the reactions of
 * the list are executed. A reaction that is registered meanwhile is added to the outcome, so that
 * it does not overtake the others.
 */
public final class SPromise implements TruffleObject {
  /** What a promise came to. */
  public record Outcome(boolean broken, Object value) {}

  /** A reaction before others that were registered earlier. */
  public record Waiting(Reaction reaction, Waiting earlier) {}

  /** The outcome while reactions are executed, and those that were registered meanwhile. */
  private record Settling(Outcome outcome, Waiting registered) {}

  private static final VarHandle STATE = handle("state", Object.class);
  private static final Waiting NONE = new Waiting(null, null);

  private final Actor owner;
  private volatile Object state = NONE;
  private volatile SPromise follows;
  private volatile boolean heard;
  private Object group = Nil.NIL;

  public SPromise(Actor owner) {
    this.owner = owner;
  }

  private static VarHandle handle(String field, Class<?> type) {
    try {
      return MethodHandles.lookup().findVarHandle(SPromise.class, field, type);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  public Actor owner() {
    return owner;
  }

  /** The outcome, or null. */
  public Outcome outcome() {
    Object now = state;
    if (now instanceof Settling settling) {
      return settling.outcome;
    }
    return now instanceof Outcome outcome ? outcome : null;
  }

  /** The outcome if reactions to it can be executed at once, otherwise null. */
  public Outcome settled() {
    return state instanceof Outcome outcome ? outcome : null;
  }

  /** Registers a reaction; answers the outcome instead if it can be executed at once. */
  public Outcome register(Reaction reaction) {
    heard = true;
    return observe(reaction);
  }

  /** Registers a reaction that handles no error: a broken promise is still reported. */
  public Outcome observe(Reaction reaction) {
    while (true) {
      Object now = state;
      if (now instanceof Outcome outcome) {
        return outcome;
      }
      Object next = now instanceof Settling settling
          ? new Settling(settling.outcome, new Waiting(reaction, settling.registered))
          : new Waiting(reaction, (Waiting) now);
      if (STATE.compareAndSet(this, now, next)) {
        return null;
      }
    }
  }

  /**
   * Sets the outcome; answers the reactions, newest first, or null if there was an outcome. If there
   * are reactions, the caller executes them, and then those that `registeredMeanwhile` answers.
   */
  public Waiting settle(Outcome outcome) {
    while (true) {
      Object now = state;
      if (now instanceof Outcome || now instanceof Settling) {
        return null;
      }
      if (STATE.compareAndSet(this, now, now == NONE ? outcome : new Settling(outcome, NONE))) {
        return (Waiting) now;
      }
    }
  }

  /** The reactions since `settle` or the last call, newest first; the caller executes them. */
  public Waiting registeredMeanwhile() {
    while (true) {
      Settling now = (Settling) state;
      Object next = now.registered == NONE ? now.outcome : new Settling(now.outcome, NONE);
      if (STATE.compareAndSet(this, now, next)) {
        return now.registered;
      }
    }
  }

  /** Whether these reactions are none. */
  public static boolean isEmpty(Waiting waiting) {
    return waiting == NONE;
  }

  /** Whether anybody ever asked what it came to, and gets an error too. */
  public boolean isHeard() {
    return heard;
  }

  /** The promise whose outcome this one takes over, or null. */
  public SPromise follows() {
    return follows;
  }

  public void follow(SPromise other) {
    follows = other;
  }

  /** The object that collects the values of a group of promises, if this one is the group's. */
  public Object group() {
    return group;
  }

  public void setGroup(Object collector) {
    group = collector;
  }
}
