package newspeak.operators;

import com.oracle.truffle.api.CompilerDirectives.CompilationFinal;
import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;

/** The text of one UTF-16 unit, from 1. Those of Latin letters are made once. */
public abstract class TextAtNode extends BinaryNode {
  private static final int LATIN = 256;
  @CompilationFinal(dimensions = 1) private static final String[] LETTERS = letters();

  private static String[] letters() {
    String[] letters = new String[LATIN];
    for (char unit = 0; unit < LATIN; unit++) {
      letters[unit] = String.valueOf(unit);
    }
    return letters;
  }

  @Specialization(guards = {"index > 0", "index <= text.length()",
      "isLatin(text.charAt(at(index)))"})
  String ofLatin(String text, long index) {
    return LETTERS[text.charAt(at(index))];
  }

  static int at(long index) {
    return (int) index - 1;
  }

  static boolean isLatin(char unit) {
    return unit < LATIN;
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
