package runfair;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** JSON Lines, kept in memory until the harness, between iterations, has them written. */
final class Output {
    /** At most ten writes a second (contract.md, "What it says"). */
    private static final long WRITE_INTERVAL_NS = 100_000_000;

    private final FileOutputStream stream = new FileOutputStream(FileDescriptor.out);
    private final StringBuilder lines = new StringBuilder();
    private int depth;
    private long writtenNs;

    /** Begins a line. */
    Output begin(String event) {
        lines.append('{');
        depth = 1;
        return text("event", event);
    }

    Output beginObject(String name) {
        key(name).append('{');
        depth++;
        return this;
    }

    /** Ends the innermost object, and with the outermost the line. */
    Output end() {
        lines.append('}');
        if (--depth == 0) {
            lines.append('\n');
        }
        return this;
    }

    Output text(String name, String value) {
        quote(key(name), value);
        return this;
    }

    Output number(String name, long value) {
        key(name).append(value);
        return this;
    }

    Output unsigned(String name, long value) {
        key(name).append(Long.toUnsignedString(value));
        return this;
    }

    Output bool(String name, boolean value) {
        key(name).append(value);
        return this;
    }

    Output decimal(String name, double value) {
        key(name).append(finite(value));
        return this;
    }

    Output decimals(String name, double[] values) {
        key(name).append('[');
        for (int i = 0; i < values.length; i++) {
            lines.append(i == 0 ? "" : ",").append(finite(values[i]));
        }
        lines.append(']');
        return this;
    }

    void flushIfDue() throws IOException {
        if (System.nanoTime() - writtenNs >= WRITE_INTERVAL_NS) {
            flush();
        }
    }

    void flush() throws IOException {
        stream.write(lines.toString().getBytes(StandardCharsets.UTF_8));
        lines.setLength(0);
        writtenNs = System.nanoTime();
    }

    /** The text as a JSON string, which is always one line. */
    static String quoted(String text) {
        var quoted = new StringBuilder();
        quote(quoted, text);
        return quoted.toString();
    }

    private StringBuilder key(String name) {
        if (lines.charAt(lines.length() - 1) != '{') {
            lines.append(',');
        }
        quote(lines, name);
        return lines.append(':');
    }

    private static void quote(StringBuilder to, String text) {
        to.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                to.append('\\').append(c);
            } else if (c < ' ') {
                to.append(c < 0x10 ? "\\u000" : "\\u00").append(Integer.toHexString(c));
            } else {
                to.append(c);
            }
        }
        to.append('"');
    }

    private static double finite(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("JSON has no " + value);
        }
        return value;
    }
}
