package techempower;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/** From a request to its answer. */
final class Handler implements HttpHandler {
    private static final String GREETING = "Hello, World!";
    private static final String COUNT = "queries=";

    private final Optional<Database> database;
    private final JsonMapper json = new JsonMapper();
    private volatile boolean stopping;

    Handler(Optional<Database> database) {
        this.database = database;
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
            } catch (SQLException failure) {
                failure.printStackTrace();
                send(exchange, 500, "text/plain", "internal error");
            }
        }
    }

    private void answer(HttpExchange exchange) throws IOException, SQLException {
        var uri = exchange.getRequestURI();
        switch (uri.getPath()) {
            case "/plaintext" -> send(exchange, 200, "text/plain", GREETING);
            case "/json" -> sendJson(exchange, Map.of("message", GREETING));
            case "/db" -> sendJson(exchange, database.orElseThrow().random());
            case "/queries" -> {
                int count = count(uri.getRawQuery());
                sendJson(exchange, database.orElseThrow().rows(count));
            }
            case "/updates" -> {
                int count = count(uri.getRawQuery());
                sendJson(exchange, database.orElseThrow().update(count));
            }
            case "/fortunes" -> {
                var page = Fortunes.render(database.orElseThrow().fortunes());
                send(exchange, 200, "text/html; charset=utf-8", page);
            }
            default -> send(exchange, 404, "text/plain", "no such path");
        }
    }

    /** What a query string means as a number of queries. */
    private static int count(String query) {
        for (var parameter : query == null ? new String[0] : query.split("&")) {
            if (parameter.startsWith(COUNT)) {
                return Queries.count(parameter.substring(COUNT.length()));
            }
        }
        return Queries.count(null);
    }

    private void sendJson(HttpExchange exchange, Object value) throws IOException {
        send(exchange, 200, "application/json", json.writeValueAsBytes(value));
    }

    private void send(HttpExchange exchange, int status, String type, String text)
            throws IOException {
        send(exchange, status, type, text.getBytes(StandardCharsets.UTF_8));
    }

    private void send(HttpExchange exchange, int status, String type, byte[] body)
            throws IOException {
        var headers = exchange.getResponseHeaders();
        headers.set("Server", "jdk");
        headers.set("Content-Type", type);
        if (stopping) {
            headers.set("Connection", "close");
        }
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }
}
