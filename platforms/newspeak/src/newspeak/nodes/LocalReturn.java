package newspeak.nodes;

import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ControlFlowException;

/** `^` in a block that is inlined into its method. */
public final class LocalReturn extends ExpressionNode {
  @Child private ExpressionNode value;

  public LocalReturn(ExpressionNode value) {
    this.value = value;
  }

  @Override
  public Object execute(VirtualFrame frame) {
    throw new Leave(value.execute(frame));
  }

  private static final class Leave extends ControlFlowException {
    private static final long serialVersionUID = 1L;
    private final transient Object result;

    Leave(Object result) {
      this.result = result;
    }
  }

  /** The code of a method with such returns. */
  public static final class Target extends ExpressionNode {
    @Child private ExpressionNode body;

    public Target(ExpressionNode body) {
      this.body = body;
    }

    @Override
    public Object execute(VirtualFrame frame) {
      try {
        return body.execute(frame);
      } catch (Leave leave) {
        return leave.result;
      }
    }
  }
}
