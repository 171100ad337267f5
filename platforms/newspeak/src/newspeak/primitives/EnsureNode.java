package newspeak.primitives;

import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ControlFlowException;
import newspeak.nodes.ExpressionNode;
import newspeak.objects.SBlock;
import newspeak.operators.BlockCallNode;
import newspeak.operators.BlockCallNodeGen;
import newspeak.runtime.SException;
import newspeak.runtime.Universe;

/** `ensure:`: the second block runs however the first one ends, unless the program ends. */
final class EnsureNode extends ExpressionNode {
  private final Universe universe;
  @Child private ExpressionNode body;
  @Child private ExpressionNode last;
  @Child private BlockCallNode callBody = BlockCallNodeGen.create();
  @Child private BlockCallNode callLast = BlockCallNodeGen.create();

  EnsureNode(Universe universe, ExpressionNode[] arguments) {
    this.universe = universe;
    body = arguments[0];
    last = arguments[1];
  }

  @Override
  public Object execute(VirtualFrame frame) {
    SBlock block = withoutArguments((SBlock) body.execute(frame));
    Object after = last.execute(frame);
    if (after instanceof SBlock code) {
      withoutArguments(code);
    }
    Object answer;
    try {
      answer = callBody.execute(block, new Object[] {block});
    } catch (SException | ControlFlowException | StackOverflowError
        | OutOfMemoryError leaving) {
      finish(after);
      throw leaving;
    }
    finish(after);
    return answer;
  }

  private SBlock withoutArguments(SBlock block) {
    if (block.arity() != 0) {
      throw universe.signals().argumentError(block);
    }
    return block;
  }

  private void finish(Object after) {
    if (after instanceof SBlock code) {
      callLast.execute(code, new Object[] {code});
    }
  }
}
