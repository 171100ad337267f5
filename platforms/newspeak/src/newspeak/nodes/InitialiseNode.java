package newspeak.nodes;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.CompilerDirectives.CompilationFinal;
import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.RootCallTarget;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.DirectCallNode;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import newspeak.objects.Nil;
import newspeak.objects.SObject;
import newspeak.objects.SSymbol;
import newspeak.structure.ClassDefinition;
import newspeak.structure.Layout;

/**
 * Runs the initialiser of a superclass or mixin on the new object. The message must name its
 * primary factory; a superclass whose factory is not `new` is skipped where no message is written.
 */
public final class InitialiseNode extends ExpressionNode {
  private final ClassDefinition definition;
  private final int part;
  private final SSymbol selector;
  private final boolean written;
  @Child private ExpressionNode self;
  @Children private final ExpressionNode[] arguments;
  @Child private DirectCallNode call;
  @CompilationFinal private Layout layout;
  @CompilationFinal private boolean skipped;

  public InitialiseNode(ClassDefinition definition, int part, SSymbol selector, boolean written,
      ExpressionNode self, ExpressionNode[] arguments) {
    this.definition = definition;
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
    if (layout == null) {
      CompilerDirectives.transferToInterpreterAndInvalidate();
      specialise(object);
    }
    if (object.layout() != layout) {
      return slowly(object, all);
    }
    if (!skipped) {
      call.call(all);
    }
    return Nil.NIL;
  }

  private void specialise(SObject object) {
    atomic(() -> {
      RootCallTarget target = target(object);
      if (target == null) {
        skipped = true;
      } else {
        call = insert(DirectCallNode.create(target));
      }
      layout = object.layout();
    });
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
    Layout holder = object.layout().holderOf(definition);
    ClassDefinition inherited;
    if (part == 0) {
      if (holder.superlayout() == null) {
        return null;
      }
      inherited = holder.superlayout().definition();
    } else {
      inherited = holder.parts().get(part);
    }
    if (inherited.factory() != selector) {
      if (part == 0 && !written) {
        return null;
      }
      throw definition.universe().signals().notUnderstood(object, selector, new Object[0]);
    }
    if (part > 0) {
      return inherited.initialisesNothing() ? null : inherited.mixinInitialiser();
    }
    return holder.superlayout().initialisesNothing() ? null : inherited.initialiser();
  }
}
