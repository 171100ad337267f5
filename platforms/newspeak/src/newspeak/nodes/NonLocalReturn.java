package newspeak.nodes;

import com.oracle.truffle.api.frame.Frame;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ControlFlowException;
import newspeak.dispatch.DispatchNode;
import newspeak.dispatch.Lookup;

/** `^` in a block: leaves the method around it, or is an escaped block where that has returned. */
public final class NonLocalReturn extends ExpressionNode {
  @Child private ContextNode home;
  @Child private ExpressionNode value;
  @Child private ExpressionNode self;
  @Child private DispatchNode escaped;
  private final int slot;

  public NonLocalReturn(
      ContextNode home, int slot, ExpressionNode value, ExpressionNode self, Lookup escaped) {
    this.home = home;
    this.slot = slot;
    this.value = value;
    this.self = self;
    this.escaped = new DispatchNode(escaped);
  }

  @Override
  public Object execute(VirtualFrame frame) {
    Object result = value.execute(frame);
    Frame method = home.execute(frame);
    ReturnMarker marker = (ReturnMarker) method.getObject(slot);
    if (marker.isRunning()) {
      throw new Leave(marker, result);
    }
    throw new BlockEnd(
        escaped.execute(new Object[] {self.execute(frame), frame.getArguments()[0]}));
  }

  private static final class Leave extends ControlFlowException {
    private static final long serialVersionUID = 1L;
    private final transient ReturnMarker marker;
    private final transient Object result;

    Leave(ReturnMarker marker, Object result) {
      this.marker = marker;
      this.result = result;
    }
  }

  private static final class BlockEnd extends ControlFlowException {
    private static final long serialVersionUID = 1L;
    private final transient Object result;

    BlockEnd(Object result) {
      this.result = result;
    }
  }

  /** The code of a method that such blocks may leave. */
  public static final class Target extends ExpressionNode {
    @Child private ExpressionNode body;
    private final int slot;

    public Target(ExpressionNode body, int slot) {
      this.body = body;
      this.slot = slot;
    }

    @Override
    public Object execute(VirtualFrame frame) {
      ReturnMarker marker = new ReturnMarker();
      frame.setObject(slot, marker);
      try {
        return body.execute(frame);
      } catch (Leave leave) {
        if (leave.marker == marker) {
          return leave.result;
        }
        throw leave;
      } finally {
        marker.end();
      }
    }
  }

  /** The code of a block with such returns: where it escaped, the answer to that is its value. */
  public static final class BlockTarget extends ExpressionNode {
    @Child private ExpressionNode body;

    public BlockTarget(ExpressionNode body) {
      this.body = body;
    }

    @Override
    public Object execute(VirtualFrame frame) {
      try {
        return body.execute(frame);
      } catch (BlockEnd end) {
        return end.result;
      }
    }
  }
}
