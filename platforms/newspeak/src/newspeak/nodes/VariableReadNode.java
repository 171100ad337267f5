package newspeak.nodes;

import com.oracle.truffle.api.dsl.NodeChild;
import com.oracle.truffle.api.dsl.Specialization;
import com.oracle.truffle.api.frame.Frame;

/** Reads a local of this frame or one outwards. */
@NodeChild(value = "context", type = ContextNode.class)
public abstract class VariableReadNode extends ExpressionNode {
  final int slot;

  VariableReadNode(int slot) {
    this.slot = slot;
  }

  public static VariableReadNode of(ContextNode context, int slot) {
    return VariableReadNodeGen.create(slot, context);
  }

  @Specialization(guards = "context.isLong(slot)")
  long readLong(Frame context) {
    return context.getLong(slot);
  }

  @Specialization(guards = "context.isDouble(slot)")
  double readDouble(Frame context) {
    return context.getDouble(slot);
  }

  @Specialization(guards = "context.isBoolean(slot)")
  boolean readBoolean(Frame context) {
    return context.getBoolean(slot);
  }

  @Specialization(guards = "context.isObject(slot)")
  Object readObject(Frame context) {
    return context.getObject(slot);
  }
}
