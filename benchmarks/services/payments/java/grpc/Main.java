package payments;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import runfair.Options;
import runfair.Service;

/** The service on grpc-java: Netty's event loops, and a pool of threads for the calls. */
public final class Main {

    private static final int STOP_LIMIT_S = 4;

    /** Kept, because a logger that nobody keeps forgets its level. */
    private static final Logger LOGGER = Logger.getLogger("io.grpc");

    private Main() {}

    public static void main(String[] arguments) {
        Service.main("payments", "grpc-java", Main::start, arguments);
    }

    private static Service.Running start(Options options, InetSocketAddress address)
            throws IOException {
        var json = Strictness.applied(JsonMapper.builder()).build();
        var payments = Payments.read(options, json);
        LOGGER.setLevel(Level.WARNING);
        int count = (int) options.number("threads");
        var threads = new ThreadPoolExecutor(
                count, count, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        // Netty's own threads are daemons, which keep no process alive.
        threads.prestartAllCoreThreads();
        var server = NettyServerBuilder.forAddress(address, InsecureServerCredentials.create())
                .executor(threads)
                .addService(new Calls(payments))
                .build();
        try {
            server.start();
        } catch (IOException failure) {
            threads.shutdown();
            // NIO throws a SocketException, epoll another IOException.
            if (failure.getCause() instanceof IOException refused) {
                throw new SocketException(refused.getMessage());
            }
            throw failure;
        }
        return new Running(server, threads);
    }

    private record Running(Server server, ExecutorService threads) implements Service.Running {
        @Override
        public int port() {
            return server.getPort();
        }

        @Override
        public void stop() throws InterruptedException {
            server.shutdown();
            if (!server.awaitTermination(STOP_LIMIT_S, TimeUnit.SECONDS)) {
                // A connection that asks nothing is left to the end of the process.
                server.shutdownNow();
            }
            threads.shutdown();
        }
    }
}
