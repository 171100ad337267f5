package newspeak.primitives;

import java.math.BigInteger;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import newspeak.operators.Numbers;
import newspeak.runtime.Universe;

/** Numbers' functions that are no operators. */
final class NumberPrimitives {
  private NumberPrimitives() {}

  static void addTo(Map<String, Primitive> known) {
    known.put("real:", of(real -> real));
    known.put("real:pow:", (universe, all) ->
        Math.pow(Numbers.real(all[0]), Numbers.real(number(universe, all[1]))));
    known.put("infinity", (universe, all) -> Double.POSITIVE_INFINITY);
    known.put("round:", (universe, all) -> Numbers.round(Numbers.real(all[0])));
    known.put("isInteger:", (universe, all) ->
        all[0] instanceof Long || all[0] instanceof BigInteger);
    known.put("numberAsString:", (universe, all) -> all[0].toString());
    known.put("signed32:", (universe, all) -> (long) ((Number) all[0]).intValue());
    known.put("unsigned32:", (universe, all) -> ((Number) all[0]).longValue() & 0xFFFFFFFFL);
    known.put("integerFrom:", NumberPrimitives::integer);
    known.put("doubleFrom:", NumberPrimitives::real);
  }

  /** Of a number with more than 64 bits too. */
  static Primitive of(DoubleUnaryOperator function) {
    return (universe, all) -> function.applyAsDouble(Numbers.real(number(universe, all[0])));
  }

  private static Object number(Universe universe, Object argument) {
    if (argument instanceof Number) {
      return argument;
    }
    throw universe.signals().argumentError(argument);
  }

  /** Only the integer 0 is no divisor: 0.0 has an infinite quotient, and the rest NaN. */
  static Object noQuotient(Universe universe, Object[] all) {
    throw all[1] instanceof Long zero && zero == 0 ? universe.signals().divisionByZero(all[0])
        : universe.signals().argumentError(all[1]);
  }

  static Object whole(Universe universe, Object[] all) {
    return Numbers.whole(Numbers.real(all[0]));
  }

  private static Object integer(Universe universe, Object[] all) {
    try {
      return Numbers.normal(new BigInteger(all[0].toString().trim()));
    } catch (NumberFormatException none) {
      throw universe.signals().argumentError(all[0]);
    }
  }

  private static Object real(Universe universe, Object[] all) {
    try {
      return Double.parseDouble(all[0].toString().trim());
    } catch (NumberFormatException none) {
      throw universe.signals().argumentError(all[0]);
    }
  }
}
