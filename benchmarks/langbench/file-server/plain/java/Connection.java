package langbench.plain;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Path;

/** The conversation with a client. */
final class Connection {
    private static final int MOST_LINE_BYTES = 8192;
    private static final int MOST_HEADER_BYTES = 65536;
    private static final int MOST_DISCARDED_BYTES = 1048576;

    private final Socket client;
    private final InputStream input;

    Connection(Socket client) throws IOException {
        client.setTcpNoDelay(true);
        this.client = client;
        input = new BufferedInputStream(client.getInputStream());
    }

    /** Responds to requests until the client wants no more. Throws IOException if it leaves. */
    void converse(Path folder, ConnectionCounts counts) throws IOException {
        boolean persistent = true;
        while (persistent) {
            byte[] response;
            try {
                Request request = readRequest();
                response = Response.respond(folder, request, counts);
                persistent = request.isPersistent();
            } catch (Failure failure) {
                response = Response.failed(failure, "Connection: close\r\n");
                persistent = false;
            }
            client.getOutputStream().write(response);
        }
        leave();
    }

    private Request readRequest() throws Failure, IOException {
        String line = "";
        while (line.isEmpty()) {
            line = readLine(MOST_LINE_BYTES, 414);
        }
        Request request = new Request(line);
        int left = MOST_HEADER_BYTES;
        while (true) {
            line = readLine(left, 431);
            if (line.isEmpty()) {
                break;
            }
            left -= line.length();
            request.add(line);
        }
        for (int length = request.bodyLength(); length > 0; length--) {
            readByte();
        }
        return request;
    }

    /** The bytes before CR LF, as characters. */
    private String readLine(int most, int status) throws Failure, IOException {
        StringBuilder line = new StringBuilder();
        for (int next = readByte(); next != '\n'; next = readByte()) {
            line.append((char) next);
            if (line.length() == most + 2) {
                throw new Failure(status);
            }
        }
        if (line.length() == 0 || line.charAt(line.length() - 1) != '\r') {
            throw new Failure(400);
        }
        return line.substring(0, line.length() - 1);
    }

    private int readByte() throws IOException {
        int next = input.read();
        if (next < 0) {
            throw new EOFException();
        }
        return next;
    }

    private void leave() throws IOException {
        client.shutdownOutput();
        byte[] discarded = new byte[8192];
        int left = MOST_DISCARDED_BYTES;
        while (left > 0) {
            int length = input.read(discarded);
            if (length < 0) {
                return;
            }
            left -= length;
        }
    }
}
