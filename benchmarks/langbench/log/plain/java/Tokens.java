package langbench.plain;

/** Tokens, numbers and placeholders. */
final class Tokens {
    static final char VARIABLE_PLACEHOLDER = 17;
    static final char NUMBER_PLACEHOLDER = 18;
    private static final int MOST_DIGITS = 13;

    private Tokens() {}

    private static boolean isDigit(char c) {
        return '0' <= c && c <= '9';
    }

    private static boolean isLetter(char c) {
        return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z';
    }

    static boolean isPlaceholder(char c) {
        return c == VARIABLE_PLACEHOLDER || c == NUMBER_PLACEHOLDER;
    }

    private static boolean isTokenByte(char c) {
        return isDigit(c)
                || isLetter(c)
                || isPlaceholder(c)
                || "+-./_\\".indexOf(c) >= 0
                || c >= 128;
    }

    static int tokenEnd(String text, int begin) {
        int end = begin;
        while (end < text.length() && isTokenByte(text.charAt(end))) {
            end++;
        }
        return end;
    }

    static boolean isVariable(String text, int begin, int end) {
        boolean letter = false;
        for (int at = begin; at < end; at++) {
            char c = text.charAt(at);
            if (isDigit(c) || isPlaceholder(c)) {
                return true;
            }
            letter |= isLetter(c);
        }
        return letter && begin > 0 && text.charAt(begin - 1) == '=';
    }

    /** The code of a number; null if it is none. */
    static Long numberCode(String token) {
        boolean negative = token.charAt(0) == '-';
        long value = 0;
        int digits = 0;
        int scale = 0;
        boolean point = false;
        for (int at = negative ? 1 : 0; at < token.length(); at++) {
            char c = token.charAt(at);
            if (isDigit(c)) {
                digits++;
                if (digits > MOST_DIGITS) {
                    return null;
                }
                value = 10 * value + (c - '0');
                scale += point ? 1 : 0;
            } else if (c == '.' && digits > 0 && !point) {
                point = true;
            } else {
                return null;
            }
        }
        if (digits == 0 || point && scale == 0) {
            return null;
        }
        return (value * 16 + digits) * 32 + scale * 2 + (negative ? 1 : 0);
    }

    static String numberText(long code) {
        int digits = (int) (code / 32 % 16);
        int scale = (int) (code / 2 % 16);
        StringBuilder text = new StringBuilder(Long.toString(code / 512));
        while (text.length() < digits) {
            text.insert(0, '0');
        }
        if (scale > 0) {
            text.insert(digits - scale, '.');
        }
        if (code % 2 == 1) {
            text.insert(0, '-');
        }
        return text.toString();
    }
}
