package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;

/** `>=` of numbers. */
public abstract class GreaterEqualNode extends BinaryNode {
  @Specialization
  boolean ofLongs(long receiver, long argument) {
    return receiver >= argument;
  }

  @Specialization
  boolean ofDoubles(double receiver, double argument) {
    return receiver >= argument;
  }

  @Specialization
  boolean ofLongAndDouble(long receiver, double argument) {
    return receiver >= argument;
  }

  @Specialization
  boolean ofDoubleAndLong(double receiver, long argument) {
    return receiver >= argument;
  }

  @Specialization(guards = {"isInteger(receiver)", "isInteger(argument)"})
  boolean ofIntegers(Object receiver, Object argument) {
    return Numbers.compare(receiver, argument) >= 0;
  }

  @Specialization(guards = {"isNumber(receiver)", "isNumber(argument)"})
  boolean ofNumbers(Object receiver, Object argument) {
    return Numbers.real(receiver) >= Numbers.real(argument);
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
