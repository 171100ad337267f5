package newspeak.operators;

import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import newspeak.nodes.ExpressionNode;
import newspeak.objects.SBlock;

/** `value`, `value:` and `value:with:` of blocks; a wrong arity is left to the kernel's method. */
public final class BlockValueNode extends ExpressionNode {
  @Child private ExpressionNode receiver;
  @Children private final ExpressionNode[] arguments;
  @Child private BlockCallNode call = BlockCallNodeGen.create();
  @Child private Otherwise otherwise;

  public BlockValueNode(
      ExpressionNode receiver, ExpressionNode[] arguments, Otherwise otherwise) {
    this.receiver = receiver;
    this.arguments = arguments;
    this.otherwise = otherwise;
  }

  @Override
  @ExplodeLoop
  public Object execute(VirtualFrame frame) {
    Object[] all = new Object[arguments.length + 1];
    all[0] = receiver.execute(frame);
    for (int index = 0; index < arguments.length; index++) {
      all[index + 1] = arguments[index].execute(frame);
    }
    if (all[0] instanceof SBlock block && block.arity() == arguments.length) {
      return call.execute(block, all);
    }
    return otherwise.execute(all);
  }
}
