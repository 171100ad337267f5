package newspeak.lexer;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Reads `12`, `1.5`, `1e3`, `16rFF`, `16r-FF`, `2r0.1`; an exponent or a fraction makes a Double.
 */
final class NumberLiteral {
  private static final int RADIX_DIGITS = 4;
  /** After a radix, every digit and capital letter counts, whatever the radix is. */
  private static final int ALL_DIGITS = 36;

  private final SourceText source;
  private final String text;
  private int at;

  NumberLiteral(SourceText source, int at) {
    this.source = source;
    this.text = source.text();
    this.at = at;
  }

  Token read() {
    int start = at;
    boolean negative = peek(0) == '-';
    if (negative) {
      at++;
    }
    int known = 10;
    String digits = digits(known);
    int radix = 10;
    if (peek(0) == 'r' && (isDigit(peek(1), ALL_DIGITS)
        || peek(1) == '-' && isDigit(peek(2), ALL_DIGITS))) {
      if (digits.length() > RADIX_DIGITS) {
        throw new SyntaxMistake(source, start, "A radix has at most " + RADIX_DIGITS + " digits");
      }
      radix = Integer.parseInt(digits);
      at++;
      if (peek(0) == '-') {
        negative = !negative;
        at++;
      }
      known = ALL_DIGITS;
      digits = digits(known);
    }
    String fraction = "";
    if (peek(0) == '.' && isDigit(peek(1), known)) {
      at++;
      fraction = digits(known);
    }
    boolean real = !fraction.isEmpty();
    int exponent = 0;
    if (peek(0) == 'e' && (isDigit(peek(1), 10) || peek(1) == '-' && isDigit(peek(2), 10))) {
      real = true;
      at++;
      boolean below = peek(0) == '-';
      if (below) {
        at++;
      }
      String power = digits(10);
      exponent = power.length() > 6 ? 1_000_000 : Integer.parseInt(power);
      exponent = below ? -exponent : exponent;
    }
    Object value = real ? real(digits, fraction, radix, exponent, negative)
        : whole(digits, radix, negative);
    return new Token(TokenKind.NUMBER, text.substring(start, at), value, start, at);
  }

  private Object whole(String digits, int radix, boolean negative) {
    BigInteger value = integer(digits, radix);
    value = negative ? value.negate() : value;
    if (value.bitLength() < Long.SIZE) {
      return value.longValue();
    }
    return value;
  }

  private static Object real(
      String digits, String fraction, int radix, int exponent, boolean negative) {
    double value;
    if (radix == 10 && (digits + fraction).chars().allMatch(Character::isDigit)) {
      value = new BigDecimal(digits + "." + (fraction.isEmpty() ? "0" : fraction) + "e" + exponent)
          .doubleValue();
    } else {
      value = integer(digits + fraction, radix).doubleValue()
          * Math.pow(radix, exponent - fraction.length());
    }
    return negative ? -value : value;
  }

  private static BigInteger integer(String digits, int radix) {
    BigInteger value = BigInteger.ZERO;
    BigInteger base = BigInteger.valueOf(radix);
    for (int index = 0; index < digits.length(); index++) {
      value = value.multiply(base).add(BigInteger.valueOf(digit(digits.charAt(index))));
    }
    return value;
  }

  private String digits(int known) {
    int start = at;
    while (isDigit(peek(0), known)) {
      at++;
    }
    return text.substring(start, at);
  }

  private char peek(int ahead) {
    return at + ahead < text.length() ? text.charAt(at + ahead) : '\0';
  }

  private static boolean isDigit(char c, int known) {
    int digit = digit(c);
    return digit >= 0 && digit < known;
  }

  private static int digit(char c) {
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : -1;
  }
}
