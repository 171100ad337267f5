package newspeak.nodes;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.UnexpectedResultException;
import java.util.function.Supplier;

/** `and:` and `or:` with the block inlined. */
public final class JunctionNode extends ExpressionNode {
  @Child private ExpressionNode first;
  @Child private ExpressionNode second;
  private final boolean decisive;
  private final Supplier<SendNode> general;

  /** `decisive`: the value of the first operand at which the second is not asked. */
  public JunctionNode(ExpressionNode first, ExpressionNode second, boolean decisive,
      Supplier<SendNode> general) {
    this.first = first;
    this.second = second;
    this.decisive = decisive;
    this.general = general;
  }

  @Override
  public Object execute(VirtualFrame frame) {
    try {
      return first.executeBoolean(frame) == decisive ? decisive : second.execute(frame);
    } catch (UnexpectedResultException other) {
      return generally(frame, other.getResult());
    }
  }

  @Override
  public boolean executeBoolean(VirtualFrame frame) throws UnexpectedResultException {
    boolean known;
    try {
      known = first.executeBoolean(frame);
    } catch (UnexpectedResultException other) {
      return TypesGen.expectBoolean(generally(frame, other.getResult()));
    }
    return known == decisive ? decisive : second.executeBoolean(frame);
  }

  private Object generally(VirtualFrame frame, Object receiver) {
    CompilerDirectives.transferToInterpreterAndInvalidate();
    return become(general.get()).executeWith(frame, receiver);
  }
}
