package langbench.plain;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The response to a request. */
final class Response {
    private static final long MOST_FILE_BYTES = 1L << 30;
    private static final long BEYOND_ANY_FILE = 1_000_000_000_000_000L;
    private static final int MOST_DIGITS = 15;
    private static final Pattern RANGE = Pattern.compile("bytes=([0-9]*)-([0-9]*)");
    private static final Pattern EXTENSION = Pattern.compile(".*\\.([^.]*)");
    private static final DateTimeFormatter DATE = DateTimeFormatter
            .ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);
    private static final Map<Integer, String> REASONS = new HashMap<>();
    private static final Map<String, String> TYPES = new HashMap<>();

    static {
        REASONS.put(200, "OK");
        REASONS.put(206, "Partial Content");
        REASONS.put(400, "Bad Request");
        REASONS.put(404, "Not Found");
        REASONS.put(405, "Method Not Allowed");
        REASONS.put(411, "Length Required");
        REASONS.put(413, "Content Too Large");
        REASONS.put(414, "URI Too Long");
        REASONS.put(416, "Range Not Satisfiable");
        REASONS.put(417, "Expectation Failed");
        REASONS.put(431, "Request Header Fields Too Large");
        REASONS.put(500, "Internal Server Error");
        REASONS.put(505, "HTTP Version Not Supported");
        TYPES.put("txt", "text/plain; charset=utf-8");
        TYPES.put("log", "text/plain; charset=utf-8");
        TYPES.put("html", "text/html; charset=utf-8");
        TYPES.put("css", "text/css; charset=utf-8");
        TYPES.put("js", "text/javascript; charset=utf-8");
        TYPES.put("json", "application/json");
        TYPES.put("png", "image/png");
        TYPES.put("svg", "image/svg+xml");
    }

    private Response() {}

    static byte[] respond(Path folder, Request request, ConnectionCounts counts) {
        try {
            if (!request.method.equals("GET") && !request.method.equals("HEAD")) {
                throw new Failure(405, "Allow: GET, HEAD\r\n");
            }
            return file(folder, request, counts);
        } catch (Failure failure) {
            return failed(failure, connection(request));
        }
    }

    static byte[] failed(Failure failure, String connection) {
        return head(failure.status, "Content-Length: 0\r\n" + failure.field, connection);
    }

    private static byte[] file(Path folder, Request request, ConnectionCounts counts)
            throws Failure {
        String[] names = Target.fileName(request.target);
        Path path = folder;
        for (int i = 0; i < names.length - 1; i++) {
            path = path.resolve(names[i]);
            if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new Failure(404);
            }
        }
        path = path.resolve(names[names.length - 1]);
        BasicFileAttributes status;
        RandomAccessFile opened;
        try {
            status = Files.readAttributes(
                    path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!status.isRegularFile()) {
                throw new Failure(404);
            }
            opened = new RandomAccessFile(new File(path.toString()), "r");
        } catch (IOException missing) {
            throw new Failure(404);
        }
        try (RandomAccessFile file = opened) {
            return content(file, names[names.length - 1], status, request, counts);
        } catch (IOException broken) {
            throw new Failure(500);
        }
    }

    private static byte[] content(RandomAccessFile file, String name, BasicFileAttributes status,
            Request request, ConnectionCounts counts) throws Failure, IOException {
        long size = status.size();
        if (size > MOST_FILE_BYTES) {
            throw new Failure(500);
        }
        long[] range = request.method.equals("GET") ? range(request, size) : null;
        long first = range == null ? 0 : range[0];
        int count = (int) (range == null ? size : range[1]);
        String fields = "Last-Modified: " + DATE.format(status.lastModifiedTime().toInstant())
                + "\r\nContent-Type: " + type(name)
                + "\r\nContent-Length: " + count
                + "\r\nAccept-Ranges: bytes\r\n";
        if (range != null) {
            fields += "Content-Range: bytes " + first + "-" + (first + count - 1) + "/" + size
                    + "\r\n";
        }
        byte[] head = head(range == null ? 200 : 206, fields, connection(request));
        if (request.method.equals("HEAD")) {
            return head;
        }
        byte[] response = new byte[head.length + count];
        System.arraycopy(head, 0, response, 0, head.length);
        if (first > 0) {
            file.seek(first);
        }
        file.readFully(response, head.length, count);
        counts.requests++; // tick
        counts.bodyBytes += count; // tick
        return response;
    }

    /** The first byte and the number of bytes, or null for the whole file. */
    private static long[] range(Request request, long size) throws Failure {
        String value = request.header("range");
        if (value == null || request.header("if-range") != null || size == 0) {
            return null;
        }
        Matcher matcher = RANGE.matcher(value);
        if (!matcher.matches() || value.equals("bytes=-")) {
            return null;
        }
        String from = matcher.group(1);
        String to = matcher.group(2);
        long last = to.isEmpty() ? BEYOND_ANY_FILE : number(to);
        if (from.isEmpty()) {
            long count = Math.min(last, size);
            return within(size - count, count, size);
        }
        long first = number(from);
        if (last < first) {
            return null;
        }
        return within(first, Math.min(last, size - 1) - first + 1, size);
    }

    private static long[] within(long first, long count, long size) throws Failure {
        if (first >= size || count == 0) {
            throw new Failure(416, "Content-Range: bytes */" + size + "\r\n");
        }
        return new long[] {first, count};
    }

    private static long number(String digits) {
        return digits.length() > MOST_DIGITS ? BEYOND_ANY_FILE : Long.parseLong(digits);
    }

    private static String type(String name) {
        Matcher matcher = EXTENSION.matcher(name);
        String type = matcher.matches() ? TYPES.get(matcher.group(1).toLowerCase(Locale.ROOT)) : null;
        return type == null ? "application/octet-stream" : type;
    }

    private static String connection(Request request) {
        if (!request.isPersistent()) {
            return "Connection: close\r\n";
        }
        return request.minor == 0 ? "Connection: keep-alive\r\n" : "";
    }

    private static byte[] head(int status, String fields, String connection) {
        String text = "HTTP/1.1 " + status + " " + REASONS.get(status)
                + "\r\nDate: " + DATE.format(Instant.now())
                + "\r\n" + fields + connection + "\r\n";
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
