package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;

/** `/` of an integer: truncates toward zero, and stays an integer. */
public abstract class DivideNode extends BinaryNode {
  @Specialization(guards = "isPlain(argument)")
  long ofLongs(long receiver, long argument) {
    return receiver / argument;
  }

  @Specialization(
      guards = {"isInteger(receiver)", "isNumber(argument)", "!isZero(argument)"},
      replaces = "ofLongs")
  Object ofNumbers(Object receiver, Object argument) {
    return Numbers.divide(receiver, argument);
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }

  /** By 0 there is no quotient, and the smallest integer by -1 has one of 65 bits. */
  static boolean isPlain(long divisor) {
    return divisor != 0 && divisor != -1;
  }

  static boolean isZero(Object number) {
    return number instanceof Long whole && whole == 0;
  }
}
