package newspeak.operators;

import com.oracle.truffle.api.Assumption;
import com.oracle.truffle.api.dsl.NodeChild;
import java.math.BigInteger;
import newspeak.nodes.ExpressionNode;

/** An operator with an argument, for the types that the kernel defines it on. */
@NodeChild(value = "receiver", type = ExpressionNode.class)
@NodeChild(value = "argument", type = ExpressionNode.class)
public abstract class BinaryNode extends ExpressionNode {
  @Child private Otherwise otherwise;

  public final BinaryNode orElse(Otherwise other) {
    otherwise = other;
    return this;
  }

  final Object otherwise(Object receiver, Object argument) {
    return otherwise.execute(receiver, argument);
  }

  final Assumption identityKept() {
    return otherwise.identityKept();
  }

  static boolean isNumber(Object value) {
    return value instanceof Long || value instanceof Double || value instanceof BigInteger;
  }

  static boolean isInteger(Object value) {
    return value instanceof Long || value instanceof BigInteger;
  }
}
