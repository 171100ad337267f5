package newspeak.actors;

import com.oracle.truffle.api.nodes.ControlFlowException;
import newspeak.objects.SBlock;
import newspeak.objects.SPromise;
import newspeak.objects.SPromise.Outcome;
import newspeak.runtime.SException;
import newspeak.runtime.Universe;

/** Blocks that wait for a promise's outcome; without one for it, the outcome is passed on. */
record Callback(
    Universe universe, Actor actor, Object whenResolved, Object onError, SPromise result)
    implements Reaction {
  @Override
  public void settled(SPromise promise, Outcome outcome, Promises.Settling settling) {
    Object block = outcome.broken() ? onError : whenResolved;
    Object value = Transfer.pass(universe, outcome.value(), promise.owner(), actor);
    if (block instanceof SBlock code) {
      actor.send(new Turn(universe, code, value, result));
    } else {
      settling.add(result, new Outcome(outcome.broken(), value));
    }
  }

  /** Runs a block as a turn; the promise gets its value. */
  static final class Turn extends Message {
    private final Universe universe;
    private final SBlock block;
    private final Object value;
    private final SPromise result;

    Turn(Universe universe, SBlock block, Object value, SPromise result) {
      this.universe = universe;
      this.block = block;
      this.value = value;
      this.result = result;
    }

    @Override
    void execute(Actor actor) {
      Promises promises = universe.program().promises();
      Object answer;
      try {
        if (block.arity() > 1) {
          throw universe.signals().argumentError(block);
        }
        answer = answer();
      } catch (SException failed) {
        promises.fail(result, failed, actor);
        return;
      } catch (StackOverflowError | OutOfMemoryError exhausted) {
        promises.fail(result, universe.signals().exhausted(exhausted), actor);
        return;
      }
      promises.resolve(result, answer, actor);
    }

    private Object answer() {
      try {
        return block.arity() == 0 ? block.target().call(block)
            : block.target().call(block, value);
      } catch (ControlFlowException outwards) {
        throw universe.signals().escaped(block);
      }
    }
  }
}
