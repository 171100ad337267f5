package newspeak.primitives;

import java.util.HashMap;
import java.util.Map;
import newspeak.actors.ResolveNode;
import newspeak.nodes.ExpressionNode;
import newspeak.operators.Operators;
import newspeak.operators.Otherwise;
import newspeak.runtime.Universe;

/**
 * What the library's files ask of the implementation, as messages to `vm`: operators' nodes, nodes
 * of their own, or plain functions.
 */
public final class Primitives {
  /** The selector by which the kernel reaches an operator's node: the operator, then operands. */
  private static final Map<String, String> OPERATORS = Map.ofEntries(
      Map.entry("add:to:", "+"),
      Map.entry("subtract:from:", "-"),
      Map.entry("multiply:by:", "*"),
      Map.entry("divide:by:", "/"),
      Map.entry("floatDivide:by:", "//"),
      Map.entry("modulo:by:", "%"),
      Map.entry("remainder:by:", "rem:"),
      Map.entry("bits:and:", "&"),
      Map.entry("bits:or:", "bitOr:"),
      Map.entry("bits:xor:", "bitXor:"),
      Map.entry("shift:left:", "<<"),
      Map.entry("shift:right:", ">>>"),
      Map.entry("number:less:", "<"),
      Map.entry("number:lessOrEqual:", "<="),
      Map.entry("number:greater:", ">"),
      Map.entry("number:greaterOrEqual:", ">="),
      Map.entry("array:at:", "at:"),
      Map.entry("array:at:put:", "at:put:"),
      Map.entry("blockValue:", "value"),
      Map.entry("block:value:", "value:"),
      Map.entry("block:value:with:", "value:with:"));

  private final Map<String, NodeMaker> nodes = new HashMap<>();
  private final Map<String, Primitive> known = new HashMap<>();

  private Primitives() {
    nodes.put("block:on:do:", CatchNode::new);
    nodes.put("block:ensure:", EnsureNode::new);
    nodes.put("resolver:resolve:", ResolveNode::new);
    FastPrimitives.addTo(nodes);
    ObjectPrimitives.addTo(known);
    NumberPrimitives.addTo(known);
    TextPrimitives.addTo(known);
    ArrayPrimitives.addTo(known);
    BlockPrimitives.addTo(known);
    MirrorPrimitives.addTo(known);
    SystemPrimitives.addTo(known);
    MeasuringPrimitives.addTo(known);
    FilePrimitives.addTo(known);
    ActorPrimitives.addTo(known);
    ThreadPrimitives.addTo(known);
  }

  private static final Primitives ALL = new Primitives();

  /** Makes a node for a primitive that is more than a function. */
  interface NodeMaker {
    ExpressionNode make(Universe universe, ExpressionNode[] arguments);
  }

  private static Otherwise otherwise(Universe universe, String selector) {
    Primitive other = switch (selector) {
      case "array:at:" -> ArrayPrimitives::at;
      case "array:at:put:" -> ArrayPrimitives::put;
      case "divide:by:", "modulo:by:", "remainder:by:" -> NumberPrimitives::noQuotient;
      case "blockValue:", "block:value:", "block:value:with:" -> BlockPrimitives::wrongArity;
      default -> null;
    };
    return other == null ? Otherwise.argumentError(universe)
        : Otherwise.function(operands -> other.apply(universe, operands));
  }

  /** The node of a primitive. */
  public static ExpressionNode node(
      Universe universe, String selector, ExpressionNode[] arguments) {
    String operator = OPERATORS.get(selector);
    if (operator != null) {
      ExpressionNode[] rest = java.util.Arrays.copyOfRange(arguments, 1, arguments.length);
      return Operators.of(operator, arguments[0], rest, otherwise(universe, selector));
    }
    NodeMaker maker = ALL.nodes.get(selector);
    if (maker != null) {
      return maker.make(universe, arguments);
    }
    Primitive primitive = ALL.known.get(selector);
    if (primitive == null) {
      throw new IllegalStateException("there is no primitive " + selector);
    }
    return new PrimitiveNode(universe, primitive, arguments);
  }
}
