package newspeak.nodes;

import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ExplodeLoop;

/** Expressions one after another; the value is the last one's. */
public final class SequenceNode extends ExpressionNode {
  @Children private final ExpressionNode[] first;
  @Child private ExpressionNode last;

  private SequenceNode(ExpressionNode[] first, ExpressionNode last) {
    this.first = first;
    this.last = last;
  }

  /** One or more expressions. */
  public static ExpressionNode of(java.util.List<ExpressionNode> expressions) {
    int count = expressions.size() - 1;
    ExpressionNode last = expressions.get(count);
    return count == 0 ? last
        : new SequenceNode(expressions.subList(0, count).toArray(new ExpressionNode[count]), last);
  }

  @Override
  public Object execute(VirtualFrame frame) {
    executeFirst(frame);
    return last.execute(frame);
  }

  @Override
  public long executeLong(VirtualFrame frame)
      throws com.oracle.truffle.api.nodes.UnexpectedResultException {
    executeFirst(frame);
    return last.executeLong(frame);
  }

  @Override
  public boolean executeBoolean(VirtualFrame frame)
      throws com.oracle.truffle.api.nodes.UnexpectedResultException {
    executeFirst(frame);
    return last.executeBoolean(frame);
  }

  @Override
  public void executeVoid(VirtualFrame frame) {
    executeFirst(frame);
    last.executeVoid(frame);
  }

  @ExplodeLoop
  private void executeFirst(VirtualFrame frame) {
    for (ExpressionNode one : first) {
      one.executeVoid(frame);
    }
  }
}
