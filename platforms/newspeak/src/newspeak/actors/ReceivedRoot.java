package newspeak.actors;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ControlFlowException;
import com.oracle.truffle.api.nodes.RootNode;
import com.oracle.truffle.api.source.SourceSection;
import newspeak.dispatch.DispatchNode;
import newspeak.dispatch.Lookup;
import newspeak.lexer.SourceText;
import newspeak.objects.SPromise;
import newspeak.runtime.SException;
import newspeak.runtime.Sending;
import newspeak.runtime.Switches;
import newspeak.runtime.Universe;

/**
 * The receiving half of one place that sends eventually: an ordinary message with a cache of its
 * own, whose answer resolves the promise. So the cache sees what this one place sends to. With
 * `callingContext` off, one such root serves all places that send a selector.
 */
public final class ReceivedRoot extends RootNode {
  private final Universe universe;
  private final SourceText source;
  private final int start;
  @Child private DispatchNode dispatch;
  @Child private ResolutionNode resolution;

  /** `source` and `start` say where the one place is; null where there are many. */
  ReceivedRoot(Universe universe, Lookup lookup, SourceText source, int start) {
    super(universe.language());
    this.universe = universe;
    this.source = source;
    this.start = start;
    this.dispatch = new DispatchNode(lookup);
    this.resolution = new ResolutionNode(universe);
  }

  @Override
  public Object execute(VirtualFrame frame) {
    Object[] passed = frame.getArguments();
    Object[] arguments = new Object[passed.length - 1];
    System.arraycopy(passed, 1, arguments, 0, arguments.length);
    Object answer;
    try {
      answer = answer(arguments);
    } catch (SException failed) {
      broken(passed[0], failed);
      return null;
    } catch (StackOverflowError | OutOfMemoryError exhausted) {
      CompilerDirectives.transferToInterpreter();
      broken(passed[0], universe.signals().exhausted(exhausted));
      return null;
    }
    if (passed[0] instanceof SPromise promise) {
      resolution.execute(promise, answer);
    }
    return answer;
  }

  private Object answer(Object[] arguments) {
    try {
      return Switches.LOOKUP_CACHE ? dispatch.execute(arguments)
          : Sending.send(dispatch.lookup(), arguments);
    } catch (ControlFlowException outwards) {
      CompilerDirectives.transferToInterpreter();
      throw universe.signals().escaped(arguments[0]);
    }
  }

  @CompilerDirectives.TruffleBoundary
  private void broken(Object result, SException failed) {
    if (result instanceof SPromise promise) {
      universe.program().promises().fail(promise, failed, universe.currentActor());
    } else {
      universe.console().error("Unhandled exception in a turn without a promise: "
          + universe.signals().traces().unhandled(failed));
    }
  }

  @Override
  public String getName() {
    return "received"
        + (source == null ? " " + dispatch.lookup().selector() : " from " + source.place(start));
  }

  @Override
  public SourceSection getSourceSection() {
    return source == null ? null : universe.source(source).createSection(start, 1);
  }
}
