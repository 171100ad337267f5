package newspeak.nodes;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.Truffle;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.LoopNode;
import com.oracle.truffle.api.nodes.Node;
import com.oracle.truffle.api.nodes.RepeatingNode;
import java.util.function.Supplier;

/**
 * `to:do:`, `downTo:do:` and their forms with `by:` over 64-bit integers, with the block inlined;
 * becomes an ordinary message for other numbers. Answers the receiver.
 */
public final class CountingLoopNode extends ExpressionNode {
  @Child private ExpressionNode from;
  @Child private ExpressionNode to;
  @Child private ExpressionNode by;
  @Child private LoopNode loop;
  private final int nextSlot;
  private final int lastSlot;
  private final int stepSlot;
  private final Supplier<SendNode> general;
  private final boolean down;

  /** The slots of the frame that a loop counts in, and the one that the block's argument is in. */
  public record Slots(int next, int last, int step, int counter) {}

  /** `by` is null for steps of one. */
  public CountingLoopNode(ExpressionNode from, ExpressionNode to, ExpressionNode by, boolean down,
      ExpressionNode body, Slots slots, Supplier<SendNode> general) {
    this.from = from;
    this.to = to;
    this.by = by;
    this.down = down;
    this.nextSlot = slots.next;
    this.lastSlot = slots.last;
    this.stepSlot = slots.step;
    this.general = general;
    this.loop = Truffle.getRuntime().createLoopNode(new Turn(slots, down, by == null, body));
  }

  @Override
  public Object execute(VirtualFrame frame) {
    Object first = from.execute(frame);
    Object last = to.execute(frame);
    Object step = by == null ? Long.valueOf(1) : by.execute(frame);
    if (!(first instanceof Long start && last instanceof Long end && step instanceof Long width
        && width > 0)) {
      CompilerDirectives.transferToInterpreterAndInvalidate();
      SendNode send = become(general.get());
      return by == null ? send.executeAfter(frame, first, last)
          : send.executeAfter(frame, first, last, step);
    }
    if (down ? start < end : start > end) {
      return first;
    }
    frame.setLong(nextSlot, start);
    frame.setLong(lastSlot, end);
    if (by != null) {
      frame.setLong(stepSlot, width);
    }
    loop.execute(frame);
    return first;
  }

  /** One turn; there is one more if the distance to the last number is a step or more. */
  private static final class Turn extends Node implements RepeatingNode {
    private final Slots slots;
    private final boolean down;
    private final boolean byOne;
    @Child private ExpressionNode body;

    Turn(Slots slots, boolean down, boolean byOne, ExpressionNode body) {
      this.slots = slots;
      this.down = down;
      this.byOne = byOne;
      this.body = body;
    }

    @Override
    public boolean executeRepeating(VirtualFrame frame) {
      long now = frame.getLong(slots.next);
      frame.setLong(slots.counter, now);
      body.executeVoid(frame);
      long last = frame.getLong(slots.last);
      if (byOne) {
        if (down ? now <= last : now >= last) {
          return false;
        }
        frame.setLong(slots.next, down ? now - 1 : now + 1);
        return true;
      }
      long step = frame.getLong(slots.step);
      long next = down ? now - step : now + step;
      boolean beyond = down ? next < last || next > now : next > last || next < now;
      if (beyond) {
        return false;
      }
      frame.setLong(slots.next, next);
      return true;
    }
  }
}
