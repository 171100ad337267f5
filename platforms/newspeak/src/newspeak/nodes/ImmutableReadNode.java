package newspeak.nodes;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.CompilerDirectives.CompilationFinal;
import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.frame.VirtualFrame;
import newspeak.dispatch.SlotReadNode;
import newspeak.objects.Nil;
import newspeak.objects.SObject;
import newspeak.structure.Member;

/**
 * Reads an immutable slot or a nested class of an object around the code. Most code sees one such
 * object: what it answered once it always answers, which the compiler takes for a constant.
 */
public final class ImmutableReadNode extends ExpressionNode {
  @Child private ExpressionNode object;
  @Child private SendNode send;
  @CompilationFinal private Sole sole;
  @CompilationFinal private boolean several;

  /** The only object seen so far, and what it answers. */
  private record Sole(Object object, Object value) {}

  /** `send` is the ordinary message, whose receiver is given to it. */
  public ImmutableReadNode(ExpressionNode object, SendNode send) {
    this.object = object;
    this.send = send;
  }

  @Override
  public Object execute(VirtualFrame frame) {
    Object receiver = object.execute(frame);
    if (!several) {
      Sole one = sole;
      if (one != null && one.object == receiver) {
        return one.value;
      }
      CompilerDirectives.transferToInterpreterAndInvalidate();
      Object answer = send.executeWith(frame, receiver); // makes a nested class that is new
      Object value = one == null ? lasting(receiver) : null;
      several = value == null;
      sole = several ? null : new Sole(receiver, value);
      return answer;
    }
    return send.executeWith(frame, receiver);
  }

  /** What the object always answers from now on; null if it may answer something else later. */
  @TruffleBoundary
  private Object lasting(Object receiver) {
    if (!(receiver instanceof SObject holder)) {
      return null;
    }
    return switch (send.lookup().find(holder)) {
      case Member.Reader reader when holder.layout().initialisesOnce(reader.slot()) -> {
        Object value = SlotReadNode.of(reader.slot()).execute(holder);
        yield value == Nil.NIL ? null : value;
      }
      case Member.Nested nested ->
          holder.nested(holder.layout().nestedIndex(nested.definition()));
      case null, default -> null;
    };
  }
}
