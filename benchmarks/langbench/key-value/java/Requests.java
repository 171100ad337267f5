package langbench.keyvalue;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * The requests of a connection, one after another. Its replies are sent before more bytes are
 * waited for.
 */
final class Requests {
    private static final int BUFFER_BYTES = 16384; // as Redis has it
    private static final int PIECE_BYTES = 1 << 20;
    private static final int MOST_LINE_BYTES = 65536;
    private static final int MOST_WORDS = 1 << 20;
    private static final int MOST_REQUEST_BYTES = 512_000_000;
    private static final int MOST_DIGITS = 10;

    private final InputStream connection;
    private final Replies replies;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int at;
    private int end;

    Requests(InputStream connection, Replies replies) {
        this.connection = connection;
        this.replies = replies;
    }

    /**
     * The words of the next request.
     *
     * @throws EOFException when the client has ended the connection
     */
    List<byte[]> next() throws IOException, ProtocolError {
        if (at == end) {
            fill();
        }
        if (buffer[at] != '*') {
            return inlineWords(line("too big inline request"));
        }
        var count = number(line("too big mbulk count string"), 1);
        if (count.isEmpty() || count.getAsLong() > MOST_WORDS) {
            throw new ProtocolError("invalid multibulk length");
        }
        var words = new ArrayList<byte[]>();
        long left = MOST_REQUEST_BYTES;
        for (long i = 0; i < count.getAsLong(); i++) {
            var line = line("too big bulk count string");
            if (line.length == 0 || line[0] != '$') {
                char first = line.length == 0 ? ' ' : (char) (line[0] & 0xff);
                throw new ProtocolError("expected '$', got '" + first + "'");
            }
            var length = number(line, 1);
            if (length.isEmpty() || length.getAsLong() < 0 || length.getAsLong() > left) {
                throw new ProtocolError("invalid bulk length");
            }
            left -= length.getAsLong();
            words.add(word((int) length.getAsLong()));
        }
        return words;
    }

    /** An optional minus and a few decimal digits, from there to the end. */
    static OptionalLong number(byte[] text, int from) {
        int first = from < text.length && text[from] == '-' ? from + 1 : from;
        int digits = text.length - first;
        if (digits < 1 || digits > MOST_DIGITS) {
            return OptionalLong.empty();
        }
        long value = 0;
        for (int i = first; i < text.length; i++) {
            if (text[i] < '0' || text[i] > '9') {
                return OptionalLong.empty();
            }
            value = 10 * value + text[i] - '0';
        }
        return OptionalLong.of(first == from ? value : -value);
    }

    private static List<byte[]> inlineWords(byte[] line) {
        var words = new ArrayList<byte[]>();
        int start = 0;
        for (int i = 0; i <= line.length; i++) {
            if (i == line.length || line[i] == ' ' || line[i] == '\t') {
                if (i > start) {
                    words.add(Arrays.copyOfRange(line, start, i));
                }
                start = i + 1;
            }
        }
        return words;
    }

    private byte[] line(String tooBig) throws IOException, ProtocolError {
        int length = lengthOfLine();
        byte[] line;
        if (length >= 0) {
            line = Arrays.copyOfRange(buffer, at, at + length);
            at += length;
        } else {
            line = longLine(tooBig);
        }
        at++;
        boolean carriageReturn = line.length > 0 && line[line.length - 1] == '\r';
        return carriageReturn ? Arrays.copyOf(line, line.length - 1) : line;
    }

    /** A line whose beginning alone is in the buffer. */
    private byte[] longLine(String tooBig) throws IOException, ProtocolError {
        var line = new ByteArrayOutputStream();
        int length;
        do {
            keep(line, end - at, tooBig);
            fill();
            length = lengthOfLine();
        } while (length < 0);
        keep(line, length, tooBig);
        return line.toByteArray();
    }

    private void keep(ByteArrayOutputStream line, int length, String tooBig) throws ProtocolError {
        line.write(buffer, at, length);
        at += length;
        if (line.size() > MOST_LINE_BYTES) {
            throw new ProtocolError(tooBig);
        }
    }

    /** What of the line is in the buffer, or -1 where that is not all. */
    private int lengthOfLine() {
        for (int i = at; i < end; i++) {
            if (buffer[i] == '\n') {
                return i - at;
            }
        }
        return -1;
    }

    private byte[] word(int length) throws IOException, ProtocolError {
        var word = new byte[Math.min(length, PIECE_BYTES)];
        int filled = taken(word, 0);
        while (filled < length) {
            if (filled == word.length) {
                word = Arrays.copyOf(word, (int) Math.min(length, 2L * word.length));
            } else if (word.length - filled < BUFFER_BYTES) {
                fill();
            } else if (at == end) { // straight into its place
                filled += receive(word, filled, Math.min(word.length - filled, PIECE_BYTES));
            }
            filled += taken(word, filled);
        }
        byte first = nextByte();
        byte second = nextByte();
        if (first != '\r' || second != '\n') {
            throw new ProtocolError("expected CRLF after bulk");
        }
        return word;
    }

    /** How much of the buffer went into the word, behind what it has. */
    private int taken(byte[] word, int filled) {
        int length = Math.min(word.length - filled, end - at);
        System.arraycopy(buffer, at, word, filled, length);
        at += length;
        return length;
    }

    private byte nextByte() throws IOException {
        if (at == end) {
            fill();
        }
        return buffer[at++];
    }

    private void fill() throws IOException {
        end = receive(buffer, 0, buffer.length);
        at = 0;
    }

    private int receive(byte[] to, int offset, int most) throws IOException {
        replies.send();
        int length = connection.read(to, offset, most);
        if (length < 0) {
            throw new EOFException();
        }
        return length;
    }
}
