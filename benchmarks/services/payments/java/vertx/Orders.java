package payments;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.Optional;

/** The orders of the database, through a pool of connections that all event loops share. */
final class Orders {
    private final Pool pool;

    Orders(Vertx vertx, Database database, int connections) {
        var options = new PgConnectOptions()
                .setHost(database.host())
                .setPort(database.port())
                .setUser(database.user())
                .setPassword(database.password())
                .setDatabase(database.name())
                .setCachePreparedStatements(true);
        pool = PgBuilder.pool()
                .using(vertx)
                .connectingTo(options)
                .with(new PoolOptions().setMaxSize(connections))
                .build();
    }

    /** Done once the first connection is open. */
    Future<Void> connected() {
        return pool.getConnection().compose(SqlClient::close);
    }

    Future<Optional<Order>> find(long id) {
        return pool.preparedQuery(Order.NATIVE_QUERY).execute(Tuple.of(id)).map(rows -> {
            var row = rows.iterator();
            return row.hasNext() ? Optional.of(order(row.next())) : Optional.empty();
        });
    }

    private static Order order(Row row) {
        return new Order(
                row.getLong(0),
                row.getString(1),
                row.getString(2),
                row.getLong(3),
                row.getString(4));
    }
}
