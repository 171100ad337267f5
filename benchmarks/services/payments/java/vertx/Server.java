package payments;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** From a request to its answer, on one event loop. */
final class Server extends VerticleBase {

    private static final int STOP_LIMIT_S = 4;

    private final Payments payments;
    private final Optional<Orders> orders;
    private final JsonMapper json;
    private final InetSocketAddress address;
    private HttpServer server;

    Server(
            Payments payments,
            Optional<Orders> orders,
            JsonMapper json,
            InetSocketAddress address) {
        this.payments = payments;
        this.orders = orders;
        this.json = json;
        this.address = address;
    }

    @Override
    public Future<?> start() {
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
        var body = BodyHandler.create(false);
        router.post("/pay/:amount").handler(body).handler(this::pay);
        router.post("/route").handler(body).handler(this::route);
        router.get("/order/:id").handler(this::order);
        router.route().failureHandler(Server::failed);
        router.errorHandler(404, context -> fail(context, 404, "no such path"));
        router.errorHandler(405, context -> fail(context, 405, "no such method"));
        return router;
    }

    private void pay(RoutingContext context) {
        long amount = Payment.amount(context.pathParam("amount"));
        context.json(read(context, Payment.class).receipt(amount, payments.records()));
    }

    private void route(RoutingContext context) {
        read(context, Routing.class)
                .choice(payments.processors())
                .ifPresentOrElse(context::json, () -> fail(context, 404, "no processor"));
    }

    private void order(RoutingContext context) {
        long id = Order.id(context.pathParam("id"));
        if (orders.isEmpty()) {
            fail(context, 503, "no database");
            return;
        }
        orders.get().find(id).onFailure(context::fail).onSuccess(found ->
                found.ifPresentOrElse(context::json, () -> fail(context, 404, "no order")));
    }

    private <T> T read(RoutingContext context, Class<T> type) {
        var body = context.body().buffer();
        try {
            var value = body == null ? null : json.readValue(body.getBytes(), type);
            if (value == null) {
                throw new BadRequest(); // there was no body, or it was null
            }
            return value;
        } catch (IOException malformed) {
            throw new BadRequest();
        }
    }

    private static void failed(RoutingContext context) {
        int status = context.failure() instanceof BadRequest ? 400 : context.statusCode();
        if (status >= 500 && context.failure() != null) {
            context.failure().printStackTrace();
        }
        fail(context, status, status < 500 ? "malformed request" : "internal error");
    }

    private static void fail(RoutingContext context, int status, String error) {
        context.response().setStatusCode(status);
        context.json(new Failure(error));
    }
}
