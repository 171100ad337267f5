package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.ImportStatic;
import com.oracle.truffle.api.dsl.Specialization;
import newspeak.objects.Nil;
import newspeak.objects.SArray;

/** `at:` of arrays, from 1; out of range is left to the kernel's method. */
@ImportStatic(Elements.class)
public abstract class ArrayAtNode extends BinaryNode {
  @Specialization(
      guards = {"array.isPlain()", "areLongs(array)", "has(index, longs(array).length)"})
  long ofLongs(SArray array, long index) {
    return Elements.longs(array)[Elements.place(index)];
  }

  @Specialization(
      guards = {"array.isPlain()", "areDoubles(array)", "has(index, doubles(array).length)"})
  double ofDoubles(SArray array, long index) {
    return Elements.doubles(array)[Elements.place(index)];
  }

  @Specialization(
      guards = {"array.isPlain()", "areBooleans(array)", "has(index, booleans(array).length)"})
  boolean ofBooleans(SArray array, long index) {
    return Elements.booleans(array)[Elements.place(index)];
  }

  @Specialization(
      guards = {"array.isPlain()", "areObjects(array)", "has(index, objects(array).length)"})
  Object ofObjects(SArray array, long index) {
    return Elements.objects(array)[Elements.place(index)];
  }

  @Specialization(
      guards = {"array.isPlain()", "array.hasOnlyNils()", "has(index, array.size())"})
  Object ofNils(SArray array, long index) {
    return Nil.NIL;
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
