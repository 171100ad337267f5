package techempower;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.InetSocketAddress;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** From a request to its answer, on one event loop. */
final class Server extends VerticleBase {
    private static final String GREETING = "Hello, World!";
    private static final int STOP_LIMIT_S = 4;
    private static final int SECOND_MS = 1000;
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

    private final Optional<Database> database;
    private final InetSocketAddress address;
    private HttpServer server;
    private String date = now();

    Server(Optional<Database> database, InetSocketAddress address) {
        this.database = database;
        this.address = address;
    }

    @Override
    public Future<?> start() {
        vertx.setPeriodic(SECOND_MS, timer -> date = now());
        // A negative port is one that the kernel chooses for all instances together.
        int port = address.getPort() == 0 ? -1 : address.getPort();
        server = vertx.createHttpServer().requestHandler(router());
        return server.listen(port, address.getHostString());
    }

    int port() {
        return server.actualPort();
    }

    /** No new connections; done once the requests under way are answered. */
    Future<Void> shutdown() {
        return server.shutdown(STOP_LIMIT_S, TimeUnit.SECONDS);
    }

    private Router router() {
        var router = Router.router(vertx);
        router.get("/plaintext").handler(context -> send(context, "text/plain", GREETING));
        router.get("/json").handler(context -> sendJson(context, Map.of("message", GREETING)));
        database.ifPresent(found -> {
            router.get("/db").handler(context -> answer(context, found.random()));
            router.get("/queries")
                    .handler(context -> answer(context, found.rows(count(context))));
            router.get("/updates")
                    .handler(context -> answer(context, found.update(count(context))));
            router.get("/fortunes")
                    .handler(context -> found.fortunes()
                            .map(Fortunes::render)
                            .onFailure(context::fail)
                            .onSuccess(page -> send(context, "text/html; charset=utf-8", page)));
        });
        router.route().failureHandler(Server::failed);
        return router;
    }

    /** What the request means as a number of queries. */
    private static int count(RoutingContext context) {
        return Queries.count(context.request().getParam("queries"));
    }

    private void answer(RoutingContext context, Future<?> value) {
        value.onFailure(context::fail).onSuccess(found -> sendJson(context, found));
    }

    private void sendJson(RoutingContext context, Object value) {
        response(context, "application/json");
        context.json(value);
    }

    private void send(RoutingContext context, String type, String text) {
        response(context, type).end(text);
    }

    private HttpServerResponse response(RoutingContext context, String type) {
        return context.response()
                .putHeader(HttpHeaders.SERVER, "vertx")
                .putHeader(HttpHeaders.DATE, date)
                .putHeader(HttpHeaders.CONTENT_TYPE, type);
    }

    private static void failed(RoutingContext context) {
        if (context.failure() != null) {
            context.failure().printStackTrace();
        }
        context.response().setStatusCode(context.statusCode()).end("internal error");
    }

    private static String now() {
        return DATE.format(ZonedDateTime.now(ZoneOffset.UTC));
    }
}
