package newspeak.objects;

import com.oracle.truffle.api.CompilerDirectives.CompilationFinal;

/** The texts of one Latin letter. Each is made once, so that two of them are mostly identical. */
public final class Letters {
  private static final int LATIN = 256;
  @CompilationFinal(dimensions = 1) private static final String[] TEXTS = texts();

  private Letters() {}

  private static String[] texts() {
    String[] texts = new String[LATIN];
    for (char unit = 0; unit < LATIN; unit++) {
      texts[unit] = String.valueOf(unit);
    }
    return texts;
  }

  /** Whether the text of this UTF-16 unit is one of them. */
  public static boolean has(char unit) {
    return unit < LATIN;
  }

  public static String of(char unit) {
    return TEXTS[unit];
  }

  /** The same text, which is the shared one if it is a single Latin letter. */
  public static String shared(String text) {
    return text.length() == 1 && has(text.charAt(0)) ? of(text.charAt(0)) : text;
  }
}
