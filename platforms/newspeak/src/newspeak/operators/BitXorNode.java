package newspeak.operators;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;

/** `bitXor:`. */
public abstract class BitXorNode extends BinaryNode {
  @Specialization
  long ofLongs(long receiver, long argument) {
    return receiver ^ argument;
  }

  @TruffleBoundary
  @Specialization(guards = {"isInteger(receiver)", "isInteger(argument)"})
  Object ofIntegers(Object receiver, Object argument) {
    return Numbers.normal(Numbers.big(receiver).xor(Numbers.big(argument)));
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
