package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;
import java.util.Arrays;
import newspeak.objects.Nil;
import newspeak.objects.SArray;

/** Gives a new array its elements, which are nil. */
public abstract class ArrayAllocateNode extends BinaryNode {
  static final int MOST = Integer.MAX_VALUE - 8;

  @Specialization(guards = {"size >= 0", "size <= MOST"})
  Object ofArray(SArray array, long size) {
    Object[] elements = new Object[(int) size];
    Arrays.fill(elements, Nil.NIL);
    array.setStorage(elements);
    return array;
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
