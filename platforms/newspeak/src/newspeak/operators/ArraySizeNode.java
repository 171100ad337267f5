package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;
import newspeak.objects.SArray;

/** How many elements an array has. */
public abstract class ArraySizeNode extends UnaryNode {
  @Specialization
  long ofArray(SArray array) {
    return array.size();
  }

  @Fallback
  Object others(Object operand) {
    return otherwise(operand);
  }
}
