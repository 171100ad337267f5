package langbench.fileserver;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** One client: its requests, one after another. */
final class Connection {
    private static final int LONGEST_REQUEST_LINE = 8192;
    private static final int LONGEST_HEADERS = 65_536;
    private static final int MOST_DROPPED_BYTES = 1_048_576;

    private final Socket client;
    private final InputStream input;
    private final OutputStream output;

    /** What has come and is not taken yet: from {@code at} to {@code end}. */
    private final byte[] come = new byte[16_384];
    private int at;
    private int end;

    private final Counts counts;

    Connection(Socket client, Counts counts) throws IOException {
        client.setTcpNoDelay(true);
        this.counts = counts;
        this.client = client;
        input = client.getInputStream();
        output = client.getOutputStream();
    }

    /** Answers requests until the client wants no more; if it leaves, by an IOException. */
    void converse(Path folder) throws IOException {
        boolean persistent = true;
        while (persistent) {
            try {
                var request = readRequest();
                output.write(Answer.of(folder, request, counts));
                persistent = request.persistent();
            } catch (Failure failure) {
                output.write(Answer.refusal(failure));
                persistent = false;
            }
        }
        leave();
    }

    private Request readRequest() throws Failure, IOException {
        var line = readLine(LONGEST_REQUEST_LINE, 414);
        while (line.isEmpty()) {
            line = readLine(LONGEST_REQUEST_LINE, 414);
        }
        var request = new Request(line);
        int left = LONGEST_HEADERS;
        while (!(line = readLine(left, 431)).isEmpty()) {
            left -= line.length();
            request.addField(line);
        }
        drop(request.bodyLength());
        return request;
    }

    /** A line, a character a byte. */
    private String readLine(int most, int status) throws Failure, IOException {
        var line = new StringBuilder();
        while (true) {
            if (at == end) {
                receive();
            }
            int begin = at;
            int limit = Math.min(end, begin + most + 2 - line.length());
            while (at < limit && come[at] != '\n') {
                at++;
            }
            line.append(new String(come, begin, at - begin, StandardCharsets.ISO_8859_1));
            if (at < limit) {
                at++;
                break;
            }
            if (line.length() == most + 2) {
                throw new Failure(status);
            }
        }
        int last = line.length() - 1;
        if (last < 0 || line.charAt(last) != '\r') {
            throw new Failure(400);
        }
        line.setLength(last);
        return line.toString();
    }

    private void drop(int length) throws IOException {
        int left = length;
        while (left > end - at) {
            left -= end - at;
            receive();
        }
        at += left;
    }

    /** At least a byte more, where all has been taken. */
    private void receive() throws IOException {
        int length = input.read(come);
        if (length < 0) {
            throw new EOFException("the client has left");
        }
        at = 0;
        end = length;
    }

    /** Waits for the client to go, so that no reset overtakes the last answer. */
    private void leave() throws IOException {
        client.shutdownOutput();
        for (int left = MOST_DROPPED_BYTES; left > 0; left -= end) {
            receive();
        }
    }
}
