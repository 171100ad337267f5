package techempower;

import com.wizzardo.http.Handler;
import com.wizzardo.http.mapping.UrlMapping;
import com.wizzardo.http.request.Header;
import com.wizzardo.tools.json.JsonTools;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Map;
import runfair.Options;
import runfair.Service;

/** The web tests without a database on wizzardo-http: as many I/O threads as threads. */
public final class Main {
    private static final String GREETING = "Hello, World!";

    private Main() {}

    public static void main(String[] arguments) {
        Service.main("techempower", "wizzardo-http", Main::start, arguments);
    }

    private static Service.Running start(Options options, InetSocketAddress address)
            throws IOException, InterruptedException {
        // The server describes itself on the standard output, which belongs to the contract.
        var output = System.out;
        System.setOut(System.err);
        var server = new Server(address.getAddress().getHostAddress(), free(address));
        server.setIoThreadsCount((int) options.number("threads"));
        server.start();
        server.awaitThreads();
        System.setOut(output);
        route(server.getUrlMapping());
        return new Service.Running() {
            @Override
            public int port() {
                return server.getPort();
            }

            @Override
            public void stop() {
                server.close();
            }
        };
    }

    private static void route(UrlMapping<Handler> mapping) {
        mapping.append("/plaintext", (request, response) -> response
                .appendHeader(Header.KV_CONTENT_TYPE_TEXT_PLAIN)
                .setBody(GREETING));
        mapping.append("/json", (request, response) -> response
                .appendHeader(Header.KV_CONTENT_TYPE_APPLICATION_JSON)
                .setBody(JsonTools.serializeToBytes(Map.of("message", GREETING))));
    }

    /** The server cannot say which port the kernel would choose for it. */
    private static int free(InetSocketAddress address) throws IOException {
        try (var socket = new ServerSocket()) {
            socket.bind(address);
            return socket.getLocalPort();
        }
    }
}
