package langbench.plain;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Requests in RESP2 (langbench/key-value/contract.md, "Requests"). */
final class Requests {
    private static final int PIECE_BYTES = 1048576;
    private static final int MOST_LINE_BYTES = 65536;
    private static final int MOST_WORDS = 1048576;
    private static final int MOST_REQUEST_BYTES = 512000000;

    /** What the client sent is not a request. */
    static final class ProtocolError extends Exception {
        private static final long serialVersionUID = 1;

        ProtocolError(String message) {
            super(message);
        }
    }

    private final InputStream input;

    Requests(InputStream input) {
        this.input = input;
    }

    /** The words of the next request. */
    List<byte[]> next() throws IOException, ProtocolError {
        int first = nextByte();
        if (first != '*') {
            return inline(first);
        }
        Long count = number(line("too big mbulk count string", '*').substring(1));
        if (count == null || count > MOST_WORDS) {
            throw new ProtocolError("invalid multibulk length");
        }
        List<byte[]> words = new ArrayList<>();
        int left = MOST_REQUEST_BYTES;
        for (long i = 0; i < count; i++) {
            String line = line("too big bulk count string", nextByte());
            if (!line.startsWith("$")) {
                throw new ProtocolError("expected '$', got '" + (line + " ").charAt(0) + "'");
            }
            Long length = number(line.substring(1));
            if (length == null || length < 0 || length > left) {
                throw new ProtocolError("invalid bulk length");
            }
            left -= length.intValue();
            words.add(take(length.intValue()));
            byte[] end = take(2);
            if (end[0] != '\r' || end[1] != '\n') {
                throw new ProtocolError("expected CRLF after bulk");
            }
        }
        return words;
    }

    private List<byte[]> inline(int first) throws IOException, ProtocolError {
        List<byte[]> words = new ArrayList<>();
        for (String word : line("too big inline request", first).split("[ \t]")) {
            if (!word.isEmpty()) {
                words.add(word.getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        return words;
    }

    /** The line that begins with that byte, without its end. A byte is a character. */
    private String line(String tooBig, int first) throws IOException, ProtocolError {
        StringBuilder line = new StringBuilder();
        for (int next = first; next != '\n'; next = nextByte()) {
            line.append((char) next);
            if (line.length() > MOST_LINE_BYTES) {
                throw new ProtocolError(tooBig);
            }
        }
        int last = line.length() - 1;
        return last >= 0 && line.charAt(last) == '\r' ? line.substring(0, last) : line.toString();
    }

    private int nextByte() throws IOException {
        int next = input.read();
        if (next < 0) {
            throw new EOFException();
        }
        return next;
    }

    /** So many bytes. Memory is allocated in pieces, as the bytes arrive. */
    private byte[] take(int length) throws IOException {
        if (length <= PIECE_BYTES) {
            return takePiece(length);
        }
        ByteArrayOutputStream word = new ByteArrayOutputStream();
        while (word.size() < length) {
            word.write(takePiece(Math.min(PIECE_BYTES, length - word.size())));
        }
        return word.toByteArray();
    }

    private byte[] takePiece(int length) throws IOException {
        byte[] piece = new byte[length];
        for (int taken = 0; taken < length; ) {
            int read = input.read(piece, taken, length - taken);
            if (read < 0) {
                throw new EOFException();
            }
            taken += read;
        }
        return piece;
    }

    /** An optional minus and 1 to 10 digits, otherwise null. */
    static Long number(String text) {
        int first = text.startsWith("-") ? 1 : 0;
        if (text.length() == first || text.length() > first + 10) {
            return null;
        }
        for (int i = first; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return null;
            }
        }
        return Long.valueOf(text);
    }
}
