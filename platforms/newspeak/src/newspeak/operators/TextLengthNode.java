package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;

/** How many UTF-16 units a text has. */
public abstract class TextLengthNode extends UnaryNode {
  @Specialization
  long ofString(String text) {
    return text.length();
  }

  @Fallback
  Object others(Object operand) {
    return otherwise(operand);
  }
}
