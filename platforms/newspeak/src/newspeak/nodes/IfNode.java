package newspeak.nodes;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.UnexpectedResultException;
import com.oracle.truffle.api.profiles.CountingConditionProfile;
import java.util.function.Supplier;
import newspeak.objects.Nil;

/**
 * `ifTrue:`, `ifFalse:` and both, with blocks inlined; becomes an ordinary message where the
 * receiver is no boolean. A branch that is not written is null.
 */
public final class IfNode extends ExpressionNode {
  @Child private ExpressionNode condition;
  @Child private ExpressionNode whenTrue;
  @Child private ExpressionNode whenFalse;
  private final Supplier<SendNode> general;
  private final CountingConditionProfile profile = CountingConditionProfile.create();

  public IfNode(ExpressionNode condition, ExpressionNode whenTrue, ExpressionNode whenFalse,
      Supplier<SendNode> general) {
    this.condition = condition;
    this.whenTrue = whenTrue;
    this.whenFalse = whenFalse;
    this.general = general;
  }

  // Each branch is executed where it is named: chosen first and executed then, it would be no
  // constant to the compiler, which gives such a method up.

  @Override
  public Object execute(VirtualFrame frame) {
    boolean known;
    try {
      known = profile.profile(condition.executeBoolean(frame));
    } catch (UnexpectedResultException other) {
      return generally(frame, other.getResult());
    }
    if (known) {
      return whenTrue == null ? Nil.NIL : whenTrue.execute(frame);
    }
    return whenFalse == null ? Nil.NIL : whenFalse.execute(frame);
  }

  @Override
  public boolean executeBoolean(VirtualFrame frame) throws UnexpectedResultException {
    boolean known;
    try {
      known = profile.profile(condition.executeBoolean(frame));
    } catch (UnexpectedResultException other) {
      return TypesGen.expectBoolean(generally(frame, other.getResult()));
    }
    if (known && whenTrue != null) {
      return whenTrue.executeBoolean(frame);
    }
    if (!known && whenFalse != null) {
      return whenFalse.executeBoolean(frame);
    }
    throw new UnexpectedResultException(Nil.NIL);
  }

  @Override
  public void executeVoid(VirtualFrame frame) {
    boolean known;
    try {
      known = profile.profile(condition.executeBoolean(frame));
    } catch (UnexpectedResultException other) {
      generally(frame, other.getResult());
      return;
    }
    if (known && whenTrue != null) {
      whenTrue.executeVoid(frame);
    }
    if (!known && whenFalse != null) {
      whenFalse.executeVoid(frame);
    }
  }

  private Object generally(VirtualFrame frame, Object receiver) {
    CompilerDirectives.transferToInterpreterAndInvalidate();
    return become(general.get()).executeWith(frame, receiver);
  }
}
