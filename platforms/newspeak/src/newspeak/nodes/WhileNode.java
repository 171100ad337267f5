package newspeak.nodes;

import com.oracle.truffle.api.Truffle;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.LoopNode;
import com.oracle.truffle.api.nodes.Node;
import com.oracle.truffle.api.nodes.RepeatingNode;
import com.oracle.truffle.api.nodes.UnexpectedResultException;
import newspeak.dispatch.DispatchNode;
import newspeak.dispatch.Lookup;
import newspeak.objects.Nil;

/** `whileTrue:` and `whileFalse:` with both blocks inlined. */
public final class WhileNode extends ExpressionNode {
  @Child private LoopNode loop;

  /** `notBoolean`: the message that a condition which is no boolean does not understand. */
  public WhileNode(
      ExpressionNode condition, ExpressionNode body, boolean going, Lookup notBoolean) {
    loop = Truffle.getRuntime().createLoopNode(new Turn(condition, body, going, notBoolean));
  }

  @Override
  public Object execute(VirtualFrame frame) {
    loop.execute(frame);
    return Nil.NIL;
  }

  private static final class Turn extends Node implements RepeatingNode {
    @Child private ExpressionNode condition;
    @Child private ExpressionNode body;
    @Child private DispatchNode notBoolean;
    private final boolean going;

    Turn(ExpressionNode condition, ExpressionNode body, boolean going, Lookup notBoolean) {
      this.condition = condition;
      this.body = body;
      this.going = going;
      this.notBoolean = new DispatchNode(notBoolean);
    }

    @Override
    public boolean executeRepeating(VirtualFrame frame) {
      try {
        if (condition.executeBoolean(frame) != going) {
          return false;
        }
      } catch (UnexpectedResultException other) {
        notBoolean.execute(new Object[] {other.getResult(), Nil.NIL});
        return false;
      }
      body.executeVoid(frame);
      return true;
    }
  }
}
