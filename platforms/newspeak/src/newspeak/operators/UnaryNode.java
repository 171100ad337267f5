package newspeak.operators;

import com.oracle.truffle.api.dsl.NodeChild;
import newspeak.nodes.ExpressionNode;

/** A function of the kernel with one operand; what it cannot have is left to a slow function. */
@NodeChild(value = "operand", type = ExpressionNode.class)
public abstract class UnaryNode extends ExpressionNode {
  @Child private Otherwise otherwise;

  public final UnaryNode orElse(Otherwise other) {
    otherwise = other;
    return this;
  }

  final Object otherwise(Object operand) {
    return otherwise.execute(operand);
  }
}
