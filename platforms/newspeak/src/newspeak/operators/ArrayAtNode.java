package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;
import newspeak.objects.SArray;

/** `at:` of arrays, from 1; out of range is left to the kernel's method. */
public abstract class ArrayAtNode extends BinaryNode {
  @Specialization(guards = {"array.layout().isPlainArray()", "index > 0",
      "index <= array.storage().length"})
  Object ofArray(SArray array, long index) {
    return array.storage()[(int) index - 1];
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
