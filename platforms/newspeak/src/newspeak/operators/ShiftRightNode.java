package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;

/** `>>>`: shifts the 64 bits of an integer, without its sign. */
public abstract class ShiftRightNode extends BinaryNode {
  @Specialization
  long ofLongs(long receiver, long argument) {
    return receiver >>> argument;
  }

  @Specialization(guards = "isInteger(receiver)")
  long ofIntegers(Object receiver, long argument) {
    return ((Number) receiver).longValue() >>> argument;
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
