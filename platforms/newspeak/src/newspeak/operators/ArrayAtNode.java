package newspeak.operators;

import com.oracle.truffle.api.dsl.Bind;
import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.ImportStatic;
import com.oracle.truffle.api.dsl.Specialization;
import newspeak.objects.SArray;

/** `at:` of arrays, from 1; out of range is left to the kernel's method. */
@ImportStatic(Elements.class)
public abstract class ArrayAtNode extends BinaryNode {
  @Specialization(guards = {"array.isPlain()", "longs != null", "has(index, longs.length)"})
  long ofLongs(SArray array, long index, @Bind("longs(array)") long[] longs) {
    return longs[(int) index - 1];
  }

  @Specialization(guards = {"array.isPlain()", "doubles != null", "has(index, doubles.length)"})
  double ofDoubles(SArray array, long index, @Bind("doubles(array)") double[] doubles) {
    return doubles[(int) index - 1];
  }

  @Specialization(guards = {"array.isPlain()", "booleans != null", "has(index, booleans.length)"})
  boolean ofBooleans(SArray array, long index, @Bind("booleans(array)") boolean[] booleans) {
    return booleans[(int) index - 1];
  }

  @Specialization(guards = {"array.isPlain()", "objects != null", "has(index, objects.length)"})
  Object ofObjects(SArray array, long index, @Bind("objects(array)") Object[] objects) {
    return objects[(int) index - 1];
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
