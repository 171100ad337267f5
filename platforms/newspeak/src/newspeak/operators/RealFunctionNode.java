package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;
import java.util.function.DoubleUnaryOperator;

/** A function of real numbers, as `sqrt`. */
public abstract class RealFunctionNode extends UnaryNode {
  private final DoubleUnaryOperator function;

  RealFunctionNode(DoubleUnaryOperator function) {
    this.function = function;
  }

  @Specialization
  double ofDouble(double operand) {
    return function.applyAsDouble(operand);
  }

  @Specialization
  double ofLong(long operand) {
    return function.applyAsDouble(operand);
  }

  @Fallback
  Object others(Object operand) {
    return otherwise(operand);
  }
}
