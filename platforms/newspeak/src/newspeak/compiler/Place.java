package newspeak.compiler;

import java.util.ArrayList;
import java.util.List;
import newspeak.nodes.ContextNode;
import newspeak.nodes.EnclosingNode;
import newspeak.nodes.ExpressionNode;
import newspeak.nodes.FrameSelfNode;

/**
 * A step of the way outwards from a piece of code: a scope, and the nodes that reach the frame of a
 * code scope, or the object of a class scope. The nodes are made anew each time, as a node stands
 * in one tree only.
 */
final class Place {
  private final Scope scope;
  private final Base base;
  private final List<CodeScope> left;
  private final Maker object;

  private interface Maker {
    ExpressionNode make();
  }

  /** Where the frames of this way begin: `frame` is null for the current one. */
  private record Base(Maker frame, boolean block) {
    ContextNode context() {
      return frame == null ? ContextNode.current() : ContextNode.literal(frame.make());
    }

    ExpressionNode self() {
      return new FrameSelfNode(context(), block);
    }
  }

  private Place(Scope scope, Base base, List<CodeScope> left, Maker object) {
    this.scope = scope;
    this.base = base;
    this.left = left;
    this.object = object;
  }

  static Place of(CodeScope scope) {
    return new Place(scope, new Base(null, scope.root().isBlock()), List.of(), null);
  }

  Scope scope() {
    return scope;
  }

  /** The next place outwards, or null. */
  Place outer() {
    Scope next = scope.outer();
    if (next == null) {
      return null;
    }
    if (scope instanceof CodeScope code) {
      if (!(next instanceof CodeScope)) {
        return new Place(next, null, List.of(), base::self);
      }
      List<CodeScope> further = new ArrayList<>(left);
      if (!code.isInlined()) {
        further.add(code);
      }
      return new Place(next, base, further, null);
    }
    ClassScope cls = (ClassScope) scope;
    if (next instanceof CodeScope code) {
      Maker frame =
          () -> EnclosingNode.frame(object.make(), cls.part(), cls.classSide());
      return new Place(next, new Base(frame, code.root().isBlock()), List.of(), null);
    }
    return new Place(next, null, List.of(),
        () -> EnclosingNode.object(object.make(), cls.part(), cls.classSide()));
  }

  /** The frame of a code scope; the blocks left behind must hold theirs. */
  ContextNode context() {
    left.forEach(CodeScope::useContext);
    return left.isEmpty() ? base.context() : ContextNode.outer(base.context(), left.size());
  }

  /** The object of a class scope, or self of a code scope. */
  ExpressionNode self() {
    return object != null ? object.make() : base.self();
  }
}
