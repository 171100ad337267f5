package newspeak.nodes;

import com.oracle.truffle.api.dsl.TypeSystemReference;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.Node;
import com.oracle.truffle.api.nodes.RootNode;
import com.oracle.truffle.api.nodes.UnexpectedResultException;
import com.oracle.truffle.api.source.SourceSection;

/** Code that has a value. */
@TypeSystemReference(Types.class)
public abstract class ExpressionNode extends Node {
  private int offset = -1;

  public abstract Object execute(VirtualFrame frame);

  public long executeLong(VirtualFrame frame) throws UnexpectedResultException {
    return TypesGen.expectLong(execute(frame));
  }

  public double executeDouble(VirtualFrame frame) throws UnexpectedResultException {
    return TypesGen.expectDouble(execute(frame));
  }

  public boolean executeBoolean(VirtualFrame frame) throws UnexpectedResultException {
    return TypesGen.expectBoolean(execute(frame));
  }

  /** Executes for the effect alone. */
  public void executeVoid(VirtualFrame frame) {
    execute(frame);
  }

  /** Says where in the text this is. */
  public final ExpressionNode at(int start) {
    offset = start;
    return this;
  }

  public final int offset() {
    return offset;
  }

  @Override
  public final SourceSection getSourceSection() {
    RootNode root = getRootNode();
    if (offset < 0 || root == null || root.getSourceSection() == null) {
      return null;
    }
    var source = root.getSourceSection().getSource();
    return offset < source.getLength() ? source.createSection(offset, 1) : null;
  }
}
