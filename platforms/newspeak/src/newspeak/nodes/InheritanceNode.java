package newspeak.nodes;

import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ExplodeLoop;

/** The superclass and the mixins of a class, in an array. */
public final class InheritanceNode extends ExpressionNode {
  @Children private final ExpressionNode[] classes;

  public InheritanceNode(ExpressionNode[] classes) {
    this.classes = classes;
  }

  @Override
  @ExplodeLoop
  public Object[] execute(VirtualFrame frame) {
    Object[] found = new Object[classes.length];
    for (int index = 0; index < found.length; index++) {
      found[index] = classes[index].execute(frame);
    }
    return found;
  }
}
