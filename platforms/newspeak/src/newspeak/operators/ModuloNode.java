package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;

/** `%`: has the sign of the divisor. */
public abstract class ModuloNode extends BinaryNode {
  @Specialization(guards = "isPlain(argument)")
  long ofLongs(long receiver, long argument) {
    return Math.floorMod(receiver, argument);
  }

  @Specialization
  Object ofDoubles(double receiver, double argument) {
    return Numbers.modulo(receiver, argument);
  }

  @Specialization(
      guards = {"isNumber(receiver)", "isNumber(argument)", "hasRest(receiver, argument)"},
      replaces = "ofLongs")
  Object ofNumbers(Object receiver, Object argument) {
    return Numbers.modulo(receiver, argument);
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }

  /** By 0 there is no quotient, and the smallest integer by -1 has one of 65 bits. */
  static boolean isPlain(long divisor) {
    return divisor != 0 && divisor != -1;
  }

  /** Of a Double, divided by any zero, NaN is left; an Integer cannot be divided by 0. */
  static boolean hasRest(Object receiver, Object argument) {
    return receiver instanceof Double || !(argument instanceof Long whole && whole == 0);
  }
}
