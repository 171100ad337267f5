package newspeak.actors;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import newspeak.objects.Nil;
import newspeak.objects.SPromise;
import newspeak.objects.SPromise.Outcome;
import newspeak.runtime.Sending;
import newspeak.runtime.SException;
import newspeak.runtime.Universe;

/** How promises are resolved, broken and chained: with a list of work, never by recursion. */
public final class Promises {
  private final Universe universe;
  private final Object chaining = new Object();

  Promises(Universe universe) {
    this.universe = universe;
  }

  /** The outcomes that one resolution spreads. */
  public final class Settling {
    private record Work(SPromise promise, Outcome outcome) {}

    private ArrayDeque<Work> work;

    void add(SPromise promise, Outcome outcome) {
      if (work == null) {
        work = new ArrayDeque<>();
      }
      work.add(new Work(promise, outcome));
    }

    private void run() {
      while (work != null && !work.isEmpty()) {
        Work next = work.poll();
        spread(next.promise, next.outcome);
      }
    }

    private void spread(SPromise promise, Outcome outcome) {
      SPromise.Waiting newest = promise.settle(outcome);
      if (newest == null) {
        universe.console().error("A promise was resolved twice; only the first resolution counts");
        return;
      }
      if (outcome.broken() && !promise.isHeard()) {
        universe.currentActor().broke(universe, promise);
      }
      while (!SPromise.isEmpty(newest)) {
        execute(newest, promise, outcome);
        newest = promise.registeredMeanwhile();
      }
    }

    private void execute(SPromise.Waiting newest, SPromise promise, Outcome outcome) {
      List<Reaction> chains = new ArrayList<>();
      List<Reaction> others = new ArrayList<>();
      for (var one = newest; one.reaction() != null; one = one.earlier()) {
        (one.reaction().isChain() ? chains : others).add(one.reaction());
      }
      for (int index = others.size() - 1; index >= 0; index--) {
        others.get(index).settled(promise, outcome, this);
      }
      for (int index = chains.size() - 1; index >= 0; index--) {
        chains.get(index).settled(promise, outcome, this);
      }
    }
  }

  /** Takes over what the promise before comes to. */
  private record Chain(SPromise to, Universe universe) implements Reaction {
    @Override
    public void settled(SPromise promise, Outcome outcome, Settling settling) {
      Object value =
          Transfer.pass(universe, outcome.value(), promise.owner(), to.owner());
      settling.add(to, new Outcome(outcome.broken(), value));
    }

    @Override
    public boolean isChain() {
      return true;
    }
  }

  /** Resolves with a value of the actor `from`; a promise among values is followed instead. */
  @TruffleBoundary
  public void resolve(SPromise promise, Object value, Actor from) {
    if (value instanceof SPromise other) {
      follow(promise, other);
    } else {
      fulfil(promise, Transfer.pass(universe, value, from, promise.owner()));
    }
  }

  /** Resolves with a value that is no promise, and that was passed to the promise's actor. */
  @TruffleBoundary
  void fulfil(SPromise promise, Object passed) {
    settle(promise, new Outcome(false, passed));
  }

  /** Breaks a promise with an error of the actor `from`. */
  @TruffleBoundary
  public void fail(SPromise promise, Object error, Actor from) {
    settle(promise, new Outcome(true, Transfer.pass(universe, error, from, promise.owner())));
  }

  /** Breaks the promise of a turn's result with the exception that the turn did not handle. */
  @TruffleBoundary
  void fail(SPromise promise, SException unhandled, Actor from) {
    universe.signals().traces().addBreaking(unhandled);
    fail(promise, unhandled.object(), from);
  }

  private void settle(SPromise promise, Outcome outcome) {
    Settling settling = new Settling();
    settling.spread(promise, outcome);
    settling.run();
  }

  /** Registers a reaction, or sends at once what it sends. */
  @TruffleBoundary
  public void react(SPromise promise, Reaction reaction) {
    beginGroup(promise);
    react(promise, reaction, promise.register(reaction));
  }

  /** The same for a reaction that handles no error: a broken promise is still reported. */
  @TruffleBoundary
  void observe(SPromise promise, Reaction reaction) {
    react(promise, reaction, promise.observe(reaction));
  }

  /** The same for one that waits for the value: a group begins to collect its values. */
  @TruffleBoundary
  void await(SPromise promise, Reaction reaction) {
    beginGroup(promise);
    observe(promise, reaction);
  }

  private void react(SPromise promise, Reaction reaction, Outcome outcome) {
    if (outcome != null) {
      Settling settling = new Settling();
      reaction.settled(promise, outcome, settling);
      settling.run();
    }
  }

  /** A group waits for its promises from when somebody waits for it; its actor alone may ask it. */
  private void beginGroup(SPromise promise) {
    if (promise.group() == Nil.NIL) {
      return;
    }
    if (promise.owner() == universe.currentActor()) {
      Sending.send(universe, promise.group(), "begin");
    } else {
      promise.owner().send(new Message() {
        @Override
        void execute(Actor actor) {
          Sending.send(universe, promise.group(), "begin");
        }
      });
    }
  }

  /** A promise of another actor that takes over what this one comes to. */
  SPromise copyFor(SPromise promise, Actor owner) {
    SPromise copy = new SPromise(owner);
    copy.follow(promise);
    react(promise, new Chain(copy, universe));
    return copy;
  }

  private void follow(SPromise promise, SPromise other) {
    if (promise == other) {
      return;
    }
    if (promise.outcome() != null || promise.follows() != null) {
      universe.console().error("A promise was resolved twice; only the first resolution counts");
      return;
    }
    boolean cycle;
    synchronized (chaining) {
      cycle = end(other) == promise;
      if (!cycle) {
        promise.follow(other);
      }
    }
    if (cycle) {
      fail(promise, universe.signals().signal("PromiseCycle", "new").object(),
          promise.owner());
    } else {
      react(other, new Chain(promise, universe));
    }
  }

  /** The promise at the end of a chain; halves the way for the next time. */
  private static SPromise end(SPromise start) {
    SPromise one = start;
    while (one.follows() != null) {
      SPromise next = one.follows();
      if (next.follows() != null) {
        one.follow(next.follows());
      }
      one = next;
    }
    return one;
  }
}
