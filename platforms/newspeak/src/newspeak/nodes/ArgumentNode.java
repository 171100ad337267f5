package newspeak.nodes;

import com.oracle.truffle.api.frame.VirtualFrame;

/** An argument of the method or block, of this frame or one outwards. */
public final class ArgumentNode extends ExpressionNode {
  @Child private ContextNode context;
  private final int index;

  public ArgumentNode(ContextNode context, int index) {
    this.context = context;
    this.index = index;
  }

  @Override
  public Object execute(VirtualFrame frame) {
    return context.execute(frame).getArguments()[index];
  }
}
