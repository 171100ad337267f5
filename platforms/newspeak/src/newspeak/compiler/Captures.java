package newspeak.compiler;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import newspeak.syntax.Body;
import newspeak.syntax.ClassTree;
import newspeak.syntax.Expression;
import newspeak.syntax.SlotTree;

/**
 * Whether a block may live in the frame around it. Each turn of a loop has variables of its own: a
 * closure that outlives the turn must not see the next one's, so a block whose variables a closure
 * mentions keeps a frame of its own. Judged by names, on the safe side.
 */
final class Captures {
  private Captures() {}

  static boolean mayInline(Expression.BlockLiteral block) {
    Set<String> own = new HashSet<>(block.parameters());
    block.body().locals().forEach(local -> own.add(local.name()));
    return own.isEmpty() || !closureMentions(block.body(), own, false);
  }

  private static boolean closureMentions(Body body, Set<String> names, boolean inside) {
    for (SlotTree local : body.locals()) {
      if (local.initial() != null && mentions(local.initial(), names, inside)) {
        return true;
      }
    }
    return any(body.statements(), names, inside);
  }

  private static boolean any(List<Expression> many, Set<String> names, boolean inside) {
    return many.stream().anyMatch(one -> mentions(one, names, inside));
  }

  private static boolean mentions(Expression expression, Set<String> names, boolean inside) {
    return switch (expression) {
      case Expression.Name name -> inside && names.contains(name.name());
      case Expression.Assignment one ->
          inside && names.contains(one.name()) || mentions(one.value(), names, inside);
      case Expression.Send send -> ofSend(send, names, inside);
      case Expression.Cascade cascade -> mentions(cascade.receiver(), names, inside)
          || cascade.messages().stream()
              .anyMatch(message -> any(message.arguments(), names, inside));
      case Expression.Return back -> mentions(back.value(), names, inside);
      case Expression.ArrayLiteral array -> any(array.elements(), names, inside);
      case Expression.BlockLiteral block -> closureMentions(block.body(), names, true);
      case Expression.ObjectLiteral object -> ofClass(object.tree(), names);
      default -> false;
    };
  }

  private static boolean ofSend(Expression.Send send, Set<String> names, boolean inside) {
    boolean inlined = Inliner.inlines(send.selector()) && !send.eventual();
    return send.receiver() != null && ofOperand(send.receiver(), names, inside, inlined)
        || send.arguments().stream().anyMatch(one -> ofOperand(one, names, inside, inlined));
  }

  private static boolean ofOperand(
      Expression operand, Set<String> names, boolean inside, boolean inlined) {
    if (inlined && operand instanceof Expression.BlockLiteral block && mayInline(block)) {
      return closureMentions(block.body(), names, inside);
    }
    return mentions(operand, names, inside);
  }

  private static boolean ofClass(ClassTree tree, Set<String> names) {
    boolean inheritance = tree.superclass() != null
        && (mentions(tree.superclass().reference(), names, true)
            || any(tree.superclass().arguments(), names, true));
    return inheritance
        || tree.mixins().stream().anyMatch(one -> mentions(one.reference(), names, true)
            || any(one.arguments(), names, true))
        || tree.slots().stream()
            .anyMatch(slot -> slot.initial() != null && mentions(slot.initial(), names, true))
        || any(tree.initialisers(), names, true)
        || tree.methods().stream().anyMatch(one -> closureMentions(one.body(), names, true))
        || tree.classMethods().stream().anyMatch(one -> closureMentions(one.body(), names, true))
        || tree.classes().stream().anyMatch(one -> ofClass(one, names));
  }
}
