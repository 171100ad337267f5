package langbench.fileserver;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** From a request to its answer. */
final class Answer {
    private static final long MOST_FILE_BYTES = 1 << 30;

    /** As HTTP writes it: Sun, 06 Nov 1994 08:49:37 GMT. */
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
                    .withZone(ZoneOffset.UTC);

    private static final Map<Integer, String> REASONS = Map.ofEntries(
            Map.entry(200, "OK"),
            Map.entry(206, "Partial Content"),
            Map.entry(400, "Bad Request"),
            Map.entry(404, "Not Found"),
            Map.entry(405, "Method Not Allowed"),
            Map.entry(411, "Length Required"),
            Map.entry(413, "Content Too Large"),
            Map.entry(414, "URI Too Long"),
            Map.entry(416, "Range Not Satisfiable"),
            Map.entry(417, "Expectation Failed"),
            Map.entry(431, "Request Header Fields Too Large"),
            Map.entry(500, "Internal Server Error"),
            Map.entry(505, "HTTP Version Not Supported"));

    private static final Map<String, String> TYPES = Map.of(
            "txt", "text/plain; charset=utf-8",
            "log", "text/plain; charset=utf-8",
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "json", "application/json",
            "png", "image/png",
            "svg", "image/svg+xml");

    private Answer() {}

    /** The whole answer to a request that could be read. */
    static byte[] of(Path folder, Request request, Counts counts) {
        try {
            if (!request.method.equals("GET") && !request.method.equals("HEAD")) {
                throw new Failure(405, "Allow: GET, HEAD");
            }
            return content(file(folder, Target.fileName(request.target)), request, counts);
        } catch (Failure failure) {
            return head(failure.status, fields(failure), connection(request));
        }
    }

    /** The answer to what could not be read, behind which nothing can be. */
    static byte[] refusal(Failure failure) {
        return head(failure.status, fields(failure), "Connection: close\r\n");
    }

    /** The file's path, whose folders are no links. */
    private static Path file(Path folder, List<String> name) throws Failure {
        var path = folder;
        for (var segment : name.subList(0, name.size() - 1)) {
            path = path.resolve(segment);
            if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new Failure(404);
            }
        }
        return path.resolve(name.get(name.size() - 1));
    }

    private static byte[] content(Path path, Request request, Counts counts) throws Failure {
        var status = status(path);
        if (status.size() > MOST_FILE_BYTES) {
            throw new Failure(500);
        }
        try (var file = new FileInputStream(path.toFile())) {
            return content(file, status, path.getFileName().toString(), request, counts);
        } catch (FileNotFoundException unreadable) {
            throw new Failure(404);
        } catch (IOException broken) {
            throw new Failure(500);
        }
    }

    /** Asked for before the file is opened: a FileInputStream would follow a link. */
    private static BasicFileAttributes status(Path path) throws Failure {
        try {
            var status = Files.readAttributes(
                    path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!status.isRegularFile()) {
                throw new Failure(404);
            }
            return status;
        } catch (IOException missing) {
            throw new Failure(404);
        }
    }

    private static byte[] content(
            FileInputStream file,
            BasicFileAttributes status,
            String name,
            Request request,
            Counts counts)
            throws Failure, IOException {
        long size = status.size();
        boolean ranged = request.method.equals("GET") && request.header("if-range") == null;
        var part = ByteRange.requested(ranged ? request.header("range") : null, size);
        var range = part.orElse(new ByteRange(0, size));
        int count = (int) range.count();
        var fields = "Last-Modified: " + DATE.format(status.lastModifiedTime().toInstant())
                + "\r\nContent-Type: " + contentType(name)
                + "\r\nContent-Length: " + count
                + "\r\nAccept-Ranges: bytes\r\n";
        if (part.isPresent()) {
            fields += "Content-Range: bytes " + range.first() + "-" + (range.first() + count - 1)
                    + "/" + size + "\r\n";
        }
        var head = head(part.isPresent() ? 206 : 200, fields, connection(request));
        if (request.method.equals("HEAD")) {
            return head;
        }
        var whole = Arrays.copyOf(head, head.length + count);
        file.skipNBytes(range.first());
        int read = file.readNBytes(whole, head.length, count);
        if (read < count) {
            throw new Failure(500);
        }
        counts.requests++; // tick
        counts.bodyBytes += read; // tick
        return whole;
    }

    private static String contentType(String name) {
        int dot = name.lastIndexOf('.');
        var extension = dot < 0 ? "" : name.substring(dot + 1).toLowerCase(Locale.ROOT);
        return TYPES.getOrDefault(extension, "application/octet-stream");
    }

    private static String fields(Failure failure) {
        var length = "Content-Length: 0\r\n";
        return failure.field.isEmpty() ? length : length + failure.field + "\r\n";
    }

    /** What the head says of the connection. */
    private static String connection(Request request) {
        if (!request.persistent()) {
            return "Connection: close\r\n";
        }
        return request.minor == 0 ? "Connection: keep-alive\r\n" : "";
    }

    /** Its end is the empty line; {@code fields} and {@code last} are whole lines. */
    private static byte[] head(int status, String fields, String last) {
        var lines = "HTTP/1.1 " + status + " " + REASONS.get(status)
                + "\r\nDate: " + DATE.format(Instant.now()) + "\r\n" + fields + last + "\r\n";
        return lines.getBytes(StandardCharsets.US_ASCII);
    }
}
