package langbench.plain;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import runfair.Options;
import runfair.Service;
import runfair.UserMistake;

/** A file server, written from the contract alone in Java 8 (langbench/file-server/contract.md). */
public final class FileServer implements Service.Running {
    private static final int BACKLOG = 4096; // Linux's own limit (net.core.somaxconn)
    private static final long STOP_LIMIT_MS = 2000;
    private static final long SHORTAGE_PAUSE_MS = 10;

    private final Path folder;
    private final ServerSocket listening = new ServerSocket();
    private final Set<Socket> clients = new HashSet<>();
    private final ConnectionCounts ended = new ConnectionCounts();
    private boolean isStopping;

    private FileServer(Path folder, InetSocketAddress address) throws IOException {
        this.folder = folder;
        listening.setReuseAddress(true);
        listening.bind(address, BACKLOG);
        new Thread(this::accept).start();
    }

    private void accept() {
        while (true) {
            try {
                Socket client = listening.accept();
                begin(client);
                new Thread(() -> converse(client)).start();
            } catch (IOException refused) {
                if (isStopping()) {
                    return;
                }
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

    private void converse(Socket client) {
        ConnectionCounts counts = new ConnectionCounts();
        try {
            new Connection(client).converse(folder, counts);
        } catch (IOException left) {
            // The client has left, which is a normal end.
        }
        end(client, counts);
    }

    private synchronized boolean isStopping() {
        return isStopping;
    }

    private synchronized void begin(Socket client) throws IOException {
        clients.add(client);
        if (isStopping) {
            client.shutdownInput();
        }
    }

    private synchronized void end(Socket client, ConnectionCounts counts) {
        clients.remove(client);
        ended.requests += counts.requests;
        ended.bodyBytes += counts.bodyBytes;
        notifyAll();
        try {
            client.close();
        } catch (IOException closed) {
            // It is closed in any case.
        }
    }

    @Override
    public int port() {
        return listening.getLocalPort();
    }

    @Override
    public synchronized void stop() throws IOException, InterruptedException {
        isStopping = true;
        listening.close();
        for (Socket client : clients) {
            try {
                client.shutdownInput();
            } catch (IOException left) {
                // Its thread ends by itself.
            }
        }
        long deadline = System.currentTimeMillis() + STOP_LIMIT_MS;
        long left = STOP_LIMIT_MS;
        while (!clients.isEmpty() && left > 0) {
            wait(left);
            left = deadline - System.currentTimeMillis();
        }
    }

    @Override
    public synchronized Map<String, Long> counters() {
        Map<String, Long> counters = new HashMap<>();
        counters.put("requests", ended.requests);
        counters.put("body_bytes", ended.bodyBytes);
        return counters;
    }

    private static Path load(Options options) {
        String path = options.text("input");
        try {
            Path folder = Paths.get(path, "files");
            Files.newDirectoryStream(folder).close();
            return folder;
        } catch (IOException | InvalidPathException fault) {
            throw UserMistake.unreadableInput(path, fault);
        }
    }

    public static void main(String[] arguments) {
        Service.main("file-server", "plain",
                (options, address) -> new FileServer(load(options), address), arguments);
    }
}
