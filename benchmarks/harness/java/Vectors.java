package runfair;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks the harness's primitives against benchmarks/harness/vectors.json. */
public final class Vectors {

    /** A vector that failed, or a file that is not one of vectors. */
    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failure(String message) {
            super(message);
        }
    }

    public static void main(String[] arguments) {
        try {
            if (arguments.length != 1) {
                throw new Failure("usage: vectors PATH");
            }
            check(new Json(Files.readString(Path.of(arguments[0]))).object());
            System.out.println("vectors ok");
        } catch (Failure | IOException failure) {
            System.err.println("vectors: " + failure.getMessage());
            System.exit(1);
        }
    }

    private static void check(Map<String, Object> file) {
        for (var vector : vectors(file, "splitmix64")) {
            var random = generator(vector);
            for (var want : (List<?>) vector.get("next")) {
                expect("splitmix64", vector, want, Fnv1a.hexadecimal(random.next()));
            }
        }
        for (var vector : vectors(file, "bounded")) {
            var random = generator(vector);
            var values = new ArrayList<Object>();
            for (var bound : (List<?>) vector.get("bounds")) {
                values.add(random.bounded((Long) bound));
            }
            expect("bounded", vector, vector.get("values"), values);
        }
        for (var vector : vectors(file, "shuffle")) {
            var order = new Long[((Long) vector.get("length")).intValue()];
            Arrays.setAll(order, i -> (long) i);
            generator(vector).shuffle(order);
            expect("shuffle", vector, vector.get("order"), List.of(order));
        }
        for (var vector : vectors(file, "fnv1a")) {
            var hash = new Fnv1a();
            hash.add((String) vector.get("text"));
            expect("fnv1a", vector, vector.get("digest"), Fnv1a.hexadecimal(hash.value()));
        }
    }

    private static List<Map<?, ?>> vectors(Map<String, Object> file, String section) {
        var vectors = new ArrayList<Map<?, ?>>();
        if (file.get(section) instanceof List<?> entries) {
            for (var entry : entries) {
                vectors.add((Map<?, ?>) entry);
            }
        }
        if (vectors.isEmpty()) {
            throw new Failure("the file lacks the section " + section);
        }
        return vectors;
    }

    private static SplitMix64 generator(Map<?, ?> vector) {
        return new SplitMix64(Long.parseUnsignedLong((String) vector.get("seed")));
    }

    private static void expect(String section, Map<?, ?> vector, Object want, Object got) {
        if (!got.equals(want)) {
            throw new Failure(section + " " + vector + ": " + got + ", not " + want);
        }
    }

    /** As much of a JSON reader as the file of vectors needs: no escapes but \n, integers alone. */
    private static final class Json {
        private final String text;
        private int at;

        Json(String text) {
            this.text = text;
        }

        Map<String, Object> object() {
            var members = new HashMap<String, Object>();
            take('{');
            while (peek() != '}') {
                var name = string();
                take(':');
                members.put(name, value());
                skipComma();
            }
            take('}');
            return members;
        }

        private Object value() {
            return switch (peek()) {
                case '{' -> object();
                case '[' -> array();
                case '"' -> string();
                default -> integer();
            };
        }

        private List<Object> array() {
            var elements = new ArrayList<Object>();
            take('[');
            while (peek() != ']') {
                elements.add(value());
                skipComma();
            }
            take(']');
            return elements;
        }

        private String string() {
            take('"');
            var string = new StringBuilder();
            for (; text.charAt(at) != '"'; at++) {
                char c = text.charAt(at);
                if (c == '\\') {
                    at++;
                    if (text.charAt(at) != 'n') {
                        throw new Failure("an escape that is not known, at character " + at);
                    }
                    c = '\n';
                }
                string.append(c);
            }
            at++;
            return string.toString();
        }

        private Long integer() {
            int start = at;
            while (Character.isDigit(text.charAt(at))) {
                at++;
            }
            if (at == start) {
                throw new Failure("not JSON, at character " + at);
            }
            return Long.valueOf(text.substring(start, at));
        }

        private void skipComma() {
            if (peek() == ',') {
                at++;
            }
        }

        private void take(char expected) {
            if (peek() != expected) {
                throw new Failure(expected + " is missing at character " + at);
            }
            at++;
        }

        private char peek() {
            while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            if (at == text.length()) {
                throw new Failure("the file ends too early");
            }
            return text.charAt(at);
        }
    }
}
