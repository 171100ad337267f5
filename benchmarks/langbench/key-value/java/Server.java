package langbench.keyvalue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import runfair.Service;

/** Connections, each on a thread of its own. */
final class Server implements Service.Running {
    /** Linux's own limit (net.core.somaxconn); the JDK's choice is 50. */
    private static final int BACKLOG = 4096;

    private static final long LEAVE_LIMIT_MS = 1000;
    /** Descriptors may run out; the next connections wait in the kernel until some end. */
    private static final long SHORTAGE_PAUSE_MS = 10;

    private final Store store;
    private final ThreadFactory threads;
    private final ServerSocket listening;
    private final Totals totals;
    private final Set<Socket> connections = new HashSet<>();

    private Server(
            Store store, Totals totals, ThreadFactory threads, ServerSocket listening) {
        this.store = store;
        this.totals = totals;
        this.threads = threads;
        this.listening = listening;
    }

    static Server start(
            Store store, Totals totals, ThreadFactory threads, InetSocketAddress address)
            throws IOException {
        var listening = new ServerSocket();
        listening.bind(address, BACKLOG);
        var server = new Server(store, totals, threads, listening);
        new Thread(server::accept, "accept").start();
        return server;
    }

    @Override
    public int port() {
        return listening.getLocalPort();
    }

    @Override
    public void stop() throws IOException, InterruptedException {
        listening.close();
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LEAVE_LIMIT_MS);
        synchronized (connections) {
            for (var connection : connections) {
                try {
                    connection.shutdownInput();
                } catch (SocketException ended) {
                    // By the client, already.
                }
            }
            while (!connections.isEmpty()) {
                long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
                if (leftMs <= 0) {
                    return;
                }
                connections.wait(leftMs);
            }
        }
    }

    @Override
    public Map<String, Long> counters() {
        return totals.sum().counters(store.entries());
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                var connection = listening.accept();
                synchronized (connections) {
                    connections.add(connection);
                }
                start(connection);
            } catch (IOException shortage) {
                pause();
            }
        }
    }

    private void start(Socket connection) throws IOException {
        try {
            threads.newThread(() -> serve(connection)).start();
        } catch (OutOfMemoryError noThread) {
            leave(connection);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(SHORTAGE_PAUSE_MS);
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            connection.setTcpNoDelay(true);
            var replies = new Replies(connection.getOutputStream());
            var session = new Session(store, totals, replies);
            try {
                answer(new Requests(connection.getInputStream(), replies), session, replies);
            } finally {
                session.end();
            }
        } catch (IOException ended) {
            // By the client or a reset: an end like any other.
        } finally {
            forget(connection);
        }
    }

    private static void answer(Requests requests, Session session, Replies replies)
            throws IOException {
        try {
            while (session.isOpen()) {
                var words = requests.next();
                if (!words.isEmpty()) {
                    session.answer(words);
                }
            }
        } catch (ProtocolError mistake) {
            replies.error("ERR Protocol error: " + mistake.getMessage());
        }
        replies.send();
    }

    private void leave(Socket connection) throws IOException {
        connection.close();
        forget(connection);
    }

    private void forget(Socket connection) {
        synchronized (connections) {
            connections.remove(connection);
            connections.notifyAll();
        }
    }
}
