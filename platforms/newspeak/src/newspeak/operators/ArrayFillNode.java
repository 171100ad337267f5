package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;
import newspeak.objects.Nil;
import newspeak.objects.SArray;
import newspeak.objects.SBlock;

/** Fills an array at once, if that is possible; answers whether it did. A block is evaluated. */
public abstract class ArrayFillNode extends BinaryNode {
  @Specialization
  boolean ofBlock(SArray array, SBlock block) {
    return false;
  }

  /** A new array gets room for its elements, which are nil. */
  @Specialization(guards = {"array.isWritable()", "array.hasOnlyNils()"})
  boolean ofNil(SArray array, Nil nil) {
    array.storage();
    return true;
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
