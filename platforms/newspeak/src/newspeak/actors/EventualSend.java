package newspeak.actors;

import com.oracle.truffle.api.RootCallTarget;
import newspeak.objects.SFarReference;
import newspeak.objects.SPromise;
import newspeak.objects.SPromise.Outcome;
import newspeak.runtime.Universe;

/** An eventual message on its way: to an actor, or held back by a promise. */
final class EventualSend {
  private EventualSend() {}

  /** A message to an object of the actor that executes it. */
  static final class Delivered extends Message {
    private final RootCallTarget site;
    private final Object[] arguments;

    /** `arguments`: the promise of the result or null, the receiver, the message's arguments. */
    Delivered(RootCallTarget site, Object[] arguments) {
      this.site = site;
      this.arguments = arguments;
    }

    @Override
    void execute(Actor actor) {
      site.call(arguments);
    }
  }

  /** A message to what a promise will be. */
  record Held(Universe universe, RootCallTarget site, Object[] arguments) implements Reaction {
    @Override
    public void settled(SPromise promise, Outcome outcome, Promises.Settling settling) {
      Actor owner = promise.owner();
      SPromise result = arguments[0] instanceof SPromise one ? one : null;
      if (outcome.broken()) {
        if (result != null) {
          settling.add(result, new Outcome(
              true, Transfer.pass(universe, outcome.value(), owner, result.owner())));
        }
        return;
      }
      deliver(universe, site, arguments, outcome.value(), owner);
    }
  }

  /** Sends from the actor `from` to a receiver that is no promise. */
  static void deliver(Universe universe, RootCallTarget site, Object[] arguments,
      Object receiver, Actor from) {
    if (receiver instanceof SFarReference far) {
      arguments[1] = far.value();
      for (int index = 2; index < arguments.length; index++) {
        arguments[index] = Transfer.pass(universe, arguments[index], from, far.actor());
      }
      far.actor().send(new Delivered(site, arguments));
    } else {
      arguments[1] = receiver;
      from.send(new Delivered(site, arguments));
    }
  }
}
