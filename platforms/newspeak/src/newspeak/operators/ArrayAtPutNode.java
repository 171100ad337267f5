package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.NodeChild;
import com.oracle.truffle.api.dsl.Specialization;
import newspeak.nodes.ExpressionNode;
import newspeak.objects.SArray;

/** `at:put:` of arrays; out of range is left to the kernel's method. */
@NodeChild(value = "receiver", type = ExpressionNode.class)
@NodeChild(value = "index", type = ExpressionNode.class)
@NodeChild(value = "element", type = ExpressionNode.class)
public abstract class ArrayAtPutNode extends ExpressionNode {
  @Child private Otherwise otherwise;

  public final ArrayAtPutNode orElse(Otherwise other) {
    otherwise = other;
    return this;
  }

  @Specialization(guards = {"array.layout().isPlainArray()", "!array.layout().isValue()",
      "index > 0", "index <= array.storage().length"})
  Object ofArray(SArray array, long index, Object element) {
    array.storage()[(int) index - 1] = element;
    return element;
  }

  @Fallback
  Object others(Object receiver, Object index, Object element) {
    return otherwise.execute(receiver, index, element);
  }
}
