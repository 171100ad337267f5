package newspeak.nodes;

import com.oracle.truffle.api.frame.VirtualFrame;

/** An integer constant of 64 bits. */
public final class LongLiteralNode extends ExpressionNode {
  private final long value;

  public LongLiteralNode(long value) {
    this.value = value;
  }

  @Override
  public Object execute(VirtualFrame frame) {
    return value;
  }

  @Override
  public long executeLong(VirtualFrame frame) {
    return value;
  }
}
