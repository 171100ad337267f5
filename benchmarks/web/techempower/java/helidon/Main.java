package techempower;

import io.helidon.webserver.WebServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import runfair.Options;
import runfair.Service;

/** The web tests on Helidon SE: a virtual thread a connection. */
public final class Main {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

    private Main() {}

    public static void main(String[] arguments) {
        Service.main("techempower", "helidon", Main::start, arguments);
    }

    private static Service.Running start(Options options, InetSocketAddress address)
            throws IOException {
        // Helidon only logs that it cannot listen.
        try (var probe = new ServerSocket()) {
            probe.bind(address);
        }
        // Read when the first virtual thread starts.
        System.setProperty(
                "jdk.virtualThreadScheduler.parallelism", options.text("threads"));
        var database = Database.ofEnvironment((int) options.number("connections"));
        var server = WebServer.builder()
                .address(address.getAddress())
                .port(address.getPort())
                .connectionOptions(socket -> socket.tcpNoDelay(true))
                .shutdownHook(false)
                .shutdownGracePeriod(STOP_LIMIT)
                .routing(new Routes(database)::into)
                .build()
                .start();
        return new Service.Running() {
            @Override
            public int port() {
                return server.port();
            }

            @Override
            public void stop() {
                server.stop();
                database.ifPresent(Database::close);
            }
        };
    }
}
