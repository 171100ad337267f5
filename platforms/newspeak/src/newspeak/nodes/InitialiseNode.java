package newspeak.nodes;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.CompilerDirectives.CompilationFinal;
import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.RootCallTarget;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.DirectCallNode;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import com.oracle.truffle.api.nodes.Node;
import java.util.Arrays;
import newspeak.objects.Nil;
import newspeak.objects.SObject;
import newspeak.objects.SSymbol;
import newspeak.structure.ClassDefinition;
import newspeak.structure.Layout;
import newspeak.structure.Part;

/**
 * Runs the initialiser of a superclass or mixin on the new object. The message must name its
 * primary factory; a superclass whose factory is not `new` is skipped where no message is written.
 */
public final class InitialiseNode extends ExpressionNode {
  private static final int LIMIT = 8;

  private final Part own;
  private final int part;
  private final SSymbol selector;
  private final boolean written;
  @Child private ExpressionNode self;
  @Children private final ExpressionNode[] arguments;
  @Children private Case[] cases = {};
  @CompilationFinal private boolean many;

  /** `part` says what is initialised: 0 is the superclass, then the mixins of the class `own`. */
  public InitialiseNode(Part own, int part, SSymbol selector, boolean written,
      ExpressionNode self, ExpressionNode[] arguments) {
    this.own = own;
    this.part = part;
    this.selector = selector;
    this.written = written;
    this.self = self;
    this.arguments = arguments;
  }

  @Override
  @ExplodeLoop
  public Object execute(VirtualFrame frame) {
    Object[] all = new Object[arguments.length + 1];
    SObject object = (SObject) self.execute(frame);
    all[0] = object;
    for (int index = 0; index < arguments.length; index++) {
      all[index + 1] = arguments[index].execute(frame);
    }
    Layout layout = object.layout();
    for (Case one : cases) {
      if (one.isOf(layout)) {
        one.execute(all);
        return Nil.NIL;
      }
    }
    if (!many) {
      CompilerDirectives.transferToInterpreterAndInvalidate();
      RootCallTarget target = target(object); // may signal, which runs code of the program
      atomic(() -> specialise(layout, target));
    }
    return slowly(object, all);
  }

  /** Remembers what objects of this layout need. Layouts that need the same share a case. */
  private void specialise(Layout layout, RootCallTarget target) {
    if (Arrays.stream(cases).anyMatch(one -> one.isOf(layout))) {
      return; // another thread was faster
    }
    if (Arrays.stream(cases).mapToInt(one -> one.layouts.length).sum() == LIMIT) {
      many = true;
      return;
    }
    for (Case one : cases) {
      if (one.target == target) {
        one.add(layout);
        return;
      }
    }
    Case[] more = Arrays.copyOf(cases, cases.length + 1);
    more[cases.length] = insert(new Case(target, layout));
    cases = more;
  }

  @TruffleBoundary
  private Object slowly(SObject object, Object[] all) {
    RootCallTarget target = target(object);
    if (target != null) {
      target.call(all);
    }
    return Nil.NIL;
  }

  /** The initialiser, or null where there is nothing to do. */
  private RootCallTarget target(SObject object) {
    Layout level = own.in(object.layout());
    Layout above = level.superlayout();
    if (part == 0 && above == null) {
      return null;
    }
    ClassDefinition inherited = part == 0 ? above.definition() : level.parts().get(part);
    if (inherited.factory() != selector) {
      if (part == 0 && !written) {
        return null;
      }
      throw inherited.universe().signals().notUnderstood(object, selector, new Object[0]);
    }
    if (part == 0) {
      return above.initialisesNothing() ? null : above.initialiser(0);
    }
    return inherited.initialisesNothing() ? null : level.initialiser(part);
  }

  /** Layouts whose objects are initialised by the same target; null if there is nothing to do. */
  private static final class Case extends Node {
    private final RootCallTarget target;
    @Child private DirectCallNode call;
    @CompilationFinal(dimensions = 1) private Layout[] layouts;

    Case(RootCallTarget target, Layout first) {
      this.target = target;
      this.call = target == null ? null : DirectCallNode.create(target);
      this.layouts = new Layout[] {first};
    }

    void add(Layout layout) {
      Layout[] more = Arrays.copyOf(layouts, layouts.length + 1);
      more[layouts.length] = layout;
      layouts = more;
    }

    @ExplodeLoop
    boolean isOf(Layout layout) {
      for (Layout one : layouts) {
        if (one == layout) {
          return true;
        }
      }
      return false;
    }

    void execute(Object[] all) {
      if (call != null) {
        call.call(all);
      }
    }
  }
}
