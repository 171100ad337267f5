package newspeak.actors;

import com.oracle.truffle.api.nodes.Node;
import newspeak.objects.SPromise;
import newspeak.runtime.Switches;
import newspeak.runtime.Universe;

/** Resolves a promise with a value of the current actor, at one place of the program. */
final class ResolutionNode extends Node {
  private final Universe universe;
  @Child private PassNode pass;

  ResolutionNode(Universe universe) {
    this.universe = universe;
    this.pass = Switches.ARGUMENT_WRAPPING ? PassNodeGen.create(universe) : null;
  }

  void execute(SPromise promise, Object value) {
    Promises promises = universe.program().promises();
    Actor current = universe.currentActor();
    if (pass == null || value instanceof SPromise) {
      promises.resolve(promise, value, current);
    } else {
      promises.fulfil(promise, pass.execute(value, current, promise.owner()));
    }
  }
}
