package awfy;

/** A parser of JSON that looks at one character after the other, each a string. */
final class JsonParser {
    private final String input;
    private int index = -1;
    private String current; // null at the end
    private String captured = "";
    private int captureStart;

    JsonParser(String input) { this.input = input; }

    JsonValue parse() {
        read();
        skipSpace();
        var value = value();
        skipSpace();
        if (current != null) {
            throw unexpected("the end");
        }
        return value;
    }

    private void read() {
        Counts.steps++; // tick
        index++;
        current = index < input.length() ? input.substring(index, index + 1) : null;
    }

    private boolean is(String character) { return character.equals(current); }

    /** Reads the character if it is there; whether it was. */
    private boolean skip(String character) {
        if (!is(character)) {
            return false;
        }
        read();
        return true;
    }

    private void require(String character) {
        if (!skip(character)) {
            throw unexpected(character);
        }
    }

    private void skipSpace() {
        while (is(" ") || is("\t") || is("\n") || is("\r")) {
            read();
        }
    }

    private IllegalStateException unexpected(String wanted) {
        return new IllegalStateException("no " + wanted + " at character " + index);
    }

    private JsonValue value() {
        if (is("n")) {
            return literal("null");
        }
        if (is("t")) {
            return literal("true");
        }
        if (is("f")) {
            return literal("false");
        }
        if (is("\"")) {
            return new JsonValue.Text(text());
        }
        if (is("[")) {
            return array();
        }
        if (is("{")) {
            return object();
        }
        if (is("-") || isDigit()) {
            return number();
        }
        throw unexpected("value");
    }

    private JsonValue literal(String name) {
        for (int i = 0; i < name.length(); i++) {
            require(name.substring(i, i + 1));
        }
        return new JsonValue.Literal(name);
    }

    private JsonValue array() {
        read();
        var array = new JsonValue.Array();
        skipSpace();
        if (skip("]")) {
            return array;
        }
        do {
            skipSpace();
            array.add(value());
            skipSpace();
        } while (skip(","));
        require("]");
        return array;
    }

    private JsonValue object() {
        read();
        var object = new JsonValue.Fields();
        skipSpace();
        if (skip("}")) {
            return object;
        }
        do {
            skipSpace();
            if (!is("\"")) {
                throw unexpected("name");
            }
            String name = text();
            skipSpace();
            require(":");
            skipSpace();
            object.add(name, value());
            skipSpace();
        } while (skip(","));
        require("}");
        return object;
    }

    private String text() {
        read();
        startCapture();
        while (!is("\"")) {
            if (current == null) {
                throw unexpected("end of a string");
            }
            if (is("\\")) {
                pauseCapture();
                escape();
                startCapture();
            } else {
                read();
            }
        }
        String text = endCapture();
        read();
        return text;
    }

    private void escape() {
        read();
        if (is("\"") || is("/") || is("\\")) {
            captured += current;
        } else if (is("b")) {
            captured += "\b";
        } else if (is("f")) {
            captured += "\f";
        } else if (is("n")) {
            captured += "\n";
        } else if (is("r")) {
            captured += "\r";
        } else if (is("t")) {
            captured += "\t";
        } else {
            throw unexpected("escape sequence");
        }
        read();
    }

    private JsonValue number() {
        startCapture();
        skip("-");
        boolean isZero = is("0");
        requireDigit();
        if (!isZero) {
            digits();
        }
        if (skip(".")) {
            requireDigit();
            digits();
        }
        if (skip("e") || skip("E")) {
            if (!skip("+")) {
                skip("-");
            }
            requireDigit();
            digits();
        }
        return new JsonValue.Number(endCapture());
    }

    private boolean isDigit() {
        return is("0") || is("1") || is("2") || is("3") || is("4") || is("5") || is("6") || is("7")
                || is("8") || is("9");
    }

    private void digits() {
        while (isDigit()) {
            read();
        }
    }

    private void requireDigit() {
        if (!isDigit()) {
            throw unexpected("digit");
        }
        read();
    }

    private void startCapture() { captureStart = index; }

    private void pauseCapture() { captured += input.substring(captureStart, index); }

    private String endCapture() {
        pauseCapture();
        String all = captured;
        captured = "";
        return all;
    }
}
