package payments;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.concurrent.Executors;
import runfair.Options;
import runfair.Service;

/** The service on the JDK's own server: a virtual thread a request. */
public final class Main {

    /** With none the kernel's own limit holds, 4,096 on Linux; the JDK's choice is 50. */
    private static final int BACKLOG = 4096;

    /** The JDK waits it out whole where no request is under way. */
    private static final int STOP_LIMIT_S = 1;

    private Main() {}

    public static void main(String[] arguments) {
        Service.main(Payments.benchmark("jdk"), Main::start, arguments);
    }

    private static Service.Running start(Options options, Service.Address address)
            throws IOException {
        // Read when the first virtual thread starts.
        System.setProperty(
                "jdk.virtualThreadScheduler.parallelism", Integer.toString(options.threads()));
        var json = Strictness.applied(JsonMapper.builder()).build();
        var payments = Payments.read(options, json);
        int connections = Payments.connections(options);
        var orders = Database.of(options).map(database -> Orders.open(database, connections));
        var handler = new Handler(payments, orders, json);
        var server = listening(address);
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
                orders.ifPresent(Orders::close);
            }
        };
    }

    private static HttpServer listening(Service.Address address) throws IOException {
        var socket = new InetSocketAddress(address.host(), address.port());
        if (socket.isUnresolved()) {
            throw address.cannotBeListenedOn("unknown host");
        }
        try {
            return HttpServer.create(socket, BACKLOG);
        } catch (SocketException refused) {
            throw address.cannotBeListenedOn(refused.getMessage());
        }
    }
}
