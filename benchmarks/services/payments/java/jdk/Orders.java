package payments;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import java.sql.SQLException;
import java.util.Optional;

/** The orders of the database, through a pool of connections. */
final class Orders implements AutoCloseable {
    private final HikariDataSource pool;

    private Orders(HikariDataSource pool) {
        this.pool = pool;
    }

    /** With its first connection open. */
    static Orders open(Database database, int connections) {
        var config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setMaximumPoolSize(connections);
        try {
            return new Orders(new HikariDataSource(config));
        } catch (PoolInitializationException failure) {
            throw database.cannotBeReached(failure.getCause());
        }
    }

    Optional<Order> find(long id) throws SQLException {
        try (var connection = pool.getConnection();
                var statement = connection.prepareStatement(Order.QUERY)) {
            statement.setLong(1, id);
            try (var row = statement.executeQuery()) {
                return row.next()
                        ? Optional.of(new Order(
                                row.getLong(1),
                                row.getString(2),
                                row.getString(3),
                                row.getLong(4),
                                row.getString(5)))
                        : Optional.empty();
            }
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
