package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;

/** `//`: always a Double. */
public abstract class FloatDivideNode extends BinaryNode {
  @Specialization
  double ofLongs(long receiver, long argument) {
    return (double) receiver / argument;
  }

  @Specialization
  double ofDoubles(double receiver, double argument) {
    return receiver / argument;
  }

  @Specialization(guards = {"isNumber(receiver)", "isNumber(argument)"})
  double ofNumbers(Object receiver, Object argument) {
    return Numbers.real(receiver) / Numbers.real(argument);
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
