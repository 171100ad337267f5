package newspeak.lexer;

/**
 * A token.
 *
 * @param text as written; of strings, characters and symbols what they stand for
 * @param value of a number: Long, BigInteger or Double
 * @param start offset of the first character
 * @param end offset after the last character
 */
public record Token(TokenKind kind, String text, Object value, int start, int end) {
  public boolean is(TokenKind other) {
    return kind == other;
  }

  public boolean isOperator(String operator) {
    return kind == TokenKind.OPERATOR && text.equals(operator);
  }

  /** How a message about an unexpected token names it. */
  public String shown() {
    return kind == TokenKind.END ? kind.shown() : "'" + text + "'";
  }
}
