package langbench.log;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A query, cut into what the index knows. */
final class Query {
    private static final Pattern SPECIAL = Pattern.compile("[\\\\^$.|?+()\\[\\]{}]");

    final List<String> pieces = new ArrayList<>();
    final List<String> fragments = new ArrayList<>();
    final List<Long> numbers = new ArrayList<>();
    final List<String> variables = new ArrayList<>();
    final List<Part> parts = new ArrayList<>();

    /**
     * A token of the query that is not whole, but surely part of a variable of the dictionary.
     *
     * @param begins the variable begins with it
     */
    record Part(String text, boolean begins, boolean ends) {
        boolean isPartOf(String variable) {
            if (begins) {
                return variable.startsWith(text);
            }
            return ends ? variable.endsWith(text) : variable.contains(text);
        }
    }

    Query(String text) {
        for (var piece : text.split("\\*")) {
            if (!piece.isEmpty()) {
                pieces.add(piece);
                cut(piece);
            }
        }
    }

    /** Tells whether the text holds all pieces, in order and without overlap. */
    static boolean matches(String text, List<String> pieces) {
        int from = 0;
        for (var piece : pieces) {
            int at = text.indexOf(piece, from);
            if (at < 0) {
                return false;
            }
            from = at + piece.length();
        }
        return true;
    }

    /** The regular expression that finds the query in a line. */
    Pattern expression() {
        var escaped = new ArrayList<String>();
        for (var piece : pieces) {
            escaped.add(SPECIAL.matcher(piece).replaceAll("\\\\$0"));
        }
        return Pattern.compile(String.join("[^\\n]*", escaped));
    }

    private void cut(String piece) {
        var fragment = new StringBuilder();
        int length = piece.length();
        int done = 0;
        int begin = Tokens.begin(piece, 0, length);
        while (begin < length) {
            int end = Tokens.end(piece, begin, length);
            fragment.append(piece, done, begin);
            done = end;
            if (begin > 0 && end < length) {
                addWhole(piece, begin, end, fragment);
            } else {
                endFragment(fragment);
                addPart(piece, begin, end);
            }
            begin = Tokens.begin(piece, end, length);
        }
        fragment.append(piece, done, length);
        endFragment(fragment);
    }

    private void endFragment(StringBuilder fragment) {
        if (!fragment.isEmpty()) {
            fragments.add(fragment.toString());
            fragment.setLength(0);
        }
    }

    /** Adds to the fragment what stands in a log type for a token between delimiters. */
    private void addWhole(String piece, int begin, int end, StringBuilder fragment) {
        if (!Tokens.isVariable(piece, begin, end)) {
            fragment.append(piece, begin, end);
            return;
        }
        long code = Tokens.numberCode(piece, begin, end);
        if (code != Tokens.NOT_A_NUMBER) {
            fragment.append(Tokens.NUMBER_PLACEHOLDER);
            numbers.add(code);
        } else {
            fragment.append(Tokens.VARIABLE_PLACEHOLDER);
            variables.add(piece.substring(begin, end));
        }
    }

    private void addPart(String piece, int begin, int end) {
        if (Tokens.isVariable(piece, begin, end) && !maybeNumber(piece, begin, end)) {
            parts.add(new Part(piece.substring(begin, end), begin > 0, end < piece.length()));
        }
    }

    private static boolean maybeNumber(String piece, int begin, int end) {
        for (int at = begin; at < end; at++) {
            if ("0123456789-.".indexOf(piece.charAt(at)) < 0) {
                return false;
            }
        }
        return true;
    }
}
