package newspeak.nodes;

import com.oracle.truffle.api.frame.Frame;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import com.oracle.truffle.api.nodes.Node;
import newspeak.objects.SBlock;

/** Reaches the frame that a variable is in. */
public abstract class ContextNode extends Node {
  public abstract Frame execute(VirtualFrame frame);

  public static ContextNode current() {
    return new Current();
  }

  /** The frame so many blocks outwards. */
  public static ContextNode outer(ContextNode start, int blocks) {
    return new Outer(start, blocks);
  }

  /** The frame that an object literal is closed over. */
  public static ContextNode literal(ExpressionNode frame) {
    return new Literal(frame);
  }

  private static final class Current extends ContextNode {
    @Override
    public Frame execute(VirtualFrame frame) {
      return frame;
    }
  }

  private static final class Outer extends ContextNode {
    @Child private ContextNode start;
    private final int blocks;

    Outer(ContextNode start, int blocks) {
      this.start = start;
      this.blocks = blocks;
    }

    @Override
    @ExplodeLoop
    public Frame execute(VirtualFrame frame) {
      Frame found = start.execute(frame);
      for (int block = 0; block < blocks; block++) {
        found = ((SBlock) found.getArguments()[0]).context();
      }
      return found;
    }
  }

  private static final class Literal extends ContextNode {
    @Child private ExpressionNode node;

    Literal(ExpressionNode node) {
      this.node = node;
    }

    @Override
    public Frame execute(VirtualFrame frame) {
      return (Frame) node.execute(frame);
    }
  }
}
