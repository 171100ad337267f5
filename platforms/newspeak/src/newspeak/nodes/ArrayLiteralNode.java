package newspeak.nodes;

import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import newspeak.objects.SArray;
import newspeak.runtime.Universe;

/** `{1. 2}`: a new Array. */
public final class ArrayLiteralNode extends ExpressionNode {
  private final Universe universe;
  @Children private final ExpressionNode[] elements;

  public ArrayLiteralNode(Universe universe, ExpressionNode[] elements) {
    this.universe = universe;
    this.elements = elements;
  }

  @Override
  @ExplodeLoop
  public Object execute(VirtualFrame frame) {
    Object[] storage = new Object[elements.length];
    for (int index = 0; index < storage.length; index++) {
      storage[index] = elements[index].execute(frame);
    }
    return new SArray(universe.classes().array(), storage);
  }
}
