package newspeak.operators;

import java.util.Map;
import java.util.function.BiFunction;
import newspeak.nodes.ExpressionNode;

/** The messages that send sites execute without a lookup where the operands' types allow it. */
public final class Operators {
  private static final Map<String, BiFunction<ExpressionNode, ExpressionNode, BinaryNode>> BINARY =
      Map.ofEntries(
          Map.entry("+", AddNodeGen::create),
          Map.entry("-", SubtractNodeGen::create),
          Map.entry("*", MultiplyNodeGen::create),
          Map.entry("/", DivideNodeGen::create),
          Map.entry("//", FloatDivideNodeGen::create),
          Map.entry("%", ModuloNodeGen::create),
          Map.entry("rem:", RemainderNodeGen::create),
          Map.entry("&", BitAndNodeGen::create),
          Map.entry("bitOr:", BitOrNodeGen::create),
          Map.entry("bitXor:", BitXorNodeGen::create),
          Map.entry("<<", ShiftLeftNodeGen::create),
          Map.entry(">>>", ShiftRightNodeGen::create),
          Map.entry("<", LessNodeGen::create),
          Map.entry("<=", LessEqualNodeGen::create),
          Map.entry(">", GreaterNodeGen::create),
          Map.entry(">=", GreaterEqualNodeGen::create),
          Map.entry("=", EqualNodeGen::create),
          Map.entry("<>", UnequalNodeGen::create),
          Map.entry("==", SameNodeGen::create),
          Map.entry("~=", DifferentNodeGen::create),
          Map.entry("at:", ArrayAtNodeGen::create));

  private Operators() {}

  /** The operator's node, or null where the message is always an ordinary one. */
  public static ExpressionNode of(
      String selector, ExpressionNode receiver, ExpressionNode[] arguments, Otherwise otherwise) {
    BiFunction<ExpressionNode, ExpressionNode, BinaryNode> binary = BINARY.get(selector);
    if (binary != null) {
      return binary.apply(receiver, arguments[0]).orElse(otherwise);
    }
    return switch (selector) {
      case "at:put:" -> ArrayAtPutNodeGen.create(receiver, arguments[0], arguments[1])
          .orElse(otherwise);
      case "value", "value:", "value:with:" ->
          new BlockValueNode(receiver, arguments, otherwise);
      default -> null;
    };
  }

  public static boolean isOperator(String selector) {
    return BINARY.containsKey(selector) || selector.equals("at:put:") || selector.equals("value")
        || selector.equals("value:") || selector.equals("value:with:");
  }
}
