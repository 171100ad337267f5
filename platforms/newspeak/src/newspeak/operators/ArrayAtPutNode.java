package newspeak.operators;

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
      guards = {"array.isWritable()", "areLongs(array)", "has(index, longs(array).length)"})
  long ofLongs(SArray array, long index, long element) {
    Elements.longs(array)[Elements.place(index)] = element;
    return element;
  }

  @Specialization(
      guards = {"array.isWritable()", "areDoubles(array)", "has(index, doubles(array).length)"})
  double ofDoubles(SArray array, long index, double element) {
    Elements.doubles(array)[Elements.place(index)] = element;
    return element;
  }

  @Specialization(
      guards = {"array.isWritable()", "areBooleans(array)", "has(index, booleans(array).length)"})
  boolean ofBooleans(SArray array, long index, boolean element) {
    Elements.booleans(array)[Elements.place(index)] = element;
    return element;
  }

  @Specialization(
      guards = {"array.isWritable()", "areObjects(array)", "has(index, objects(array).length)"})
  Object ofObjects(SArray array, long index, Object element) {
    Elements.objects(array)[Elements.place(index)] = element;
    return element;
  }

  /** The first element: from now on there is room for all of them. */
  @Specialization(
      guards = {"array.isWritable()", "array.hasOnlyNils()", "has(index, array.size())"})
  Object ofNils(SArray array, long index, Object element) {
    array.storage()[Elements.place(index)] = element;
    return element;
  }

  /** An element of another kind: from now on the array holds its objects with boxes. */
  @Specialization(guards = {"array.isWritable()", "!areObjects(array)", "!array.hasOnlyNils()",
      "!isOfKind(array, element)", "has(index, array.size())"})
  Object ofAnotherKind(SArray array, long index, Object element) {
    array.storage()[Elements.place(index)] = element;
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
