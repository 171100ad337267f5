package newspeak.operators;

import com.oracle.truffle.api.Assumption;
import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.nodes.Node;
import java.util.function.Function;
import newspeak.dispatch.DispatchNode;
import newspeak.dispatch.Lookup;
import newspeak.runtime.Universe;

/** What an operator does with operands that it does not know. */
public abstract class Otherwise extends Node {
  abstract Object execute(Object... operands);

  /** Whether `==` and `~=` are the kernel's wherever this node stands. */
  Assumption identityKept() {
    return Assumption.ALWAYS_VALID;
  }

  /** At a send site: the ordinary message. */
  public static Otherwise send(Lookup lookup) {
    return new Send(lookup);
  }

  /** In the kernel's own methods: an argument that they cannot have. */
  public static Otherwise argumentError(Universe universe) {
    return new Error(universe);
  }

  /** In the kernel's own methods: a function, which mostly signals what is wrong. */
  public static Otherwise function(Function<Object[], Object> function) {
    return new Call(function);
  }

  private static final class Call extends Otherwise {
    private final Function<Object[], Object> function;

    Call(Function<Object[], Object> function) {
      this.function = function;
    }

    @Override
    Object execute(Object... operands) {
      return call(operands);
    }

    @TruffleBoundary
    private Object call(Object[] operands) {
      return function.apply(operands);
    }
  }

  private static final class Send extends Otherwise {
    @Child private DispatchNode dispatch;

    Send(Lookup lookup) {
      dispatch = new DispatchNode(lookup);
    }

    @Override
    Assumption identityKept() {
      return dispatch.lookup().universe().identityKept();
    }

    @Override
    Object execute(Object... operands) {
      return dispatch.execute(operands);
    }
  }

  private static final class Error extends Otherwise {
    private final Universe universe;

    Error(Universe universe) {
      this.universe = universe;
    }

    @Override
    Object execute(Object... operands) {
      throw universe.signals().argumentError(operands[operands.length - 1]);
    }
  }
}
