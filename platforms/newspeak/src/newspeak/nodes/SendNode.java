package newspeak.nodes;

import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import com.oracle.truffle.api.nodes.UnexpectedResultException;
import newspeak.dispatch.DispatchNode;
import newspeak.dispatch.Lookup;

/** A synchronous message. */
public final class SendNode extends ExpressionNode {
  @Child private ExpressionNode receiver;
  @Children private final ExpressionNode[] arguments;
  @Child private DispatchNode dispatch;

  public SendNode(Lookup lookup, ExpressionNode receiver, ExpressionNode... arguments) {
    this.receiver = receiver;
    this.arguments = arguments;
    this.dispatch = new DispatchNode(lookup);
  }

  Lookup lookup() {
    return dispatch.lookup();
  }

  @Override
  public Object execute(VirtualFrame frame) {
    return executeWith(frame, receiver.execute(frame));
  }

  @Override
  public boolean executeBoolean(VirtualFrame frame) throws UnexpectedResultException {
    return dispatch.executeBoolean(operands(frame, receiver.execute(frame)));
  }

  /** Sends to a receiver that is known already. */
  public Object executeWith(VirtualFrame frame, Object known) {
    return dispatch.execute(operands(frame, known));
  }

  @ExplodeLoop
  private Object[] operands(VirtualFrame frame, Object known) {
    Object[] all = new Object[arguments.length + 1];
    all[0] = known;
    for (int index = 0; index < arguments.length; index++) {
      all[index + 1] = arguments[index].execute(frame);
    }
    return all;
  }

  /** Sends where the receiver and the first arguments are known already. */
  Object executeAfter(VirtualFrame frame, Object... known) {
    Object[] all = java.util.Arrays.copyOf(known, arguments.length + 1);
    for (int index = known.length; index < all.length; index++) {
      all[index] = arguments[index - 1].execute(frame);
    }
    return dispatch.execute(all);
  }
}
