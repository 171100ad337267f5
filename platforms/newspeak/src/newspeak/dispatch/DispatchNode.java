package newspeak.dispatch;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.CompilerDirectives.CompilationFinal;
import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import com.oracle.truffle.api.nodes.Node;
import com.oracle.truffle.api.nodes.UnexpectedResultException;
import java.util.Arrays;
import newspeak.runtime.Sending;

/** A polymorphic inline cache: finds and executes what a message means for its receiver. */
public final class DispatchNode extends Node {
  private static final int LIMIT = 6;

  private final Lookup lookup;
  @Children private Entry[] entries = {};
  @CompilationFinal private boolean megamorphic;

  public DispatchNode(Lookup lookup) {
    this.lookup = lookup;
  }

  public Lookup lookup() {
    return lookup;
  }

  /** Sends; the receiver is the first of the arguments. */
  @ExplodeLoop
  public Object execute(Object[] arguments) {
    Object receiver = arguments[0];
    Entry[] known = entries;
    for (Entry entry : known) {
      if (entry.guard.test(receiver)) {
        return entry.target.execute(arguments);
      }
    }
    return miss(arguments);
  }

  /** Sends; a predicate's answer gets no box on its way to the branch that it decides. */
  @ExplodeLoop
  public boolean executeBoolean(Object[] arguments) throws UnexpectedResultException {
    Object receiver = arguments[0];
    Entry[] known = entries;
    for (Entry entry : known) {
      if (entry.guard.test(receiver)) {
        return entry.target.executeBoolean(arguments);
      }
    }
    return TargetNode.decision(miss(arguments));
  }

  /** No entry is for this receiver. */
  private Object miss(Object[] arguments) {
    if (megamorphic) {
      return slowly(arguments);
    }
    CompilerDirectives.transferToInterpreterAndInvalidate();
    TargetNode target = specialise(arguments[0]);
    return target == null ? slowly(arguments) : target.execute(arguments);
  }

  /** The cached target for the receiver, or null where there are too many kinds. */
  private TargetNode specialise(Object receiver) {
    return atomic(() -> {
      for (Entry entry : entries) {
        if (entry.guard.test(receiver)) {
          return entry.target;
        }
      }
      for (int index = 0; index < entries.length; index++) {
        if (entries[index].guard.isNarrowerThanLayoutOf(receiver)) {
          Entry[] wider = entries.clone();
          wider[index] = insert(
              new Entry(Guard.ofLayout(receiver), TargetNode.of(lookup, receiver)));
          entries = wider;
          return wider[index].target;
        }
      }
      if (entries.length >= LIMIT) {
        megamorphic = true;
        return null;
      }
      TargetNode target = TargetNode.of(lookup, receiver);
      Entry[] more = Arrays.copyOf(entries, entries.length + 1);
      more[entries.length] = insert(new Entry(Guard.of(receiver), target));
      entries = more;
      if (kinds() > 1) {
        reportPolymorphicSpecialize();
      }
      return target;
    });
  }

  /**
   * How many kinds of receivers, as callers could tell them apart. That nil ends a list, or that a
   * condition is now true and now false, is no reason to compile the method for each caller.
   */
  private long kinds() {
    return Arrays.stream(entries).filter(entry -> !entry.guard.isOfIdentity()).count();
  }

  @TruffleBoundary
  private Object slowly(Object[] arguments) {
    return Sending.send(lookup, arguments);
  }

  private static final class Entry extends Node {
    private final Guard guard;
    @Child private TargetNode target;

    Entry(Guard guard, TargetNode target) {
      this.guard = guard;
      this.target = target;
    }
  }
}
