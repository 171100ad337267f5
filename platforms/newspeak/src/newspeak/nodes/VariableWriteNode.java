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

  VariableWriteNode(int slot) {
    this.slot = slot;
  }

  public static VariableWriteNode of(ContextNode context, int slot, ExpressionNode value) {
    return VariableWriteNodeGen.create(slot, context, value);
  }

  @Specialization(guards = "allows(context, LONG)")
  long writeLong(Frame context, long value) {
    context.setLong(slot, value);
    return value;
  }

  @Specialization(guards = "allows(context, DOUBLE)")
  double writeDouble(Frame context, double value) {
    context.setDouble(slot, value);
    return value;
  }

  @Specialization(guards = "allows(context, BOOLEAN)")
  boolean writeBoolean(Frame context, boolean value) {
    context.setBoolean(slot, value);
    return value;
  }

  @Specialization(replaces = {"writeLong", "writeDouble", "writeBoolean"})
  Object writeObject(Frame context, Object value) {
    if (context.getFrameDescriptor().getSlotKind(slot) != FrameSlotKind.Object) {
      context.getFrameDescriptor().setSlotKind(slot, FrameSlotKind.Object);
    }
    context.setObject(slot, value);
    return value;
  }

  static final FrameSlotKind LONG = FrameSlotKind.Long;
  static final FrameSlotKind DOUBLE = FrameSlotKind.Double;
  static final FrameSlotKind BOOLEAN = FrameSlotKind.Boolean;

  final boolean allows(Frame context, FrameSlotKind wanted) {
    FrameSlotKind kind = context.getFrameDescriptor().getSlotKind(slot);
    if (kind == FrameSlotKind.Illegal) {
      com.oracle.truffle.api.CompilerDirectives.transferToInterpreterAndInvalidate();
      context.getFrameDescriptor().setSlotKind(slot, wanted);
      return true;
    }
    return kind == wanted;
  }
}
