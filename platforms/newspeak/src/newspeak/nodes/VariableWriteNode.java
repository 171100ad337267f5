package newspeak.nodes;

import com.oracle.truffle.api.dsl.NodeChild;
import com.oracle.truffle.api.dsl.Specialization;
import com.oracle.truffle.api.frame.Frame;
import com.oracle.truffle.api.frame.FrameSlotKind;

/** Writes a local of this frame or one outwards; without a box while its values are of one type. */
@NodeChild(value = "context", type = ContextNode.class)
@NodeChild(value = "value", type = ExpressionNode.class)
public abstract class VariableWriteNode extends ExpressionNode {
  final int slot;
  final LocalType type;

  VariableWriteNode(int slot, LocalType type) {
    this.slot = slot;
    this.type = type;
  }

  public static VariableWriteNode of(
      ContextNode context, int slot, LocalType type, ExpressionNode value) {
    return VariableWriteNodeGen.create(slot, type, context, value);
  }

  @Specialization(guards = "type.admits(LONG)")
  long writeLong(Frame context, long value) {
    context.setLong(slot, value);
    return value;
  }

  @Specialization(guards = "type.admits(DOUBLE)")
  double writeDouble(Frame context, double value) {
    context.setDouble(slot, value);
    return value;
  }

  @Specialization(guards = "type.admits(BOOLEAN)")
  boolean writeBoolean(Frame context, boolean value) {
    context.setBoolean(slot, value);
    return value;
  }

  @Specialization(replaces = {"writeLong", "writeDouble", "writeBoolean"})
  Object writeObject(Frame context, Object value) {
    type.generalise();
    context.setObject(slot, value);
    return value;
  }

  static final FrameSlotKind LONG = FrameSlotKind.Long;
  static final FrameSlotKind DOUBLE = FrameSlotKind.Double;
  static final FrameSlotKind BOOLEAN = FrameSlotKind.Boolean;
}
