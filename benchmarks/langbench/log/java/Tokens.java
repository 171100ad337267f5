package langbench.log;

/** Tokens, numbers and placeholders: langbench/log/contract.md, "Tokens". A character is a byte. */
final class Tokens {
    static final char VARIABLE_PLACEHOLDER = 0x11;
    static final char NUMBER_PLACEHOLDER = 0x12;
    static final long NOT_A_NUMBER = -1;
    private static final int MOST_DIGITS = 13;
    private static final boolean[] TOKEN_BYTES = tokenBytes();

    private Tokens() {}

    private static boolean[] tokenBytes() {
        var table = new boolean[256];
        for (char c = 0; c < table.length; c++) {
            table[c] = c >= 128 || isDigit(c) || isLetter(c) || isPlaceholder(c)
                    || "+-./_\\".indexOf(c) >= 0;
        }
        return table;
    }

    static boolean isDigit(char c) {
        return '0' <= c && c <= '9';
    }

    static boolean isLetter(char c) {
        return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z';
    }

    static boolean isPlaceholder(char c) {
        return c == VARIABLE_PLACEHOLDER || c == NUMBER_PLACEHOLDER;
    }

    /** Where the first token from the place on begins, or the limit if there is none before it. */
    static int begin(String text, int from, int limit) {
        int at = from;
        while (at < limit && !TOKEN_BYTES[text.charAt(at)]) {
            at++;
        }
        return at;
    }

    /** Where the token that begins there ends. */
    static int end(String text, int begin, int limit) {
        int at = begin;
        while (at < limit && TOKEN_BYTES[text.charAt(at)]) {
            at++;
        }
        return at;
    }

    /** Tells whether the token [begin, end) of the text is a variable. */
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

    /** The code of the variable [begin, end) of the text, or NOT_A_NUMBER. */
    static long numberCode(String text, int begin, int end) {
        boolean negative = text.charAt(begin) == '-';
        long value = 0;
        int digits = 0;
        int scale = 0;
        boolean point = false;
        for (int at = negative ? begin + 1 : begin; at < end; at++) {
            char c = text.charAt(at);
            if (isDigit(c)) {
                if (++digits > MOST_DIGITS) {
                    return NOT_A_NUMBER;
                }
                value = value * 10 + (c - '0');
                scale += point ? 1 : 0;
            } else if (c == '.' && digits > 0 && !point) {
                point = true;
            } else {
                return NOT_A_NUMBER;
            }
        }
        if (digits == 0 || point && scale == 0) {
            return NOT_A_NUMBER;
        }
        return (value * 16 + digits) * 32 + scale * 2 + (negative ? 1 : 0);
    }

    static void appendNumber(StringBuilder line, long code) {
        int digits = (int) (code / 32 % 16);
        int scale = (int) (code / 2 % 16);
        var text = new char[digits];
        long value = code / 512;
        for (int at = digits - 1; at >= 0; at--) {
            text[at] = (char) ('0' + value % 10);
            value /= 10;
        }
        if (code % 2 == 1) {
            line.append('-');
        }
        line.append(text, 0, digits - scale);
        if (scale > 0) {
            line.append('.').append(text, digits - scale, scale);
        }
    }
}
