package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.ImportStatic;
import com.oracle.truffle.api.dsl.Specialization;
import newspeak.objects.Letters;

/** The text of one UTF-16 unit, from 1. */
@ImportStatic(Letters.class)
public abstract class TextAtNode extends BinaryNode {
  @Specialization(guards = {"index > 0", "index <= text.length()",
      "has(text.charAt(at(index)))"})
  String ofLatin(String text, long index) {
    return Letters.of(text.charAt(at(index)));
  }

  static int at(long index) {
    return (int) index - 1;
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
