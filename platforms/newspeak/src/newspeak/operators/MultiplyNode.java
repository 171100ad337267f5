package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;

/** `*` of numbers. */
public abstract class MultiplyNode extends BinaryNode {
  @Specialization(rewriteOn = ArithmeticException.class)
  long ofLongs(long receiver, long argument) {
    return Math.multiplyExact(receiver, argument);
  }

  @Specialization
  double ofDoubles(double receiver, double argument) {
    return receiver * argument;
  }

  @Specialization
  double ofLongAndDouble(long receiver, double argument) {
    return receiver * argument;
  }

  @Specialization
  double ofDoubleAndLong(double receiver, long argument) {
    return receiver * argument;
  }

  @Specialization(guards = {"isNumber(receiver)", "isNumber(argument)"}, replaces = "ofLongs")
  Object ofNumbers(Object receiver, Object argument) {
    return Numbers.multiply(receiver, argument);
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
