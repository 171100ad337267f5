package techempower;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import runfair.Options;
import runfair.Service;
import runfair.UserMistake;

/** The web tests on Vert.x: as many event loops as threads, each with an instance of the server. */
public final class Main {

    private Main() {}

    public static void main(String[] arguments) {
        Service.main("techempower", "vertx", Main::start, arguments);
    }

    private static Service.Running start(Options options, InetSocketAddress address)
            throws Exception {
        int threads = (int) options.number("threads");
        var vertx = Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(threads)
                .setPreferNativeTransport(true));
        var database = Database.ofEnvironment(vertx, (int) options.number("connections"));
        if (database.isPresent()) {
            try {
                waitFor(database.get().connected());
            } catch (ExecutionException failure) {
                throw new UserMistake("DATABASE_URL cannot be reached: "
                        + UserMistake.quoted(failure.getCause().getMessage()));
            }
        }
        Queue<Server> servers = new ConcurrentLinkedQueue<>();
        try {
            waitFor(vertx.deployVerticle(
                    () -> {
                        var server = new Server(database, address);
                        servers.add(server);
                        return server;
                    },
                    new DeploymentOptions().setInstances(threads)));
        } catch (ExecutionException failure) {
            // NIO throws a SocketException, epoll another IOException.
            if (failure.getCause() instanceof IOException refused) {
                throw new SocketException(refused.getMessage());
            }
            throw failure;
        }
        return new Service.Running() {
            @Override
            public int port() {
                return servers.element().port();
            }

            @Override
            public void stop() throws Exception {
                waitFor(Future.all(servers.stream().map(Server::shutdown).toList()));
                waitFor(vertx.close());
            }
        };
    }

    private static void waitFor(Future<?> future) throws ExecutionException, InterruptedException {
        future.toCompletionStage().toCompletableFuture().get();
    }
}
