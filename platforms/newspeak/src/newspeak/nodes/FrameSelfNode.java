package newspeak.nodes;

import com.oracle.truffle.api.frame.VirtualFrame;
import newspeak.objects.SBlock;

/** The receiver of the method that a frame belongs to, itself or through a block. */
public final class FrameSelfNode extends ExpressionNode {
  @Child private ContextNode context;
  private final boolean block;

  public FrameSelfNode(ContextNode context, boolean block) {
    this.context = context;
    this.block = block;
  }

  @Override
  public Object execute(VirtualFrame frame) {
    Object receiver = context.execute(frame).getArguments()[0];
    return block ? ((SBlock) receiver).self() : receiver;
  }
}
