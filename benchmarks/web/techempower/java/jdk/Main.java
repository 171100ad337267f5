package techempower;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import runfair.Options;
import runfair.Service;

/** The web tests on the JDK's own server: a virtual thread a request. */
public final class Main {

    /** With none the kernel's own limit holds, 4,096 on Linux; the JDK's choice is 50. */
    private static final int BACKLOG = 4096;

    /** The JDK waits it out whole where no request is under way. */
    private static final int STOP_LIMIT_S = 1;

    private Main() {}

    public static void main(String[] arguments) {
        Service.main("techempower", "jdk", Main::start, arguments);
    }

    private static Service.Running start(Options options, InetSocketAddress address)
            throws IOException {
        // Read when the first virtual thread starts.
        System.setProperty(
                "jdk.virtualThreadScheduler.parallelism", options.text("threads"));
        var database = Database.ofEnvironment((int) options.number("connections"));
        var handler = new Handler(database);
        var server = HttpServer.create(address, BACKLOG);
        server.createContext("/", handler);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        return new Service.Running() {
            @Override
            public int port() {
                return server.getAddress().getPort();
            }

            @Override
            public void stop() {
                handler.closeConnections();
                server.stop(STOP_LIMIT_S);
                database.ifPresent(Database::close);
            }
        };
    }
}
