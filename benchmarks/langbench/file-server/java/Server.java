package langbench.fileserver;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import runfair.Service;

/** A listening socket and the connections that came from it, a thread each. */
final class Server implements Service.Running {
    private static final long STOP_LIMIT_NS = TimeUnit.SECONDS.toNanos(2);

    /** Linux's own limit (net.core.somaxconn). */
    private static final int BACKLOG = 4096;

    private static final long ACCEPT_PAUSE_MS = 10;

    private final Path folder;
    private final ServerSocket listening;
    private final Set<Socket> clients = new HashSet<>();
    private final Counts counts = new Counts(); // of connections that have ended
    private boolean stopping;

    Server(Path folder, InetSocketAddress address) throws IOException {
        this.folder = folder;
        listening = new ServerSocket();
        listening.setReuseAddress(true);
        listening.bind(address, BACKLOG);
        new Thread(this::accept, "accept").start();
    }

    @Override
    public int port() {
        return listening.getLocalPort();
    }

    /** Lets the requests under way be answered, for a while. */
    @Override
    public synchronized void stop() throws IOException, InterruptedException {
        stopping = true;
        listening.close();
        for (var client : clients) {
            endInput(client);
        }
        long deadlineNs = System.nanoTime() + STOP_LIMIT_NS;
        for (long leftNs = STOP_LIMIT_NS; !clients.isEmpty() && leftNs > 0;
                leftNs = deadlineNs - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, leftNs);
        }
    }

    @Override
    public synchronized Map<String, Long> counters() {
        return counts.byName();
    }

    /** A client that waits for a request finds none any more. */
    private static void endInput(Socket client) {
        try {
            client.shutdownInput();
        } catch (IOException gone) {
            // Then its thread is about to find out.
        }
    }

    /** Takes connections until the server stops. */
    private void accept() {
        while (true) {
            try {
                converse(listening.accept());
            } catch (IOException refused) {
                synchronized (this) {
                    if (stopping) {
                        return;
                    }
                }
                pause(); // a client that was gone already, or too many open files
            }
        }
    }

    private void converse(Socket client) {
        synchronized (this) {
            clients.add(client);
            if (stopping) {
                endInput(client);
            }
        }
        try {
            new Thread(() -> {
                var counted = new Counts();
                try {
                    new Connection(client, counted).converse(folder);
                } catch (IOException gone) {
                    // Nobody is there any more to be told.
                } finally {
                    end(client, counted);
                }
            }).start();
        } catch (OutOfMemoryError noThread) {
            end(client, new Counts());
        }
    }

    private synchronized void end(Socket client, Counts counted) {
        clients.remove(client);
        counts.add(counted);
        notifyAll();
        try {
            client.close();
        } catch (IOException gone) {
            // It is closed all the same.
        }
    }

    private static void pause() {
        try {
            Thread.sleep(ACCEPT_PAUSE_MS);
        } catch (InterruptedException nobody) {
            throw new IllegalStateException("nobody interrupts this thread", nobody);
        }
    }
}
