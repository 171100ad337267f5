package awfy;

/** A value of a JSON document. */
abstract class JsonValue {
    boolean isArray() { return false; }

    boolean isObject() { return false; }

    Array asArray() { throw new IllegalStateException("no array"); }

    Fields asObject() { throw new IllegalStateException("no object"); }

    /** Null, true or false. */
    static final class Literal extends JsonValue {
        final String name;

        Literal(String name) { this.name = name; }
    }

    static final class Number extends JsonValue {
        final String digits;

        Number(String digits) { this.digits = digits; }
    }

    static final class Text extends JsonValue {
        final String characters;

        Text(String characters) { this.characters = characters; }
    }

    static final class Array extends JsonValue {
        private final Vector<JsonValue> values = new Vector<>();

        void add(JsonValue value) { values.append(value); }

        int size() { return values.size(); }

        @Override
        boolean isArray() { return true; }

        @Override
        Array asArray() { return this; }
    }

    /** An object, whose names are found by a table of guesses. */
    static final class Fields extends JsonValue {
        private static final int GUESSES = 32;
        private static final int MOST = 255;

        private final Vector<String> names = new Vector<>();
        private final Vector<JsonValue> values = new Vector<>();
        private final int[] guesses = new int[GUESSES];

        void add(String name, JsonValue value) {
            int index = names.size();
            guesses[slot(name)] = index < MOST ? index + 1 : 0;
            names.append(name);
            values.append(value);
        }

        /** The value of a name, or null. */
        JsonValue get(String name) {
            int index = guesses[slot(name)] - 1;
            if (index < 0 || !name.equals(names.at(index))) {
                index = place(name);
            }
            return index < 0 ? null : values.at(index);
        }

        private int place(String name) {
            for (int i = names.size() - 1; i >= 0; i--) {
                if (name.equals(names.at(i))) {
                    return i;
                }
            }
            return -1;
        }

        private static int slot(String name) { return name.length() * 1_402_589 & GUESSES - 1; }

        @Override
        boolean isObject() { return true; }

        @Override
        Fields asObject() { return this; }
    }
}
