package newspeak.objects;

import java.util.concurrent.ConcurrentHashMap;

/** A symbol: one object for each text. */
public final class SSymbol {
  private static final ConcurrentHashMap<String, SSymbol> SYMBOLS = new ConcurrentHashMap<>();

  private final String text;
  private final int arity;

  private SSymbol(String text) {
    this.text = text;
    this.arity = arityOf(text);
  }

  public static SSymbol of(String text) {
    return SYMBOLS.computeIfAbsent(text, SSymbol::new);
  }

  public String text() {
    return text;
  }

  /** How many arguments a message with this selector has. */
  public int arity() {
    return arity;
  }

  private static int arityOf(String text) {
    if (text.isEmpty() || Character.isLetter(text.charAt(0)) || text.charAt(0) == '_') {
      return (int) text.chars().filter(c -> c == ':').count();
    }
    return 1;
  }

  @Override
  public String toString() {
    return text;
  }
}
