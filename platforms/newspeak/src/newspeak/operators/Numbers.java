package newspeak.operators;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import java.math.BigDecimal;
import java.math.BigInteger;

/** Arithmetic on mixed types; integers of more than 64 bits come and go by themselves. */
public final class Numbers {
  private Numbers() {}

  /** The integer as a Long where it fits. */
  public static Object normal(BigInteger value) {
    return value.bitLength() < Long.SIZE ? (Object) value.longValue() : value;
  }

  public static BigInteger big(Object integer) {
    return integer instanceof Long small ? BigInteger.valueOf(small) : (BigInteger) integer;
  }

  public static double real(Object number) {
    return ((Number) number).doubleValue();
  }

  /** The nearest integer; of two, the greater one. */
  public static Object round(double value) {
    return Math.abs(value) < 0x1p52 ? (Object) Math.round(value) : whole(value);
  }

  /** The whole part of a double. As in Java, NaN becomes 0, and infinities the extreme Longs. */
  public static Object whole(double value) {
    if (Math.abs(value) < 0x1p62 || Double.isNaN(value) || Double.isInfinite(value)) {
      return (long) value;
    }
    return normal(new BigDecimal(value).toBigInteger());
  }

  @TruffleBoundary
  static Object add(Object one, Object other) {
    return one instanceof Double || other instanceof Double ? (Object) (real(one) + real(other))
        : normal(big(one).add(big(other)));
  }

  @TruffleBoundary
  static Object subtract(Object one, Object other) {
    return one instanceof Double || other instanceof Double ? (Object) (real(one) - real(other))
        : normal(big(one).subtract(big(other)));
  }

  @TruffleBoundary
  static Object multiply(Object one, Object other) {
    return one instanceof Double || other instanceof Double ? (Object) (real(one) * real(other))
        : normal(big(one).multiply(big(other)));
  }

  /** Truncates toward zero. */
  @TruffleBoundary
  static Object divide(Object one, Object other) {
    return one instanceof Double || other instanceof Double ? whole(real(one) / real(other))
        : normal(big(one).divide(big(other)));
  }

  /** Has the sign of the divisor. */
  @TruffleBoundary
  static Object modulo(Object one, Object other) {
    if (one instanceof Double || other instanceof Double) {
      return modulo(real(one), real(other));
    }
    BigInteger divisor = big(other);
    BigInteger rest = big(one).mod(divisor.abs());
    return normal(divisor.signum() < 0 && rest.signum() != 0 ? rest.add(divisor) : rest);
  }

  static double modulo(double one, double other) {
    double rest = one % other;
    return rest != 0 && rest < 0 != other < 0 ? rest + other : rest;
  }

  /** Has the sign of the dividend. */
  @TruffleBoundary
  static Object remainder(Object one, Object other) {
    return one instanceof Double || other instanceof Double ? (Object) (real(one) % real(other))
        : normal(big(one).remainder(big(other)));
  }

  @TruffleBoundary
  public static int compare(Object one, Object other) {
    return one instanceof Double || other instanceof Double
        ? Double.compare(real(one), real(other)) : big(one).compareTo(big(other));
  }

  static boolean isZero(Object number) {
    return number instanceof Long whole ? whole == 0 : number instanceof Double real && real == 0;
  }
}
