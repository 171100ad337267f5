package langbench.plain;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import runfair.Options;
import runfair.Service;

/**
 * A server of keys and values, written from the contract alone in Java 8
 * (langbench/key-value/contract.md). A connection is a thread.
 */
public final class KeyValue implements Service.Running {
    private static final int BACKLOG = 4096; // Linux's own limit (net.core.somaxconn)
    private static final long LEAVE_LIMIT_MS = 1000;
    private static final long SHORTAGE_PAUSE_MS = 10;

    private final Store store;
    private final boolean isCounting;
    private final ServerSocket listening = new ServerSocket();
    private final Map<Session, Socket> sessions = new HashMap<>();
    private final SessionCounts ended = new SessionCounts();
    private boolean isStopping;

    private KeyValue(Options options, InetSocketAddress address) throws IOException {
        store = load(options);
        isCounting = options.has("count");
        listening.bind(address, BACKLOG);
        new Thread(this::accept).start();
    }

    private static Store load(Options options) {
        String workload = options.text("workload");
        long keys = options.number("keys");
        long rows = options.number("rows");
        long capacity = options.number("capacity_bytes");
        if (rows == 0 && workload.equals("spread")) {
            rows = 1;
            while (rows < keys) {
                rows *= 2;
            }
        } else if (rows == 0) {
            rows = 1024;
        }
        if (capacity == 0 && workload.equals("capped")) {
            capacity = Math.max(1, keys * options.number("value_bytes") * 3 / 4);
        }
        return new Store((int) rows, capacity);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket connection = listening.accept();
                new Thread(() -> serve(connection)).start();
            } catch (IOException shortage) {
                pause(); // too many files are open
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(SHORTAGE_PAUSE_MS);
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private void serve(Socket connection) {
        Session session = new Session(store, this::sum, isCounting);
        begin(session, connection);
        try {
            connection.setTcpNoDelay(true);
            converse(connection, session);
        } catch (IOException left) {
            // A reset by the client is an end like any other.
        }
        end(session, connection);
    }

    private static void converse(Socket connection, Session session) throws IOException {
        OutputStream output = new BufferedOutputStream(connection.getOutputStream());
        Requests requests = new Requests(new BufferedInputStream(connection.getInputStream()));
        try {
            while (session.isOpen()) {
                List<byte[]> words = requests.next();
                if (!words.isEmpty()) {
                    output.write(session.reply(words));
                    output.flush();
                }
            }
        } catch (Requests.ProtocolError mistake) {
            output.write(Session.error("ERR Protocol error: " + mistake.getMessage()));
            output.flush();
        }
    }

    private synchronized void begin(Session session, Socket connection) {
        sessions.put(session, connection);
        if (isStopping) {
            stopReading(connection);
        }
    }

    private synchronized void end(Session session, Socket connection) {
        sessions.remove(session);
        ended.add(session.counts);
        notifyAll();
        try {
            connection.close();
        } catch (IOException closed) {
            // It is closed in any case.
        }
    }

    private static void stopReading(Socket connection) {
        try {
            connection.shutdownInput();
        } catch (IOException left) {
            // Its thread ends by itself.
        }
    }

    /** The counts of all connections, open and closed. */
    private synchronized SessionCounts sum() {
        SessionCounts sum = new SessionCounts();
        sum.add(ended);
        for (Session session : sessions.keySet()) {
            sum.add(session.counts);
        }
        return sum;
    }

    @Override
    public int port() {
        return listening.getLocalPort();
    }

    @Override
    public synchronized void stop() throws IOException, InterruptedException {
        isStopping = true;
        listening.close();
        for (Socket connection : sessions.values()) {
            stopReading(connection);
        }
        long deadline = System.currentTimeMillis() + LEAVE_LIMIT_MS;
        long left = LEAVE_LIMIT_MS;
        while (!sessions.isEmpty() && left > 0) {
            wait(left);
            left = deadline - System.currentTimeMillis();
        }
    }

    @Override
    public Map<String, Long> counters() {
        return sum().counters(store.entries());
    }

    public static void main(String[] arguments) {
        Service.main("key-value", "plain", KeyValue::new, arguments);
    }
}
