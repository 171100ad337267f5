package langbench.fileserver;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashSet;
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
    private boolean stopping;

    Server(Path folder, Service.Address address) throws IOException {
        this.folder = folder;
        listening = listening(address);
        new Thread(this::accept, "accept").start();
    }

    private static ServerSocket listening(Service.Address address) throws IOException {
        var socket = new InetSocketAddress(address.host(), address.port());
        if (socket.isUnresolved()) {
            throw address.cannotBeListenedOn("unknown host");
        }
        var listening = new ServerSocket();
        try {
            listening.setReuseAddress(true);
            listening.bind(socket, BACKLOG);
        } catch (IOException refused) {
            listening.close();
            throw address.cannotBeListenedOn(refused.getMessage());
        }
        return listening;
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
                try {
                    new Connection(client).converse(folder);
                } catch (IOException gone) {
                    // Nobody is there any more to be told.
                } finally {
                    end(client);
                }
            }).start();
        } catch (OutOfMemoryError noThread) {
            end(client);
        }
    }

    private synchronized void end(Socket client) {
        clients.remove(client);
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
