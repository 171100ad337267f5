package payments;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Optional;

/** From a request to its answer. */
final class Handler implements HttpHandler {
    private final Payments payments;
    private final Optional<Orders> orders;
    private final JsonMapper json;
    private volatile boolean stopping;

    Handler(Payments payments, Optional<Orders> orders, JsonMapper json) {
        this.payments = payments;
        this.orders = orders;
        this.json = json;
    }

    /** Each connection from now on behind its next answer. */
    void closeConnections() {
        stopping = true;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            try {
                answer(exchange);
            } catch (BadRequest | JsonProcessingException malformed) {
                fail(exchange, 400, "malformed request");
            } catch (SQLException failure) {
                failure.printStackTrace();
                fail(exchange, 500, "internal error");
            }
        }
    }

    private void answer(HttpExchange exchange) throws IOException, SQLException {
        var path = exchange.getRequestURI().getPath();
        var method = exchange.getRequestMethod();
        if (path.startsWith("/pay/") && isLast(path, 5)) {
            if (method.equals("POST")) {
                pay(exchange, path.substring(5));
            } else {
                fail(exchange, 405, "POST alone");
            }
        } else if (path.equals("/route")) {
            if (method.equals("POST")) {
                route(exchange);
            } else {
                fail(exchange, 405, "POST alone");
            }
        } else if (path.startsWith("/order/") && isLast(path, 7)) {
            if (method.equals("GET")) {
                order(exchange, path.substring(7));
            } else {
                fail(exchange, 405, "GET alone");
            }
        } else {
            fail(exchange, 404, "no such path");
        }
    }

    /** Whether no further segment follows the one that begins at {@code start}. */
    private static boolean isLast(String path, int start) {
        return path.indexOf('/', start) < 0;
    }

    private void pay(HttpExchange exchange, String amountText) throws IOException {
        long amount = Payment.amount(amountText);
        var payment = read(exchange, Payment.class);
        send(exchange, 200, payment.receipt(amount, payments.records()));
    }

    private void route(HttpExchange exchange) throws IOException {
        var choice = read(exchange, Routing.class).choice(payments.processors());
        if (choice.isPresent()) {
            send(exchange, 200, choice.get());
        } else {
            fail(exchange, 404, "no processor");
        }
    }

    private void order(HttpExchange exchange, String idText) throws IOException, SQLException {
        long id = Order.id(idText);
        if (orders.isEmpty()) {
            fail(exchange, 503, "no database");
            return;
        }
        var order = orders.get().find(id);
        if (order.isPresent()) {
            send(exchange, 200, order.get());
        } else {
            fail(exchange, 404, "no order");
        }
    }

    private <T> T read(HttpExchange exchange, Class<T> type) throws IOException {
        var value = json.readValue(exchange.getRequestBody(), type);
        if (value == null) {
            throw new BadRequest(); // the body was null
        }
        return value;
    }

    private void fail(HttpExchange exchange, int status, String error) throws IOException {
        send(exchange, status, new Failure(error));
    }

    private void send(HttpExchange exchange, int status, Object value) throws IOException {
        var body = json.writeValueAsBytes(value);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        if (stopping) {
            exchange.getResponseHeaders().set("Connection", "close");
        }
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }
}
