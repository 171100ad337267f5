package newspeak.nodes;

import com.oracle.truffle.api.frame.VirtualFrame;

/** A constant. */
public final class LiteralNode extends ExpressionNode {
  private final Object value;

  public LiteralNode(Object value) {
    this.value = value;
  }

  @Override
  public Object execute(VirtualFrame frame) {
    return value;
  }
}
