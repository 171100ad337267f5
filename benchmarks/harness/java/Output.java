package runfair;

import java.io.*;
import java.nio.charset.StandardCharsets;

/** JSON Lines, kept in memory until the harness, between iterations, writes them. */
final class Output {
    private final FileOutputStream stream = new FileOutputStream(FileDescriptor.out);
    private final StringBuilder lines = new StringBuilder();
    private long writtenNs;

    /** Adds a line of names and values by turns. */
    void line(Object... fields) {
        append(fields).append('\n');
    }

    private StringBuilder append(Object value) {
        if (value instanceof Object[] fields) {
            for (int i = 0; i < fields.length; i += 2) {
                lines.append(i == 0 ? "{\"" : ",\"").append(fields[i]).append("\":");
                append(fields[i + 1]);
            }
            return lines.append('}');
        }
        return value instanceof String text
                ? lines.append('"').append(escaped(text)).append('"')
                : lines.append(value);
    }

    static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"")
                .replace("\n", "\\n").replace("\r", "\\r");
    }

    void flush() throws IOException {
        stream.write(lines.toString().getBytes(StandardCharsets.UTF_8));
        lines.setLength(0);
        writtenNs = System.nanoTime();
    }

    /** Writes at most ten times a second. */
    void flushIfDue() throws IOException {
        if (System.nanoTime() - writtenNs >= 100_000_000) {
            flush();
        }
    }
}
