package langbench.keyvalue;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Answers to a connection in RESP2, kept until its buffer is full or they are sent. */
final class Replies {
    private static final int BUFFER_BYTES = 16384;

    private final OutputStream buffered;

    Replies(OutputStream connection) {
        buffered = new BufferedOutputStream(connection, BUFFER_BYTES);
    }

    void simple(String text) throws IOException {
        line("+" + text);
    }

    /** A character is a byte. */
    void error(String text) throws IOException {
        line("-" + text.replace('\r', ' ').replace('\n', ' '));
    }

    void integer(long value) throws IOException {
        line(":" + value);
    }

    void bulk(byte[] value) throws IOException {
        line("$" + value.length);
        buffered.write(value);
        buffered.write('\r');
        buffered.write('\n');
    }

    void bulk(String text) throws IOException {
        bulk(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void nullBulk() throws IOException {
        line("$-1");
    }

    /** So many replies follow. */
    void array(int length) throws IOException {
        line("*" + length);
    }

    void send() throws IOException {
        buffered.flush();
    }

    private void line(String text) throws IOException {
        buffered.write((text + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }
}
