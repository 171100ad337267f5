package newspeak.operators;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;

/** `<<`: grows beyond 64 bits rather than losing any. */
public abstract class ShiftLeftNode extends BinaryNode {
  private static final int MAXIMUM_SHIFT = 1 << 26;

  @Specialization(guards = {"argument >= 0", "argument < 63", "fits(receiver, argument)"})
  long ofLongs(long receiver, long argument) {
    return receiver << argument;
  }

  @TruffleBoundary
  @Specialization(guards = {"isInteger(receiver)", "inReach(argument)"}, replaces = "ofLongs")
  Object ofIntegers(Object receiver, long argument) {
    return Numbers.normal(Numbers.big(receiver).shiftLeft((int) argument));
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }

  static boolean inReach(long argument) {
    return Math.abs(argument) < MAXIMUM_SHIFT;
  }

  static boolean fits(long receiver, long argument) {
    return receiver << argument >> argument == receiver;
  }
}
