package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;

/** `<>` of the objects for which the kernel defines it by content. */
public abstract class UnequalNode extends BinaryNode {
  @Specialization
  boolean ofLongs(long receiver, long argument) {
    return receiver != argument;
  }

  @Specialization
  boolean ofDoubles(double receiver, double argument) {
    return receiver != argument;
  }

  @Specialization
  boolean ofBooleans(boolean receiver, boolean argument) {
    return receiver != argument;
  }

  @Specialization
  boolean ofStrings(String receiver, String argument) {
    return !receiver.equals(argument);
  }

  @Specialization(guards = {"isNumber(receiver)", "isNumber(argument)"})
  boolean ofNumbers(Object receiver, Object argument) {
    return !Equality.equal(receiver, argument);
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
