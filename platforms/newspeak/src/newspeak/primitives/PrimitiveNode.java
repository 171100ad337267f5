package newspeak.primitives;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import newspeak.nodes.ExpressionNode;
import newspeak.runtime.Universe;

/** Calls a function of the implementation. */
final class PrimitiveNode extends ExpressionNode {
  private final Universe universe;
  private final Primitive primitive;
  @Children private final ExpressionNode[] arguments;

  PrimitiveNode(Universe universe, Primitive primitive, ExpressionNode[] arguments) {
    this.universe = universe;
    this.primitive = primitive;
    this.arguments = arguments;
  }

  @Override
  @ExplodeLoop
  public Object execute(VirtualFrame frame) {
    Object[] values = new Object[arguments.length];
    for (int index = 0; index < values.length; index++) {
      values[index] = arguments[index].execute(frame);
    }
    return apply(values);
  }

  @TruffleBoundary
  private Object apply(Object[] values) {
    return primitive.apply(universe, values);
  }
}
