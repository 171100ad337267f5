package techempower;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.jooby.Context;
import io.jooby.GracefulShutdown;
import io.jooby.Jooby;
import io.jooby.MediaType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** From a request to its answer. */
final class App extends Jooby {
    private static final String GREETING = "Hello, World!";
    private static final Duration STOP_LIMIT = Duration.ofSeconds(4);

    App(Optional<Database> database) {
        install(new GracefulShutdown(STOP_LIMIT));
        // Jooby would make a folder in the working directory.
        setTmpdir(Path.of(System.getProperty("java.io.tmpdir")));
        var json = new JsonMapper();
        encoder(MediaType.json, (context, value) ->
                context.getBufferFactory().wrap(json.writeValueAsBytes(value)));
        before(context -> context.setResponseHeader("Server", "jooby"));
        get("/plaintext", context -> context.send(GREETING));
        get("/json", context -> Map.of("message", GREETING)).produces(MediaType.json);
        // JDBC blocks: these routes run on the worker threads.
        database.ifPresent(tables -> dispatch(() -> {
            get("/db", context -> tables.random()).produces(MediaType.json);
            get("/queries", context -> tables.rows(count(context))).produces(MediaType.json);
            get("/updates", context -> tables.update(count(context))).produces(MediaType.json);
            get("/fortunes", context -> context
                    .setResponseType(MediaType.html)
                    .send(Fortunes.render(tables.fortunes())));
        }));
    }

    /** What the request means as a number of queries. */
    private static int count(Context context) {
        return Queries.count(context.query("queries").valueOrNull());
    }
}
