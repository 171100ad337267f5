package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;

/** The whole part of a number. */
public abstract class WholeNode extends UnaryNode {
  @Specialization
  long ofLong(long operand) {
    return operand;
  }

  @Specialization(guards = "isPlain(operand)")
  long ofDouble(double operand) {
    return (long) operand;
  }

  @Fallback
  Object others(Object operand) {
    return otherwise(operand);
  }

  /** Its whole part has less than 64 bits. */
  static boolean isPlain(double operand) {
    return Math.abs(operand) < 0x1p62;
  }
}
