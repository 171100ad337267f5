package newspeak.operators;

import com.oracle.truffle.api.dsl.Bind;
import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.ImportStatic;
import com.oracle.truffle.api.dsl.NodeChild;
import com.oracle.truffle.api.dsl.Specialization;
import newspeak.nodes.ExpressionNode;
import newspeak.objects.SArray;

/** `at:put:` of arrays; out of range is left to the kernel's method. */
@ImportStatic(Elements.class)
@NodeChild(value = "receiver", type = ExpressionNode.class)
@NodeChild(value = "index", type = ExpressionNode.class)
@NodeChild(value = "element", type = ExpressionNode.class)
public abstract class ArrayAtPutNode extends ExpressionNode {
  @Child private Otherwise otherwise;

  public final ArrayAtPutNode orElse(Otherwise other) {
    otherwise = other;
    return this;
  }

  @Specialization(
      guards = {"array.isWritable()", "longs != null", "has(index, longs.length)"})
  long ofLongs(SArray array, long index, long element,
      @Bind("longs(array)") long[] longs) {
    longs[(int) index - 1] = element;
    return element;
  }

  @Specialization(
      guards = {"array.isWritable()", "doubles != null", "has(index, doubles.length)"})
  double ofDoubles(SArray array, long index, double element,
      @Bind("doubles(array)") double[] doubles) {
    doubles[(int) index - 1] = element;
    return element;
  }

  @Specialization(
      guards = {"array.isWritable()", "booleans != null", "has(index, booleans.length)"})
  boolean ofBooleans(SArray array, long index, boolean element,
      @Bind("booleans(array)") boolean[] booleans) {
    booleans[(int) index - 1] = element;
    return element;
  }

  @Specialization(
      guards = {"array.isWritable()", "objects != null", "has(index, objects.length)"})
  Object ofObjects(SArray array, long index, Object element,
      @Bind("objects(array)") Object[] objects) {
    objects[(int) index - 1] = element;
    return element;
  }

  /** An element of another kind: from now on the array holds its objects with boxes. */
  @Specialization(guards = {"array.isWritable()", "objects(array) == null",
      "!isOfKind(array, element)", "has(index, array.size())"})
  Object ofAnotherKind(SArray array, long index, Object element) {
    array.storage()[(int) index - 1] = element;
    return element;
  }

  static boolean isOfKind(SArray array, Object element) {
    return switch (array.unboxed()) {
      case long[] longs -> element instanceof Long;
      case double[] doubles -> element instanceof Double;
      case boolean[] booleans -> element instanceof Boolean;
      default -> true;
    };
  }

  @Fallback
  Object others(Object receiver, Object index, Object element) {
    return otherwise.execute(receiver, index, element);
  }
}
