package newspeak.compiler;

import java.util.List;
import java.util.Set;
import newspeak.dispatch.Lookup;
import newspeak.nodes.CountingLoopNode;
import newspeak.nodes.ExpressionNode;
import newspeak.nodes.IfNode;
import newspeak.nodes.JunctionNode;
import newspeak.nodes.WhileNode;
import newspeak.objects.SSymbol;
import newspeak.syntax.Expression;

/** Control structures whose blocks stand right there become nodes of their own. */
final class Inliner {
  private static final Set<String> SELECTORS = Set.of("ifTrue:", "ifFalse:", "ifTrue:ifFalse:",
      "ifFalse:ifTrue:", "and:", "or:", "&&", "||", "whileTrue:", "whileFalse:", "to:do:",
      "downTo:do:", "to:by:do:", "downTo:by:do:");

  private final ExpressionCompiler code;

  Inliner(ExpressionCompiler code) {
    this.code = code;
  }

  static boolean inlines(String selector) {
    return SELECTORS.contains(selector);
  }

  /** The node, or null where this is an ordinary message. */
  ExpressionNode inline(Expression.Send send) {
    if (!inlines(send.selector()) || isSelf(send.receiver())) {
      return null;
    }
    List<Expression> arguments = send.arguments();
    return switch (send.selector()) {
      case "ifTrue:" -> branch(send, arguments.get(0), null);
      case "ifFalse:" -> branch(send, null, arguments.get(0));
      case "ifTrue:ifFalse:" -> branch(send, arguments.get(0), arguments.get(1));
      case "ifFalse:ifTrue:" -> branch(send, arguments.get(1), arguments.get(0));
      case "and:", "&&" -> junction(send, false);
      case "or:", "||" -> junction(send, true);
      case "whileTrue:" -> loop(send, true);
      case "whileFalse:" -> loop(send, false);
      default -> counting(send);
    };
  }

  private static boolean isSelf(Expression receiver) {
    return receiver instanceof Expression.Self || receiver instanceof Expression.Super
        || receiver instanceof Expression.Outer;
  }

  /** A block literal with so many arguments that may live in this frame; else null. */
  private static Expression.BlockLiteral block(Expression expression, int parameters) {
    return expression instanceof Expression.BlockLiteral block
        && block.parameters().size() == parameters && Captures.mayInline(block) ? block : null;
  }

  private ExpressionNode inlined(Expression block) {
    return block == null ? null : code.blocks().inlined((Expression.BlockLiteral) block);
  }

  private ExpressionNode branch(
      Expression.Send send, Expression whenTrue, Expression whenFalse) {
    if (whenTrue != null && block(whenTrue, 0) == null
        || whenFalse != null && block(whenFalse, 0) == null) {
      return null;
    }
    return new IfNode(code.compile(send.receiver()), inlined(whenTrue), inlined(whenFalse),
        () -> code.messages().plain(send));
  }

  private ExpressionNode junction(Expression.Send send, boolean decisive) {
    Expression argument = send.arguments().get(0);
    if (block(argument, 0) == null) {
      return null;
    }
    return new JunctionNode(code.compile(send.receiver()), inlined(argument), decisive,
        () -> code.messages().plain(send));
  }

  private ExpressionNode loop(Expression.Send send, boolean going) {
    Expression body = send.arguments().get(0);
    if (block(send.receiver(), 0) == null || block(body, 0) == null) {
      return null;
    }
    Lookup notBoolean =
        Lookup.ofPublic(code.holder().universe(), SSymbol.of(going ? "ifTrue:" : "ifFalse:"));
    return new WhileNode(inlined(send.receiver()), inlined(body), going, notBoolean);
  }

  private ExpressionNode counting(Expression.Send send) {
    List<Expression> arguments = send.arguments();
    boolean steps = arguments.size() == 3;
    Expression.BlockLiteral block = block(arguments.get(arguments.size() - 1), 1);
    if (block == null) {
      return null;
    }
    ExpressionNode from = code.compile(send.receiver());
    ExpressionNode to = code.compile(arguments.get(0));
    ExpressionNode by = steps ? code.compile(arguments.get(1)) : null;
    CodeScope inner = CodeScope.inlined(code.scope());
    var slots = new CountingLoopNode.Slots(inner.hiddenSlot(), inner.hiddenSlot(),
        inner.hiddenSlot(), inner.declare(block.parameters().get(0), false).index());
    ExpressionNode body = BlockCompiler.sequence(code.in(inner).statements(block.body()));
    return new CountingLoopNode(from, to, by, send.selector().startsWith("down"), body, slots,
        () -> code.messages().plain(send));
  }
}
