package techempower;

import static io.jooby.ExecutionMode.EVENT_LOOP;

import io.jooby.Jooby;
import io.jooby.ServerOptions;
import io.jooby.netty.NettyServer;
import java.net.InetSocketAddress;
import runfair.Options;
import runfair.Service;

/** The web tests on Jooby and its server on Netty: as many event loops as threads. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        Service.main("techempower", "jooby", Main::start, arguments);
    }

    private static Service.Running start(Options options, InetSocketAddress address) {
        var database = Database.ofEnvironment((int) options.number("connections"));
        var wanted = new ServerOptions()
                .setPort(address.getPort())
                .setIoThreads((int) options.number("threads"))
                .setWorkerThreads((int) options.number("connections"));
        wanted.setHost(address.getHostString());
        var server = new NettyServer().setOptions(wanted);
        var app = Jooby.createApp(EVENT_LOOP, () -> new App(database));
        server.start(app);
        return new Service.Running() {
            @Override
            public int port() {
                return wanted.getPort();
            }

            @Override
            public void stop() {
                server.stop();
                database.ifPresent(Database::close);
            }
        };
    }
}
