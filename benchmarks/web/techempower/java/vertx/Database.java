package techempower;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import runfair.UserMistake;

/** The tables, through a pool of connections that all event loops share. */
final class Database {
    private static final int MOST = 10_000;
    private static final String READ = "SELECT id, randomnumber FROM world WHERE id = $1";
    private static final String WRITE =
            "UPDATE world SET randomnumber = v.r FROM unnest($1::int[], $2::int[]) v(i, r)"
                    + " WHERE id = v.i";
    private static final String FORTUNES = "SELECT id, message FROM fortune";

    private final Pool pool;

    private Database(Vertx vertx, PgConnectOptions options, int connections) {
        pool = PgBuilder.pool()
                .using(vertx)
                .connectingTo(options)
                .with(new PoolOptions().setMaxSize(connections))
                .build();
    }

    /** None if the environment names none. */
    static Optional<Database> ofEnvironment(Vertx vertx, int connections) {
        return Optional.ofNullable(System.getenv("DATABASE_URL"))
                .filter(url -> !url.isEmpty())
                .map(url -> new Database(vertx, options(url), connections));
    }

    private static PgConnectOptions options(String url) {
        try {
            return PgConnectOptions.fromUri(url).setCachePreparedStatements(true);
        } catch (IllegalArgumentException malformed) {
            throw new UserMistake("DATABASE_URL takes postgresql://USER[:PASSWORD]@HOST:PORT/NAME");
        }
    }

    /** Done once the first connection is open. */
    Future<Void> connected() {
        return pool.getConnection().compose(SqlClient::close);
    }

    Future<World> random() {
        return random(pool);
    }

    /** Rows read on one connection. The client sends a query before the last is answered. */
    Future<List<World>> rows(int count) {
        return pool.withConnection(connection -> rows(connection, count));
    }

    /** Written in the order of ids, so that concurrent updates lock rows in the same order. */
    Future<List<World>> update(int count) {
        return pool.withConnection(connection -> rows(connection, count).compose(rows -> {
            var changed = rows.stream()
                    .map(row -> new World(row.id(), drawn()))
                    .sorted(Comparator.comparingInt(World::id))
                    .toList();
            var ids = changed.stream().map(World::id).toArray(Integer[]::new);
            var numbers = changed.stream().map(World::randomNumber).toArray(Integer[]::new);
            return connection
                    .preparedQuery(WRITE)
                    .execute(Tuple.tuple().addArrayOfInteger(ids).addArrayOfInteger(numbers))
                    .map(written -> changed);
        }));
    }

    Future<List<Fortune>> fortunes() {
        return pool.preparedQuery(FORTUNES).execute().map(rows -> {
            var found = new ArrayList<Fortune>();
            rows.forEach(row -> found.add(new Fortune(row.getInteger(0), row.getString(1))));
            return found;
        });
    }

    private static Future<List<World>> rows(SqlConnection connection, int count) {
        var asked = IntStream.range(0, count).mapToObj(i -> random(connection)).toList();
        return Future.all(asked).map(answered -> answered.list());
    }

    private static Future<World> random(SqlClient client) {
        return client.preparedQuery(READ).execute(Tuple.of(drawn())).map(Database::world);
    }

    private static World world(RowSet<Row> rows) {
        var row = rows.iterator().next();
        return new World(row.getInteger(0), row.getInteger(1));
    }

    private static int drawn() {
        return ThreadLocalRandom.current().nextInt(MOST) + 1;
    }
}
