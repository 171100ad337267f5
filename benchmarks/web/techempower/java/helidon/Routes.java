package techempower;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/** From a request to its answer. */
final class Routes {
    private static final String GREETING = "Hello, World!";
    private static final Header SERVER =
            HeaderValues.createCached(HeaderNames.SERVER, "helidon");
    private static final Header PLAIN =
            HeaderValues.createCached(HeaderNames.CONTENT_TYPE, "text/plain");
    private static final Header HTML =
            HeaderValues.createCached(HeaderNames.CONTENT_TYPE, "text/html; charset=utf-8");

    private final Optional<Database> database;

    Routes(Optional<Database> database) {
        this.database = database;
    }

    void into(HttpRouting.Builder routing) {
        routing.any(Routes::named)
                .get("/plaintext", (request, response) -> response.header(PLAIN).send(GREETING))
                .get("/json", (request, response) -> response.send(Map.of("message", GREETING)))
                .error(SQLException.class, Routes::failed);
        database.ifPresent(tables -> routing
                .get("/db", (request, response) -> response.send(tables.random()))
                .get("/queries", (request, response) ->
                        response.send(tables.rows(count(request))))
                .get("/updates", (request, response) ->
                        response.send(tables.update(count(request))))
                .get("/fortunes", (request, response) ->
                        response.header(HTML).send(Fortunes.render(tables.fortunes()))));
    }

    private static void named(ServerRequest request, ServerResponse response) {
        response.header(SERVER);
        response.next();
    }

    /** What the request means as a number of queries. */
    private static int count(ServerRequest request) {
        return Queries.count(request.query().first("queries").orElse(null));
    }

    private static void failed(
            ServerRequest request, ServerResponse response, SQLException failure) {
        failure.printStackTrace();
        response.status(Status.INTERNAL_SERVER_ERROR_500).send("internal error");
    }
}
