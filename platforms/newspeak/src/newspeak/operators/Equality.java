package newspeak.operators;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import java.math.BigInteger;
import newspeak.objects.SFarReference;
import newspeak.objects.SSymbol;

/** When two objects are equal, and when they are the same. */
public final class Equality {
  private Equality() {}

  /** Numbers and text by content; all else by identity. */
  @TruffleBoundary
  public static boolean equal(Object one, Object other) {
    if (BinaryNode.isNumber(one) && BinaryNode.isNumber(other)) {
      return one instanceof Double || other instanceof Double
          ? Numbers.real(one) == Numbers.real(other)
          : Numbers.big(one).equals(Numbers.big(other));
    }
    if (isText(one) && isText(other)) {
      return one.toString().equals(other.toString());
    }
    return same(one, other);
  }

  /** Identity, which numbers and texts have by kind and content. */
  @TruffleBoundary
  public static boolean same(Object one, Object other) {
    if (one instanceof SFarReference first && other instanceof SFarReference second) {
      return first.value() == second.value() && first.actor() == second.actor();
    }
    boolean byContent = one instanceof Long || one instanceof Double || one instanceof String
        || one instanceof BigInteger || one instanceof Boolean;
    return one == other || byContent && one.equals(other);
  }

  /** What `~=` answers: two numbers are different if they are not equal, as in SOMns. */
  @TruffleBoundary
  public static boolean different(Object one, Object other) {
    return !(BinaryNode.isNumber(one) && BinaryNode.isNumber(other) ? equal(one, other)
        : same(one, other));
  }

  public static boolean isText(Object value) {
    return value instanceof String || value instanceof SSymbol;
  }
}
