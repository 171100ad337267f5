package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;
import newspeak.objects.SArray;

/** Gives a new array its elements, which are nil. */
public abstract class ArrayAllocateNode extends BinaryNode {
  static final int MOST = Integer.MAX_VALUE - 8;

  @Specialization(guards = {"size >= 0", "size <= MOST"})
  Object ofArray(SArray array, long size) {
    array.allocate((int) size);
    return array;
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
