package newspeak.nodes;

import com.oracle.truffle.api.RootCallTarget;
import com.oracle.truffle.api.frame.VirtualFrame;
import newspeak.objects.SBlock;

/** Makes a block; one that reads nothing around it holds no frame. */
public final class BlockLiteralNode extends ExpressionNode {
  @Child private ExpressionNode self;
  private final RootCallTarget target;
  private final int arity;
  private final boolean closes;

  public BlockLiteralNode(
      ExpressionNode self, RootCallTarget target, int arity, boolean closes) {
    this.self = self;
    this.target = target;
    this.arity = arity;
    this.closes = closes;
  }

  @Override
  public SBlock execute(VirtualFrame frame) {
    return new SBlock(target, arity, self.execute(frame), closes ? frame.materialize() : null);
  }
}
